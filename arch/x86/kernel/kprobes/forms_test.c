// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: every form of instruction, run bare and run probed.
 *
 * forms_test_text.S holds about a thousand instructions, one per function.
 * Each is run on a number of pseudo-random images of registers, flags, stack
 * and memory, first as it is, then with probes of all kinds on it.  What it
 * leaves in registers, flags, stack and memory must be the same, the handlers
 * must have been called once each, and must have seen the registers as they
 * were right before and right after the instruction.
 *
 * KUnit tests; nobody calls anything here.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/jhash.h>
#include <linux/kprobes.h>
#include <linux/prandom.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>

#include "forms_test.h"

#define IMAGES		10	/* images each form is run on */
#define STACK_BELOW	512	/* bytes below and above the middle of the */
#define STACK_ABOVE	1024	/* stack that are filled in before a run */
#define COMPLAIN_MAX	25	/* forms described in words, when they fail */
#define FX_MXCSR	24	/* offsets in what fxsave stores */
#define FX_XMM		160

DEFINE_PER_CPU(unsigned long [FORMS_PERCPU], kprobe_forms_percpu);

/* What a form is run on. */
struct image {
	unsigned long regs[FORMS_REGS];
	unsigned long count;
	unsigned long percpu[FORMS_PERCPU];
	u8 data[FORMS_DATA];
	u8 stack[STACK_BELOW + STACK_ABOVE];
	u8 fx[512] __aligned(16);
};

/* What it leaves. */
struct result {
	unsigned long regs[FORMS_REGS];
	u8 path;
	u32 data;
	u32 stack;
	u32 fx;
};

/* What a handler saw. */
struct sight {
	unsigned int calls;
	unsigned long ip;
	unsigned long regs[FORMS_REGS];
};

static struct sight seen_pre, seen_post;

/* Everything a case needs. */
struct forms {
	const struct kprobe_form *first;
	unsigned int n;
	bool fpu;
	struct image *images;
	struct result *bare;	/* n * IMAGES */
	struct kprobe *probes;	/* n */
	struct kprobe **array;	/* those of them that were registered */
	unsigned int registered;
	u8 *text;		/* the text before it was probed */
	unsigned int failed;
	unsigned int runs;
	u8 *stack;
	void *page;
};

static void image_of(const struct pt_regs *regs, unsigned long *image)
{
	image[FORMS_AX] = regs->ax;
	image[FORMS_BX] = regs->bx;
	image[FORMS_CX] = regs->cx;
	image[FORMS_DX] = regs->dx;
	image[FORMS_SI] = regs->si;
	image[FORMS_DI] = regs->di;
	image[FORMS_BP] = regs->bp;
	image[FORMS_SP] = regs->sp;
#ifdef CONFIG_X86_64
	image[FORMS_R8] = regs->r8;
	image[FORMS_R9] = regs->r9;
	image[FORMS_R10] = regs->r10;
	image[FORMS_R11] = regs->r11;
	image[FORMS_R12] = regs->r12;
	image[FORMS_R13] = regs->r13;
	image[FORMS_R14] = regs->r14;
	image[FORMS_R15] = regs->r15;
#endif
	image[FORMS_FLAGS] = regs->flags & ~X86_EFLAGS_RF;
}

static int see_pre(struct kprobe *p, struct pt_regs *regs)
{
	seen_pre.calls++;
	seen_pre.ip = regs->ip;
	image_of(regs, seen_pre.regs);
	return 0;
}

NOKPROBE_SYMBOL(see_pre);

static void see_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	seen_post.calls++;
	seen_post.ip = regs->ip;
	image_of(regs, seen_post.regs);
}

NOKPROBE_SYMBOL(see_post);

static unsigned long any_word(struct rnd_state *rnd)
{
	unsigned long word = prandom_u32_state(rnd);

#ifdef CONFIG_X86_64
	word |= (unsigned long)prandom_u32_state(rnd) << 32;
#endif
	/* Small numbers and edges are more interesting than most. */
	switch (prandom_u32_state(rnd) % 8) {
	case 0:
		return word % 3;
	case 1:
		return -(word % 3);
	case 2:
		return LONG_MAX + word % 3;
	default:
		return word;
	}
}

static unsigned long any_pointer(struct rnd_state *rnd)
{
	return (unsigned long)kprobe_forms_data + FORMS_DATA / 4 +
	       8 * (prandom_u32_state(rnd) % 32);
}

