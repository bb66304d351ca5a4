// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: KUnit tests under load: probes that come and go while the
 * probed code runs, and probes on every function of the kernel.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "kprobe_test.h"

/* Threads that run @fn until they are told to stop. */
struct crew {
	struct task_struct **tasks;
	unsigned int n;
};

static atomic_long_t crew_wrong;
static atomic_long_t crew_rounds;

/* @per_cpu threads on each CPU. */
static void crew_start(struct kunit *test, struct crew *crew, unsigned int per_cpu,
		       int (*fn)(void *))
{
	unsigned int i;
	int cpu;

	atomic_long_set(&crew_wrong, 0);
	atomic_long_set(&crew_rounds, 0);
	crew->n = 0;
	crew->tasks = kunit_kcalloc(test, nr_cpu_ids * per_cpu, sizeof(*crew->tasks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, crew->tasks);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		for (i = 0; i < per_cpu; i++) {
			struct task_struct *task;

			task = kthread_create(fn, NULL, "crew/%d:%u", cpu, i);
			if (IS_ERR(task))
				continue;
			kthread_bind(task, cpu);
			crew->tasks[crew->n++] = task;
			wake_up_process(task);
		}
	}
	cpus_read_unlock();
	KUNIT_EXPECT_GT(test, crew->n, 0);
}

static void crew_stop(struct kunit *test, struct crew *crew)
{
	unsigned int i;

	for (i = 0; i < crew->n; i++)
		kthread_stop(crew->tasks[i]);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&crew_wrong), 0L);
	KUNIT_EXPECT_GT(test, atomic_long_read(&crew_rounds), 0L);
}

static int call_targets(void *unused)
{
	int i = 0;

	while (!kthread_should_stop()) {
		bool wrong = kprobe_test_traced(i) != i + 3 || kprobe_test_plain(i) != i + 3 ||
			     kprobe_test_straight(i) != i + 3 || kprobe_test_inner(i) != i + 3;

		if (wrong)
			atomic_long_inc(&crew_wrong);
		if (i++ % 64 == 0) {
			atomic_long_inc(&crew_rounds);
			/* A preemptible kernel's RCU-tasks would wait for us otherwise. */
			cond_resched_tasks_rcu_qs();
		}
	}
	return 0;
}

