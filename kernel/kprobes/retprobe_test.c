// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of return probes: following calls, the supply of instances, and
 * what unwinders see.
 *
 * Run at boot, or when the module is loaded.  Every probe here is on a function
 * of this file.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_arch.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "retpool.h"

#define QUICK_CALLS	1000
#define DEPTH		20
#define TRACE_MAX	64

static int sleepers = 2000;
module_param(sleepers, int, 0444);
MODULE_PARM_DESC(sleepers, "tasks that sleep in a probed function at once");

/* The functions that are probed, and those that call them. */

static noinline int rt_leaf(int value)
{
	barrier();
	return value + 1;
}

/* Without a place for the function tracer: reached by a trap. */
static noinline notrace int rt_trapped(int value)
{
	barrier();
	return value + 1;
}

static noinline int rt_leaf_caller(int (*leaf)(int), int value)
{
	int ret = leaf(value);

	barrier();
	return ret;
}

/* The compiler makes this a jump. */
static noinline int rt_tail(int value)
{
	barrier();
	return rt_leaf(value * 2);
}

static noinline int rt_recurse(int depth)
{
	int ret = depth ? rt_recurse(depth - 1) + 1 : 0;

	barrier();
	return ret;
}

static DECLARE_WAIT_QUEUE_HEAD(rt_gate);
static bool rt_open;
static atomic_t rt_inside, rt_left;

static noinline int rt_sleep(int value)
{
	atomic_inc(&rt_inside);
	if (value >= 0)
		wait_event(rt_gate, READ_ONCE(rt_open));
	return value;
}

static noinline int rt_sleep_middle(int value)
{
	int ret = rt_sleep(value);

	barrier();
	return ret;
}

static noinline int rt_sleep_outer(int value)
{
	int ret = rt_sleep_middle(value);

	barrier();
	return ret;
}

static noinline int rt_sleep_root(void *data)
{
	int ret = rt_sleep_outer((long)data);

	atomic_inc(&rt_left);
	return ret;
}

static noinline int rt_exit(void *data)
{
	kthread_complete_and_exit(data, 0);
	return 0;
}

static noinline int rt_exit_root(void *data)
{
	int ret = rt_exit(data);

	barrier();
	return ret;
}

/* What the handlers saw. */

struct rt_probe {
	struct kretprobe rp;
	atomic_t entries, returns;
	unsigned long value, ret_addr, entry_ret_addr, ip;
	int order;
	bool skip, bad_data, override;
	struct kretprobe_instance *last;
};

static atomic_t rt_order;

static int rt_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct rt_probe *p = container_of(rp, struct rt_probe, rp);

	/* Being unregistered. */
	if (!rp)
		return 1;
	p->entry_ret_addr = get_kretprobe_retaddr(ri);
	p->last = ri;
	if (p->skip)
		return 1;
	atomic_inc(&p->entries);
	if (p->rp.data_size)
		memset(ri->data, (unsigned long)ri >> 5, p->rp.data_size);
	return 0;
}

static int rt_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct rt_probe *p = container_of(rp, struct rt_probe, rp);

	if (!rp)
		return 0;
	atomic_inc(&p->returns);
	p->value = regs_return_value(regs);
	p->ret_addr = get_kretprobe_retaddr(ri);
	p->ip = instruction_pointer(regs);
	p->order = atomic_inc_return(&rt_order);
	if (p->rp.data_size &&
	    memchr_inv(ri->data, (unsigned long)ri >> 5, p->rp.data_size))
		p->bad_data = true;
	if (p->override)
		regs_set_return_value(regs, 4711);
	return 0;
}

static void rt_init(struct rt_probe *p, void *addr)
{
	memset(p, 0, sizeof(*p));
	p->rp.kp.addr = addr;
	p->rp.entry_handler = rt_entry;
	p->rp.handler = rt_return;
}

static void rt_register(struct kunit *test, struct rt_probe *p, void *addr)
{
	rt_init(p, addr);
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&p->rp));
}

static unsigned long rt_hits(struct rt_probe *p)
{
	unsigned long hits = 0;
	int cpu;

	if (!p->rp.kp.hits)
		return 0;
	for_each_possible_cpu(cpu)
		hits += *per_cpu_ptr(p->rp.kp.hits, cpu);
	return hits;
}

/* Is @addr in the function called @name? */
static bool rt_in(unsigned long addr, const char *name)
{
	char symbol[KSYM_SYMBOL_LEN];
	size_t len = strlen(name);

	sprint_symbol_no_offset(symbol, addr - 1);
	return !strncmp(symbol, name, len) && (!symbol[len] || symbol[len] == ' ');
}

static bool rt_is_trampoline(unsigned long addr)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol(symbol, addr);
	return str_has_prefix(symbol, "__kretprobe_trampoline+0x0/") ||
	       str_has_prefix(symbol, "arch_rethook_trampoline+0x0/");
}

static bool rt_wait_for(atomic_t *counter, int value)
{
	unsigned long timeout = jiffies + 60 * HZ;

	while (atomic_read(counter) != value) {
		if (time_after(jiffies, timeout))
			return false;
		msleep(20);
	}
	return true;
}

/* Wait until there are at most @before instances. */
static bool rt_memory_back(long before)
{
	unsigned long timeout = jiffies + 20 * HZ;

	while (kretprobe_instances_existing() > before) {
		if (time_after(jiffies, timeout))
			return false;
		msleep(20);
	}
	return true;
}

