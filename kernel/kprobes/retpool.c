// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return probes: where instances come from.
 *
 * A followed call needs an instance, and the hit must not allocate.  So every
 * CPU keeps a stock of free ones.  The stock is shared by all return probes
 * whose instances have the same size: its cost does not grow with the number
 * of probes.  A hit that leaves fewer than the low mark raises an irq_work, and
 * that gets more, first from what other CPUs gave up, then from the allocator.
 *
 * Why that is enough.  The irq_work runs as soon as the CPU takes interrupts.
 * Until then a CPU can enter only what nests, or follows a task switch, in one
 * stretch with interrupts off; a task that goes to sleep ends such a stretch.
 * So for a miss, more calls than the low mark have to be entered and not yet
 * have returned within one stretch with interrupts off, or the allocator has to
 * be without memory even for atomic requests.  The number of sleepers does not
 * matter.  Where interrupts cannot be raised at will the irq_work waits for
 * the next tick, and the low mark is raised by the number of threads.
 *
 * Instances come home on any CPU.  Above the high mark the irq_work moves them
 * to a surplus, from where another CPU's stock is filled; what nobody wanted
 * for a second is freed.  So memory follows the number of calls under way.
 *
 * Called by retprobe.c.  The hit's part is inline in retpool.h.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "retpool.h"

#define SMALLEST_SHIFT	5
#define LARGEST_SHIFT	13
#define NR_CLASSES	(LARGEST_SHIFT - SMALLEST_SHIFT + 1)

static_assert(sizeof(struct kretprobe_instance) + KRETPROBE_MAX_DATA_SIZE <=
	      1 << LARGEST_SHIFT);

/* How long a surplus is kept before it is freed. */
#define KEEP_SURPLUS	HZ

/**
 * struct kretprobe_class - instances of one size
 * @size: bytes of an instance with its data
 * @users: registered probes.  Written under stock_mutex; with none, every mark
 *	is 0 and the stocks run empty
 * @lock: protects @surplus and @nr_surplus.  Not taken by hits
 * @surplus: free instances that belong to no CPU
 * @nr_surplus: how many
 * @strays: instances that came home while all shelves were busy
 * @existing: instances there are, free or not
 * @hungry: an atomic allocation failed
 * @orphans: a retired pool may have got its last instance
 */
struct kretprobe_class {
	size_t size;
	unsigned int users;
	raw_spinlock_t lock;
	struct llist_node *surplus;
	unsigned int nr_surplus;
	struct llist_head strays;
	atomic_long_t existing;
	bool hungry;
	bool orphans;
};

/**
 * struct marks - how full a shelf should be
 * @low: fetch more below
 * @full: up to here
 * @high: give back above, down to @full
 */
struct marks {
	unsigned int low, full, high;
};

static struct kretprobe_class classes[NR_CLASSES];
static DEFINE_PER_CPU(struct kretprobe_stock, stocks[NR_CLASSES]);

/* Protects kretprobe_class::users and the list of retired pools. */
static DEFINE_MUTEX(stock_mutex);
static LIST_HEAD(retired_pools);
static bool stocks_ready;

static void tidy(struct work_struct *work);
static DECLARE_DELAYED_WORK(tidy_work, tidy);

static struct marks shelf_marks(const struct kretprobe_class *class, bool main_shelf)
{
	struct marks m = { .low = 4, .full = 8, .high = 24 };

	if (!READ_ONCE(class->users))
		return (struct marks){};
	if (!main_shelf)
		return m;

	m.full = clamp_t(unsigned int, SZ_16K / class->size, 16, 64);
	m.low = m.full / 2;
	if (!arch_irq_work_has_interrupt()) {
		m.full += nr_threads;
		m.low = m.full - 16;
	}
	m.high = 2 * m.full;
	return m;
}

static struct llist_node *new_instance(struct kretprobe_class *class, gfp_t gfp)
{
	struct kretprobe_instance *ri = kmalloc(class->size, gfp | __GFP_NOWARN);

	if (!ri)
		return NULL;
	atomic_long_inc(&class->existing);
	return &ri->node;
}

