/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, the benchmark: 120,000 functions to be probed.
 *
 * As a compiler would make them, but a compiler takes many minutes for so many.
 * The function tracer has a site in the traced ones: these are probed through
 * it at their entry, if the kernel has it.  The plain ones are probed by
 * a breakpoint or a jump, also at their entry.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>

	.altmacro

	/* What -mfentry and -mrecord-mcount do. */
.macro TRACER_SITE
#ifdef CONFIG_FUNCTION_TRACER
	LOCAL site
site:	call	__fentry__
#ifdef CONFIG_FTRACE_MCOUNT_USE_CC
	.pushsection __mcount_loc, "a", @progbits
	.quad	site
	.popsection
#endif
#endif
.endm

	/* All have the same code: @middle is at the same distance in each. */
.macro TARGET name, traced
	LOCAL middle
SYM_FUNC_START(\name)
	.if	\traced
	TRACER_SITE
	.endif
	movq	%rdi, %rax
	shrq	$3, %rax
	xorq	%rdi, %rax
middle:	leaq	0x1234(%rax,%rax,2), %rax
	movq	%rax, %rdx
	shrq	$5, %rdx
	xorq	%rdx, %rax
	RET
SYM_FUNC_END(\name)
	.set	middle_of_last, middle - \name
.endm

.macro TARGET_IN_TABLE name, traced
	TARGET	\name, \traced
	.pushsection .rodata
	.quad	\name
	.popsection
.endm

.macro TARGETS prefix, traced
	.pushsection .rodata
	.balign	8
SYM_DATA_START(\prefix\()_targets)
	.popsection
	.set	number, 0
	.rept	60000
	TARGET_NUMBERED \prefix, %number, \traced
	.set	number, number + 1
	.endr
	.pushsection .rodata
SYM_DATA_END(\prefix\()_targets)
	.popsection

	TARGET	\prefix, \traced
	.pushsection .rodata
	.balign	4
SYM_DATA(\prefix\()_middle, .long middle_of_last)
	.popsection
.endm

.macro TARGET_NUMBERED prefix, number, traced
	TARGET_IN_TABLE \prefix\()_\number, \traced
.endm

	.text
	TARGETS	bench_plain, 0
	TARGETS	bench_traced, 1
