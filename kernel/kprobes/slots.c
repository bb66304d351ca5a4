// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: out-of-line slots, and the memory of probe points.
 *
 * A slot holds the copy of a probed instruction, or is a detour buffer.  Pages
 * of slots, of one size each, are listed in a table by page address, so that an
 * address can be told to be in a slot, and whose, in constant time.
 *
 * A task may be preempted while it stands in a slot.  A point that leaves the
 * table therefore keeps its slot, and itself, for an RCU-tasks grace period;
 * nobody waits for that: kprobe_points_retire() is asynchronous.
 */
#include <linux/bitmap.h>
#include <linux/cacheflush.h>
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/moduleloader.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "internal.h"

/* Of the smaller size. */
#define SLOTS_PER_PAGE_MAX	(PAGE_SIZE / KPROBE_SLOT_BYTES)

/**
 * struct slot_pool - slots of one size
 * @bytes: the size
 * @spare: pages with a free slot
 */
struct slot_pool {
	unsigned int bytes;
	struct list_head spare;
};

static struct slot_pool copy_slots = {
	.bytes = KPROBE_SLOT_BYTES,
	.spare = LIST_HEAD_INIT(copy_slots.spare),
};

#ifdef CONFIG_OPTPROBES
static struct slot_pool detour_slots = {
	.bytes = KPROBE_DETOUR_BYTES,
	.spare = LIST_HEAD_INIT(detour_slots.spare),
};

static_assert(KPROBE_DETOUR_BYTES >= KPROBE_SLOT_BYTES);
#endif

static unsigned int slots_per_page(const struct slot_pool *pool)
{
	return PAGE_SIZE / pool->bytes;
}

/**
 * struct slot_page - a page of slots
 * @base: the page; the key in slot_table
 * @all: link in slot_pages; RCU
 * @spare: link in slot_pool::spare while a slot is free
 * @pool: the slots' size
 * @nr_used: slots in use
 * @used: which
 * @owner: the point a slot belongs to.  Written under kprobe_mutex, read by
 *	the hit, which must not see a point that is being freed: cleared a
 *	grace period before
 */
struct slot_page {
	void *base;
	struct list_head all;
	struct list_head spare;
	struct slot_pool *pool;
	unsigned int nr_used;
	DECLARE_BITMAP(used, SLOTS_PER_PAGE_MAX);
	struct kprobe_point *owner[];
};

static struct kprobe_table slot_table = { KPROBE_TABLE_INIT };
static_assert(offsetof(struct slot_page, base) == 0);

static LIST_HEAD(slot_pages);

/*
 * Slots that were given away and are not written yet.  Writing is expensive,
 * and its cost does not depend on how much is written: so a batch collects what
 * it wants in one page, and writes that when it goes on to the next page.
 * Protected by kprobe_mutex.
 */
static struct {
	struct slot_page *page;
	DECLARE_BITMAP(dirty, SLOTS_PER_PAGE_MAX);
	u8 image[PAGE_SIZE];
} unwritten;

/*
 * All slots are in [slots_start, slots_end).  The range only ever grows.  It
 * spares most faults of the kernel the look into the table; a stale read by
 * another CPU is harmless, because nobody stands in a slot of a page that was
 * added a moment ago without having taken a trap since.
 */
static unsigned long slots_start __read_mostly = ULONG_MAX;
static unsigned long slots_end __read_mostly;

static __always_inline struct slot_page *find_page(unsigned long addr)
{
	if (addr < READ_ONCE(slots_start) || addr >= READ_ONCE(slots_end))
		return NULL;
	return kprobe_table_lookup(&slot_table, addr & PAGE_MASK);
}

/**
 * kprobe_slot_owner() - the point whose slot an address is in
 * @addr: any address
 *
 * Context: any, with preemption off and RCU watching.
 * Return: the point, or NULL.
 */
struct kprobe_point __kprobes *kprobe_slot_owner(unsigned long addr)
{
	struct slot_page *page = find_page(addr);
	unsigned int index;

	if (!page)
		return NULL;
	index = offset_in_page(addr) / page->pool->bytes;
	if (index >= slots_per_page(page->pool))
		return NULL;
	/* Pairs with the release in claim_slot(). */
	return smp_load_acquire(&page->owner[index]);
}