static struct llist_node *surplus_pop(struct kretprobe_class *class)
{
	struct llist_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&class->lock, flags);
	node = class->surplus;
	if (node) {
		class->surplus = node->next;
		class->nr_surplus--;
	}
	raw_spin_unlock_irqrestore(&class->lock, flags);
	return node;
}

/* Add the chain of @n from @first to @last. */
static void surplus_push(struct kretprobe_class *class, struct llist_node *first,
			 struct llist_node *last, unsigned int n)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&class->lock, flags);
	last->next = class->surplus;
	class->surplus = first;
	class->nr_surplus += n;
	raw_spin_unlock_irqrestore(&class->lock, flags);
}

static bool surplus_fill(struct kretprobe_class *class, unsigned int n)
{
	struct llist_node *node;

	while (n--) {
		node = new_instance(class, GFP_KERNEL);
		if (!node)
			return false;
		surplus_push(class, node, node, 1);
	}
	return true;
}

static __always_inline void shelf_push(struct kretprobe_shelf *shelf, struct llist_node *node)
{
	WRITE_ONCE(shelf->busy, true);
	/* Against an NMI on this CPU, as in kretprobe_take(). */
	barrier();
	node->next = shelf->first;
	shelf->first = node;
	shelf->count++;
	/* As in kretprobe_take(). */
	barrier();
	WRITE_ONCE(shelf->busy, false);
}

/* Move all but @keep to the surplus. */
static void shelf_reduce(struct kretprobe_shelf *shelf, unsigned int keep,
			 struct kretprobe_class *class)
{
	struct llist_node *first, *last;
	unsigned int n, i;

	WRITE_ONCE(shelf->busy, true);
	/* Against an NMI on this CPU, as in kretprobe_take(). */
	barrier();
	n = shelf->count > keep ? shelf->count - keep : 0;
	first = shelf->first;
	last = first;
	if (n) {
		for (i = 1; i < n; i++)
			last = last->next;
		shelf->first = last->next;
		shelf->count -= n;
	}
	/* As in kretprobe_take(). */
	barrier();
	WRITE_ONCE(shelf->busy, false);

	if (n)
		surplus_push(class, first, last, n);
}

static void collect_strays(struct kretprobe_class *class)
{
	struct llist_node *node, *next;

	node = llist_del_all(&class->strays);
	for (; node; node = next) {
		next = node->next;
		surplus_push(class, node, node, 1);
	}
}

/* False if the shelf is in use by what was interrupted. */
static bool restock_shelf(struct kretprobe_stock *stock, unsigned int i)
{
	struct kretprobe_class *class = stock->class;
	struct kretprobe_shelf *shelf = &stock->shelf[i];
	struct marks m = shelf_marks(class, !i);
	struct llist_node *node;

	if (READ_ONCE(shelf->busy))
		return false;

	shelf->low = m.low;
	shelf->high = m.high;
	while (READ_ONCE(shelf->count) < m.full) {
		node = surplus_pop(class);
		if (!node)
			node = new_instance(class, GFP_ATOMIC);
		if (!node) {
			WRITE_ONCE(class->hungry, true);
			break;
		}
		shelf_push(shelf, node);
	}
	if (READ_ONCE(shelf->count) > m.high)
		shelf_reduce(shelf, m.full, class);
	return true;
}

/*
 * Bring this CPU's stock between its marks.  Interrupts are off, or (where
 * irq_works are threads) preemption is.
 */
static void restock(struct kretprobe_stock *stock)
{
	struct kretprobe_class *class = stock->class;
	bool again = false;
	unsigned int i;

	if (!llist_empty(&class->strays))
		collect_strays(class);
	for (i = 0; i < KRETPROBE_SHELVES; i++)
		again |= !restock_shelf(stock, i);
	if (again)
		irq_work_queue(&stock->restock);

	if (READ_ONCE(class->hungry))
		mod_delayed_work(system_wq, &tidy_work, 0);
	else if (READ_ONCE(class->nr_surplus) || READ_ONCE(class->orphans))
		queue_delayed_work(system_wq, &tidy_work, KEEP_SURPLUS);
}