/* How many instances there are when nothing is on its way to being freed. */
static long rt_settled(void)
{
	long last = -1, now = kretprobe_instances_existing();

	while (now != last) {
		last = now;
		msleep(3000);
		now = kretprobe_instances_existing();
	}
	return now;
}

static void rt_close_gate(void)
{
	WRITE_ONCE(rt_open, false);
	atomic_set(&rt_inside, 0);
	atomic_set(&rt_left, 0);
}

static struct task_struct *rt_start(struct kunit *test, int (*fn)(void *), void *data)
{
	struct task_struct *task = kthread_create(fn, data, "rt");

	if (IS_ERR(task)) {
		KUNIT_FAIL(test, "no task: %ld", PTR_ERR(task));
		return NULL;
	}
	get_task_struct(task);
	wake_up_process(task);
	return task;
}

/*
 * Start @n tasks that go to sleep in rt_sleep().  Fewer, if that fails: what
 * follows has to tidy up in any case.
 */
static int rt_start_sleepers(struct kunit *test, int n, struct task_struct **last)
{
	struct task_struct *task;
	int i;

	*last = NULL;
	for (i = 0; i < n; i++) {
		task = rt_start(test, rt_sleep_root, NULL);
		if (!task)
			break;
		if (*last)
			put_task_struct(*last);
		*last = task;
	}
	KUNIT_EXPECT_TRUE(test, rt_wait_for(&rt_inside, i));
	return i;
}

static void rt_release_sleepers(struct kunit *test, struct task_struct *last, int n)
{
	WRITE_ONCE(rt_open, true);
	wake_up_all(&rt_gate);
	KUNIT_EXPECT_TRUE(test, rt_wait_for(&rt_left, n));
	if (last)
		put_task_struct(last);
}

/* Following a call */

static void rt_check_call(struct kunit *test, int (*leaf)(int))
{
	struct rt_probe p;

	rt_register(test, &p, leaf);
	KUNIT_EXPECT_EQ(test, 6, rt_leaf_caller(leaf, 5));
	unregister_kretprobe(&p.rp);
	KUNIT_EXPECT_EQ(test, 8, rt_leaf_caller(leaf, 7));

	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p.entries));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 6UL, p.value);
	KUNIT_EXPECT_TRUE(test, rt_in(p.ret_addr, "rt_leaf_caller"));
	KUNIT_EXPECT_EQ(test, p.ret_addr, p.entry_ret_addr);
	KUNIT_EXPECT_EQ(test, p.ret_addr, p.ip);
	KUNIT_EXPECT_EQ(test, 0, p.rp.nmissed);
}

static void rt_test_call(struct kunit *test)
{
	rt_check_call(test, rt_leaf);
	rt_check_call(test, rt_trapped);
}

static void rt_test_without_handlers(struct kunit *test)
{
	struct kretprobe rp = { .kp.symbol_name = "rt_leaf" };

	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&rp));
	KUNIT_EXPECT_EQ(test, 3, rt_leaf_caller(rt_leaf, 2));
	unregister_kretprobe(&rp);
}

static void rt_test_change_value(struct kunit *test)
{
	struct rt_probe p;

	rt_register(test, &p, rt_leaf);
	p.override = true;
	KUNIT_EXPECT_EQ(test, 4711, rt_leaf_caller(rt_leaf, 5));
	unregister_kretprobe(&p.rp);
}

static void rt_test_skip(struct kunit *test)
{
	struct rt_probe p;

	rt_register(test, &p, rt_leaf);
	p.skip = true;
	rt_leaf_caller(rt_leaf, 5);
	KUNIT_EXPECT_TRUE(test, rt_in(p.entry_ret_addr, "rt_leaf_caller"));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p.returns));
	p.skip = false;
	rt_leaf_caller(rt_leaf, 5);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 2UL, rt_hits(&p));
	KUNIT_EXPECT_EQ(test, 0, p.rp.nmissed);
	unregister_kretprobe(&p.rp);
}

static void rt_test_disable(struct kunit *test)
{
	struct rt_probe p;

	rt_register(test, &p, rt_leaf);
	KUNIT_EXPECT_EQ(test, 0, disable_kretprobe(&p.rp));
	rt_leaf_caller(rt_leaf, 5);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 0, enable_kretprobe(&p.rp));
	rt_leaf_caller(rt_leaf, 5);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p.returns));
	unregister_kretprobe(&p.rp);
}

static void rt_test_data(struct kunit *test)
{
	static const size_t sizes[] = { 1, 8, 33, 100, 1000, KRETPROBE_MAX_DATA_SIZE };
	struct rt_probe p;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rt_init(&p, rt_recurse);
		p.rp.data_size = sizes[i];
		KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&p.rp));
		KUNIT_EXPECT_EQ(test, DEPTH, rt_recurse(DEPTH));
		unregister_kretprobe(&p.rp);
		KUNIT_EXPECT_EQ(test, DEPTH + 1, atomic_read(&p.returns));
		KUNIT_EXPECT_FALSE(test, p.bad_data);
	}
}