static void make_image(struct forms *forms, struct image *image,
		       struct rnd_state *rnd)
{
	unsigned long middle = (unsigned long)forms->stack + THREAD_SIZE / 2;
	int i;

	for (i = 0; i < FORMS_FLAGS; i++)
		image->regs[i] = any_word(rnd);
	image->regs[FORMS_CX] = prandom_u32_state(rnd) % 10;
	image->regs[FORMS_BX] = any_pointer(rnd);
	image->regs[FORMS_SI] = any_pointer(rnd);
	image->regs[FORMS_DI] = any_pointer(rnd);
	image->regs[FORMS_BP] = any_pointer(rnd);
	image->regs[FORMS_SP] = middle + 8 * (prandom_u32_state(rnd) % 16);
#ifdef CONFIG_X86_64
	image->regs[FORMS_R12] = any_pointer(rnd);
	image->regs[FORMS_R13] = any_pointer(rnd);
	image->regs[FORMS_R14] = prandom_u32_state(rnd) % 8;
#endif
	/* Not TF (somebody else's), not NT (iret faults on it). */
	image->regs[FORMS_FLAGS] = X86_EFLAGS_FIXED |
		(prandom_u32_state(rnd) &
		 (X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF |
		  X86_EFLAGS_ZF | X86_EFLAGS_SF | X86_EFLAGS_DF |
		  X86_EFLAGS_OF | X86_EFLAGS_IF | X86_EFLAGS_ID));
	image->count = any_word(rnd);
	if (boot_cpu_has(X86_FEATURE_SMAP) && prandom_u32_state(rnd) & 1)
		image->regs[FORMS_FLAGS] |= X86_EFLAGS_AC;

	prandom_bytes_state(rnd, image->percpu, sizeof(image->percpu));
	prandom_bytes_state(rnd, image->data, sizeof(image->data));
	prandom_bytes_state(rnd, image->stack, sizeof(image->stack));
	if (forms->fpu) {
		kernel_fpu_begin();
		asm volatile("fxsave %0" : "=m" (image->fx));
		kernel_fpu_end();
		prandom_bytes_state(rnd, image->fx + FX_XMM,
				    (FORMS_WORD == 8 ? 16 : 8) * 16);
	}
}

static u32 hash_fx(const u8 *fx)
{
	/* The control words and the vector registers. */
	return jhash(fx, 2, 0) ^ jhash(fx + FX_MXCSR, 4, 1) ^
	       jhash(fx + FX_XMM, (FORMS_WORD == 8 ? 16 : 8) * 16, 2);
}

/* Run @form on @image. */
static void run(struct forms *forms, const struct kprobe_form *form,
		const struct image *image, struct result *result)
{
	u8 *middle = forms->stack + THREAD_SIZE / 2;
	static u8 fx[512] __aligned(16);
	unsigned long sp;

	memset(result, 0, sizeof(*result));
	memset(&seen_pre, 0, sizeof(seen_pre));
	memset(&seen_post, 0, sizeof(seen_post));
	memcpy(kprobe_forms_data, image->data, sizeof(image->data));
	memcpy(middle - STACK_BELOW, image->stack, sizeof(image->stack));
	memcpy(kprobe_forms_in, image->regs, sizeof(image->regs));
	if (form->kind & FORM_COUNT)
		kprobe_forms_in[FORMS_CX] = image->count;
	if (form->kind & FORM_FAULT)
		memset(forms->page, 0x5a, PAGE_SIZE);
	kprobe_forms_target = form->start;
	kprobe_forms_path = 0;

	preempt_disable();
	memcpy(this_cpu_ptr(&kprobe_forms_percpu), image->percpu,
	       sizeof(image->percpu));
	if (forms->fpu) {
		kernel_fpu_begin();
		asm volatile("fxrstor %0" : : "m" (image->fx));
	}
	barrier();
	kprobe_forms_run();
	barrier();
	if (forms->fpu) {
		asm volatile("fxsave %0" : "=m" (fx));
		kernel_fpu_end();
		result->fx = hash_fx(fx);
	}
	result->data = jhash(this_cpu_ptr(&kprobe_forms_percpu),
			     sizeof(kprobe_forms_percpu), 0);
	preempt_enable();

	memcpy(result->regs, kprobe_forms_out, sizeof(result->regs));
	result->path = kprobe_forms_path;
	result->data = jhash(kprobe_forms_data, FORMS_DATA, result->data);
	if (form->kind & FORM_FAULT)
		result->data = jhash(forms->page, PAGE_SIZE, result->data);

	/* What lies below the stack pointer is anybody's. */
	sp = result->regs[FORMS_SP];
	if (form->kind & FORM_ROOM)
		sp = max(sp, image->regs[FORMS_SP]);
	if (sp >= (unsigned long)middle - STACK_BELOW &&
	    sp <= (unsigned long)middle + STACK_ABOVE)
		result->stack = jhash((void *)sp, (unsigned long)middle +
				      STACK_ABOVE - sp, 0);
	forms->runs++;
}

