// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: KUnit tests of jumps in place of breakpoints.
 *
 * What a handler can rely on does not depend on how the probe was reached; how
 * it is reached must come back when what was in the way is gone; and nothing
 * may be lost while it changes.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "kprobe_test.h"

static unsigned long seen_ip;

static int see(struct kprobe *p, struct pt_regs *regs)
{
	seen_ip = instruction_pointer(regs);
	return 0;
}

NOKPROBE_SYMBOL(see);

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(nothing);

static int divert(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, kprobe_test_text(kprobe_test_replacement));
	return 1;
}

NOKPROBE_SYMBOL(divert);

static unsigned int posts;

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

NOKPROBE_SYMBOL(post);

static void *mid(void)
{
	return (void *)kprobe_test_mid;
}

static bool is_breakpoint(void *addr)
{
	return READ_ONCE(*(kprobe_opcode_t *)addr) == KPROBE_BREAKPOINT;
}

/* The line of kprobes/stats about an address, up to 256 bytes of it. */
static void stats_of(struct kunit *test, void *addr, char *line)
{
	char *text = kprobe_test_read(test, "kprobes/stats"), want[24];
	const char *found;

	snprintf(want, sizeof(want), "%px", addr);
	found = strstr(text, want);
	KUNIT_ASSERT_NOT_NULL(test, found);
	strscpy(line, found, 256);
	strreplace(line, '\n', '\0');
}

static void expect_stats(struct kunit *test, void *addr, const char *words)
{
	char line[256];

	stats_of(test, addr, line);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(line, words), "\"%s\" lacks \"%s\"", line, words);
}

/* A probe whose jump is in place. */
static void jump_in(struct kunit *test, struct kprobe *p)
{
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	wait_for_kprobe_optimizer();
	if (!kprobe_optimized(p))
		expect_stats(test, p->addr, " jump hits=");
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(p));
	KUNIT_EXPECT_FALSE(test, is_breakpoint(p->addr));
}

static void jump_hit(struct kunit *test)
{
	u8 text[16];
	struct kprobe p = { .addr = mid(), .pre_handler = see };
	int i;

	memcpy(text, mid(), sizeof(text));
	jump_in(test, &p);
	for (i = 0; i < 100; i++) {
		seen_ip = 0;
		KUNIT_EXPECT_EQ(test, kprobe_test_straight(i), i + 3);
		KUNIT_EXPECT_EQ(test, seen_ip, kprobe_test_mid + KPROBE_IP_OFFSET);
	}
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p), 100UL);
	KUNIT_EXPECT_EQ(test, kprobe_test_misses(&p), 0UL);
	expect_stats(test, mid(), " jump hits=100 ");
	KUNIT_EXPECT_NOT_NULL(test, strstr(kprobe_test_read(test, "kprobes/list"), "[OPTIMIZED]"));
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, 0, memcmp(text, mid(), sizeof(text)));
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(1), 4);
}

/* How soon after its registration, on an idle machine? */
static void jump_soon(struct kunit *test)
{
	struct kprobe p = { .addr = mid(), .pre_handler = see };
	ktime_t begin;

	/* RCU-tasks pauses after the grace period of the case before. */
	msleep(400);
	begin = ktime_get();
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	while (!kprobe_optimized(&p) && ktime_ms_delta(ktime_get(), begin) < 10000)
		usleep_range(500, 1000);
	kunit_info(test, "a jump after %lld ms\n", ktime_ms_delta(ktime_get(), begin));
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p));
	unregister_kprobe(&p);
}

static void jump_diverted(struct kunit *test)
{
	struct kprobe p = { .addr = (void *)kprobe_test_jumped, .pre_handler = divert };

	jump_in(test, &p);
	KUNIT_EXPECT_EQ(test, kprobe_test_jumped(4), 1004);
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, kprobe_test_jumped(4), 7);
}

static void jump_two_probes(struct kunit *test)
{
	struct kprobe a = { .addr = mid(), .pre_handler = see };
	struct kprobe b = { .addr = mid(), .pre_handler = see };

	jump_in(test, &a);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&b));
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&b));
	kprobe_test_straight(1);
	unregister_kprobe(&a);
	kprobe_test_straight(1);
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&b));
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&b), 2UL);
	unregister_kprobe(&b);
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&b));
}