static void rt_test_several(struct kunit *test)
{
	struct rt_probe *p = kunit_kcalloc(test, 3, sizeof(*p), GFP_KERNEL);
	struct kretprobe *rps[3];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	for (i = 0; i < 3; i++) {
		rt_init(&p[i], rt_leaf);
		rps[i] = &p[i].rp;
	}
	atomic_set(&rt_order, 0);
	KUNIT_EXPECT_EQ(test, 0, register_kretprobes(rps, 3));
	KUNIT_EXPECT_EQ(test, 6, rt_leaf_caller(rt_leaf, 5));
	unregister_kretprobes(rps, 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, 1, atomic_read(&p[i].returns));
		KUNIT_EXPECT_EQ(test, 3 - i, p[i].order);
		KUNIT_EXPECT_TRUE(test, rt_in(p[i].ret_addr, "rt_leaf_caller"));
		KUNIT_EXPECT_EQ(test, p[i].ret_addr, p[i].entry_ret_addr);
		KUNIT_EXPECT_EQ(test, p[i].ret_addr, p[i].ip);
	}
}

static void rt_test_tail_call(struct kunit *test)
{
	struct rt_probe tail, leaf;
	bool tailed;

	rt_register(test, &tail, rt_tail);
	rt_register(test, &leaf, rt_leaf);
	KUNIT_EXPECT_EQ(test, 11, rt_leaf_caller(rt_tail, 5));
	unregister_kretprobe(&tail.rp);
	unregister_kretprobe(&leaf.rp);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&tail.returns));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&leaf.returns));
	KUNIT_EXPECT_EQ(test, 11UL, tail.value);
	KUNIT_EXPECT_EQ(test, 11UL, leaf.value);
	KUNIT_EXPECT_TRUE(test, rt_in(tail.ret_addr, "rt_leaf_caller"));
	/* If the compiler made a call of it, it returns to rt_tail(). */
	tailed = rt_in(leaf.ret_addr, "rt_leaf_caller");
	KUNIT_EXPECT_TRUE(test, tailed || rt_in(leaf.ret_addr, "rt_tail"));
}

/* Interrupts and tasks on all CPUs in the same function. */

#define STORM_CALLS	20000
#define RT_TICK		(150 * NSEC_PER_USEC)

static struct rt_probe rt_storm_bounded, rt_storm_free;
static atomic_t rt_storm_calls, rt_storm_wrong;

static void rt_storm_call(void)
{
	int value = atomic_inc_return(&rt_storm_calls);

	if (rt_leaf(value) != value + 1)
		atomic_inc(&rt_storm_wrong);
}

static enum hrtimer_restart rt_storm_tick(struct hrtimer *timer)
{
	rt_storm_call();
	hrtimer_forward_now(timer, ns_to_ktime(RT_TICK));
	return HRTIMER_RESTART;
}

static int rt_storm_task(void *done)
{
	struct hrtimer timer;
	int i;

	hrtimer_init_on_stack(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = rt_storm_tick;
	hrtimer_start(&timer, ns_to_ktime(RT_TICK), HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < STORM_CALLS; i++)
		rt_storm_call();
	hrtimer_cancel(&timer);
	destroy_hrtimer_on_stack(&timer);
	kthread_complete_and_exit(done, 0);
}

static void rt_test_storm(struct kunit *test)
{
	struct completion *done = kunit_kcalloc(test, nr_cpu_ids, sizeof(*done), GFP_KERNEL);
	struct rt_probe *bounded = &rt_storm_bounded, *free = &rt_storm_free;
	struct task_struct *task;
	unsigned long missed;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, done);
	atomic_set(&rt_storm_calls, 0);
	atomic_set(&rt_storm_wrong, 0);
	rt_register(test, free, rt_leaf);
	rt_init(bounded, rt_leaf);
	bounded->rp.maxactive = 1;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&bounded->rp));

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		init_completion(&done[cpu]);
		task = kthread_create_on_cpu(rt_storm_task, &done[cpu], cpu, "rt/%u");
		if (IS_ERR(task)) {
			KUNIT_FAIL(test, "no task: %ld", PTR_ERR(task));
			complete(&done[cpu]);
			continue;
		}
		wake_up_process(task);
	}
	for_each_online_cpu(cpu)
		wait_for_completion(&done[cpu]);
	cpus_read_unlock();

	KUNIT_EXPECT_EQ(test, 0, atomic_read(&rt_storm_wrong));
	KUNIT_EXPECT_EQ(test, atomic_read(&rt_storm_calls), atomic_read(&free->entries));
	KUNIT_EXPECT_EQ(test, atomic_read(&rt_storm_calls), atomic_read(&free->returns));
	KUNIT_EXPECT_EQ(test, (unsigned long)atomic_read(&rt_storm_calls), rt_hits(free));
	KUNIT_EXPECT_EQ(test, 0, free->rp.nmissed);

	missed = atomic_long_read(&bounded->rp.kp.missed[KPROBE_MISS_POOL]);
	KUNIT_EXPECT_EQ(test, (unsigned long)bounded->rp.nmissed, missed);
	KUNIT_EXPECT_EQ(test, atomic_read(&bounded->entries), atomic_read(&bounded->returns));
	KUNIT_EXPECT_EQ(test, (unsigned long)atomic_read(&rt_storm_calls),
			rt_hits(bounded) + missed);
	unregister_kretprobe(&bounded->rp);
	unregister_kretprobe(&free->rp);
}

/* The supply of instances */

