/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: where the jumps lead that take the place of breakpoints.
 *
 * kprobe_jump_page is mapped once more at the very end of the address space
 * (arch.c).  A jump (detour.c) comes to the stub for the register in which it
 * left its own end.  The code saves the registers as a struct pt_regs and calls
 * kprobe_jump_hit(), which says where to go on.
 *
 * There it goes by the way an exception takes: no other restores all registers,
 * and leads anywhere.
 *
 * To an unwinder it looks like the breakpoint's exception: it knows
 * kprobe_jump_return.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/csr.h>
#include <asm/kprobes.h>
#include <asm/page.h>

#include "frame.h"

	.section .kprobes.text, "ax"
	.option	push
	.option	norelax
	.option	norvc
	.balign	PAGE_SIZE

SYM_CODE_START(kprobe_jump_page)

SYM_CODE_START_LOCAL_NOALIGN(kprobe_jump_enter)
	FRAME_REGS REG_S
	REG_S	gp, PT_GP(sp)
	REG_S	tp, PT_TP(sp)
	addi	t0, sp, PT_SIZE_ON_STACK
	REG_S	t0, PT_SP(sp)
	addi	a0, a0, -KPROBE_JUMP_BYTES
	REG_S	a0, PT_EPC(sp)

	/* What an exception would leave, and the kernel's entry code. */
	li	t0, SR_SUM
	csrrc	t1, CSR_STATUS, t0
	andi	t2, t1, SR_IE
	slli	t2, t2, 4		/* SR_PIE, if interrupts are on */
	andi	t1, t1, ~(SR_IE | SR_PIE)
	or	t1, t1, t2
	ori	t1, t1, SR_PP
	REG_S	t1, PT_STATUS(sp)
	REG_S	zero, PT_BADADDR(sp)
	li	t0, EXC_BREAKPOINT
	REG_S	t0, PT_CAUSE(sp)
	REG_S	zero, PT_ORIG_A0(sp)

	mv	a1, sp
	call	kprobe_jump_hit
SYM_INNER_LABEL(kprobe_jump_return, SYM_L_GLOBAL)
	csrc	CSR_STATUS, SR_IE
	csrw	CSR_EPC, a0
	REG_L	t0, PT_STATUS(sp)
	andi	t0, t0, ~SR_IE
	ori	t0, t0, SR_PP
	csrw	CSR_STATUS, t0
	FRAME_REGS REG_L
	REG_L	a0, PT_A0(sp)
	REG_L	sp, PT_SP(sp)
	sret
SYM_CODE_END(kprobe_jump_enter)

/* The jump has written the register: nobody needs what was in it. */
	.macro	stub number
	.org	kprobe_jump_page + PAGE_SIZE + KPROBE_JUMP_STUBS + \number * KPROBE_JUMP_STUB_BYTES
	addi	sp, sp, -PT_SIZE_ON_STACK
	REG_S	a0, PT_A0(sp)
	mv	a0, x\number
	/* The page runs at two places: by its address as a number. */
	lui	x\number, %hi(kprobe_jump_enter)
	jalr	zero, %lo(kprobe_jump_enter)(x\number)
	.endm

	.irp	number, 5, 6, 7, 28, 29, 30, 31
	stub	\number
	.endr
	/* The rest, of zeros, is no instruction: for branches to what is no address. */
	.org	kprobe_jump_page + PAGE_SIZE
	.option	pop
SYM_CODE_END(kprobe_jump_page)
