// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, arm64: KUnit tests of the ways in which instructions are
 * executed: each of the functions in forms_test_text.S must do with a probe what
 * it does without.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/cpufeature.h>

/**
 * struct kprobe_form - a line of the table in forms_test_text.S
 * @fn: the function
 * @at: the instruction to be probed
 * @name: its name
 * @refused: the instruction must be refused, and the function not be called
 */
struct kprobe_form {
	unsigned long (*fn)(unsigned long a, unsigned long b);
	unsigned long at;
	const char *name;
	unsigned long refused;
};

extern const struct kprobe_form kprobe_forms[];

static const unsigned long arguments[][2] = {
	{ 0, 0 },
	{ 1, 2 },
	{ 2, 1 },
	{ -1, 1 },
	{ 1, -1 },
	{ 0x0000000200000000, 0x0000000200000000 },
	{ 0x8000000000000001, 3 },
};

static unsigned int pres, posts;
static bool moved;

static int note_pre(struct kprobe *p, struct pt_regs *regs)
{
	moved |= instruction_pointer(regs) != (unsigned long)p->addr;
	pres++;
	return 0;
}

static void note_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

/* Wait for the jump in place of the breakpoint; there is none in a module. */
static bool wait_for_jump(struct kprobe *p)
{
#if defined(CONFIG_OPTPROBES) && !defined(MODULE)
	wait_for_kprobe_optimizer();
	return p->flags & KPROBE_FLAG_OPTIMIZED;
#else
	return false;
#endif
}

/*
 * To a call through the link register there is no other way than the breakpoint.
 * A guarded kernel needs its landing pads, and calls that look like calls.
 */
static bool has_jump(const struct kprobe_form *form)
{
#if defined(CONFIG_OPTPROBES) && !defined(MODULE)
	static const char * const guarded[] = { "bti", "paciasp", "blr" };

	if (IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && system_supports_bti() &&
	    match_string(guarded, ARRAY_SIZE(guarded), form->name) >= 0)
		return false;
	return strcmp(form->name, "blr_x30");
#else
	return false;
#endif
}

static void call_form(struct kunit *test, const struct kprobe_form *form,
		      const unsigned long *plain, bool with_post)
{
	unsigned long probed;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		pres = 0;
		posts = 0;
		moved = false;
		probed = form->fn(arguments[i][0], arguments[i][1]);
		KUNIT_EXPECT_EQ_MSG(test, probed, plain[i], "%s, arguments %u", form->name, i);
		KUNIT_EXPECT_EQ_MSG(test, pres, 1, "%s", form->name);
		KUNIT_EXPECT_EQ_MSG(test, posts, with_post, "%s", form->name);
		KUNIT_EXPECT_FALSE_MSG(test, moved, "%s", form->name);
		KUNIT_EXPECT_FALSE_MSG(test, irqs_disabled(), "%s", form->name);
	}
}

static void check_form(struct kunit *test, const struct kprobe_form *form, bool with_post)
{
	struct kprobe p = {
		.addr = (void *)form->at,
		.pre_handler = note_pre,
		.post_handler = with_post ? note_post : NULL,
	};
	unsigned long plain[ARRAY_SIZE(arguments)], probed;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++)
		plain[i] = form->fn(arguments[i][0], arguments[i][1]);

	KUNIT_ASSERT_EQ_MSG(test, register_kprobe(&p), 0, "%s", form->name);
	call_form(test, form, plain, with_post);
	KUNIT_EXPECT_EQ_MSG(test, wait_for_jump(&p), !with_post && has_jump(form), "%s",
			    form->name);
	call_form(test, form, plain, with_post);
	unregister_kprobe(&p);
	probed = form->fn(arguments[0][0], arguments[0][1]);
	KUNIT_EXPECT_EQ_MSG(test, probed, plain[0], "%s, afterwards", form->name);
}

static void forms_executed(struct kunit *test)
{
	const struct kprobe_form *form;
	unsigned int n = 0;

	for (form = kprobe_forms; form->fn; form++) {
		if (form->refused)
			continue;
		check_form(test, form, false);
		check_form(test, form, true);
		n++;
	}
	KUNIT_EXPECT_GE(test, n, 30);
}

static void forms_refused(struct kunit *test)
{
	const struct kprobe_form *form;
	unsigned int n = 0;

	for (form = kprobe_forms; form->fn; form++) {
		struct kprobe p = { .addr = (void *)form->at, .pre_handler = note_pre };
		int err;

		if (!form->refused)
			continue;
		err = register_kprobe(&p);
		KUNIT_EXPECT_TRUE_MSG(test, err == -EINVAL || err == -EILSEQ, "%s: %d",
				      form->name, err);
		if (!err)
			unregister_kprobe(&p);
		n++;
	}
	KUNIT_EXPECT_GE(test, n, 9);
}

/* Functions of kprobe_diverted(): see there. */
extern const u8 kprobe_diverted_at[], kprobe_diverted_link[];
unsigned long kprobe_diverted(void);

static int skip_it(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)p->addr + 4);
	return 1;
}

static int change_flags(struct kprobe *p, struct pt_regs *regs)
{
	regs->pstate &= ~PSR_Z_BIT;
	return 0;
}

static int mask_interrupts(struct kprobe *p, struct pt_regs *regs)
{
	regs->pstate |= PSR_I_BIT;
	return 0;
}

static void skip_next(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	instruction_pointer_set(regs, (unsigned long)p->addr + 8);
}

static void change_flags_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	change_flags(p, regs);
}

static void mask_interrupts_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	mask_interrupts(p, regs);
}

static void change_link(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	regs->regs[16] = regs->regs[30];
	regs->regs[30] = (unsigned long)kprobe_diverted_link;
}

static void check_diverted(struct kunit *test, bool jump)
{
	static const struct {
		kprobe_pre_handler_t handler;
		kprobe_post_handler_t post;
		unsigned long value;
		bool masked;
	} cases[] = {
		{ .handler = skip_it, .value = 1 },
		{ .handler = change_flags, .value = 3 },
		{ .handler = mask_interrupts, .value = 2, .masked = true },
		{ .post = skip_next, .value = 3 },
		{ .post = change_flags_after, .value = 3 },
		{ .post = mask_interrupts_after, .value = 2, .masked = true },
		{ .post = change_link, .value = 4 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kprobe p = {
			.addr = (void *)kprobe_diverted_at,
			.pre_handler = cases[i].handler,
			.post_handler = cases[i].post,
		};
		unsigned long value;
		bool masked;

		KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
		if (jump)
			KUNIT_EXPECT_EQ(test, wait_for_jump(&p), !cases[i].post);
		value = kprobe_diverted();
		masked = irqs_disabled();
		local_irq_enable();
		unregister_kprobe(&p);
		KUNIT_EXPECT_EQ_MSG(test, value, cases[i].value, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, masked, cases[i].masked, "case %u", i);
	}
}

static void forms_diverted(struct kunit *test)
{
	check_diverted(test, false);
#ifndef MODULE
	if (IS_ENABLED(CONFIG_OPTPROBES))
		check_diverted(test, true);
#endif
}

static struct kunit_case forms_cases[] = {
	KUNIT_CASE(forms_executed),
	KUNIT_CASE(forms_diverted),
	KUNIT_CASE(forms_refused),
	{}
};

static struct kunit_suite forms_suite = {
	.name = "kprobes_arm64_forms",
	.test_cases = forms_cases,
};

kunit_test_suite(forms_suite);

MODULE_LICENSE("GPL");