/**
 * is_kprobe_insn_slot() - is this address in a page of slots
 * @addr: any address
 *
 * For those who ask whether an address is kernel text.
 *
 * Context: any that RCU watches.
 */
bool __kprobes is_kprobe_insn_slot(unsigned long addr)
{
	bool found;

	preempt_disable_notrace();
	found = find_page(addr);
	preempt_enable_notrace();
	return found;
}

static __always_inline bool is_in_copy(const struct kprobe_point *pt, unsigned long ip)
{
	return ip - pt->insn.slot < KPROBE_SLOT_BYTES;
}

/**
 * kprobe_restart_address() - where to restart what faulted at an address
 * @ip: an instruction pointer
 *
 * Context: any that RCU watches.
 * Return: for the copy of a probed instruction, the probed address; for the
 * other copies in a detour buffer @ip, because what stands at the original's
 * place is part of a jump; @ip for any other address.
 */
unsigned long __kprobes kprobe_restart_address(unsigned long ip)
{
	struct kprobe_point *pt;

	if (likely(ip < READ_ONCE(slots_start) || ip >= READ_ONCE(slots_end)))
		return ip;

	preempt_disable_notrace();
	pt = kprobe_slot_owner(ip);
	if (pt && (ip == pt->insn.slot || ip == kprobe_detour_body(pt)))
		ip = pt->addr;
	preempt_enable_notrace();
	return ip;
}

/**
 * kprobe_slot_to_text() - the address a probed instruction would be running at
 * @ip: an instruction pointer
 *
 * Context: any that RCU watches.
 * Return: for an address in a slot, the probed address if the copy has not
 * been executed yet, and the one behind the probed instruction if it has; @ip
 * itself for any other address.
 */
unsigned long __kprobes kprobe_slot_to_text(unsigned long ip)
{
	struct kprobe_point *pt;

	if (likely(ip < READ_ONCE(slots_start) || ip >= READ_ONCE(slots_end)))
		return ip;

	preempt_disable_notrace();
	pt = kprobe_slot_owner(ip);
	if (pt && is_in_copy(pt, ip)) {
		ip -= pt->insn.slot;
		ip = pt->addr + (ip >= pt->insn.tail ? pt->insn.length : 0);
	} else if (pt) {
		ip = kprobe_detour_to_text(pt, ip);
	}
	preempt_enable_notrace();
	return ip;
}

/* Can a slot there branch to what surrounds an address, and back? */
static bool is_near(unsigned long page, unsigned long addr)
{
#ifdef KPROBE_SLOT_REACH
	return page - addr < KPROBE_SLOT_REACH || addr - page < KPROBE_SLOT_REACH;
#else
	return true;
#endif
}

/* @near: a probed address that must be in reach, or 0. */
static void *alloc_writable_page(unsigned long near)
{
#ifdef KPROBE_SLOT_REACH
	return arch_kprobe_alloc_slot_page(near);
#else
	return module_alloc(PAGE_SIZE);
#endif
}

/* Whoever strays there is to trap, while nothing is written there. */
static void fill_page(kprobe_opcode_t *units)
{
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / sizeof(*units); i++)
		units[i] = KPROBE_BREAKPOINT;
	flush_icache_range((unsigned long)units, (unsigned long)units + PAGE_SIZE);
}

/*
 * Never writable and executable at once: set_memory_ro() takes the page's alias
 * in the linear map along.  Freeing the page undoes all of that, before the
 * memory is used again: VM_FLUSH_RESET_PERMS.
 *
 * Without CONFIG_STRICT_MODULE_RWX the architecture may write to it in place, as
 * to the text of modules.
 */
static bool protect_page(void *page)
{
	set_vm_flush_reset_perms(page);
	if (IS_ENABLED(CONFIG_STRICT_MODULE_RWX) &&
	    set_memory_ro((unsigned long)page, 1))
		return false;
	return !set_memory_x((unsigned long)page, 1);
}

static void *alloc_slot_page(unsigned long near)
{
	void *page = alloc_writable_page(near);

	if (!page)
		return NULL;
	fill_page(page);
	if (protect_page(page))
		return page;
	vfree(page);
	return NULL;
}

static struct slot_page *add_page(struct slot_pool *pool, unsigned long near)
{
	struct slot_page *page;
	unsigned long base;