static void restock_irq_work(struct irq_work *work)
{
	preempt_disable();
	restock(container_of(work, struct kretprobe_stock, restock));
	preempt_enable();
}

static void restock_ipi(void *class)
{
	restock(this_cpu_ptr(&stocks[(struct kretprobe_class *)class - classes]));
}

/**
 * kretprobe_take_spare() - take a free instance from any shelf
 * @stock: this CPU's stock
 *
 * As kretprobe_take(), but with all means.
 *
 * Context: preemption off, any level.
 * Return: an instance, or NULL if there is none.
 */
struct kretprobe_instance __kprobes *kretprobe_take_spare(struct kretprobe_stock *stock)
{
	struct llist_node *node = NULL;
	struct kretprobe_shelf *shelf;
	unsigned int i;
	bool low;

	for (i = 0; !node && i < KRETPROBE_SHELVES; i++) {
		shelf = &stock->shelf[i];
		if (READ_ONCE(shelf->busy))
			continue;
		WRITE_ONCE(shelf->busy, true);
		/* As in kretprobe_take(). */
		barrier();
		node = shelf->first;
		low = shelf->count <= shelf->low;
		if (node) {
			shelf->first = node->next;
			shelf->count--;
		}
		/* As in kretprobe_take(). */
		barrier();
		WRITE_ONCE(shelf->busy, false);

		if (low)
			irq_work_queue(&stock->restock);
	}
	return node ? container_of(node, struct kretprobe_instance, node) : NULL;
}

/**
 * kretprobe_give_spare() - kretprobe_give() where it is not that simple
 * @stock: this CPU's stock
 * @ri: the instance
 *
 * Context: preemption off, any level.
 */
void __kprobes kretprobe_give_spare(struct kretprobe_stock *stock,
				    struct kretprobe_instance *ri)
{
	struct kretprobe_shelf *shelf;
	unsigned int i;

	for (i = 0; i < KRETPROBE_SHELVES; i++) {
		shelf = &stock->shelf[i];
		if (READ_ONCE(shelf->busy))
			continue;
		shelf_push(shelf, &ri->node);
		if (READ_ONCE(shelf->count) > READ_ONCE(shelf->high))
			irq_work_queue(&stock->restock);
		return;
	}
	llist_add(&ri->node, &stock->class->strays);
	irq_work_queue(&stock->restock);
}

/**
 * kretprobe_orphan_home() - an instance of an unregistered probe came home
 * @stock: this CPU's stock
 *
 * It may have been the last one its pool waits for.
 *
 * Context: preemption off, any level.
 */
void __kprobes kretprobe_orphan_home(struct kretprobe_stock *stock)
{
	WRITE_ONCE(stock->class->orphans, true);
	irq_work_queue(&stock->restock);
}

static unsigned int stock_count(const struct kretprobe_stock *stock)
{
	unsigned int i, n = 0;

	for (i = 0; i < KRETPROBE_SHELVES; i++)
		n += READ_ONCE(stock->shelf[i].count);
	return n;
}

static unsigned int stock_full(const struct kretprobe_class *class)
{
	return shelf_marks(class, true).full +
	       (KRETPROBE_SHELVES - 1) * shelf_marks(class, false).full;
}

static struct kretprobe_class *class_of_stock(struct kretprobe_stock __percpu *stock)
{
	return raw_cpu_ptr(stock)->class;
}

/* Fill the stocks of all CPUs, so that the first hits find what they need. */
static bool fill_stocks(struct kretprobe_class *class)
{
	unsigned int full = stock_full(class), have, need = 0;
	int cpu, i = class - classes;

	for_each_online_cpu(cpu) {
		have = stock_count(per_cpu_ptr(&stocks[i], cpu));
		need += have < full ? full - have : 0;
	}
	if (!surplus_fill(class, need))
		return false;
	on_each_cpu(restock_ipi, class, 1);
	return true;
}

