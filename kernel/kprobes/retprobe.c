// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return probes: registration, following a call from entry to return, and
 * telling unwinders where a followed call really returns to.
 *
 * A return probe is a probe on a function's entry whose pre_handler takes an
 * instance, links it to the task's list of followed calls, and replaces the
 * return address by that of a trampoline.  When the function returns, the
 * trampoline calls kretprobe_return(), which runs the handler, unlinks the
 * instance and tells the true return address.
 *
 * The list is the task's shadow stack.  Only the task itself, and what
 * interrupts it, changes it.  Interrupts leave it as they found it, so plain
 * accesses do, with the compiler kept from reordering them.
 *
 * If several return probes follow the same call, the first finds the true
 * return address and the others the trampoline's.  They make a group: one pass
 * through the trampoline serves all of them, the last one to enter first.  The
 * same holds for a tail call, which returns through the slot of its caller.
 *
 * The function tracer's return hooks work on the same slots.  Each saves what
 * it found, so they unwind in the reverse order, whoever came first.
 *
 * The API is for anybody, in process context; kretprobe_return() for the
 * architecture's trampoline; kretprobe_find_ret_addr() for unwinders;
 * kprobe_flush_task() for the release of a task.
 */
#include <linux/context_tracking.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hit.h"
#include "retpool.h"

/* Serializes registration, up to where the core's own checks take over. */
static DEFINE_MUTEX(kretprobe_mutex);

static __always_inline struct kretprobe_instance *instance_of(struct llist_node *node)
{
	return container_of(node, struct kretprobe_instance, node);
}

static __always_inline bool shares_return(const struct kretprobe_instance *ri)
{
	return is_kretprobe_trampoline((unsigned long)ri->ret_addr);
}

/*
 * The bound is divided among the CPUs.  One that runs out takes from the
 * others, so a call is refused only if no CPU has a permit left.
 */
static noinline __kprobes bool permit_steal(struct kretprobe_pool *pool)
{
	struct kretprobe_account *account;
	int cpu;

	for_each_possible_cpu(cpu) {
		account = per_cpu_ptr(pool->account, cpu);
		if (atomic_read(&account->permits) > 0 &&
		    atomic_dec_if_positive(&account->permits) >= 0)
			return true;
	}
	return false;
}

static __always_inline bool permit_take(struct kretprobe_pool *pool)
{
	return !pool->bounded ||
	       atomic_dec_if_positive(&raw_cpu_ptr(pool->account)->permits) >= 0 ||
	       permit_steal(pool);
}

static __always_inline void permit_give(struct kretprobe_pool *pool)
{
	if (pool->bounded)
		atomic_inc(&raw_cpu_ptr(pool->account)->permits);
}

/*
 * The core counts a hit when it calls a pre_handler.  A call that cannot be
 * followed is none.
 */
static noinline __kprobes void count_not_followed(struct kretprobe *rp)
{
	this_cpu_dec(*rp->kp.hits);
	atomic_long_inc(&rp->kp.missed[KPROBE_MISS_POOL]);
	atomic_inc(&rp->nmissed_counter);
}

/* From here on the call is followed. */
static __always_inline void follow(struct kretprobe_pool *pool,
				   struct kretprobe_instance *ri, struct pt_regs *regs)
{
	this_cpu_inc(pool->account->inside);
	/*
	 * Against an NMI on this CPU that unwinds: the instance is complete
	 * before it is linked, and linked before the trampoline's address can
	 * be found on the stack.
	 */
	barrier();
	WRITE_ONCE(current->kretprobe_instances.first, &ri->node);
	barrier();
	arch_kretprobe_hijack(regs);
}

static __always_inline void prepare(struct kretprobe_pool *pool,
				    struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ri->pool = pool;
	ri->node.next = current->kretprobe_instances.first;
	arch_kretprobe_prepare(ri, regs);
}

/* With a bound, an entry_handler, or a stock that runs low. */
static noinline int __kprobes enter_with_care(struct kretprobe *rp, struct pt_regs *regs)
{
	struct kretprobe_pool *pool = rp->pool;
	struct kretprobe_stock *stock = raw_cpu_ptr(pool->stock);
	struct kretprobe_instance *ri;

	/* Being unregistered: pairs with the store in unregister_kretprobes(). */
	if (unlikely(!READ_ONCE(pool->rp)))
		return 0;
	if (unlikely(!permit_take(pool))) {
		count_not_followed(rp);
		return 0;
	}
	ri = kretprobe_take(stock);
	if (unlikely(!ri)) {
		ri = kretprobe_take_spare(stock);
		if (!ri) {
			permit_give(pool);
			count_not_followed(rp);
			return 0;
		}
	}

	prepare(pool, ri, regs);
	if (rp->entry_handler && rp->entry_handler(ri, regs)) {
		kretprobe_give(stock, ri);
		permit_give(pool);
		return 0;
	}
	follow(pool, ri, regs);
	return 0;
}