	page = kzalloc(struct_size(page, owner, slots_per_page(pool)), GFP_KERNEL);
	if (!page)
		return NULL;
	page->pool = pool;
	page->base = alloc_slot_page(near);
	if (!page->base || kprobe_table_reserve(&slot_table, 1))
		goto fail;

	base = (unsigned long)page->base;
	WRITE_ONCE(slots_start, min(slots_start, base));
	WRITE_ONCE(slots_end, max(slots_end, base + PAGE_SIZE));
	kprobe_table_insert(&slot_table, page);
	/* Pairs with the walk in kprobe_get_kallsym(). */
	list_add_tail_rcu(&page->all, &slot_pages);
	list_add(&page->spare, &pool->spare);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, (unsigned long)page->base,
			   PAGE_SIZE, false, "kprobe_insn_page");
	return page;

fail:
	vfree(page->base);
	kfree(page);
	return NULL;
}

/* Take an empty page out of use.  It is freed a grace period later. */
static void withdraw_page(struct slot_page *page, struct list_head *withdrawn)
{
	kprobe_table_remove(&slot_table, page);
	/* Pairs with the walk in kprobe_get_kallsym(). */
	list_del_rcu(&page->all);
	list_move(&page->spare, withdrawn);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, (unsigned long)page->base,
			   PAGE_SIZE, true, "kprobe_insn_page");
}

/**
 * kprobe_slots_write() - write the slots that kprobe_slot_get() has given away
 *
 * To be called before a breakpoint can lead into one of them, and whenever a
 * series of calls of kprobe_slot_get() ends.
 *
 * Context: process context, kprobe_mutex held, may sleep.  Takes text_mutex.
 */
void kprobe_slots_write(void)
{
	unsigned int from, to, offset, len;
	void *dst, *src;

	if (!unwritten.page)
		return;

	mutex_lock(&text_mutex);
	for_each_set_bitrange(from, to, unwritten.dirty, SLOTS_PER_PAGE_MAX) {
		offset = from * unwritten.page->pool->bytes;
		len = (to - from) * unwritten.page->pool->bytes;
		dst = unwritten.page->base + offset;
		src = unwritten.image + offset;
		arch_kprobe_write_text(dst, src, len);
		/* Nobody is to know what stood there before. */
		perf_event_text_poke(dst, NULL, 0, src, len);
	}
	mutex_unlock(&text_mutex);
	bitmap_zero(unwritten.dirty, SLOTS_PER_PAGE_MAX);
	unwritten.page = NULL;
}

/**
 * struct slot_claim - a slot that is about to be filled
 * @page: its page
 * @index: its number there
 * @addr: its address
 * @image: where to put what it is to hold, until it is written
 */
struct slot_claim {
	struct slot_page *page;
	unsigned int index;
	unsigned long addr;
	void *image;
};

/*
 * A page with a free slot: in reach, if there is one or can be one, else any.
 * Those that are out of reach are few, and those in reach come early: they are
 * the ones in use.
 */
static struct slot_page *choose_page(struct slot_pool *pool, unsigned long addr)
{
	struct slot_page *page;

	list_for_each_entry(page, &pool->spare, spare)
		if (is_near((unsigned long)page->base, addr))
			return page;

	page = list_first_entry_or_null(&pool->spare, struct slot_page, spare);
	if (!page)
		page = add_page(pool, 0);
	if (page && !is_near((unsigned long)page->base, addr))
		page = add_page(pool, addr) ?: page;
	return page;
}

/* Find a free slot; it is taken by claim_slot(). */
static int find_slot(struct slot_pool *pool, unsigned long addr, struct slot_claim *claim,
		     const char **why)
{
	struct slot_page *page = choose_page(pool, addr);

	if (!page) {
		*why = "no memory for an out-of-line slot";
		return -ENOMEM;
	}

	if (unwritten.page != page)
		kprobe_slots_write();
	unwritten.page = page;
	claim->page = page;
	claim->index = find_first_zero_bit(page->used, SLOTS_PER_PAGE_MAX);
	claim->addr = (unsigned long)page->base + claim->index * pool->bytes;
	claim->image = unwritten.image + claim->index * pool->bytes;
	return 0;
}

static void claim_slot(const struct slot_claim *claim, struct kprobe_point *pt)
{
	struct slot_page *page = claim->page;

	__set_bit(claim->index, unwritten.dirty);
	__set_bit(claim->index, page->used);
	/* Pairs with the acquire in kprobe_slot_owner(). */
	smp_store_release(&page->owner[claim->index], pt);
	if (++page->nr_used == slots_per_page(page->pool))
		list_del_init(&page->spare);
}

