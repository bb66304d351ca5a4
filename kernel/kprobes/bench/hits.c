// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, the benchmark: being hit.
 *
 * For bench.c.  Each case puts one probe on a function, calls the function many
 * times with interrupts off, and takes the probe away again.  What is reported
 * is the cost of the calls, the function and the loop included; the case "bare"
 * says what these cost.
 */
#define pr_fmt(fmt) "kp-bench: " fmt

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/smp.h>

#ifdef CONFIG_ARM64
#include <asm/insn.h>
#endif

#include "bench.h"

#define CALLS	1000
#define ROUNDS	3

/* Long enough for probes to become optimized. */
#define SETTLE_MS	2000

static noinline notrace void callee(void)
{
	barrier();
}

/* Nothing but a call, or a jump, which is what a simulator is for. */
static noinline notrace unsigned long bench_caller(unsigned long x)
{
	callee();
	callee();
	return x;
}

/* Where in it the call is; x86 has it at the start. */
static u32 caller_call;

static void find_call(void)
{
#ifdef CONFIG_ARM64
	const __le32 *insn = (__le32 *)bench_caller;

	while (!aarch64_insn_is_bl(le32_to_cpu(insn[caller_call / sizeof(*insn)])))
		caller_call += sizeof(*insn);
#endif
#ifdef CONFIG_RISCV
	const u16 *half = (u16 *)bench_caller;

	/* auipc and jalr, by way of ra; the linker leaves it at that. */
	while (half[caller_call / sizeof(*half)] != 0x80e7)
		caller_call += sizeof(*half);
#endif
}

static unsigned long calls_seen;

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	calls_seen++;
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	calls_seen++;
}

static int ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	calls_seen++;
	return 0;
}

static u64 one_round(bench_target_t *target)
{
	unsigned long flags;
	unsigned int i;
	u64 begin;

	local_irq_save(flags);
	begin = bench_clock();
	for (i = 0; i < CALLS; i++)
		target(i);
	begin = bench_clock() - begin;
	local_irq_restore(flags);
	return begin;
}

/* The best of a few rounds: the first ones warm up. */
static void measure(const char *name, bench_target_t *target, unsigned int handlers)
{
	u64 best = U64_MAX;
	unsigned int i;

	calls_seen = 0;
	for (i = 0; i < ROUNDS; i++)
		best = min(best, one_round(target));
	if (calls_seen != handlers * ROUNDS * CALLS)
		pr_notice("hit case=%s failed: %lu handlers ran, not %u\n", name,
			  calls_seen, handlers * ROUNDS * CALLS);
	else
		pr_notice("hit case=%s calls=%u clock=%llu\n", name, CALLS, best);
}

/**
 * struct hit_case - a probe to be measured
 * @name: in the report
 * @target: the function
 * @offset: where in it, or NULL for the entry
 * @post: with a post_handler
 */
struct hit_case {
	const char *name;
	bench_target_t *target;
	const u32 *offset;
	bool post;
};

static void prepare(struct kprobe *p, const struct hit_case *hc)
{
	p->addr = (kprobe_opcode_t *)((unsigned long)hc->target +
				      (hc->offset ? *hc->offset : 0));
	p->pre_handler = pre;
	p->post_handler = hc->post ? post : NULL;
}

static int one_hit_case(const struct hit_case *hc)
{
	struct kprobe p = { };
	int ret;

	prepare(&p, hc);
	ret = register_kprobe(&p);
	if (ret)
		return ret;
	measure(hc->name, hc->target, hc->post ? 2 : 1);
	unregister_kprobe(&p);
	return 0;
}

static int one_return_case(const char *name, bench_target_t *target, bool settle)
{
	struct kretprobe rp = { .handler = ret_handler };
	int ret;

	rp.kp.addr = (kprobe_opcode_t *)target;
	ret = register_kretprobe(&rp);
	if (ret)
		return ret;
	if (settle)
		msleep(SETTLE_MS);
	measure(name, target, 1);
	unregister_kretprobe(&rp);
	return 0;
}

/* An empty loop around a call is what all the others have in common. */
static const struct hit_case hit_cases[] = {
	{ "trap", bench_plain, &bench_plain_middle },
	{ "trap-post", bench_plain, &bench_plain_middle, true },
	{ "trap-entry", bench_plain },
	{ "call", bench_caller, &caller_call },
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "ftrace", bench_traced },
	{ "ftrace-post", bench_traced, NULL, true },
#endif
};

/**
 * bench_hits() - all cases that do not depend on optimization
 *
 * To be called with jump optimization off.
 */
