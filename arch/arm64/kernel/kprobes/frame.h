/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, arm64: registers as a struct pt_regs, without an exception.
 *
 * Assembler macros for trampoline.S, tail_entry.S and detour_entry.S.  The stack pointer
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

/* PSTATE fields that code may have changed, where the CPU has them: op1, op2. */
	.macro	add_field pstate, tmp, op1, op2
	mrs	\tmp, S3_\op1\()_C4_C2_\op2
	orr	\pstate, \pstate, \tmp
	.endm

/*
 * Go on at the address in x0, with the registers of the struct, and give the struct
 * up and what was pushed before it.  What save_state could not read of PSTATE has
 * stayed as it was.
 */
	.macro	leave_by_exception pushed
	ldr	x1, [sp, #S_PSTATE]
alternative_if ARM64_HAS_PAN
	add_field x1, x2, 0, 3
alternative_else_nop_endif
alternative_if ARM64_SSBS
	add_field x1, x2, 3, 6
alternative_else_nop_endif
alternative_if ARM64_MTE
	add_field x1, x2, 3, 7			// TCO
alternative_else_nop_endif
	mrs	x3, id_aa64pfr0_el1
	ubfx	x3, x3, #ID_AA64PFR0_EL1_DIT_SHIFT, #4
	cbz	x3, 1f
	add_field x1, x2, 3, 5			// DIT
1:
	msr	daifset, #0xf
	msr	elr_el1, x0
	msr	spsr_el1, x1
	all_pairs ldp
	ldr	x30, [sp, #S_LR]
	add	sp, sp, #PT_REGS_SIZE + \pushed
	eret
	sb
	.endm

#endif /* _ARM64_KPROBES_FRAME_H */