static void rt_test_sleepers(struct kunit *test)
{
	long before = rt_settled(), during;
	struct task_struct *last;
	struct rt_probe p;
	int i, n;

	rt_close_gate();
	rt_init(&p, rt_sleep);
	p.rp.data_size = 64;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&p.rp));
	n = rt_start_sleepers(test, sleepers, &last);
	during = kretprobe_instances_existing();
	KUNIT_EXPECT_GE(test, during, n);
	for (i = 0; i < QUICK_CALLS; i++)
		rt_sleep(-1);
	KUNIT_EXPECT_EQ(test, n + QUICK_CALLS, atomic_read(&p.entries));
	KUNIT_EXPECT_EQ(test, QUICK_CALLS, atomic_read(&p.returns));
	rt_release_sleepers(test, last, n);
	KUNIT_EXPECT_EQ(test, n + QUICK_CALLS, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 0, p.rp.nmissed);
	KUNIT_EXPECT_EQ(test, 0UL, p.rp.kp.nmissed);
	KUNIT_EXPECT_FALSE(test, p.bad_data);

	/* What is left while the probe is registered is the CPUs' stock. */
	KUNIT_EXPECT_TRUE(test, rt_memory_back(before + 256L * num_online_cpus()));
	unregister_kretprobe(&p.rp);
	KUNIT_EXPECT_TRUE(test, rt_memory_back(before));
	kunit_info(test, "instances: %ld before, %ld with %d sleepers, %ld after\n",
		   before, during, n, kretprobe_instances_existing());
}

/* Many deep calls in one stretch with interrupts off: the reserve's limit. */
static void rt_test_reserve(struct kunit *test)
{
	unsigned long flags;
	struct rt_probe p;

	rt_register(test, &p, rt_recurse);
	local_irq_save(flags);
	rt_recurse(31);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 32, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 0, p.rp.nmissed);
	/* With interrupts on, depth does not matter. */
	rt_recurse(200);
	KUNIT_EXPECT_EQ(test, 32 + 201, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 0, p.rp.nmissed);
	unregister_kretprobe(&p.rp);
}

static void rt_recurse_there(void *unused)
{
	rt_recurse(20);
}

/* A CPU that was away finds its stock filled, before it takes an interrupt. */
static void rt_test_hotplug(struct kunit *test)
{
	int cpu = cpumask_last(cpu_online_mask);
	struct rt_probe p;

	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU) || !cpu)
		kunit_skip(test, "no processor to take away");

	KUNIT_EXPECT_EQ(test, 0, remove_cpu(cpu));
	rt_register(test, &p, rt_recurse);
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 0, smp_call_function_single(cpu, rt_recurse_there, NULL, 1));
	KUNIT_EXPECT_EQ(test, 0, remove_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 0, smp_call_function_single(cpu, rt_recurse_there, NULL, 1));
	KUNIT_EXPECT_EQ(test, 42, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 0, p.rp.nmissed);
	unregister_kretprobe(&p.rp);
}

static void rt_test_bound(struct kunit *test)
{
	struct task_struct *last;
	struct rt_probe p;
	int i;

	rt_close_gate();
	rt_init(&p, rt_sleep);
	p.rp.maxactive = 5;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&p.rp));
	rt_start_sleepers(test, 8, &last);
	KUNIT_EXPECT_EQ(test, 5, atomic_read(&p.entries));
	KUNIT_EXPECT_EQ(test, 3, p.rp.nmissed);
	rt_sleep(-1);
	KUNIT_EXPECT_EQ(test, 5, atomic_read(&p.entries));
	KUNIT_EXPECT_EQ(test, 4, p.rp.nmissed);
	KUNIT_EXPECT_EQ(test, 4L, atomic_long_read(&p.rp.kp.missed[KPROBE_MISS_POOL]));
	KUNIT_EXPECT_EQ(test, 5UL, rt_hits(&p));
	rt_release_sleepers(test, last, 8);
	KUNIT_EXPECT_EQ(test, 5, atomic_read(&p.returns));

	/* All permits are back, wherever the sleepers woke up. */
	rt_close_gate();
	rt_start_sleepers(test, 5, &last);
	KUNIT_EXPECT_EQ(test, 4, p.rp.nmissed);
	rt_release_sleepers(test, last, 5);
	for (i = 0; i < QUICK_CALLS; i++)
		rt_sleep(-1);
	KUNIT_EXPECT_EQ(test, 4, p.rp.nmissed);
	KUNIT_EXPECT_EQ(test, 10 + QUICK_CALLS, atomic_read(&p.returns));
	unregister_kretprobe(&p.rp);
}

static void rt_test_unregister_inside(struct kunit *test)
{
	long before = rt_settled();
	struct kretprobe_instance *ri;
	struct task_struct *last;
	struct rt_probe p;

	rt_close_gate();
	rt_register(test, &p, rt_sleep);
	rt_start_sleepers(test, 10, &last);
	ri = p.last;
	KUNIT_EXPECT_PTR_EQ(test, &p.rp, ri ? get_kretprobe(ri) : NULL);
	/* Does not wait for the sleepers. */
	unregister_kretprobe(&p.rp);
	KUNIT_EXPECT_NULL(test, ri ? get_kretprobe(ri) : NULL);
	/* The struct is free for a new registration. */
	rt_register(test, &p, rt_sleep);
	rt_sleep(-1);
	rt_release_sleepers(test, last, 10);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p.returns));
	unregister_kretprobe(&p.rp);
	KUNIT_EXPECT_TRUE(test, rt_memory_back(before));
}