static void jump_post_handler(struct kunit *test)
{
	struct kprobe a = { .addr = mid(), .pre_handler = see };
	struct kprobe b = { .addr = mid(), .post_handler = post };

	jump_in(test, &a);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&b));
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&a));
	KUNIT_EXPECT_TRUE(test, is_breakpoint(mid()));
	expect_stats(test, mid(), "no-jump=\"a post_handler");
	posts = 0;
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, posts, 1);

	/* Disabled, it needs nothing. */
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&b));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&a));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&b));
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&a));
	unregister_kprobe(&b);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&a));
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&a), 2UL);
	unregister_kprobe(&a);
}

static void jump_disabled(struct kunit *test)
{
	struct kprobe p = { .addr = mid(), .pre_handler = see };

	jump_in(test, &p);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p));
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&p));
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p), 0UL);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p));
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p), 1UL);
	unregister_kprobe(&p);
}

/* A probe on the next instruction: it may stand where the jump would. */
static int register_next(struct kprobe *p)
{
	unsigned long at;
	int ret = -ENOENT;

	for (at = kprobe_test_mid + 1; ret && at < kprobe_test_mid + 16; at++) {
		p->addr = (void *)at;
		ret = register_kprobe(p);
	}
	return ret;
}

static void jump_neighbour(struct kunit *test)
{
	struct kprobe a = { .addr = mid(), .pre_handler = see };
	struct kprobe b = { .pre_handler = nothing };
	bool blocks;

	jump_in(test, &a);
	KUNIT_ASSERT_EQ(test, 0, register_next(&b));
	blocks = (unsigned long)b.addr - kprobe_test_mid < KPROBE_JUMP_BYTES;
	KUNIT_EXPECT_EQ(test, kprobe_optimized(&a), !blocks);
	if (blocks)
		expect_stats(test, mid(), "no-jump=\"another probe");
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&a), 2UL);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&b), 2UL);
	unregister_kprobe(&b);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&a));
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&a), 3UL);
	unregister_kprobe(&a);
}

static void jump_switched_off(struct kunit *test)
{
	struct kprobe a = { .addr = mid(), .pre_handler = see };
	struct kprobe b = { .addr = (void *)kprobe_test_jumped, .pre_handler = see };

	jump_in(test, &a);
	kprobes_allow_jumps(false);
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&a));
	KUNIT_EXPECT_TRUE(test, is_breakpoint(mid()));
	expect_stats(test, mid(), "no-jump=\"switched off");
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);

	/* One that comes meanwhile, and waits. */
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&b));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&b));
	KUNIT_EXPECT_EQ(test, kprobe_test_jumped(4), 7);

	kprobes_allow_jumps(true);
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&a));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&b));
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_jumped(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&a), 2UL);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&b), 2UL);
	unregister_kprobe(&b);
	unregister_kprobe(&a);
}

/* Threads that call the targets, and the one that counts for sure. */
static atomic_long_t calls, wrong;

static int caller(void *unused)
{
	int i = 0;

	while (!kthread_should_stop()) {
		if (kprobe_test_straight(i) != i + 3)
			atomic_long_inc(&wrong);
		atomic_long_inc(&calls);
		if (i++ % 16 == 0)
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static struct task_struct *callers[2];

static void callers_start(struct kunit *test)
{
	int i;

	atomic_long_set(&calls, 0);
	atomic_long_set(&wrong, 0);
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		callers[i] = kthread_run(caller, NULL, "jump_caller/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(callers[i]));
	}
}

static void callers_stop(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(callers); i++)
		kthread_stop(callers[i]);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&wrong), 0L);
}

/* Not one execution is lost while the way to the handler changes. */
static void jump_counts(struct kunit *test)
{
	struct kprobe p = { .addr = mid(), .pre_handler = nothing };
	struct kprobe next = { .pre_handler = nothing };
	struct kprobe with_post = { .addr = mid(), .post_handler = post };
	int i;

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	callers_start(test);
	for (i = 0; i < 60; i++) {
		kprobes_allow_jumps(i % 2);
		if (i % 3 == 0 && !register_next(&next))
			unregister_kprobe(&next);
		if (i % 5 == 0 && !register_kprobe(&with_post))
			unregister_kprobe(&with_post);
		if (i % 10 == 9)
			wait_for_kprobe_optimizer();
		usleep_range(500, 1000);
	}
	callers_stop(test);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p) + kprobe_test_misses(&p),
			(unsigned long)atomic_long_read(&calls));
	KUNIT_EXPECT_GT(test, atomic_long_read(&calls), 100L);
	unregister_kprobe(&p);
}

