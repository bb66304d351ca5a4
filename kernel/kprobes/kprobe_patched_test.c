// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: KUnit tests of text that belongs to others, who rewrite it or
 * trap on it, and of the question where instructions begin.
 */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kprobe_test.h"

static DEFINE_STATIC_KEY_FALSE(patched_key);

noinline __noclone int kprobe_test_with_key(int x);
noinline __noclone int kprobe_test_with_key(int x)
{
	if (static_branch_unlikely(&patched_key))
		x += 1000;
	barrier();
	return x + 3;
}

static int patched_one(int x)
{
	return x + 3;
}

static int patched_other(int x)
{
	return x + 1000;
}

DEFINE_STATIC_CALL(patched_call, patched_one);

noinline __noclone int kprobe_test_with_call(int x);
noinline __noclone int kprobe_test_with_call(int x)
{
	int ret = static_call(patched_call)(x);

	barrier();
	return ret;
}

noinline __noclone int kprobe_test_with_warning(int x);
noinline __noclone int kprobe_test_with_warning(int x)
{
	WARN_ON(x < 0);
	return x + 3;
}

/* What probes on a function are refused, if the reason has these words in it. */
struct verdicts {
	unsigned int accepted;
	unsigned int refused;
	unsigned int with_words;
	unsigned long place;
};

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(nothing);

/* Try every byte of a function; @fn is called while each probe is there. */
static void probe_everywhere(struct kunit *test, int (*fn)(int), const char *words,
			     struct verdicts *v)
{
	unsigned long start = kprobe_test_text(fn), size, offset, at;

	memset(v, 0, sizeof(*v));
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(start, &size, &offset));
	for (at = start - offset; at < start - offset + size; at++) {
		struct kprobe p = { .addr = (void *)at, .pre_handler = nothing };

		if (!register_kprobe(&p)) {
			KUNIT_EXPECT_EQ_MSG(test, fn(4), 7, "+%#lx", at - start);
			unregister_kprobe(&p);
			v->accepted++;
			continue;
		}
		v->refused++;
		if (strstr(kprobe_test_last_reason(test), words)) {
			v->place = at;
			v->with_words++;
		}
	}
	KUNIT_EXPECT_EQ(test, fn(4), 7);
	KUNIT_EXPECT_GT(test, v->accepted, 1);
}

static void patched_static_key(struct kunit *test)
{
	struct verdicts v;

	if (!IS_ENABLED(CONFIG_JUMP_LABEL))
		kunit_skip(test, "static keys are not patched in this kernel");
	probe_everywhere(test, kprobe_test_with_key, "static key", &v);
	KUNIT_EXPECT_GE(test, v.with_words, 1);

	/* Still in working order. */
	static_branch_enable(&patched_key);
	KUNIT_EXPECT_EQ(test, kprobe_test_with_key(4), 1007);
	static_branch_disable(&patched_key);
	KUNIT_EXPECT_EQ(test, kprobe_test_with_key(4), 7);
}

static void patched_static_call(struct kunit *test)
{
	struct verdicts v;

	if (!IS_ENABLED(CONFIG_HAVE_STATIC_CALL))
		kunit_skip(test, "static calls are not patched in this kernel");
	probe_everywhere(test, kprobe_test_with_call, "static call", &v);
	if (IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE))
		KUNIT_EXPECT_GE(test, v.with_words, 1);
	else
		KUNIT_EXPECT_EQ(test, v.with_words, 0);

	static_call_update(patched_call, patched_other);
	KUNIT_EXPECT_EQ(test, kprobe_test_with_call(4), 1004);
	static_call_update(patched_call, patched_one);
	KUNIT_EXPECT_EQ(test, kprobe_test_with_call(4), 7);

#ifdef CONFIG_HAVE_STATIC_CALL
	{
		struct kprobe p = {
			.addr = (void *)&STATIC_CALL_TRAMP(patched_call),
			.pre_handler = nothing,
		};

		kprobe_test_refused(test, "trampoline", &p, -EINVAL, "static call");
	}
#endif
}

static void patched_warning(struct kunit *test)
{
	struct verdicts v;

	if (!IS_ENABLED(CONFIG_GENERIC_BUG))
		kunit_skip(test, "warnings do not trap in this kernel");
	probe_everywhere(test, kprobe_test_with_warning, "BUG() or WARN()", &v);
	KUNIT_EXPECT_EQ(test, v.with_words, 1);
	KUNIT_EXPECT_NOT_NULL(test, find_bug(v.place));
}

#ifdef CONFIG_DYNAMIC_FTRACE
#define TRACER_SITE_BYTES	MCOUNT_INSN_SIZE
#else
#define TRACER_SITE_BYTES	0
#endif

/*
 * A site of the function tracer is one instruction, whatever stands there.  It
 * is where a function begins, or behind an instruction that is left alone.
 */