/**
 * kretprobe_pre_handler() - a function with a return probe is being entered
 * @kp: the probe on the entry
 * @regs: registers at the entry
 *
 * The pre_handler of all return probes, by which they are known.
 *
 * Context: the hit.
 * Return: 0.
 */
int __kprobes kretprobe_pre_handler(struct kprobe *kp, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(kp, struct kretprobe, kp);
	struct kretprobe_pool *pool = rp->pool;
	struct kretprobe_instance *ri;

	if (pool->bounded || rp->entry_handler)
		return enter_with_care(rp, regs);
	ri = kretprobe_take(raw_cpu_ptr(pool->stock));
	if (unlikely(!ri))
		return enter_with_care(rp, regs);
	prepare(pool, ri, regs);
	follow(pool, ri, regs);
	return 0;
}

/* The call is over.  Afterwards the pool may be gone. */
static __always_inline void instance_home(struct kretprobe_instance *ri)
{
	struct kretprobe_pool *pool = ri->pool;
	struct kretprobe_stock *stock = raw_cpu_ptr(pool->stock);
	/* Pairs with the store in unregister_kretprobes(). */
	bool orphan = !READ_ONCE(pool->rp);

	kretprobe_give(stock, ri);
	permit_give(pool);
	this_cpu_dec(pool->account->inside);
	if (unlikely(orphan))
		kretprobe_orphan_home(stock);
}

/* Run a handler, unless the probe was unregistered meanwhile. */
static __always_inline void run_handler(struct kprobe_frame *frame,
					struct kretprobe_instance *ri,
					struct pt_regs *regs)
{
	/*
	 * RCU, by preemption being off: pairs with the store in
	 * unregister_kretprobes(), which is followed by a grace period.
	 */
	struct kretprobe *rp = READ_ONCE(ri->pool->rp);

	if (likely(rp && rp->handler)) {
		frame->probe = &rp->kp;
		rp->handler(ri, regs);
	}
}

/* The stack or the list is corrupt. */
static void __kprobes __noreturn nowhere_to_return(void)
{
	panic("kretprobe: the return address of a followed call is lost");
}

/*
 * Which call is it that returned?  Normally the first in the list.  What
 * stands before it was left without returning (a stack that was rewound).
 */
static __always_inline struct llist_node *find_returned(void *fp)
{
	struct llist_node *node = current->kretprobe_instances.first;

	while (node && instance_of(node)->fp != fp)
		node = node->next;
	return node;
}

/*
 * For any case: several return probes may follow the call that returned, and
 * others before it may have been left without returning.
 */
static noinline unsigned long __kprobes
return_with_care(struct kprobe_frame *frame, struct pt_regs *regs, void *fp)
{
	struct llist_node *first, *last, *node;
	unsigned long ret_addr;

	first = find_returned(fp);
	if (!first)
		nowhere_to_return();
	for (last = first; shares_return(instance_of(last)); last = last->next)
		if (!last->next)
			nowhere_to_return();
	ret_addr = (unsigned long)instance_of(last)->ret_addr;
	instruction_pointer_set(regs, ret_addr);

	/* All of the group know the true address now. */
	for (node = first; ; node = node->next) {
		instance_of(node)->ret_addr = (kprobe_opcode_t *)ret_addr;
		run_handler(frame, instance_of(node), regs);
		if (node == last)
			break;
	}

	/* As in return_from_one(). */
	arch_kretprobe_fixup(regs, fp, ret_addr);
	barrier();
	first = current->kretprobe_instances.first;
	WRITE_ONCE(current->kretprobe_instances.first, last->next);
	barrier();
	for (;;) {
		node = first->next;
		instance_home(instance_of(first));
		if (first == last)
			break;
		first = node;
	}
	return ret_addr;
}

/* The common case: one return probe follows the call. */
static __always_inline unsigned long
return_from_one(struct kprobe_frame *frame, struct kretprobe_instance *ri,
		struct pt_regs *regs)
{
	unsigned long ret_addr = (unsigned long)ri->ret_addr;