/**
 * kretprobe_stock_get() - find the stock for instances of a size
 * @data_size: bytes of data in an instance
 * @stock: set to the stock, filled on all CPUs, to be given back with
 *	kretprobe_stock_put()
 *
 * Context: process context, may sleep.
 * Return: 0, -ENOMEM, or -EAGAIN if it is too early in the boot.
 */
int kretprobe_stock_get(size_t data_size, struct kretprobe_stock __percpu **stock)
{
	size_t size = sizeof(struct kretprobe_instance) + data_size;
	struct kretprobe_class *class;
	unsigned int i = 0;
	bool ok = true;

	if (!stocks_ready)
		return -EAGAIN;
	if (size > 1UL << SMALLEST_SHIFT)
		i = order_base_2(size) - SMALLEST_SHIFT;
	class = &classes[i];

	cpus_read_lock();
	mutex_lock(&stock_mutex);
	WRITE_ONCE(class->users, class->users + 1);
	if (class->users == 1)
		ok = fill_stocks(class);
	if (!ok)
		WRITE_ONCE(class->users, 0);
	mutex_unlock(&stock_mutex);
	cpus_read_unlock();

	if (!ok) {
		mod_delayed_work(system_wq, &tidy_work, 0);
		return -ENOMEM;
	}
	*stock = &stocks[i];
	return 0;
}

/**
 * kretprobe_stock_put() - a probe does not need the stock any more
 * @stock: the stock
 *
 * Instances that are still out may come home at any time later.
 *
 * Context: process context, may sleep.
 */
void kretprobe_stock_put(struct kretprobe_stock __percpu *stock)
{
	struct kretprobe_class *class = class_of_stock(stock);

	mutex_lock(&stock_mutex);
	WRITE_ONCE(class->users, class->users - 1);
	mutex_unlock(&stock_mutex);
	if (!class->users)
		queue_delayed_work(system_wq, &tidy_work, KEEP_SURPLUS);
}

/**
 * kretprobe_retire() - release pools as soon as their last instance is home
 * @retired: list of pools (kretprobe_pool::retired) that no hit can find any
 *	more
 *
 * Context: process context, may sleep.
 */
void kretprobe_retire(struct list_head *retired)
{
	mutex_lock(&stock_mutex);
	list_splice_tail_init(retired, &retired_pools);
	mutex_unlock(&stock_mutex);
	mod_delayed_work(system_wq, &tidy_work, 0);
}

/**
 * kretprobe_all_home() - is no call followed any more
 * @pool: the pool of a probe that follows no new ones
 *
 * Entries have ended, so the sum can only fall.  Each term is read once, at
 * some time: the sum is never below what is true at the end of the walk.
 *
 * Context: any.
 */
bool kretprobe_all_home(const struct kretprobe_pool *pool)
{
	long inside = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		inside += READ_ONCE(per_cpu_ptr(pool->account, cpu)->inside);
	return !inside;
}

static void release_pools(void)
{
	struct kretprobe_pool *pool, *next;

	list_for_each_entry_safe(pool, next, &retired_pools, retired) {
		if (!kretprobe_all_home(pool))
			continue;
		list_del(&pool->retired);
		free_percpu(pool->account);
		kfree(pool);
	}
}

static unsigned int free_chain(struct llist_node *node)
{
	struct llist_node *next;
	unsigned int n = 0;

	for (; node; node = next, n++) {
		next = node->next;
		kfree(container_of(node, struct kretprobe_instance, node));
	}
	return n;
}