static int count_call(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(count_call);

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

NOKPROBE_SYMBOL(count_post);

/*
 * Every instruction of a function is a neighbour of the next.  Padding behind
 * the function is not executed, and is left out.
 */
static unsigned int neighbours(unsigned long *addrs, unsigned int room, int (*fn)(int))
{
	unsigned long start = kprobe_test_text(fn), at, hits;
	unsigned int n = 0;

	for (at = start; at < start + 16 && n < room; at += sizeof(kprobe_opcode_t)) {
		struct kprobe p = { .addr = (void *)at, .pre_handler = count_call };

		if (register_kprobe(&p))
			continue;
		fn(1);
		addrs[n] = (unsigned long)p.addr;
		hits = kprobe_test_hits(&p);
		unregister_kprobe(&p);
		if (hits && (!n || addrs[n] != addrs[n - 1]))
			n++;
	}
	return n;
}

static unsigned long sites[16];
static unsigned int nr_sites;

struct churn {
	struct completion done;
	unsigned int rounds;
	unsigned int first;
	unsigned int failed;
	unsigned int unhit;
};

static int churn_thread(void *data)
{
	struct churn *churn = data;
	unsigned int i;

	for (i = 0; i < churn->rounds; i++) {
		struct kprobe p = {
			.addr = (void *)sites[(churn->first + i) % nr_sites],
			.pre_handler = count_call,
		};

		if (i & 1)
			p.post_handler = count_post;
		if (register_kprobe(&p)) {
			churn->failed++;
			continue;
		}
		kprobe_test_plain(1);
		kprobe_test_straight(1);
		kprobe_test_traced(1);
		churn->unhit += !kprobe_test_hits(&p);
		unregister_kprobe(&p);
	}
	complete(&churn->done);
	return 0;
}

static void two_churn(struct kunit *test, unsigned int rounds)
{
	struct churn churns[2] = { };
	struct task_struct *task;
	size_t size;
	void *text;
	int i;

	nr_sites = neighbours(sites, 5, kprobe_test_plain);
	nr_sites += neighbours(sites + nr_sites, 5, kprobe_test_straight);
	nr_sites += neighbours(sites + nr_sites, 5, kprobe_test_traced);
	KUNIT_ASSERT_GE(test, nr_sites, 6);

	text = kprobe_test_copy_text(&size);
	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < 2; i++) {
		init_completion(&churns[i].done);
		churns[i].rounds = rounds;
		/* Half of the rounds on the same site, half on neighbours. */
		churns[i].first = i * (rounds / 2 % 2);
		task = kthread_run(churn_thread, &churns[i], "kprobes-churn/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	}
	for (i = 0; i < 2; i++) {
		wait_for_completion(&churns[i].done);
		KUNIT_EXPECT_EQ(test, churns[i].failed, 0);
		KUNIT_EXPECT_EQ(test, churns[i].unhit, 0);
	}
	KUNIT_EXPECT_EQ(test, kprobe_test_compare_text(text), 0UL);
	vfree(text);
}

static void stress_two_churn(struct kunit *test)
{
	two_churn(test, 1000);
	two_churn(test, 501);
}

/* The machine may be slow: some seconds are enough for what is repeated. */
static bool is_over(ktime_t begin)
{
	return ktime_ms_delta(ktime_get(), begin) > 20 * MSEC_PER_SEC;
}

/* Quick changes under the feet of threads that are on the probed code. */
static void stress_add_and_remove(struct kunit *test)
{
	struct kprobe p[4], *array[4];
	ktime_t begin = ktime_get();
	struct crew crew;
	unsigned int round;
	size_t size;
	void *text;
	int i;

	text = kprobe_test_copy_text(&size);
	KUNIT_ASSERT_NOT_NULL(test, text);
	crew_start(test, &crew, 2, call_targets);
	for (round = 0; round < 2500 && !is_over(begin); round++) {
		memset(p, 0, sizeof(p));
		for (i = 0; i < 4; i++) {
			p[i].pre_handler = count_call;
			p[i].post_handler = (round >> i) & 1 ? count_post : NULL;
			array[i] = &p[i];
		}
		p[0].addr = (void *)kprobe_test_text(kprobe_test_traced);
		p[1].addr = (void *)kprobe_test_text(kprobe_test_plain);
		p[2].addr = (void *)kprobe_test_mid;
		p[3].addr = (void *)kprobe_test_text(kprobe_test_inner);
		KUNIT_ASSERT_EQ(test, register_kprobes(array, 4), 0);
		unregister_kprobes(array, 4);
	}
	crew_stop(test, &crew);
	KUNIT_EXPECT_GT(test, round, 20);
	KUNIT_EXPECT_EQ(test, kprobe_test_compare_text(text), 0UL);
	vfree(text);
	kunit_info(test, "%u rounds in %lld ms\n", round, ktime_ms_delta(ktime_get(), begin));
}

/* Disabling and enabling, with a sibling that must not miss anything. */
static void stress_flip(struct kunit *test)
{
	struct kprobe stays = { .addr = (void *)kprobe_test_mid, .pre_handler = count_call };
	struct kprobe flips = {
		.addr = (void *)kprobe_test_mid,
		.pre_handler = count_call,
		.post_handler = count_post,
	};
	ktime_t begin = ktime_get();
	struct crew crew;
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&stays), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&flips), 0);
	crew_start(test, &crew, 1, call_targets);
	for (i = 0; i < 2000 && !is_over(begin); i++) {
		unsigned long hits = kprobe_test_hits(&stays);

		KUNIT_EXPECT_EQ(test, disable_kprobe(&flips), 0);
		kprobe_test_straight(1);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&flips), 0);
		KUNIT_EXPECT_GT(test, kprobe_test_hits(&stays), hits);
	}
	crew_stop(test, &crew);
	KUNIT_EXPECT_GT(test, i, 20);
	KUNIT_EXPECT_EQ(test, stays.nmissed, 0);
	KUNIT_EXPECT_GE(test, kprobe_test_hits(&stays), kprobe_test_hits(&flips));
	unregister_kprobe(&flips);
	unregister_kprobe(&stays);
}