static bool runnable(const struct kprobe_form *form)
{
	return !form->feature || boot_cpu_has(form->feature);
}

static void complain(struct kunit *test, const struct kprobe_form *form,
		     int image, const char *what, unsigned long is,
		     unsigned long should_be)
{
	struct forms *forms = test->priv;

	if (forms->failed++ < COMPLAIN_MAX)
		KUNIT_FAIL(test, "%s (%pS, image %d): %s is %#lx instead of %#lx\n",
			   form->text, (void *)form->insn, image, what, is,
			   should_be);
	else
		KUNIT_EXPECT_LT(test, forms->failed, COMPLAIN_MAX);
}

static const char * const reg_names[FORMS_REGS] = {
	[FORMS_AX] = "ax", [FORMS_BX] = "bx", [FORMS_CX] = "cx",
	[FORMS_DX] = "dx", [FORMS_SI] = "si", [FORMS_DI] = "di",
	[FORMS_BP] = "bp", [FORMS_SP] = "sp", [FORMS_FLAGS] = "flags",
#ifdef CONFIG_X86_64
	[FORMS_R8] = "r8", [FORMS_R9] = "r9", [FORMS_R10] = "r10",
	[FORMS_R11] = "r11", [FORMS_R12] = "r12", [FORMS_R13] = "r13",
	[FORMS_R14] = "r14", [FORMS_R15] = "r15",
#endif
};

static bool compare_regs(struct kunit *test, const struct kprobe_form *form,
			 int image, const char *where, const unsigned long *is,
			 const unsigned long *should_be)
{
	unsigned long differs;
	char what[32];
	int i;

	for (i = 0; i < FORMS_REGS; i++) {
		differs = is[i] ^ should_be[i];
		if (form->kind & FORM_CLOCK && (i == FORMS_AX || i == FORMS_DX))
			differs = 0;
		if (form->kind & FORM_FLAGS && i == FORMS_FLAGS)
			differs &= ~(X86_EFLAGS_OF | X86_EFLAGS_SF | X86_EFLAGS_AF |
				     X86_EFLAGS_PF);
		if (!differs)
			continue;
		snprintf(what, sizeof(what), "%s %s", reg_names[i], where);
		complain(test, form, image, what, is[i], should_be[i]);
		return false;
	}
	return true;
}

static bool compare(struct kunit *test, const struct kprobe_form *form,
		    int image, const struct result *is,
		    const struct result *should_be)
{
	if (!compare_regs(test, form, image, "afterwards", is->regs, should_be->regs))
		return false;
	if (is->path != should_be->path)
		complain(test, form, image, "branch taken", is->path, should_be->path);
	else if (is->data != should_be->data)
		complain(test, form, image, "hash of memory", is->data, should_be->data);
	else if (is->stack != should_be->stack)
		complain(test, form, image, "hash of stack", is->stack, should_be->stack);
	else if (is->fx != should_be->fx)
		complain(test, form, image, "hash of vector state", is->fx, should_be->fx);
	else
		return true;
	return false;
}

/* Where the instruction goes on to. */
static unsigned long next_ip(const struct kprobe_form *form, bool taken)
{
	if (!taken)
		return form->end;
	if (form->kind & FORM_BACK)
		return form->back;
	if (form->kind & FORM_FAR)
		return (unsigned long)kprobe_forms_taken;
	return form->fwd;
}