/* Free what has been surplus; get what the irq_work could not get. */
static void tidy(struct work_struct *work)
{
	struct llist_node *surplus[NR_CLASSES];
	struct kretprobe_class *class;
	bool any = false, hungry = false;
	int cpu, i;

	cpus_read_lock();
	mutex_lock(&stock_mutex);
	/* Before the look: whoever comes home behind it, sets it again. */
	for (i = 0; i < NR_CLASSES; i++)
		WRITE_ONCE(classes[i].orphans, false);
	release_pools();
	for (i = 0; i < NR_CLASSES; i++) {
		class = &classes[i];
		if (!class->users && atomic_long_read(&class->existing))
			on_each_cpu(restock_ipi, class, 1);

		raw_spin_lock_irq(&class->lock);
		surplus[i] = class->surplus;
		class->surplus = NULL;
		class->nr_surplus = 0;
		raw_spin_unlock_irq(&class->lock);
		any |= !!surplus[i];

		if (!READ_ONCE(class->hungry))
			continue;
		WRITE_ONCE(class->hungry, false);
		if (class->users) {
			hungry |= !surplus_fill(class, num_online_cpus() * stock_full(class));
			for_each_online_cpu(cpu)
				irq_work_queue_on(&per_cpu_ptr(&stocks[i], cpu)->restock, cpu);
		}
	}
	mutex_unlock(&stock_mutex);
	cpus_read_unlock();

	if (any) {
		/*
		 * An unwinder may still look at an instance that has just come
		 * home: pairs with the preempt_disable() in
		 * kretprobe_find_ret_addr().
		 */
		synchronize_rcu();
		for (i = 0; i < NR_CLASSES; i++)
			atomic_long_sub(free_chain(surplus[i]), &classes[i].existing);
	}
	if (hungry)
		queue_delayed_work(system_wq, &tidy_work, max(HZ / 100, 1));
}

/**
 * kretprobe_instances_existing() - how many instances there are
 *
 * Context: any.
 * Return: instances of all sizes, free and in use.
 */
long kretprobe_instances_existing(void)
{
	long n = 0;
	int i;

	for (i = 0; i < NR_CLASSES; i++)
		n += atomic_long_read(&classes[i].existing);
	return n;
}
EXPORT_SYMBOL_GPL(kretprobe_instances_existing);

/* A CPU is about to come up: nobody else touches its stock. */
static int stock_cpu_prepare(unsigned int cpu)
{
	struct kretprobe_stock *stock;
	struct llist_node *node;
	unsigned int i, j;
	struct marks m;

	mutex_lock(&stock_mutex);
	for (i = 0; i < NR_CLASSES; i++) {
		stock = per_cpu_ptr(&stocks[i], cpu);
		for (j = 0; j < KRETPROBE_SHELVES; j++) {
			m = shelf_marks(stock->class, !j);
			stock->shelf[j].low = m.low;
			stock->shelf[j].high = m.high;
			while (stock->shelf[j].count < m.full) {
				node = new_instance(stock->class, GFP_KERNEL);
				if (!node) {
					mutex_unlock(&stock_mutex);
					return -ENOMEM;
				}
				shelf_push(&stock->shelf[j], node);
			}
		}
	}
	mutex_unlock(&stock_mutex);
	return 0;
}

/* A CPU is down. */
static int stock_cpu_dead(unsigned int cpu)
{
	struct kretprobe_stock *stock;
	unsigned int i, j;

	mutex_lock(&stock_mutex);
	for (i = 0; i < NR_CLASSES; i++) {
		stock = per_cpu_ptr(&stocks[i], cpu);
		for (j = 0; j < KRETPROBE_SHELVES; j++)
			shelf_reduce(&stock->shelf[j], 0, stock->class);
	}
	mutex_unlock(&stock_mutex);
	queue_delayed_work(system_wq, &tidy_work, KEEP_SURPLUS);
	return 0;
}

static int __init kretprobe_stock_init(void)
{
	struct kretprobe_stock *stock;
	int cpu, ret, i;

	for (i = 0; i < NR_CLASSES; i++) {
		classes[i].size = 1UL << (SMALLEST_SHIFT + i);
		raw_spin_lock_init(&classes[i].lock);
		for_each_possible_cpu(cpu) {
			stock = per_cpu_ptr(&stocks[i], cpu);
			stock->class = &classes[i];
			init_irq_work(&stock->restock, restock_irq_work);
		}
	}
	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "kprobes/return:prepare",
					stock_cpu_prepare, stock_cpu_dead);
	if (ret < 0)
		return ret;
	stocks_ready = true;
	return 0;
}

/* Before the other CPUs come up. */
early_initcall(kretprobe_stock_init);