/* Decide how a slot that was built with a jump back ends. */
static enum kprobe_tail choose_tail(const struct kprobe_point *pt,
				    const struct slot_claim *claim)
{
	const struct kprobe_insn *insn = &pt->insn;

	if (insn->exec == KPROBE_EXEC_STEP)
		return KPROBE_TAIL_TRAP;
	/* Behind an operand check nothing was executed: back to the simulation. */
	if (insn->exec == KPROBE_EXEC_SIMULATE || !pt->posts)
		return KPROBE_TAIL_JUMP;
#ifdef KPROBE_TAIL_CALL_BYTES
	if (insn->tail + KPROBE_TAIL_CALL_BYTES <= KPROBE_SLOT_BYTES &&
	    !arch_kprobe_put_tail_call(claim->image + insn->tail, claim->addr + insn->tail,
				       pt->addr + insn->length))
		return KPROBE_TAIL_CALL;
#endif
	return KPROBE_TAIL_TRAP;
}

/**
 * kprobe_slot_get() - give a decoded point its slot
 * @pt: the point; @pt->posts decides how the slot ends
 * @why: set to the reason of a failure
 *
 * The slot is filled in by kprobe_slots_write().
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0, -ENOMEM, or -EINVAL if the copy would not reach its operands.
 */
int kprobe_slot_get(struct kprobe_point *pt, const char **why)
{
	struct kprobe_insn *insn = &pt->insn;
	struct slot_claim claim;
	int ret;

	ret = find_slot(&copy_slots, pt->addr, &claim, why);
	if (ret)
		return ret;
	if (arch_kprobe_build_slot(insn, pt->addr, claim.addr, claim.image)) {
		*why = "an operand is out of reach of the out-of-line slot";
		return -EINVAL;
	}

	pt->tail = choose_tail(pt, &claim);
	if (pt->tail == KPROBE_TAIL_TRAP)
		*(kprobe_opcode_t *)(claim.image + insn->tail) = KPROBE_BREAKPOINT;
	insn->slot = claim.addr;
	claim_slot(&claim, pt);
	return 0;
}

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_detour_get() - give a point its detour buffer
 * @pt: the point
 * @detour: what to fill in and hang on the point
 * @why: set to the reason of a failure
 *
 * The buffer is filled in by kprobe_slots_write().
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0, -ENOMEM, or what kprobe_detour_build() returned.
 */
int kprobe_detour_get(struct kprobe_point *pt, struct kprobe_detour *detour,
		      const char **why)
{
	struct slot_claim claim;
	int ret;

	ret = find_slot(&detour_slots, pt->addr, &claim, why);
	if (ret)
		return ret;
	detour->addr = claim.addr;
	ret = kprobe_detour_build(pt, detour, claim.image, why);
	if (ret)
		return ret;
	/* Before the buffer's addresses can lead here. */
	WRITE_ONCE(pt->detour, detour);
	claim_slot(&claim, pt);
	return 0;
}
#endif

/* The slot is free; who looks at its owner now sees none. */
static struct slot_page *slot_put(unsigned long slot)
{
	struct slot_page *page = kprobe_table_lookup(&slot_table, slot & PAGE_MASK);
	unsigned int index = offset_in_page(slot) / page->pool->bytes;

	WRITE_ONCE(page->owner[index], NULL);
	__clear_bit(index, page->used);
	if (page->nr_used-- == slots_per_page(page->pool))
		list_add(&page->spare, &page->pool->spare);
	return page;
}

/**
 * kprobe_slot_drop() - take back the slot of a point that was never armed
 * @pt: the point
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_slot_drop(struct kprobe_point *pt)
{
	if (pt->insn.slot)
		slot_put(pt->insn.slot);
	pt->insn.slot = 0;
}

static struct kmem_cache *point_cache;

/**
 * kprobe_point_alloc() - make a point
 * @addr: its address
 *
 * Context: process context, may sleep.
 * Return: the point, without probes, or NULL.
 */
struct kprobe_point *kprobe_point_alloc(unsigned long addr)
{
	struct kprobe_point *pt = kmem_cache_alloc(point_cache, GFP_KERNEL);

