// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: every form of instruction, run bare and run probed.
 *
 * forms_test_text.S holds the instructions.  Each is run on a number of random
 * images of registers, stack and memory, first as it is, then with probes on
 * it.  What it leaves must be the same, and the handlers must have been called
 * once each, with the registers right before and right after the instruction.
 *
 * KUnit tests; nobody calls anything here.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/prandom.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "forms_test.h"

#define IMAGES		12	/* each form is run on */
#define DATA_WORDS	16

struct image {
	unsigned long words[FORMS_WORDS];
	unsigned long data[DATA_WORDS];
};

/* What instructions read and write; in the middle of it, the pointers. */
static unsigned long forms_data[DATA_WORDS];

/* What the handlers saw, and what they expect. */
static struct {
	unsigned int pre;
	unsigned int post;
	unsigned long ip;	/* in the post_handler */
	bool wrong;		/* pre_handler: not the registers of the image */
	const struct image *image;
	unsigned long addr;
} seen;

static int see_pre(struct kprobe *p, struct pt_regs *regs)
{
	seen.pre++;
	seen.wrong |= instruction_pointer(regs) != seen.addr ||
		      regs->a0 != seen.image->words[10] || regs->a2 != seen.image->words[12] ||
		      regs->s11 != seen.image->words[27];
	return 0;
}

NOKPROBE_SYMBOL(see_pre);

static void see_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	seen.post++;
	seen.ip = instruction_pointer(regs);
}

NOKPROBE_SYMBOL(see_post);

static unsigned long any_word(struct rnd_state *rnd)
{
	unsigned long word = prandom_u32_state(rnd);

	if (IS_ENABLED(CONFIG_64BIT))
		word |= (u64)prandom_u32_state(rnd) << 32;
	/* Small numbers and edges are more interesting than most. */
	switch (prandom_u32_state(rnd) % 8) {
	case 0:
		return word % 3;
	case 1:
		return -(word % 3);
	case 2:
		return LONG_MAX + word % 3;
	case 3:
		return (int)word;
	default:
		return word;
	}
}

static void make_image(struct image *image, struct rnd_state *rnd)
{
	unsigned int i;

	for (i = 0; i < FORMS_WORDS; i++)
		image->words[i] = any_word(rnd);
	for (i = 0; i < DATA_WORDS; i++)
		image->data[i] = any_word(rnd);
	/* Equal ones, for branches. */
	if (prandom_u32_state(rnd) % 3 == 0)
		image->words[12] = image->words[10];
	image->words[9] = (unsigned long)&forms_data[DATA_WORDS / 2];	/* s1 */
	image->words[11] = (unsigned long)&forms_data[DATA_WORDS / 2];	/* a1 */
}

/* Interrupts would use the stack where forms have moved the stack pointer. */
static void run(const struct kprobe_form *form, const struct image *in, struct image *out)
{
	unsigned long flags;

	*out = *in;
	memcpy(forms_data, in->data, sizeof(forms_data));
	local_irq_save(flags);
	kprobe_form_run(out->words, form->start);
	local_irq_restore(flags);
	memcpy(out->data, forms_data, sizeof(forms_data));
}

static unsigned int insn_bytes(unsigned long addr)
{
	return (*(u16 *)addr & 3) == 3 ? 4 : 2;
}

static void compare(struct kunit *test, const struct kprobe_form *form,
		    const struct image *bare, const struct image *probed)
{
	unsigned int i;

	for (i = 0; i < FORMS_WORDS; i++)
		KUNIT_EXPECT_EQ_MSG(test, bare->words[i], probed->words[i], "%s: x%u (32-: stack)",
				    form->text, i);
	KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(bare->data, probed->data, sizeof(bare->data)),
			    "%s: memory differs", form->text);
}

/* @next: where the instruction leads if it does not branch. */
static void check_seen(struct kunit *test, const struct kprobe_form *form,
		       const struct kprobe *p, unsigned long next)
{
	KUNIT_EXPECT_EQ_MSG(test, seen.pre, p->pre_handler ? 1 : 0, "%s: pre_handler", form->text);
	KUNIT_EXPECT_EQ_MSG(test, seen.post, p->post_handler ? 1 : 0, "%s: post_handler",
			    form->text);
	KUNIT_EXPECT_FALSE_MSG(test, seen.wrong, "%s: registers in the pre_handler", form->text);
	if (p->post_handler && !strpbrk(form->text, "bj"))
		KUNIT_EXPECT_EQ_MSG(test, seen.ip, next, "%s: where to go on", form->text);
}

static void check_form(struct kunit *test, const struct kprobe_form *form,
		       kprobe_pre_handler_t pre, kprobe_post_handler_t post)
{
	struct kprobe p = {
		.addr = (void *)form->insn,
		.pre_handler = pre,
		.post_handler = post,
	};
	unsigned long next = form->insn + insn_bytes(form->insn);
	struct image *images, *bare, *probed;
	struct rnd_state rnd;
	unsigned int i;
	int err;

	images = kunit_kcalloc(test, 2 * IMAGES + 1, sizeof(*images), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, images);
	bare = images + IMAGES;
	probed = bare + IMAGES;

	prandom_seed_state(&rnd, form->insn);
	for (i = 0; i < IMAGES; i++) {
		make_image(&images[i], &rnd);
		run(form, &images[i], &bare[i]);
	}
	err = register_kprobe(&p);
	KUNIT_EXPECT_EQ_MSG(test, 0, err, "%s", form->text);
	for (i = 0; !err && i < IMAGES; i++) {
		memset(&seen, 0, sizeof(seen));
		seen.image = &images[i];
		seen.addr = form->insn;
		run(form, &images[i], probed);
		compare(test, form, &bare[i], probed);
		check_seen(test, form, &p, next);
	}
	if (!err)
		unregister_kprobe(&p);
	kunit_kfree(test, images);
}

