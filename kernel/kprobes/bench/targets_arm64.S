/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, the benchmark: 60,000 functions to be probed.  There are no
 * traced ones: on arm64 no probe is delivered by the function tracer.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

	/* All have the same code: @middle is at the same distance in each. */
.macro TARGET name, traced
	LOCAL middle
SYM_FUNC_START(\name)
	lsr	x1, x0, #3
	eor	x0, x1, x0
middle:	add	x0, x0, x0, lsl #1
	mov	x1, x0
	lsr	x1, x1, #5
	eor	x0, x0, x1
	ret
SYM_FUNC_END(\name)
	.set	middle_of_last, middle - \name
.endm

#include "targets.S"

	.text
	TARGETS	bench_plain, 0
