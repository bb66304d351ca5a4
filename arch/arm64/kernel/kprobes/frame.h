/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, arm64: registers as a struct pt_regs, without an exception.
 *
 * Assembler macros for trampoline.S and detour_entry.S.  The stack pointer
 * points to the struct.
 */
#ifndef _ARM64_KPROBES_FRAME_H
#define _ARM64_KPROBES_FRAME_H

#include <asm/alternative.h>
#include <asm/asm-offsets.h>
#include <asm/sysreg.h>

/* x0 to x29 */
	.altmacro
	.macro	one_pair op, first, second
	\op	x\first, x\second, [sp, #S_X0 + 8 * \first]
	.endm

	.macro	all_pairs op
	.set	.Lreg, 0
	.rept	15
	one_pair \op, %.Lreg, %(.Lreg + 1)
	.set	.Lreg, .Lreg + 2
	.endr
	.endm

/*
 * The program counter, and as much of PSTATE as every CPU lets read.  Clobbers
 * \tmp.
 */
	.macro	save_state pc, pstate, tmp
	mrs	\tmp, SPSel
	mrs	\pstate, CurrentEL
	orr	\pstate, \pstate, \tmp
	mrs	\tmp, daif
	orr	\pstate, \pstate, \tmp
	mrs	\tmp, nzcv
	orr	\pstate, \pstate, \tmp
	stp	\pc, \pstate, [sp, #S_PC]
#ifdef CONFIG_ARM64_PSEUDO_NMI
alternative_if ARM64_HAS_IRQ_PRIO_MASKING
	mrs_s	\tmp, SYS_ICC_PMR_EL1
	str	\tmp, [sp, #S_PMR_SAVE]
alternative_else_nop_endif
#endif
	.endm

#endif /* _ARM64_KPROBES_FRAME_H */