static void forms_pre(struct kunit *test)
{
	const struct kprobe_form *form;

	for (form = kprobe_forms; form < kprobe_forms_end; form++)
		check_form(test, form, see_pre, NULL);
	kunit_info(test, "%td forms\n", form - kprobe_forms);
	KUNIT_EXPECT_GT(test, form - kprobe_forms, 70);
}

static void forms_pre_and_post(struct kunit *test)
{
	const struct kprobe_form *form;

	for (form = kprobe_forms; form < kprobe_forms_end; form++)
		check_form(test, form, see_pre, see_post);
}

#if defined(CONFIG_OPTPROBES) && !defined(MODULE)
#define NR_FORMS	(kprobe_forms_end - kprobe_forms)

static unsigned int count_jumps(const struct kprobe *probes)
{
	unsigned int i, n = 0;

	for (i = 0; i < NR_FORMS; i++)
		n += kprobe_optimized((struct kprobe *)&probes[i]);
	return n;
}

/* All by the same call: what the stack pointer is differs by nothing else. */
static noinline void run_all(struct kunit *test, const struct kprobe *probes,
			     const struct image *images, struct image *bare)
{
	unsigned int i;

	for (i = 0; i < NR_FORMS * IMAGES; i++) {
		const struct kprobe_form *form = &kprobe_forms[i / IMAGES];
		struct image probed;

		if (!probes) {
			run(form, &images[i], &bare[i]);
			continue;
		}
		memset(&seen, 0, sizeof(seen));
		seen.image = &images[i];
		seen.addr = form->insn;
		run(form, &images[i], &probed);
		compare(test, form, &bare[i], &probed);
		check_seen(test, form, &probes[i / IMAGES], 0);
	}
}

/*
 * By a jump where there can be one: the copies in the detour buffer do what the
 * instructions do.  Then with the jumps taken away, while the breakpoint's trap
 * executes these copies.
 */
static void forms_jump(struct kunit *test)
{
	struct image *images = vzalloc(2 * NR_FORMS * IMAGES * sizeof(*images)), *bare;
	struct kprobe *probes = vzalloc(NR_FORMS * sizeof(*probes));
	struct kprobe **array = vzalloc(NR_FORMS * sizeof(*array));
	unsigned int i, jumps;
	struct rnd_state rnd;

	KUNIT_EXPECT_TRUE(test, images && probes && array);
	if (!images || !probes || !array)
		goto out;
	bare = images + NR_FORMS * IMAGES;
	prandom_seed_state(&rnd, 1);
	for (i = 0; i < NR_FORMS * IMAGES; i++)
		make_image(&images[i], &rnd);
	run_all(test, NULL, images, bare);
	for (i = 0; i < NR_FORMS; i++) {
		probes[i].addr = (void *)kprobe_forms[i].insn;
		probes[i].pre_handler = see_pre;
		array[i] = &probes[i];
	}
	KUNIT_EXPECT_EQ(test, 0, register_kprobes(array, NR_FORMS));
	wait_for_kprobe_optimizer();
	jumps = count_jumps(probes);
	kunit_info(test, "%u of %td forms are reached by a jump\n", jumps, NR_FORMS);
	for (i = 0; i < NR_FORMS; i++)
		if (!kprobe_optimized(&probes[i]))
			kunit_info(test, "not: %s\n", kprobe_forms[i].text);
	KUNIT_EXPECT_GT(test, 100 * jumps, 80 * NR_FORMS);
	run_all(test, probes, images, bare);

	kprobes_allow_jumps(false);
	KUNIT_EXPECT_EQ(test, count_jumps(probes), 0);
	run_all(test, probes, images, bare);
	kprobes_allow_jumps(true);
	KUNIT_EXPECT_EQ(test, count_jumps(probes), jumps);
	unregister_kprobes(array, NR_FORMS);
out:
	vfree(array);
	vfree(probes);
	vfree(images);
}
#endif

/* Must not be probed, and are not touched. */
static void forms_refused(struct kunit *test)
{
	const struct kprobe_form *form;

	for (form = kprobe_forms_refused; form < kprobe_forms_refused_end; form++) {
		struct kprobe p = { .addr = (void *)form->insn };
		u16 before = *(u16 *)form->insn;
		int err = register_kprobe(&p);

		KUNIT_EXPECT_TRUE_MSG(test, err == -EINVAL || err == -EILSEQ || err == -EBUSY,
				      "%s: %d", form->text, err);
		KUNIT_EXPECT_EQ_MSG(test, before, *(u16 *)form->insn, "%s", form->text);
		if (!err)
			unregister_kprobe(&p);
	}
	KUNIT_EXPECT_GT(test, form - kprobe_forms_refused, 10);
}

static struct kunit_case forms_cases[] = {
	KUNIT_CASE(forms_pre),
	KUNIT_CASE(forms_pre_and_post),
#if defined(CONFIG_OPTPROBES) && !defined(MODULE)
	KUNIT_CASE(forms_jump),
#endif
	KUNIT_CASE(forms_refused),
	{}
};

static struct kunit_suite forms_suite = {
	.name = "kprobes_riscv_forms",
	.test_cases = forms_cases,
};

kunit_test_suite(forms_suite);

MODULE_LICENSE("GPL");