	instruction_pointer_set(regs, ret_addr);
	/* Still linked: the handler may want a stack trace. */
	run_handler(frame, ri, regs);
	/*
	 * Against an NMI on this CPU that unwinds: the trampoline's address
	 * leaves the stack before the instance leaves the list.
	 */
	arch_kretprobe_fixup(regs, ri->fp, ret_addr);
	barrier();
	WRITE_ONCE(current->kretprobe_instances.first, ri->node.next);
	barrier();
	instance_home(ri);
	return ret_addr;
}

/*
 * Where RCU does not watch, enter like an NMI.  Behind the frame, because the
 * functions this calls may be probed.
 */
static noinline unsigned long __kprobes return_in_the_dark(struct pt_regs *regs, void *fp)
{
	struct kprobe_frame *top = raw_cpu_read(kprobe_top_frame);
	unsigned long level = kprobe_level(), ret_addr;
	bool framed = !kprobe_frame_occupied(top, level);
	struct kprobe_frame frame __uninitialized;

	if (framed)
		kprobe_frame_push(&frame, top, NULL, NULL, level);
	ct_nmi_enter();
	ret_addr = return_with_care(&frame, regs, fp);
	ct_nmi_exit();
	if (framed)
		kprobe_frame_pop(&frame);
	return ret_addr;
}

/* Documented in <linux/kprobes_arch.h>. */
unsigned long __kprobes kretprobe_return(struct pt_regs *regs, void *fp)
{
	struct kretprobe_instance *ri;
	unsigned long level, ret_addr;
	struct kprobe_frame *top;
	struct kprobe_frame frame __uninitialized;
	struct llist_node *node;

	preempt_disable_notrace();
	level = kprobe_level();
	top = raw_cpu_read(kprobe_top_frame);
	/*
	 * With a frame, whatever is called from here on, handlers included,
	 * does not get here again.  If the function returned inside a section
	 * marked as busy, which it has entered itself, that section's frame
	 * does.
	 */
	if (unlikely(kprobe_rcu_idle())) {
		ret_addr = return_in_the_dark(regs, fp);
	} else if (likely(!kprobe_frame_occupied(top, level))) {
		kprobe_frame_push(&frame, top, NULL, NULL, level);
		node = current->kretprobe_instances.first;
		ri = instance_of(node);
		if (likely(node && ri->fp == fp && !shares_return(ri)))
			ret_addr = return_from_one(&frame, ri, regs);
		else
			ret_addr = return_with_care(&frame, regs, fp);
		kprobe_frame_pop(&frame);
	} else {
		ret_addr = return_with_care(&frame, regs, fp);
	}
	preempt_enable_notrace();

	return ret_addr;
}

/**
 * kprobe_flush_task() - a task is gone
 * @tsk: the task
 *
 * Calls it was in the middle of will not return.
 *
 * Context: any; the task does not run any more.
 */
void kprobe_flush_task(struct task_struct *tsk)
{
	struct llist_node *node, *next;

	/* Instances go to this CPU's stock. */
	preempt_disable();
	node = __llist_del_all(&tsk->kretprobe_instances);
	for (; node; node = next) {
		next = node->next;
		instance_home(instance_of(node));
	}
	preempt_enable();
}

/*
 * The node after @cur.  If the task ran meanwhile, @cur may have left the
 * list, and its memory may be used for something else: it is looked for, but
 * not looked at.
 */
static __kprobes
struct llist_node *next_after(struct llist_node *first, struct llist_node *cur)
{
	struct llist_node *node = first;

	while (cur && node && node != cur)
		node = READ_ONCE(node->next);
	if (!cur || !node)
		return first;
	return READ_ONCE(node->next);
}

/**
 * kretprobe_find_ret_addr() - where does a followed call really return to
 * @tsk: the task whose stack is being unwound: current, or one that is not
 *	running.  If it is after all, the answer may be wrong, but looking for
 *	it does no harm
 * @fp: what arch_kretprobe_prepare() would have set kretprobe_instance::fp to
 *	for the call
 * @cur: where in the task's list the unwinder is; NULL at first
 *
 * For an unwinder that came across the trampoline's address.
 *
 * Context: any.
 * Return: the return address, or 0 if no followed call is known by @fp.
 */
unsigned long __kprobes kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
						struct llist_node **cur)
{
	struct kretprobe_instance *ri;
	unsigned long ret_addr = 0;
	struct llist_node *node;