static void rt_test_exit_inside(struct kunit *test)
{
	long before = rt_settled();
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;
	struct rt_probe p;
	int i;

	rt_init(&p, rt_exit);
	p.rp.maxactive = 1;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&p.rp));
	for (i = 1; i <= 3; i++) {
		unsigned long timeout = jiffies + 20 * HZ;

		reinit_completion(&done);
		task = rt_start(test, rt_exit_root, &done);
		if (!task)
			break;
		wait_for_completion(&done);
		KUNIT_EXPECT_EQ(test, i, atomic_read(&p.entries));
		/* The instance is given back with the task, after a grace period. */
		while (READ_ONCE(task->kretprobe_instances.first) &&
		       time_before(jiffies, timeout))
			msleep(20);
		KUNIT_EXPECT_NULL(test, READ_ONCE(task->kretprobe_instances.first));
		put_task_struct(task);
		rcu_barrier();
	}
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p.returns));
	KUNIT_EXPECT_EQ(test, 0, p.rp.nmissed);
	unregister_kretprobe(&p.rp);
	KUNIT_EXPECT_TRUE(test, rt_memory_back(before));
}

/* Registration under way while others call. */

static int rt_caller_task(void *data)
{
	while (!kthread_should_stop()) {
		rt_storm_call();
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void rt_test_register_race(struct kunit *test)
{
	struct rt_probe *p = kunit_kcalloc(test, 2, sizeof(*p), GFP_KERNEL);
	struct kretprobe *rps[2];
	struct task_struct *task[2];
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, p);
	atomic_set(&rt_storm_calls, 0);
	atomic_set(&rt_storm_wrong, 0);
	for (i = 0; i < 2; i++)
		task[i] = rt_start(test, rt_caller_task, NULL);
	for (i = 0; i < 30; i++) {
		for (j = 0; j < 2; j++) {
			rt_init(&p[j], rt_leaf);
			p[j].rp.maxactive = j ? 1 : 0;
			rps[j] = &p[j].rp;
		}
		KUNIT_EXPECT_EQ(test, 0, register_kretprobes(rps, 2));
		usleep_range(1000, 5000);
		unregister_kretprobes(rps, 2);
		KUNIT_EXPECT_EQ(test, 0, p[0].rp.nmissed);
		/* The handler saw no probe that is not registered. */
		KUNIT_EXPECT_LE(test, atomic_read(&p[0].returns), atomic_read(&p[0].entries));
	}
	for (i = 0; i < 2; i++) {
		if (!task[i])
			continue;
		kthread_stop(task[i]);
		put_task_struct(task[i]);
	}
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&rt_storm_wrong));
}

/* Refusals */

static int rt_try(struct kretprobe *rp)
{
	int ret = register_kretprobe(rp);

	if (!ret)
		unregister_kretprobe(rp);
	return ret;
}

static void rt_test_refusals(struct kunit *test)
{
	static struct kretprobe refused[] = {
		{ .kp.addr = (void *)rt_leaf, .kp.offset = 8 },
		{ .kp.addr = (void *)rt_leaf, .kp.symbol_name = "rt_leaf" },
		{ /* neither */ },
	};
#ifndef MODULE
	static struct kretprobe unreturnable = { .kp.symbol_name = "__switch_to" };
#endif
	static struct kretprobe unknown = { .kp.symbol_name = "rt_no_such_function" };
	static struct kretprobe large = { .kp.addr = (void *)rt_leaf,
					  .data_size = KRETPROBE_MAX_DATA_SIZE + 1 };
	struct kretprobe *rps[] = { &unknown, NULL };
	int i;

	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(NULL, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, 2));
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, rt_try(&refused[i]), "%d", i);
	KUNIT_EXPECT_EQ(test, -EINVAL, rt_try(&unreturnable));
	KUNIT_EXPECT_EQ(test, -ENOENT, rt_try(&unknown));
	KUNIT_EXPECT_EQ(test, -E2BIG, rt_try(&large));
}

static void rt_test_all_or_nothing(struct kunit *test)
{
	static struct kretprobe good = { .kp.addr = (void *)rt_leaf };
	static struct kretprobe unknown = { .kp.symbol_name = "rt_no_such_function" };
	struct kretprobe *rps[] = { &good, &unknown };

	KUNIT_EXPECT_EQ(test, -ENOENT, register_kretprobes(rps, 2));
	/* So it is not registered, and can be, once. */
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&good));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(&good));
	rt_leaf_caller(rt_leaf, 1);
	unregister_kretprobe(&good);
	rps[1] = &good;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, 2));
	KUNIT_EXPECT_EQ(test, 0, rt_try(&good));
	/* Not registered: nothing happens. */
	unregister_kretprobe(&good);
}

/* Unwinders */

struct rt_trace {
	unsigned long pc[TRACE_MAX];
	unsigned int n;
};

static struct rt_trace rt_trace;

static void rt_save_trace(struct rt_trace *trace)
{
	trace->n = stack_trace_save(trace->pc, TRACE_MAX, 0);
}

