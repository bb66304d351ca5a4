/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, the benchmark: 120,000 functions to be probed.
 */
#include <linux/linkage.h>
#include <asm/asm.h>

	/* What is written stays as long as it is: distances are constants. */
	.option norelax

	/* What -fpatchable-function-entry does: room for eight bytes of call. */
.macro TRACER_SITE
#ifdef CONFIG_FUNCTION_TRACER
	LOCAL site
	.option push
	.option norvc
site:	nop
	nop
	.option pop
	.pushsection __patchable_function_entries, "awo", @progbits, .text
	.quad	site
	.popsection
#endif
.endm

	/* All have the same code: @middle is at the same distance in each. */
.macro TARGET name, traced
	LOCAL middle
SYM_FUNC_START(\name)
	.if	\traced
	TRACER_SITE
	.endif
	srli	a1, a0, 3
	xor	a0, a0, a1
middle:	slli	a1, a0, 1
	add	a0, a0, a1
	srli	a1, a0, 5
	xor	a0, a0, a1
	ret
SYM_FUNC_END(\name)
	.set	middle_of_last, middle - \name
.endm

#include "targets.S"

	.text
	TARGETS	bench_plain, 0
	TARGETS	bench_traced, 1
