// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: functions for the KUnit tests to probe.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/objtool.h>
#include <linux/stringify.h>
#include <linux/uaccess.h>
#ifdef CONFIG_X86_KERNEL_IBT
#include <asm/asm.h>
#endif

#include "kprobe_test.h"

/*
 * Keep the compiler from knowing what a function does, so that it calls it as
 * often as it is written, and from folding those that are alike.
 */
static __always_inline int opaque(int x, int unique)
{
	asm volatile("/* %1 */" : "+r" (x) : "i" (unique) : "memory");
	return x;
}

#if BITS_PER_LONG == 64
#define WORD		".quad"
#else
#define WORD		".long"
#endif

noinline __noclone int kprobe_test_traced(int x)
{
	return opaque(x, 1) + 3;
}

noinline __noclone notrace int kprobe_test_plain(int x)
{
	return opaque(x, 2) + 3;
}

noinline __noclone int kprobe_test_inner(int x)
{
	return opaque(x, 3) + 3;
}

noinline __noclone int kprobe_test_timed(int x)
{
	return opaque(x, 4) + 3;
}

noinline __noclone notrace int kprobe_test_timed_plain(int x)
{
	return opaque(x, 5) + 3;
}

/* Nobody has an address in the middle of it, and there is room for a jump. */
noinline __noclone notrace int kprobe_test_jumped(int x)
{
	x = opaque(x, 11) + 0x12345;
	return opaque(x, 14) - 0x12345 + 3;
}

noinline __noclone notrace int kprobe_test_replacement(int x)
{
	return opaque(x, 6) + 1000;
}

noinline __noclone int kprobe_test_blacklisted(int x)
{
	return opaque(x, 7) + 3;
}

NOKPROBE_SYMBOL(kprobe_test_blacklisted);

#ifdef CONFIG_X86_KERNEL_IBT
#define NO_TARGET	ANNOTATE_NOENDBR
#else
#define NO_TARGET	""
#endif

/*
 * Assembler text: the address of the next instruction is stored at @label.  That
 * it is known makes it no target of an indirect branch.
 */
#define STORE_NEXT(label)					\
	NO_TARGET						\
	"771:\n\t"						\
	".pushsection .data\n\t"				\
	".balign " __stringify(BITS_PER_LONG) " / 8\n\t"	\
	label "\n\t"						\
	WORD " 771b\n\t"					\
	".popsection"

/* The marked instruction is the one that adds. */
noinline __noclone int kprobe_test_straight(int x)
{
	asm volatile(STORE_NEXT(".globl kprobe_test_mid\nkprobe_test_mid:")
		     : "+r" (x) : : "memory");
	x += 3;
	return opaque(x, 8);
}

/*
 * Here as well; it calls others, and so has a frame.  There is room for a jump in
 * front of the second call.
 */
noinline __noclone int kprobe_test_framed(int x)
{
	x = kprobe_test_plain(x);
	asm volatile(STORE_NEXT(".globl kprobe_test_framed_mid\nkprobe_test_framed_mid:")
		     : "+r" (x) : : "memory");
	x += 3;
	x = opaque(x, 12) + 0x12345;
	return kprobe_test_plain(opaque(x, 13)) - 0x12345 - 6;
}

noinline __noclone int kprobe_test_peek(unsigned int *dst, const unsigned int *src)
{
	unsigned int value;

	__get_kernel_nofault(&value, src, unsigned int, unreadable);
	*dst = value;
	return 0;

unreadable:
	return -EFAULT;
}

static noinline __noclone __used int kprobe_test_twin(int x)
{
	return opaque(x, 9) + 1;
}

unsigned long kprobe_test_twin_here(void)
{
	return kprobe_test_text(kprobe_test_twin);
}

/* What a compiler makes of a function "kprobe_test_specialized". */
static int specialized(int x) asm("kprobe_test_specialized.isra.0");

static noinline __noclone __used int specialized(int x)
{
	return opaque(x, 10) + 1;
}

unsigned long kprobe_test_suffixed(void)
{
	return kprobe_test_text(specialized);
}