/* Off and at once another one behind it, or in front; both while it runs. */
static int churn_next(void *unused)
{
	struct kprobe p = { .addr = mid(), .pre_handler = nothing };
	struct kprobe next = { .pre_handler = nothing };
	long failed = 0, i;

	for (i = 0; i < 300; i++) {
		failed += !!register_kprobe(&p);
		if (i % 7 == 0)
			usleep_range(1000, 2000);
		if (i % 50 == 0)
			wait_for_kprobe_optimizer();
		unregister_kprobe(&p);
		failed += !!register_next(&next);
		kprobe_test_straight(1);
		failed += !kprobe_test_hits(&next);
		unregister_kprobe(&next);
	}
	return failed;
}

static void jump_churn(struct kunit *test)
{
	struct task_struct *tasks[4];
	u8 text[16];
	int i;

	memcpy(text, mid(), sizeof(text));
	callers_start(test);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kthread_create(churn_next, NULL, "jump_churn/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
		get_task_struct(tasks[i]);
		wake_up_process(tasks[i]);
	}
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		KUNIT_EXPECT_EQ(test, 0, kthread_stop(tasks[i]));
		put_task_struct(tasks[i]);
	}
	callers_stop(test);
	KUNIT_EXPECT_EQ(test, 0, memcmp(text, mid(), sizeof(text)));
}

/* More of them take minutes under emulation. */
static unsigned int functions = 120;
module_param(functions, uint, 0444);
MODULE_PARM_DESC(functions, "in how many functions all sites get a probe");
static unsigned int toggles = 20;
module_param(toggles, uint, 0444);
MODULE_PARM_DESC(toggles, "how often all jumps are taken away and put back");

/* How often stats give which reason for there being no jump. */
static void show_reasons(struct kunit *test)
{
	static const char key[] = "no-jump=\"";
	char *at = kprobe_test_read(test, "kprobes/stats");
	struct {
		const char *why;
		unsigned int n;
	} reasons[24] = { };
	unsigned int i;

	while ((at = strstr(at, key))) {
		char *why = at + strlen(key);

		at = strchr(why, '"');
		if (!at)
			break;
		*at++ = '\0';
		for (i = 0; i < ARRAY_SIZE(reasons) - 1; i++)
			if (!reasons[i].why || !strcmp(reasons[i].why, why))
				break;
		reasons[i].why = why;
		reasons[i].n++;
	}
	for (i = 0; i < ARRAY_SIZE(reasons) && reasons[i].why; i++)
		kunit_info(test, "%u: %s\n", reasons[i].n, reasons[i].why);
}

/* The insides of functions all over the kernel, under what it does anyway. */
static void jump_everywhere(struct kunit *test)
{
	struct kprobe_test_many many;
	unsigned int i, jumps = 0;
	unsigned long hits = 0;
	size_t size;
	void *text;
	ktime_t begin;

	text = kprobe_test_copy_text(&size);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_EQ(test, 0, kprobe_test_arm_sites(&many, functions, nothing));
	wait_for_kprobe_optimizer();
	for (i = 0; i < many.n; i++)
		jumps += kprobe_optimized(many.array[i]);
	kunit_info(test, "%u sites (%u refused), %u reached by a jump\n", many.n, many.refused,
		   jumps);
	show_reasons(test);
	KUNIT_EXPECT_GT(test, many.n, functions);
	KUNIT_EXPECT_GT(test, 100 * jumps, 60 * many.n);

	begin = ktime_get();
	for (i = 0; i < 2 * toggles; i++) {
		kprobes_allow_jumps(i % 2);
		if (i % 16 == 0)
			usleep_range(500, 1000);
	}
	kunit_info(test, "switched %u times in %lld ms\n", toggles,
		   ktime_ms_delta(ktime_get(), begin));
	for (i = 0; i < many.n; i++) {
		jumps -= kprobe_optimized(many.array[i]);
		hits += kprobe_test_hits(many.array[i]);
	}
	KUNIT_EXPECT_EQ(test, jumps, 0);
	KUNIT_EXPECT_GT(test, hits, 100UL);
	kprobe_test_disarm_many(&many);
	KUNIT_EXPECT_EQ(test, kprobe_test_compare_text(text), 0UL);
	vfree(text);
}