	/*
	 * RCU: instances are freed a grace period after they came home, in
	 * retpool.c's tidy().
	 */
	preempt_disable_notrace();
	node = next_after(READ_ONCE(tsk->kretprobe_instances.first), *cur);
	for (; node; node = READ_ONCE(node->next)) {
		ri = instance_of(node);
		if (ri->fp != fp || shares_return(ri))
			continue;
		ret_addr = (unsigned long)ri->ret_addr;
		*cur = node;
		break;
	}
	preempt_enable_notrace();
	return ret_addr;
}

/**
 * get_kretprobe() - the probe an instance belongs to
 * @ri: the instance
 *
 * Context: preemption off, as in a handler.
 * Return: the probe, or NULL if it has been unregistered meanwhile.
 */
struct kretprobe __kprobes *get_kretprobe(struct kretprobe_instance *ri)
{
	/* RCU: pairs with the store in unregister_kretprobes(). */
	return READ_ONCE(ri->pool->rp);
}
EXPORT_SYMBOL_GPL(get_kretprobe);

/**
 * get_kretprobe_retaddr() - where the followed call will return to
 * @ri: the instance a return probe's handler or entry_handler was called with
 *
 * If several return probes follow the call, only the first of them found the
 * true return address; the others lead to it.
 *
 * Context: the handlers.
 * Return: the true return address.
 */
unsigned long __kprobes get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	while (is_kretprobe_trampoline((unsigned long)ri->ret_addr))
		ri = instance_of(ri->node.next);
	return (unsigned long)ri->ret_addr;
}
EXPORT_SYMBOL_GPL(get_kretprobe_retaddr);

/* A function that begins in one task and returns in another. */
static bool switches_tasks(const struct kprobe_function *fn)
{
	static unsigned long switch_to;

	/* Called so by all architectures: <asm/switch_to.h>.  Looked up once. */
	if (!switch_to)
		switch_to = (unsigned long)kprobe_lookup_name("__switch_to", 0);
	return fn->start == switch_to;
}

static int check_one(struct kretprobe *rp, const char **why)
{
	struct kprobe_function fn;
	unsigned long addr;
	bool on_entry;
	int ret;

	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE) {
		*why = "more data per instance than KRETPROBE_MAX_DATA_SIZE";
		return -E2BIG;
	}
	if (rp->pool) {
		*why = "already registered, or not zeroed before use";
		return -EINVAL;
	}
	ret = kprobe_resolve(&rp->kp, &addr, &fn, &on_entry, why);
	if (ret)
		return ret;
	if (!on_entry) {
		*why = "a return probe must be at the entry of a function";
		return -EINVAL;
	}
	if (switches_tasks(&fn)) {
		*why = "the function's return address must not be replaced";
		return -EINVAL;
	}
	return 0;
}

static int alloc_pool(struct kretprobe *rp)
{
	struct kretprobe_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	struct kretprobe_account *account;
	int cpu, share, rest, ret;

	if (!pool)
		return -ENOMEM;
	ret = -ENOMEM;
	pool->account = alloc_percpu(struct kretprobe_account);
	if (!pool->account)
		goto no_account;
	ret = kretprobe_stock_get(rp->data_size, &pool->stock);
	if (ret)
		goto no_stock;

	pool->rp = rp;
	pool->bounded = rp->maxactive > 0;
	if (pool->bounded) {
		share = rp->maxactive / num_possible_cpus();
		rest = rp->maxactive % num_possible_cpus();
		for_each_possible_cpu(cpu) {
			account = per_cpu_ptr(pool->account, cpu);
			atomic_set(&account->permits, share + (rest-- > 0));
		}
	}
	rp->pool = pool;
	return 0;

no_stock:
	free_percpu(pool->account);
no_account:
	kfree(pool);
	return ret;
}

/* No hit can find these pools any more. */
static void drop_pools(struct kretprobe **rps, int num)
{
	struct kretprobe_pool *pool;
	LIST_HEAD(retired);
	int i;

	for (i = 0; i < num; i++) {
		pool = rps[i] ? rps[i]->pool : NULL;
		if (!pool)
			continue;
		rps[i]->pool = NULL;
		kretprobe_stock_put(pool->stock);
		list_add_tail(&pool->retired, &retired);
	}
	if (!list_empty(&retired))
		kretprobe_retire(&retired);
}

/* Everything that can be said before the core looks at it. */
static int prepare_one(struct kretprobe *rp)
{
	const char *why = "no memory";
	int ret;

	ret = check_one(rp, &why);
	if (!ret)
		ret = alloc_pool(rp);
	if (ret == -EAGAIN)
		why = "too early in the boot";
	if (ret) {
		kprobe_refuse(&rp->kp, ret, why);
		return ret;
	}
	rp->kp.pre_handler = kretprobe_pre_handler;
	rp->kp.post_handler = NULL;
	atomic_set(&rp->nmissed_counter, 0);
	return 0;
}