/* A bit of everything a kernel does: memory, timers, work, threads, files. */

static void work_nothing(struct work_struct *work)
{
}

static int thread_nothing(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int work_load(void *unused)
{
	while (!kthread_should_stop()) {
		struct task_struct *task;
		struct work_struct work;
		void *a, *b;

		a = kmalloc(100, GFP_KERNEL);
		b = vmalloc(3 * PAGE_SIZE);
		if (b)
			memset(b, 0x5a, 3 * PAGE_SIZE);
		vfree(b);
		kfree(a);

		INIT_WORK_ONSTACK(&work, work_nothing);
		queue_work(system_wq, &work);
		flush_work(&work);
		destroy_work_on_stack(&work);

		schedule_timeout_interruptible(1);
		task = kthread_run(thread_nothing, NULL, "nothing");
		if (!IS_ERR(task)) {
			cond_resched();
			kthread_stop(task);
		}
		synchronize_rcu();
		kprobe_test_straight(1);
		atomic_long_inc(&crew_rounds);
	}
	return 0;
}

static void arm_everything(struct kunit *test, kprobe_post_handler_t post)
{
	struct kprobe_test_many many;
	ktime_t begin, armed, removed;
	unsigned long hits = 0, fired = 0;
	struct crew crew;
	unsigned int i;
	size_t size;
	void *text;
	int err;

	text = kprobe_test_copy_text(&size);
	KUNIT_ASSERT_NOT_NULL(test, text);
	crew_start(test, &crew, 1, work_load);
	begin = ktime_get();
	err = kprobe_test_arm_many(&many, INT_MAX, count_call, post);
	armed = ktime_get();
	if (err == -EOPNOTSUPP) {
		crew_stop(test, &crew);
		vfree(text);
		kunit_skip(test, "only when built in");
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GT(test, many.n, 1000);
	schedule_timeout_uninterruptible(2 * HZ);
	crew_stop(test, &crew);
	for (i = 0; i < many.n; i++) {
		unsigned long n = kprobe_test_hits(many.array[i]);

		hits += n;
		fired += !!n;
	}
	KUNIT_EXPECT_GT(test, fired, 100UL);
	kunit_info(test, "%u probes, %u refused, armed in %lld ms\n", many.n, many.refused,
		   ktime_ms_delta(armed, begin));
	removed = ktime_get();
	kprobe_test_disarm_many(&many);
	kunit_info(test, "%lu of them fired, %lu hits, removed in %lld ms\n", fired, hits,
		   ktime_ms_delta(ktime_get(), removed));
	KUNIT_EXPECT_EQ(test, kprobe_test_compare_text(text), 0UL);
	vfree(text);
}

static void stress_every_function(struct kunit *test)
{
	arm_everything(test, NULL);
}

static void stress_every_function_post(struct kunit *test)
{
	arm_everything(test, count_post);
}

#ifdef CONFIG_OPTPROBES
#define ONE_UNIT_JUMPS	(sizeof(kprobe_opcode_t) == KPROBE_JUMP_BYTES)
#else
#define ONE_UNIT_JUMPS	false
#endif

static unsigned int functions = 2000;
module_param(functions, uint, 0444);
MODULE_PARM_DESC(functions, "in how many functions all instructions get a probe");

#define FUNCTIONS_AT_ONCE	50

/* In a test case: KUnit ends one that takes more than five minutes. */
#define FUNCTIONS_OF_SLICE	300

struct insides {
	unsigned int armed;
	unsigned int refused;
	unsigned int jumps;
	unsigned int fired;
	unsigned long hits;
};

/* All instructions of a few functions, first by breakpoint, then by jump. */
static int arm_insides(struct insides *sum, const unsigned long *addrs, unsigned int n)
{
	struct kprobe_test_many many;
	unsigned int i;
	int err;

	err = kprobe_test_arm_insides(&many, addrs, n, 0, count_call);
	if (!err) {
		schedule_timeout_uninterruptible(HZ / 10);
		/* What is not exported is not called by a module. */
#ifndef MODULE
		wait_for_kprobe_optimizer();
#endif
		schedule_timeout_uninterruptible(HZ / 10);
	}
	for (i = 0; i < many.n; i++) {
		unsigned long hits = kprobe_test_hits(many.array[i]);

		sum->hits += hits;
		sum->fired += !!hits;
		sum->jumps += kprobe_optimized(many.array[i]);
	}
	sum->armed += many.n;
	sum->refused += many.refused;
	kprobe_test_disarm_many(&many);
	return err;
}

static unsigned int per_mille(unsigned int part, unsigned int whole)
{
	return whole ? div_u64(1000ULL * part, whole) : 0;
}

static unsigned int nr_slices;

static unsigned int count_slices(void)
{
	struct kprobe_test_functions all;
	unsigned int n;

	if (kprobe_test_get_functions(&all))
		return 1;
	n = min(all.n, functions);
	vfree(all.addrs);
	return DIV_ROUND_UP(n, FUNCTIONS_OF_SLICE);
}

static const void *next_slice(const void *prev, char *desc)
{
	unsigned long number = (unsigned long)prev + 1;

	if (!prev)
		nr_slices = count_slices();
	if (number > nr_slices)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "slice_%lu", number);
	return (void *)number;
}

static void stress_every_instruction(struct kunit *test)
{
	unsigned int slice = (unsigned long)test->param_value - 1, apart;
	struct kprobe_test_functions all;
	struct insides sum = { };
	unsigned int i, n = 0;
	struct crew crew;
	ktime_t begin;
	size_t size;
	void *text;
	int err;

	err = kprobe_test_get_functions(&all);
	if (err == -EOPNOTSUPP)
		kunit_skip(test, "only when built in");
	KUNIT_ASSERT_EQ(test, err, 0);
	/* Spread over the kernel, each slice. */
	apart = max(all.n / functions, 1U);
	for (i = slice * apart; i < all.n; i += nr_slices * apart)
		all.addrs[n++] = all.addrs[i];

	text = kprobe_test_copy_text(&size);
	KUNIT_ASSERT_NOT_NULL(test, text);
	crew_start(test, &crew, 1, work_load);
	begin = ktime_get();
	for (i = 0; !err && i < n; i += FUNCTIONS_AT_ONCE)
		err = arm_insides(&sum, all.addrs + i, min_t(unsigned int, n - i,
							     FUNCTIONS_AT_ONCE));
	crew_stop(test, &crew);
	KUNIT_EXPECT_EQ(test, err, 0);
	kunit_info(test, "%u functions in %lld ms: %u probes, %u refused, accepted %u per mille\n",
		   n, ktime_ms_delta(ktime_get(), begin), sum.armed, sum.refused,
		   per_mille(sum.armed, sum.armed + sum.refused));
	kunit_info(test, "%u by jump, %u per mille; %u fired, %lu hits\n", sum.jumps,
		   per_mille(sum.jumps, sum.armed), sum.fired, sum.hits);
	KUNIT_EXPECT_GT(test, sum.armed, 10 * n);
	KUNIT_EXPECT_GT(test, sum.fired, n / 4);
	if (ONE_UNIT_JUMPS)
		KUNIT_EXPECT_GE(test, per_mille(sum.jumps, sum.armed), 950);
	KUNIT_EXPECT_EQ(test, kprobe_test_compare_text(text), 0UL);
	vfree(text);
	vfree(all.addrs);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE(stress_two_churn),
	KUNIT_CASE(stress_add_and_remove),
	KUNIT_CASE(stress_flip),
	KUNIT_CASE(stress_every_function),
	KUNIT_CASE(stress_every_function_post),
	KUNIT_CASE_PARAM(stress_every_instruction, next_slice),
	{}
};

static struct kunit_suite stress_suite = {
	.name = "kprobes_stress",
	.test_cases = stress_cases,
};

kunit_test_suite(stress_suite);
