/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, the benchmark: tens of thousands of functions to be probed.
 *
 * As a compiler would make them, but a compiler takes many minutes for so many.
 * For targets_*.S, which define a macro TARGET name, traced: a function, which
 * sets middle_of_last to the distance of an instruction within it.  The function
 * tracer has a site in the traced ones: these are probed through it at their
 * entry, if the kernel has it.  The plain ones are probed by a breakpoint or a
 * jump, also at their entry.
 */

	.altmacro

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