/* Were the handlers called as they should, with the right registers? */
static bool compare_sights(struct kunit *test, const struct kprobe_form *form,
			   const struct kprobe *p, int image,
			   const struct result *result)
{
	bool on = !(p->flags & KPROBE_FLAG_DISABLED);
	unsigned int pre = on && p->pre_handler;
	unsigned int post = on && p->post_handler && !(form->kind & FORM_FAULT);

	if (seen_pre.calls != pre) {
		complain(test, form, image, "pre_handler calls", seen_pre.calls, pre);
		return false;
	}
	if (seen_post.calls != post) {
		complain(test, form, image, "post_handler calls", seen_post.calls, post);
		return false;
	}
	if (pre && seen_pre.ip != form->insn + KPROBE_IP_OFFSET) {
		complain(test, form, image, "ip before", seen_pre.ip,
			 form->insn + KPROBE_IP_OFFSET);
		return false;
	}
	if (pre && !(form->kind & FORM_SETUP) &&
	    !compare_regs(test, form, image, "before", seen_pre.regs, kprobe_forms_in))
		return false;
	if (post && seen_post.ip != next_ip(form, result->path)) {
		complain(test, form, image, "ip after", seen_post.ip,
			 next_ip(form, result->path));
		return false;
	}
	return !post || form->kind & FORM_AFTER ||
	       compare_regs(test, form, image, "after", seen_post.regs, result->regs);
}

static unsigned long sum_hits(const struct kprobe *p)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(p->hits, cpu);
	return sum;
}

static void __maybe_unused forget_hits(struct kprobe *p)
{
	int cpu;

	for_each_possible_cpu(cpu)
		*per_cpu_ptr(p->hits, cpu) = 0;
}

/* Register a probe on each form.  One that is refused is a failure. */
static void probe_all(struct kunit *test, kprobe_pre_handler_t pre,
		      kprobe_post_handler_t post, u32 flags)
{
	struct forms *forms = test->priv;
	unsigned int i;
	int err;

	forms->registered = 0;
	for (i = 0; i < forms->n; i++) {
		struct kprobe *p = &forms->probes[i];

		memset(p, 0, sizeof(*p));
		if (!runnable(&forms->first[i]))
			continue;
		p->addr = (kprobe_opcode_t *)forms->first[i].insn;
		p->pre_handler = pre;
		p->post_handler = post;
		p->flags = flags;
		forms->array[forms->registered++] = p;
	}
	if (!register_kprobes(forms->array, forms->registered))
		return;

	/* Find out which. */
	forms->registered = 0;
	for (i = 0; i < forms->n; i++) {
		struct kprobe *p = &forms->probes[i];

		if (!runnable(&forms->first[i]))
			continue;
		err = register_kprobe(p);
		if (err) {
			complain(test, &forms->first[i], 0, "registration", -err, 0);
			p->addr = NULL;
		} else {
			forms->array[forms->registered++] = p;
		}
	}
	KUNIT_FAIL(test, "an array failed, its %u members were registered\n",
		   forms->registered);
}

static void unprobe_all(struct kunit *test)
{
	struct forms *forms = test->priv;

	if (forms->registered)
		unregister_kprobes(forms->array, forms->registered);
	forms->registered = 0;
}

static unsigned long text_start(struct forms *forms)
{
	return forms->first[0].start;
}

static size_t text_size(struct forms *forms)
{
	return forms->first[forms->n - 1].fwd - text_start(forms);
}

static void run_all_bare(struct kunit *test, bool again)
{
	struct forms *forms = test->priv;
	struct result result;
	unsigned int i;
	int k;

	for (i = 0; i < forms->n; i++) {
		const struct kprobe_form *form = &forms->first[i];

		for (k = 0; k < IMAGES && runnable(form); k++) {
			run(forms, form, &forms->images[k], &result);
			if (!again)
				forms->bare[i * IMAGES + k] = result;
			else if (!compare(test, form, k, &result,
					  &forms->bare[i * IMAGES + k]))
				break;
		}
		cond_resched_tasks_rcu_qs();
	}
}

static void run_all_probed(struct kunit *test)
{
	struct forms *forms = test->priv;
	struct result result;
	unsigned int i;
	int k;

	for (i = 0; i < forms->n; i++) {
		const struct kprobe_form *form = &forms->first[i];
		const struct kprobe *p = &forms->probes[i];
		unsigned long hits;

		if (!p->addr)
			continue;
		for (k = 0; k < IMAGES; k++) {
			run(forms, form, &forms->images[k], &result);
			if (!compare(test, form, k, &result, &forms->bare[i * IMAGES + k]) ||
			    !compare_sights(test, form, p, k, &result))
				break;
		}
		if (k < IMAGES)
			continue;
		hits = sum_hits(p);
		if (hits != (p->flags & KPROBE_FLAG_DISABLED ? 0 : IMAGES))
			complain(test, form, 0, "count of hits", hits, IMAGES);
		if (p->nmissed)
			complain(test, form, 0, "count of misses", p->nmissed, 0);
		cond_resched_tasks_rcu_qs();
	}
}