/* Are the functions in the trace, in this order, and no trampoline? */
static void rt_check_trace(struct kunit *test, const struct rt_trace *trace,
			   const char * const *names, const char *where)
{
	const char * const *name = names;
	bool trampoline = false;
	unsigned int i;

	for (i = 0; i < trace->n; i++) {
		trampoline |= rt_is_trampoline(trace->pc[i]);
		if (*name && rt_in(trace->pc[i], *name))
			name++;
	}
	KUNIT_EXPECT_FALSE_MSG(test, trampoline, "%s: a trampoline in the trace", where);
	if (IS_ENABLED(CONFIG_UNWINDER_GUESS))
		return;
	KUNIT_EXPECT_NULL_MSG(test, *name, "%s: the trace lacks a caller", where);
	if (!*name && !trampoline)
		return;
	for (i = 0; i < trace->n; i++)
		kunit_info(test, "%s: %pS\n", where, (void *)trace->pc[i]);
}

static int rt_trace_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	rt_save_trace(&rt_trace);
	return 0;
}

static int rt_trace_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	rt_save_trace(&rt_trace);
	return 0;
}

static int rt_trace_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	rt_save_trace(&rt_trace);
	return 0;
}

static noinline int rt_tracing_leaf(int value)
{
	rt_save_trace(&rt_trace);
	return value + 1;
}

static noinline int rt_nest_3(int value)
{
	int ret = rt_tracing_leaf(value);

	barrier();
	return ret;
}

static noinline int rt_nest_2(int value)
{
	int ret = rt_nest_3(value);

	barrier();
	return ret;
}

static noinline int rt_nest_1(int value)
{
	int ret = rt_nest_2(value);

	barrier();
	return ret;
}

static const char * const rt_leaf_chain[] = { "rt_leaf_caller", NULL };
static const char * const rt_nest_chain[] = { "rt_nest_3", "rt_nest_2", "rt_nest_1",
					      "rt_leaf_caller", NULL };

static void rt_test_trace_return(struct kunit *test)
{
	int (*leaves[])(int) = { rt_leaf, rt_trapped };
	int i;

	for (i = 0; i < ARRAY_SIZE(leaves); i++) {
		struct kretprobe a = { .kp.addr = (void *)leaves[i], .handler = rt_trace_return };
		struct kretprobe b = { .kp.addr = (void *)leaves[i] };

		/* Alone, and with another one that hijacks the same call. */
		KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&a));
		rt_trace.n = 0;
		rt_leaf_caller(leaves[i], 1);
		rt_check_trace(test, &rt_trace, rt_leaf_chain, "return handler");
		KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&b));
		rt_trace.n = 0;
		rt_leaf_caller(leaves[i], 1);
		rt_check_trace(test, &rt_trace, rt_leaf_chain, "return handler of two");
		unregister_kretprobe(&b);
		unregister_kretprobe(&a);
	}
}

static void rt_test_trace_entry(struct kunit *test)
{
	struct kretprobe first = { .kp.addr = (void *)rt_leaf };
	struct kretprobe second = { .kp.addr = (void *)rt_leaf,
				    .entry_handler = rt_trace_entry };
	struct kprobe plain = { .addr = (void *)rt_leaf, .pre_handler = rt_trace_kprobe };

	/* In an entry_handler, its own call not hijacked yet, but by another. */
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&first));
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&second));
	rt_trace.n = 0;
	rt_leaf_caller(rt_leaf, 1);
	rt_check_trace(test, &rt_trace, rt_leaf_chain, "entry handler");
	unregister_kretprobe(&second);

	/* In a plain probe's handler, after the call was hijacked. */
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&plain));
	rt_trace.n = 0;
	rt_leaf_caller(rt_leaf, 1);
	rt_check_trace(test, &rt_trace, rt_leaf_chain, "function entry");
	unregister_kprobe(&plain);
	unregister_kretprobe(&first);
}

/*
 * Saves registers that a called function has to keep.  Only one-byte pushes
 * move the stack pointer in front of the first call: ORC data differ before and
 * behind them.
 */
static noinline notrace int rt_saver(int value)
{
	unsigned long a = rt_tracing_leaf(value), b = rt_tracing_leaf(value + 1);
	int ret = rt_tracing_leaf(value + 2);

	barrier();
	return ret + a * b;
}

static const char * const rt_saver_chain[] = { "rt_saver", "rt_leaf_caller", NULL };

static struct rt_trace rt_anywhere;

static int rt_trace_anywhere(struct kprobe *p, struct pt_regs *regs)
{
	rt_save_trace(&rt_anywhere);
	return 0;
}

/* In the handler of a probe on any instruction of a function. */
static void rt_test_trace_anywhere(struct kunit *test)
{
	unsigned long size = 0, offset;
	unsigned int probed = 0;

	if (!IS_ENABLED(CONFIG_UNWINDER_ORC))
		kunit_skip(test, "a frame pointer is not there yet in the prologue");
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset((unsigned long)rt_saver,
							    &size, &offset));
	for (offset = 0; offset < size; offset++) {
		struct kprobe kp = { .addr = (void *)rt_saver + offset,
				     .pre_handler = rt_trace_anywhere };

		if (register_kprobe(&kp))
			continue;
		rt_anywhere.n = 0;
		rt_leaf_caller(rt_saver, 1);
		unregister_kprobe(&kp);
		/* Padding is not reached. */
		if (!rt_anywhere.n)
			continue;
		rt_check_trace(test, &rt_anywhere, rt_saver_chain, "any instruction");
		probed++;
	}
	/* Three calls, what saves and restores two registers, and the sums. */
	KUNIT_EXPECT_GE(test, probed, 10);
}