/* Who called, as a handler sees it. */

#define TRACE_MAX	16

static unsigned long trace[TRACE_MAX];
static unsigned int trace_n;

static int save_trace(struct kprobe *p, struct pt_regs *regs)
{
	trace_n = stack_trace_save(trace, TRACE_MAX, 0);
	return 0;
}

NOKPROBE_SYMBOL(save_trace);

static void save_trace_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	save_trace(p, regs);
}

NOKPROBE_SYMBOL(save_trace_after);

static noinline notrace int trace_caller(int (*fn)(int), int x)
{
	int ret = fn(x);

	barrier();
	return ret;
}

static bool is_in(unsigned long addr, void *fn)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(addr, &size, &offset) &&
	       addr - offset == kprobe_test_text(fn);
}

/* The probed function is followed by its caller, and nothing is unknown. */
static void check_trace(struct kunit *test, int (*fn)(int), bool jump)
{
	bool good = false, known = true;
	unsigned int i;

	for (i = 0; i < trace_n; i++) {
		known &= __kernel_text_address(trace[i]) && !is_kprobe_insn_slot(trace[i]);
		if (i && is_in(trace[i - 1], fn) && is_in(trace[i], trace_caller))
			good = true;
	}
	KUNIT_EXPECT_TRUE_MSG(test, known, "%ps, jump %d", fn, jump);
	KUNIT_EXPECT_TRUE_MSG(test, good, "%ps, jump %d", fn, jump);
	for (i = 0; i < trace_n && !(good && known); i++)
		kunit_info(test, "%pS\n", (void *)trace[i]);
}

static void jump_trace(struct kunit *test)
{
	const struct {
		int (*fn)(int x);
		unsigned long at;
	} sites[] = {
		{ kprobe_test_jumped, kprobe_test_text(kprobe_test_jumped) },
		{ kprobe_test_framed, kprobe_test_framed_mid },
	};
	int i;

	if (IS_ENABLED(CONFIG_UNWINDER_GUESS))
		kunit_skip(test, "an unwinder that guesses");
	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		struct kprobe p = { .addr = (void *)sites[i].at, .pre_handler = save_trace };

		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
		trace_n = 0;
		KUNIT_EXPECT_EQ(test, trace_caller(sites[i].fn, 1), 4);
		check_trace(test, sites[i].fn, kprobe_optimized(&p));
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p));
		trace_n = 0;
		KUNIT_EXPECT_EQ(test, trace_caller(sites[i].fn, 1), 4);
		check_trace(test, sites[i].fn, true);
		unregister_kprobe(&p);
	}
}

/* Where slots end with a call, the handler is reached without a trap, too. */
static void jump_trace_post(struct kunit *test)
{
	struct kprobe p = {
		.addr = (void *)kprobe_test_framed_mid,
		.post_handler = save_trace_after,
	};

	if (IS_ENABLED(CONFIG_UNWINDER_GUESS))
		kunit_skip(test, "an unwinder that guesses");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	trace_n = 0;
	KUNIT_EXPECT_EQ(test, trace_caller(kprobe_test_framed, 1), 4);
	check_trace(test, kprobe_test_framed, false);
	unregister_kprobe(&p);
}

static void jump_exit(struct kunit *test)
{
	kprobes_allow_jumps(true);
}

static struct kunit_case jump_cases[] = {
	KUNIT_CASE(jump_hit),
	KUNIT_CASE(jump_soon),
	KUNIT_CASE(jump_diverted),
	KUNIT_CASE(jump_two_probes),
	KUNIT_CASE(jump_post_handler),
	KUNIT_CASE(jump_disabled),
	KUNIT_CASE(jump_neighbour),
	KUNIT_CASE(jump_switched_off),
	KUNIT_CASE(jump_trace),
	KUNIT_CASE(jump_trace_post),
	KUNIT_CASE(jump_counts),
	KUNIT_CASE(jump_churn),
	KUNIT_CASE(jump_everywhere),
	{}
};

static struct kunit_suite jump_suite = {
	.name = "kprobes_jump",
	.exit = jump_exit,
	.test_cases = jump_cases,
};

kunit_test_suite(jump_suite);

MODULE_LICENSE("GPL");
