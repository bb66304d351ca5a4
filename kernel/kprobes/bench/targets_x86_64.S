/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, the benchmark: 120,000 functions to be probed.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>

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

#include "targets.S"

	.text
	TARGETS	bench_plain, 0
	TARGETS	bench_traced, 1