int bench_hits(void)
{
	unsigned int i;
	int ret = 0;

	find_call();
	measure("bare", bench_plain, 0);
	if (BENCH_HAS_TRACED)
		measure("bare-traced", bench_traced, 0);
	measure("bare-caller", bench_caller, 0);
	for (i = 0; i < ARRAY_SIZE(hit_cases) && !ret; i++)
		ret = one_hit_case(&hit_cases[i]);
	if (!ret)
		ret = one_return_case("return-trap", bench_plain, false);
	if (BENCH_HAS_TRACED && !ret)
		ret = one_return_case("return-ftrace", bench_traced, false);
	return ret;
}

/* What stands in the text; a probe that became a jump changes it. */
static kprobe_opcode_t text_at(const struct kprobe *p)
{
	return READ_ONCE(*p->addr);
}

/* What stands there while it is no jump: with a post_handler it never is. */
static int breakpoint_at(const struct hit_case *hc, kprobe_opcode_t *breakpoint)
{
	struct kprobe p = { };
	int ret;

	prepare(&p, hc);
	p.post_handler = post;
	ret = register_kprobe(&p);
	if (ret)
		return ret;
	*breakpoint = text_at(&p);
	unregister_kprobe(&p);
	return 0;
}

static int one_jump_case(const struct hit_case *hc)
{
	kprobe_opcode_t breakpoint;
	struct kprobe p = { };
	bool jump;
	int ret;

	ret = breakpoint_at(hc, &breakpoint);
	if (ret)
		return ret;
	prepare(&p, hc);
	ret = register_kprobe(&p);
	if (ret)
		return ret;
	msleep(SETTLE_MS);
	jump = text_at(&p) != breakpoint;
	if (jump)
		measure(hc->name, hc->target, hc->post ? 2 : 1);
	else
		pr_notice("hit case=%s none: stays a breakpoint\n", hc->name);
	unregister_kprobe(&p);
	return 0;
}

/**
 * bench_jump() - the cases that become jumps, if optimization is on
 */
int bench_jump(void)
{
	static const struct hit_case cases[] = {
		{ "jump", bench_plain, &bench_plain_middle },
		{ "jump-post", bench_plain, &bench_plain_middle, true },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(cases) && !ret; i++)
		ret = one_jump_case(&cases[i]);
	if (!ret)
		ret = one_return_case("return-jump", bench_plain, true);
	return ret;
}

#define CONTEND_CALLS	200000

static atomic_t contenders;

static int contender(void *data)
{
	unsigned int i;

	atomic_dec(&contenders);
	/* All begin together; pairs with nothing, a late start does no harm. */
	while (atomic_read(&contenders) > 0)
		cpu_relax();
	for (i = 0; i < CONTEND_CALLS; i++) {
		((bench_target_t *)data)(i);
		if (!(i % 1024))
			cond_resched();
	}
	atomic_dec(&contenders);
	return 0;
}

static int contend_on(const char *name, bench_target_t *target, unsigned int threads)
{
	struct task_struct *task;
	unsigned int i;
	u64 begin;

	atomic_set(&contenders, threads);
	begin = ktime_get_ns();
	for (i = 0; i < threads; i++) {
		task = kthread_create_on_cpu(contender, target, i, "kp-bench/%u");
		if (IS_ERR(task))
			return PTR_ERR(task);
		wake_up_process(task);
	}
	while (atomic_read(&contenders) > -(int)threads)
		msleep(20);
	pr_notice("contend case=%s threads=%u calls=%u clock=%llu\n", name, threads,
		  CONTEND_CALLS, ktime_get_ns() - begin);
	return 0;
}

/**
 * bench_contend() - several CPUs hit one probe at once
 * @threads: on how many CPUs
 *
 * In real time, by a clock that is only as good as the machine is idle.
 */
int bench_contend(unsigned int threads)
{
	bench_target_t *returning = BENCH_HAS_TRACED ? bench_traced : bench_plain;
	struct kretprobe rp = { .handler = ret_handler, .maxactive = 64 };
	struct kprobe p = { };
	int ret;

	if (!threads || threads > num_online_cpus())
		return -EINVAL;
	prepare(&p, &hit_cases[0]);
	ret = register_kprobe(&p);
	if (ret)
		return ret;
	ret = contend_on("trap", bench_plain, threads);
	unregister_kprobe(&p);
	if (ret)
		return ret;

	rp.kp.addr = (kprobe_opcode_t *)returning;
	ret = register_kretprobe(&rp);
	if (ret)
		return ret;
	ret = contend_on("return", returning, threads);
	unregister_kretprobe(&rp);
	return ret;
}