/* An array of the entry probes, for the core's calls. */
static struct kprobe **entry_probes(struct kretprobe **rps, int num)
{
	struct kprobe **kps = kvmalloc_array(num, sizeof(*kps), GFP_KERNEL);
	int i;

	for (i = 0; kps && i < num; i++)
		kps[i] = rps[i] ? &rps[i]->kp : NULL;
	return kps;
}

static int register_entries(struct kretprobe **rps, int num)
{
	struct kprobe **kps = entry_probes(rps, num);
	int ret;

	if (!kps)
		return -ENOMEM;
	ret = register_kprobes(kps, num);
	kvfree(kps);
	return ret;
}

/*
 * The core has failed, but some of the probes may have been hit before.  Their
 * handlers must not run when the caller knows of the failure.
 */
static void end_handlers(struct kretprobe **rps, int num)
{
	bool inside = false;
	int i;

	for (i = 0; i < num; i++) {
		WRITE_ONCE(rps[i]->pool->rp, NULL);
		inside |= !kretprobe_all_home(rps[i]->pool);
	}
	if (inside)
		synchronize_rcu();
}

/* Refuse what would sleep where the caller cannot. */
static bool cannot_wait(void)
{
	bool in_handler;

	preempt_disable();
	in_handler = kprobe_running();
	preempt_enable();
	return in_handler || in_interrupt() || irqs_disabled();
}

/**
 * register_kretprobes() - register return probes
 * @rps: pointers to them
 * @num: how many
 *
 * All of them are registered, or none.
 *
 * Context: process context, may sleep.
 * Return: 0, or
 * -EINVAL if there are none, one is not at the entry of a function or is
 * registered already, or the function's return address must not be replaced;
 * -E2BIG if one wants more than KRETPROBE_MAX_DATA_SIZE bytes of data;
 * -EBUSY if called from a handler, an interrupt or with interrupts off;
 * -EAGAIN if called too early in the boot; -ENOMEM; or what
 * register_kprobes() returns for the entry.  The reason is
 * recorded in debugfs (kprobes/errors).
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	const char *why = NULL;
	int ret = 0, i;

	if (cannot_wait()) {
		ret = -EBUSY;
		why = "called from a probe handler, an interrupt or with interrupts off";
	} else if (num <= 0 || !rps) {
		ret = -EINVAL;
		why = "no probes are given";
	}
	for (i = 0; !ret && i < num; i++) {
		if (rps[i])
			continue;
		ret = -EINVAL;
		why = "NULL in place of a probe";
	}
	if (ret) {
		kprobe_refuse(NULL, ret, why);
		return ret;
	}

	mutex_lock(&kretprobe_mutex);
	for (i = 0; i < num; i++) {
		ret = prepare_one(rps[i]);
		if (ret)
			break;
	}
	if (!ret) {
		ret = register_entries(rps, num);
		if (ret)
			end_handlers(rps, num);
	}
	if (ret)
		drop_pools(rps, i);
	mutex_unlock(&kretprobe_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * register_kretprobe() - register a return probe
 * @rp: the probe
 *
 * Context: process context, may sleep.
 * Return: as register_kretprobes().
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/**
 * unregister_kretprobes() - unregister return probes
 * @rps: pointers to them; those not registered are passed over
 * @num: how many
 *
 * Does not wait for calls that are being followed: they return normally, but
 * without a call of the handler.  When this function returns no handler runs
 * any more, and none will.
 *
 * Context: process context, may sleep.  Not from a handler: there it does
 * nothing but warn.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	struct kprobe **kps;
	int i;

	if (num <= 0 || !rps || WARN_ON_ONCE(cannot_wait()))
		return;

	for (i = 0; i < num; i++)
		/*
		 * Handlers end first, so that the grace period that the core
		 * waits for is theirs as well.  Pairs with the reads in
		 * kretprobe_pre_handler(), run_handler(), get_kretprobe().
		 */
		if (rps[i] && rps[i]->pool)
			WRITE_ONCE(rps[i]->pool->rp, NULL);

	kps = entry_probes(rps, num);
	if (kps)
		unregister_kprobes(kps, num);
	for (i = 0; !kps && i < num; i++)
		unregister_kprobe(&rps[i]->kp);
	kvfree(kps);

	drop_pools(rps, num);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

/**
 * unregister_kretprobe() - unregister a return probe
 * @rp: the probe
 *
 * Context: process context, may sleep.
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);