static void rt_test_trace_nested(struct kunit *test)
{
	struct kretprobe a = { .kp.addr = (void *)rt_nest_1 };
	struct kretprobe b = { .kp.addr = (void *)rt_nest_2 };
	struct kretprobe c = { .kp.addr = (void *)rt_nest_3, .handler = rt_trace_return };
	struct kretprobe *rps[] = { &a, &b, &c };

	KUNIT_EXPECT_EQ(test, 0, register_kretprobes(rps, 3));
	rt_trace.n = 0;
	c.handler = NULL;
	rt_leaf_caller(rt_nest_1, 1);
	rt_check_trace(test, &rt_trace, rt_nest_chain, "nested");
	c.handler = rt_trace_return;
	rt_leaf_caller(rt_nest_1, 1);
	rt_check_trace(test, &rt_trace, rt_nest_chain + 1, "nested, return handler");
	unregister_kretprobes(rps, 3);
}

#if defined(CONFIG_X86) || defined(CONFIG_ARM64) || defined(CONFIG_RISCV)
#define RT_CAN_REWIND

static struct rt_probe rt_rewound;

/* Undo what the return probe did to the call, behind its back. */
static int rt_rewind(struct kprobe *kp, struct pt_regs *regs)
{
#ifdef CONFIG_X86
	*(unsigned long *)regs->sp = rt_rewound.entry_ret_addr;
#elif defined(CONFIG_ARM64)
	regs->regs[30] = rt_rewound.entry_ret_addr;
#else
	regs->ra = rt_rewound.entry_ret_addr;
#endif
	return 0;
}

static noinline int rt_rewound_caller(int value)
{
	int ret = rt_leaf(value) * 2;

	barrier();
	ret += rt_tracing_leaf(value);
	barrier();
	return ret;
}

/* A call that is left without returning, as when a stack is rewound. */
static void rt_test_rewound(struct kunit *test)
{
	static const char * const chain[] = { "rt_rewound_caller", "rt_leaf_caller", NULL };
	struct kprobe rewind = { .addr = (void *)rt_leaf, .pre_handler = rt_rewind };
	struct rt_probe outer;
	int i;

	rt_register(test, &outer, rt_leaf_caller);
	rt_init(&rt_rewound, rt_leaf);
	rt_rewound.rp.maxactive = 1;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&rt_rewound.rp));
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&rewind));
	for (i = 1; i <= 3; i++) {
		KUNIT_EXPECT_EQ(test, 6, rt_leaf_caller(rt_leaf, 5));
		KUNIT_EXPECT_EQ(test, i, atomic_read(&outer.returns));
		KUNIT_EXPECT_EQ(test, i, atomic_read(&rt_rewound.entries));
		KUNIT_EXPECT_NULL(test, current->kretprobe_instances.first);
	}
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&rt_rewound.returns));
	KUNIT_EXPECT_EQ(test, 0, rt_rewound.rp.nmissed);
	unregister_kretprobe(&outer.rp);

	/* A trace past one that is left over. */
	rt_register(test, &outer, rt_rewound_caller);
	rt_trace.n = 0;
	KUNIT_EXPECT_EQ(test, 9, rt_leaf_caller(rt_rewound_caller, 2));
	rt_check_trace(test, &rt_trace, chain, "behind a rewound call");
	unregister_kprobe(&rewind);
	unregister_kretprobe(&rt_rewound.rp);
	unregister_kretprobe(&outer.rp);
}
#endif

#ifndef MODULE
static void rt_test_trace_sleeper(struct kunit *test)
{
	static const char * const chain[] = { "rt_sleep", "rt_sleep_middle",
					      "rt_sleep_outer", "rt_sleep_root", NULL };
	struct kretprobe a = { .kp.addr = (void *)rt_sleep };
	struct kretprobe b = { .kp.addr = (void *)rt_sleep_middle };
	struct kretprobe c = { .kp.addr = (void *)rt_sleep_outer };
	struct kretprobe *rps[] = { &a, &b, &c };
	struct task_struct *task;
	int n;

	rt_close_gate();
	KUNIT_EXPECT_EQ(test, 0, register_kretprobes(rps, 3));
	if (!rt_start_sleepers(test, 1, &task))
		goto unregister;
	/* Until it sleeps. */
	while (READ_ONCE(task->__state) != TASK_UNINTERRUPTIBLE || task_curr(task))
		msleep(20);
	msleep(50);

	/* What /proc/<pid>/stack shows. */
	rt_trace.n = stack_trace_save_tsk(task, rt_trace.pc, TRACE_MAX, 0);
	rt_check_trace(test, &rt_trace, chain, "sleeper");

	/* What livepatch relies on. */
	n = stack_trace_save_tsk_reliable(task, rt_trace.pc, TRACE_MAX);
	if (IS_ENABLED(CONFIG_HAVE_RELIABLE_STACKTRACE)) {
		KUNIT_EXPECT_GT(test, n, 0);
		rt_trace.n = max(n, 0);
		rt_check_trace(test, &rt_trace, chain, "sleeper, reliable");
	}

	/* Unregistered, but the return addresses are still replaced. */
	unregister_kretprobes(rps, 3);
	rt_trace.n = stack_trace_save_tsk(task, rt_trace.pc, TRACE_MAX, 0);
	rt_check_trace(test, &rt_trace, chain, "sleeper, unregistered");
	rt_release_sleepers(test, task, 1);
	return;

unregister:
	unregister_kretprobes(rps, 3);
}