	if (!pt)
		return NULL;
	*pt = (struct kprobe_point){ .addr = addr };
	INIT_LIST_HEAD(&pt->probes);
	INIT_LIST_HEAD(&pt->batch);
	kprobe_optimizer_init_point(pt);
	return pt;
}

/**
 * kprobe_point_free() - free a point that no hit can have seen
 * @pt: the point, or NULL
 */
void kprobe_point_free(struct kprobe_point *pt)
{
	if (!pt)
		return;
	kprobe_detour_free(pt);
	kmem_cache_free(point_cache, pt);
}

/* Points that nobody stands in any more, waiting for the worker. */
static LIST_HEAD(dead_points);
static DEFINE_SPINLOCK(dead_points_lock);

/* Give a slot back, and its page if it is empty now. */
static void release_slot(unsigned long slot, struct list_head *withdrawn)
{
	struct slot_page *page;

	if (!slot)
		return;
	page = slot_put(slot);
	/* One page stays, for those who probe again and again. */
	if (!page->nr_used && !list_is_singular(&page->pool->spare))
		withdraw_page(page, withdrawn);
}

static void free_dead_points(struct work_struct *work)
{
	struct slot_page *page, *next_page;
	struct kprobe_point *pt, *next;
	LIST_HEAD(withdrawn);
	LIST_HEAD(points);

	spin_lock_irq(&dead_points_lock);
	list_splice_init(&dead_points, &points);
	spin_unlock_irq(&dead_points_lock);

	mutex_lock(&kprobe_mutex);
	list_for_each_entry(pt, &points, batch) {
		release_slot(pt->insn.slot, &withdrawn);
		release_slot(kprobe_detour_buffer(pt), &withdrawn);
	}
	kprobe_table_shrink(&slot_table);
	mutex_unlock(&kprobe_mutex);

	/* For kprobe_slot_owner() and kprobe_get_kallsym() on another CPU. */
	synchronize_rcu();
	list_for_each_entry_safe(page, next_page, &withdrawn, spare) {
		vfree(page->base);
		kfree(page);
	}
	list_for_each_entry_safe(pt, next, &points, batch)
		kprobe_point_free(pt);
}

static DECLARE_WORK(dead_points_work, free_dead_points);

/* RCU-tasks callback, called with bottom halves off: leave it to a worker. */
static void points_quiescent(struct rcu_head *rcu)
{
	struct kprobe_point *first = container_of(rcu, struct kprobe_point, rcu);
	unsigned long flags;
	LIST_HEAD(points);

	/* Give the ring of points its head back. */
	list_add_tail(&points, &first->batch);
	spin_lock_irqsave(&dead_points_lock, flags);
	list_splice_tail(&points, &dead_points);
	spin_unlock_irqrestore(&dead_points_lock, flags);
	schedule_work(&dead_points_work);
}

/**
 * kprobe_points_retire() - free points once nobody stands in their slots
 * @points: points that are disarmed and out of the table, linked by their
 *	batch field; empty afterwards
 *
 * Context: any.  Does not wait.
 */
void kprobe_points_retire(struct list_head *points)
{
	struct kprobe_point *first;

	first = list_first_entry_or_null(points, struct kprobe_point, batch);
	if (!first)
		return;
	/* The whole ring hangs on the first point's rcu_head. */
	list_del_init(points);
	call_rcu_tasks(&first->rcu, points_quiescent);
}

/**
 * kprobe_get_kallsym() - the pages of slots as symbols
 * @symnum: number of the page
 * @value: set to its address
 * @type: set to 't'
 * @sym: set to its name, KSYM_NAME_LEN bytes
 *
 * Context: process context.
 * Return: 0, or -ERANGE if there are not so many pages.
 */
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym)
{
	struct slot_page *page;
	int ret = -ERANGE;

	rcu_read_lock();
	/* RCU: pairs with list_add_tail_rcu() and list_del_rcu() above. */
	list_for_each_entry_rcu(page, &slot_pages, all) {
		if (symnum--)
			continue;
		*value = (unsigned long)page->base;
		*type = 't';
		strscpy(sym, "kprobe_insn_page", KSYM_NAME_LEN);
		ret = 0;
		break;
	}
	rcu_read_unlock();
	return ret;
}

/* Called once, before the first registration. */
void __init kprobe_slots_init(void)
{
	point_cache = KMEM_CACHE(kprobe_point, SLAB_PANIC);
}