static void patched_tracer_site(struct kunit *test)
{
	unsigned long start = kprobe_test_text(kprobe_test_traced), site;
	struct kprobe entry = { .addr = (void *)start, .pre_handler = nothing };
	struct kprobe on_site = { .pre_handler = nothing };
	unsigned long at;

	site = ftrace_location(start);
	if (!site)
		kunit_skip(test, "no function tracer in this kernel");
	KUNIT_ASSERT_EQ(test, register_kprobe(&entry), 0);
	on_site.addr = (void *)site;
	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE)) {
		KUNIT_EXPECT_EQ(test, (unsigned long)entry.addr, site);
	} else {
		KUNIT_EXPECT_LT(test, (unsigned long)entry.addr, site);
		kprobe_test_refused(test, "a site", &on_site, -EINVAL, "function tracer site");
	}
	for (at = site + 1; at < site + TRACER_SITE_BYTES; at++) {
		struct kprobe p = { .addr = (void *)at, .pre_handler = nothing };

		kprobe_test_refused(test, "in a site", &p, -EILSEQ, "");
	}
	KUNIT_EXPECT_EQ(test, kprobe_test_traced(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&entry), 1);
	unregister_kprobe(&entry);
}

/*
 * What clang puts before functions to check the callers' idea of the type: it
 * has a symbol and may look like code.  This one is made up.
 */
asm(".pushsection .text\n\t"
	".balign 4\n"
	".type __cfi_kprobe_test_made_up, STT_FUNC\n"
	"__cfi_kprobe_test_made_up:\n\t"
	"nop\n\t"
	"nop\n\t"
	".size __cfi_kprobe_test_made_up, . - __cfi_kprobe_test_made_up\n\t"
	".popsection");

static void patched_preamble(struct kunit *test)
{
	struct kprobe p = {
		.symbol_name = "__cfi_kprobe_test_made_up",
		.pre_handler = nothing,
	};

	kprobe_test_refused(test, "preamble", &p, -EINVAL, "preamble");
}

/* The same verdict whatever symbol an address is given by. */
static void patched_far_from_symbol(struct kunit *test)
{
	unsigned long far;
	struct kprobe p;

#ifdef MODULE
	kunit_skip(test, "only when built in");
#endif
	far = kprobe_test_mid - (unsigned long)_stext;
	p = (struct kprobe){
		.symbol_name = "_stext",
		.offset = far,
		.pre_handler = nothing,
	};
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)p.addr, kprobe_test_mid);
	KUNIT_EXPECT_EQ(test, kprobe_test_straight(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p), 1);
	unregister_kprobe(&p);

	p = (struct kprobe){
		.symbol_name = "_stext",
		.offset = far + 1,
		.pre_handler = nothing,
	};
	kprobe_test_refused(test, "far, and in an instruction", &p, -EILSEQ, "");
}

#ifndef MODULE
static bool is_writable(void *addr)
{
	u32 word;

	return !copy_from_kernel_nofault(&word, addr, sizeof(word)) &&
	       !copy_to_kernel_nofault(addr, &word, sizeof(word));
}

/* By another name of the page: NULL if there is none, as for high memory. */
static void *linear_alias(void *addr)
{
	return page_address(vmalloc_to_page(addr));
}

/*
 * Not by trying: where RISC-V has modules, it takes any fault for one of a page
 * table that is not up to date, and tries again.
 */
static int note_writable(pte_t *pte, unsigned long addr, void *writable)
{
	*(bool *)writable = pte_write(*pte);
	return 0;
}

/* Neither where they are executed nor by another name of the page. */
static void patched_not_writable(struct kunit *test)
{
	struct kprobe p = { .addr = (void *)kprobe_test_mid, .pre_handler = nothing };
	char *name = kunit_kzalloc(test, KSYM_NAME_LEN, GFP_KERNEL), type;
	unsigned long addr;
	unsigned int pages;
	bool writable;
	void *control;

	if (!IS_ENABLED(CONFIG_STRICT_MODULE_RWX))
		kunit_skip(test, "text of modules is left writable in this kernel");
#ifdef CONFIG_ARM64
	if (!rodata_full)
		kunit_skip(test, "aliases are left writable in this kernel");
#endif
	control = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, name);
	KUNIT_ASSERT_NOT_NULL(test, control);
	KUNIT_EXPECT_TRUE(test, is_writable(control));
	KUNIT_EXPECT_TRUE(test, !linear_alias(control) || is_writable(linear_alias(control)));
	vfree(control);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p));
#endif
	for (pages = 0; !kprobe_get_kallsym(pages, &addr, &type, name); pages++) {
		writable = true;
		KUNIT_EXPECT_EQ(test, 0, apply_to_existing_page_range(&init_mm, addr, PAGE_SIZE,
								      note_writable, &writable));
		KUNIT_EXPECT_FALSE(test, writable);
		KUNIT_EXPECT_FALSE(test, is_writable(linear_alias((void *)addr)));
	}
	/* A page of slots, and one of detour buffers. */
	KUNIT_EXPECT_GE(test, pages, IS_ENABLED(CONFIG_OPTPROBES) ? 2 : 1);
	unregister_kprobe(&p);
}
#endif

static struct kunit_case patched_cases[] = {
	KUNIT_CASE(patched_static_key),
	KUNIT_CASE(patched_static_call),
	KUNIT_CASE(patched_warning),
	KUNIT_CASE(patched_tracer_site),
	KUNIT_CASE(patched_preamble),
	KUNIT_CASE(patched_far_from_symbol),
#ifndef MODULE
	KUNIT_CASE(patched_not_writable),
#endif
	{}
};

static struct kunit_suite patched_suite = {
	.name = "kprobes_patched",
	.test_cases = patched_cases,
};

kunit_test_suite(patched_suite);