/* The function tracer's return hooks on the same calls. */

/* All of them return through one slot, if the compiler makes jumps of them. */
static noinline int rt_hop_2(int value)
{
	barrier();
	return rt_nest_3(value + 1);
}

static noinline int rt_hop_1(int value)
{
	barrier();
	return rt_hop_2(value + 1);
}

static int rt_fprobe_exits;

static void rt_fprobe_exit(struct fprobe *fp, unsigned long entry_ip,
			   struct pt_regs *regs, void *data)
{
	rt_fprobe_exits++;
	rt_save_trace(&rt_trace);
}

static void rt_test_fprobe(struct kunit *test)
{
	static const char * const names[] = { "rt_leaf", "rt_nest_3", "rt_nest_1" };
	struct fprobe fp = { .exit_handler = rt_fprobe_exit };
	struct kretprobe early = { .kp.addr = (void *)rt_nest_3 };
	struct kretprobe late = { .kp.addr = (void *)rt_nest_3 };
	struct rt_probe leaf;

	if (!IS_ENABLED(CONFIG_FPROBE))
		kunit_skip(test, "no fprobe");

	rt_fprobe_exits = 0;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&early));
	KUNIT_EXPECT_EQ(test, 0, register_fprobe_syms(&fp, (const char **)names,
						      ARRAY_SIZE(names)));
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&late));
	rt_register(test, &leaf, rt_leaf);

	rt_trace.n = 0;
	KUNIT_EXPECT_EQ(test, 3, rt_leaf_caller(rt_leaf, 2));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&leaf.returns));
	KUNIT_EXPECT_EQ(test, 1, rt_fprobe_exits);
	rt_check_trace(test, &rt_trace, rt_leaf_chain, "fprobe's exit handler");

	rt_trace.n = 0;
	fp.exit_handler = NULL;
	KUNIT_EXPECT_EQ(test, 3, rt_leaf_caller(rt_nest_1, 2));
	rt_check_trace(test, &rt_trace, rt_nest_chain, "nested, with fprobe");

	unregister_fprobe(&fp);
	unregister_kretprobe(&early);
	unregister_kretprobe(&late);
	unregister_kretprobe(&leaf.rp);
}

/* A slot taken by a return probe, by fprobe, and by a return probe again. */
static void rt_test_chain(struct kunit *test)
{
	static const char * const chain[] = { "rt_nest_3", "rt_leaf_caller", NULL };
	static const char * const names[] = { "rt_hop_2" };
	struct kretprobe outer = { .kp.addr = (void *)rt_hop_1 };
	struct kretprobe inner = { .kp.addr = (void *)rt_nest_3 };
	struct fprobe fp = { .exit_handler = rt_fprobe_exit };

	if (!IS_ENABLED(CONFIG_FPROBE))
		kunit_skip(test, "no fprobe");

	fp.exit_handler = NULL;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&outer));
	KUNIT_EXPECT_EQ(test, 0, register_fprobe_syms(&fp, (const char **)names, 1));
	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&inner));
	rt_trace.n = 0;
	KUNIT_EXPECT_EQ(test, 5, rt_leaf_caller(rt_hop_1, 2));
	rt_check_trace(test, &rt_trace, chain, "one slot, three hooks");
	unregister_fprobe(&fp);
	unregister_kretprobe(&outer);
	unregister_kretprobe(&inner);
}
#endif /* !MODULE */

static struct kunit_case rt_cases[] = {
	KUNIT_CASE(rt_test_call),
	KUNIT_CASE(rt_test_without_handlers),
	KUNIT_CASE(rt_test_change_value),
	KUNIT_CASE(rt_test_skip),
	KUNIT_CASE(rt_test_disable),
	KUNIT_CASE(rt_test_data),
	KUNIT_CASE(rt_test_several),
	KUNIT_CASE(rt_test_tail_call),
	KUNIT_CASE(rt_test_storm),
	KUNIT_CASE(rt_test_sleepers),
	KUNIT_CASE(rt_test_reserve),
	KUNIT_CASE(rt_test_hotplug),
	KUNIT_CASE(rt_test_bound),
	KUNIT_CASE(rt_test_unregister_inside),
	KUNIT_CASE(rt_test_exit_inside),
#ifdef RT_CAN_REWIND
	KUNIT_CASE(rt_test_rewound),
#endif
	KUNIT_CASE(rt_test_register_race),
	KUNIT_CASE(rt_test_refusals),
	KUNIT_CASE(rt_test_all_or_nothing),
	KUNIT_CASE(rt_test_trace_return),
	KUNIT_CASE(rt_test_trace_entry),
	KUNIT_CASE(rt_test_trace_anywhere),
	KUNIT_CASE(rt_test_trace_nested),
#ifndef MODULE
	KUNIT_CASE(rt_test_trace_sleeper),
	KUNIT_CASE(rt_test_fprobe),
	KUNIT_CASE(rt_test_chain),
#endif
	{}
};

static struct kunit_suite rt_suite = {
	.name = "kprobes_retprobe",
	.test_cases = rt_cases,
};

kunit_test_suite(rt_suite);

MODULE_LICENSE("GPL");