static void prepare(struct kunit *test, bool fpu)
{
	struct forms *forms = test->priv;
	struct rnd_state rnd;
	int k;

	forms->fpu = fpu;
	forms->first = fpu ? kprobe_fpu_forms : kprobe_forms;
	forms->n = (fpu ? kprobe_fpu_forms_end : kprobe_forms_end) - forms->first;
	KUNIT_ASSERT_GE(test, forms->n, fpu ? 20 : 500);

	forms->images = vzalloc(array_size(IMAGES, sizeof(*forms->images)));
	forms->bare = vzalloc(array3_size(forms->n, IMAGES, sizeof(*forms->bare)));
	forms->probes = vzalloc(array_size(forms->n, sizeof(*forms->probes)));
	forms->array = vzalloc(array_size(forms->n, sizeof(*forms->array)));
	forms->text = vmalloc(text_size(forms));
	/* Aligned like a stack: 32 bit code finds its bottom by its alignment. */
	forms->stack = (u8 *)__get_free_pages(GFP_KERNEL, THREAD_SIZE_ORDER);
	forms->page = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, forms->images);
	KUNIT_ASSERT_NOT_NULL(test, forms->bare);
	KUNIT_ASSERT_NOT_NULL(test, forms->probes);
	KUNIT_ASSERT_NOT_NULL(test, forms->array);
	KUNIT_ASSERT_NOT_NULL(test, forms->text);
	KUNIT_ASSERT_NOT_NULL(test, forms->stack);
	KUNIT_ASSERT_NOT_NULL(test, forms->page);

	/* A guard page follows. */
	kprobe_forms_bad = (unsigned long)forms->page + PAGE_SIZE;

	prandom_seed_state(&rnd, 0x6b70726f62657321ULL);
	for (k = 0; k < IMAGES; k++)
		make_image(forms, &forms->images[k], &rnd);
	memcpy(forms->text, (void *)text_start(forms), text_size(forms));

	/* Some instructions tell on which CPU they run. */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	run_all_bare(test, false);
}

static void finish(struct kunit *test)
{
	struct forms *forms = test->priv;

	unprobe_all(test);
	KUNIT_EXPECT_EQ_MSG(test, 0,
			    memcmp(forms->text, (void *)text_start(forms), text_size(forms)),
			    "the text is not what it was");
	run_all_bare(test, true);
	kunit_info(test, "%u forms, %u runs, %u failures\n", forms->n, forms->runs,
		   forms->failed);
}

/* The forms are run alike each time, or the other cases would mean nothing. */
static void forms_bare(struct kunit *test)
{
	prepare(test, false);
	finish(test);
}

static void forms_pre(struct kunit *test)
{
	prepare(test, false);
	probe_all(test, see_pre, NULL, 0);
	run_all_probed(test);
	finish(test);
}

static void forms_pre_and_post(struct kunit *test)
{
	prepare(test, false);
	probe_all(test, see_pre, see_post, 0);
	run_all_probed(test);
	finish(test);
}

static void forms_post(struct kunit *test)
{
	prepare(test, false);
	probe_all(test, NULL, see_post, 0);
	run_all_probed(test);
	finish(test);
}

/*
 * The post_handlers come to slots that were made without one: there a second trap
 * runs them, not a call.
 */
static void forms_post_later(struct kunit *test)
{
	struct forms *forms = test->priv;
	struct kprobe *first, **array;
	unsigned int i, n = 0;

	prepare(test, false);
	first = kvcalloc(forms->n, sizeof(*first), GFP_KERNEL);
	array = kvcalloc(forms->n, sizeof(*array), GFP_KERNEL);
	if (!first || !array) {
		KUNIT_FAIL(test, "no memory");
		goto out;
	}
	for (i = 0; i < forms->n; i++) {
		first[n].addr = (kprobe_opcode_t *)forms->first[i].insn;
		array[n] = &first[n];
		n += runnable(&forms->first[i]);
	}
	KUNIT_EXPECT_EQ(test, 0, register_kprobes(array, n));
	probe_all(test, see_pre, see_post, 0);
	run_all_probed(test);
	unprobe_all(test);
	unregister_kprobes(array, n);
out:
	finish(test);
	kvfree(array);
	kvfree(first);
}

