// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: KUnit tests of probes that are hit in an NMI: while nothing else runs,
 * while a handler runs that an NMI interrupts, and while a handler runs that
 * an interrupt's handler interrupted which an NMI interrupts.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/apic.h>
#include <asm/nmi.h>

static noinline __noclone int nmi_traced(int x)
{
	/* Each unlike the others, lest they become one. */
	asm volatile("/* 1 */" : "+r" (x) : : "memory");
	return x + 3;
}

static noinline __noclone notrace int nmi_plain(int x)
{
	asm volatile("/* 2 */" : "+r" (x) : : "memory");
	return x + 3;
}

static noinline __noclone int outer_traced(int x)
{
	asm volatile("/* 3 */" : "+r" (x) : : "memory");
	return x + 3;
}

static noinline __noclone notrace int outer_plain(int x)
{
	asm volatile("/* 4 */" : "+r" (x) : : "memory");
	return x + 3;
}

static bool expected;
static unsigned long nmis, wrong;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!expected)
		return NMI_DONE;
	expected = false;
	wrong += !in_nmi();
	wrong += nmi_traced(4) != 7;
	wrong += nmi_plain(4) != 7;
	nmis++;
	return NMI_HANDLED;
}

NOKPROBE_SYMBOL(on_nmi);

/* An NMI for this CPU; it has been handled on return. */
static void raise_nmi(void)
{
	int i;

	expected = true;
	/* Against the handler on this CPU, which looks at it. */
	barrier();
	apic->send_IPI_mask(cpumask_of(raw_smp_processor_id()), NMI_VECTOR);
	for (i = 0; i < 100000 && READ_ONCE(expected); i++)
		udelay(1);
}

NOKPROBE_SYMBOL(raise_nmi);

static unsigned long pres, posts;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	return 0;
}

NOKPROBE_SYMBOL(count_pre);

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

NOKPROBE_SYMBOL(count_post);

static int raise_pre(struct kprobe *p, struct pt_regs *regs)
{
	raise_nmi();
	return 0;
}

NOKPROBE_SYMBOL(raise_pre);

static void raise_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	raise_nmi();
}

NOKPROBE_SYMBOL(raise_post);

static unsigned long hits(const struct kprobe *p)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(p->hits, cpu);
	return sum;
}

#define ROUNDS	50

/* Run @rounds of @fn, which raises an NMI each time in one way or another. */
static void check_nmis(struct kunit *test, const char *what, void (*fn)(void))
{
	struct kprobe traced = {
		.addr = (void *)nmi_traced,
		.pre_handler = count_pre,
		.post_handler = count_post,
	};
	struct kprobe plain = {
		.addr = (void *)nmi_plain,
		.pre_handler = count_pre,
		.post_handler = count_post,
	};
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&traced), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&plain), 0);
	nmis = 0;
	wrong = 0;
	pres = 0;
	posts = 0;
	for (i = 0; i < ROUNDS; i++)
		fn();
	KUNIT_EXPECT_EQ_MSG(test, nmis, ROUNDS, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, hits(&traced), ROUNDS, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, hits(&plain), ROUNDS, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, traced.nmissed, 0, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, plain.nmissed, 0, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, pres, 2 * ROUNDS, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, posts, 2 * ROUNDS, "%s", what);
	unregister_kprobe(&traced);
	unregister_kprobe(&plain);
}

static void raise_bare(void)
{
	preempt_disable();
	raise_nmi();
	preempt_enable();
}

static void nmi_bare(struct kunit *test)
{
	check_nmis(test, "no handler runs", raise_bare);
}

static void raise_by_traced(void)
{
	wrong += outer_traced(4) != 7;
}

static void raise_by_plain(void)
{
	wrong += outer_plain(4) != 7;
}

static void in_handler(struct kunit *test, const char *what, int (*target)(int),
		       void (*fn)(void), bool post)
{
	struct kprobe outer = { .addr = (void *)target };

	if (post)
		outer.post_handler = raise_post;
	else
		outer.pre_handler = raise_pre;
	KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
	check_nmis(test, what, fn);
	KUNIT_EXPECT_EQ_MSG(test, hits(&outer), ROUNDS, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, outer.nmissed, 0, "%s", what);
	unregister_kprobe(&outer);
}

static void nmi_in_handler(struct kunit *test)
{
	in_handler(test, "pre_handler, traced", outer_traced, raise_by_traced, false);
	in_handler(test, "post_handler, traced", outer_traced, raise_by_traced, true);
	in_handler(test, "pre_handler, plain", outer_plain, raise_by_plain, false);
	in_handler(test, "post_handler, plain", outer_plain, raise_by_plain, true);
}

static struct kunit_case nmi_cases[] = {
	KUNIT_CASE(nmi_bare),
	KUNIT_CASE(nmi_in_handler),
	{}
};

static int nmi_test_init(struct kunit *test)
{
	if (!boot_cpu_has(X86_FEATURE_APIC) || !apic)
		kunit_skip(test, "no local APIC");
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "kprobes_test");
}

static void nmi_test_exit(struct kunit *test)
{
	unregister_nmi_handler(NMI_LOCAL, "kprobes_test");
}

static struct kunit_suite nmi_suite = {
	.name = "kprobes_x86_nmi",
	.init = nmi_test_init,
	.exit = nmi_test_exit,
	.test_cases = nmi_cases,
};

kunit_test_suite(nmi_suite);

MODULE_LICENSE("GPL");