static void forms_disabled(struct kunit *test)
{
	prepare(test, false);
	probe_all(test, see_pre, see_post, KPROBE_FLAG_DISABLED);
	run_all_probed(test);
	finish(test);
}

#if defined(CONFIG_OPTPROBES) && !defined(MODULE)
/* How many of the forms are reached by a jump? */
static unsigned int count_jumps(struct forms *forms)
{
	unsigned int i, n = 0;

	for (i = 0; i < forms->registered; i++)
		n += kprobe_optimized(forms->array[i]);
	return n;
}

/*
 * By a jump where there can be one: the copies in the detour buffer do what the
 * instructions do.  Then with the jumps taken away, while the breakpoint's trap
 * executes these copies.
 */
static void forms_jump(struct kunit *test)
{
	struct forms *forms = test->priv;
	unsigned int i, jumps;

	prepare(test, false);
	probe_all(test, see_pre, NULL, 0);
	wait_for_kprobe_optimizer();
	jumps = count_jumps(forms);
	kunit_info(test, "%u of %u forms are reached by a jump\n", jumps, forms->registered);
	KUNIT_EXPECT_GT(test, 100 * jumps, 70 * forms->registered);
	run_all_probed(test);

	kprobes_allow_jumps(false);
	KUNIT_EXPECT_EQ(test, count_jumps(forms), 0);
	for (i = 0; i < forms->n; i++)
		if (forms->probes[i].addr)
			forget_hits(&forms->probes[i]);
	run_all_probed(test);
	kprobes_allow_jumps(true);
	KUNIT_EXPECT_EQ(test, count_jumps(forms), jumps);
	finish(test);
}
#endif

static void forms_fpu_pre(struct kunit *test)
{
	prepare(test, true);
	probe_all(test, see_pre, NULL, 0);
	run_all_probed(test);
	finish(test);
}

static void forms_fpu_pre_and_post(struct kunit *test)
{
	prepare(test, true);
	probe_all(test, see_pre, see_post, 0);
	run_all_probed(test);
	finish(test);
}

static int never(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* The instructions that must be refused are, and nothing is left of it. */
static void forms_refused(struct kunit *test)
{
	const struct kprobe_refused_form *form;
	unsigned int n = 0;

	for (form = kprobe_refused_forms; form < kprobe_refused_forms_end; form++, n++) {
		struct kprobe p = {
			.addr = (kprobe_opcode_t *)form->insn,
			.pre_handler = never,
		};
		u8 before[8];
		int err;

		memcpy(before, (void *)form->insn, sizeof(before));
		err = register_kprobe(&p);
		KUNIT_EXPECT_TRUE_MSG(test, err == -EINVAL || err == -EILSEQ,
				      "%s: %d", form->text, err);
		KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(before, (void *)form->insn, sizeof(before)),
				    "%s: the text was changed", form->text);
		KUNIT_EXPECT_EQ_MSG(test, disable_kprobe(&p), err ? -EINVAL : 0, "%s: left behind",
				    form->text);
		if (!err)
			unregister_kprobe(&p);
	}
	kunit_info(test, "%u instructions\n", n);
}

static int forms_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct forms), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void forms_exit(struct kunit *test)
{
	struct forms *forms = test->priv;

	if (!forms)
		return;
	unprobe_all(test);
	vfree(forms->page);
	if (forms->stack)
		free_pages((unsigned long)forms->stack, THREAD_SIZE_ORDER);
	vfree(forms->text);
	vfree(forms->array);
	vfree(forms->probes);
	vfree(forms->bare);
	vfree(forms->images);
}

static struct kunit_case forms_cases[] = {
	KUNIT_CASE(forms_bare),
	KUNIT_CASE(forms_pre),
	KUNIT_CASE(forms_pre_and_post),
	KUNIT_CASE(forms_post),
	KUNIT_CASE(forms_post_later),
	KUNIT_CASE(forms_disabled),
#if defined(CONFIG_OPTPROBES) && !defined(MODULE)
	KUNIT_CASE(forms_jump),
#endif
	KUNIT_CASE(forms_fpu_pre),
	KUNIT_CASE(forms_fpu_pre_and_post),
	KUNIT_CASE(forms_refused),
	{}
};

static struct kunit_suite forms_suite = {
	.name = "kprobes_x86_forms",
	.init = forms_init,
	.exit = forms_exit,
	.test_cases = forms_cases,
};

kunit_test_suite(forms_suite);

MODULE_LICENSE("GPL");
