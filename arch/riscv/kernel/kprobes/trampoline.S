/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: where followed functions return to.
 *
 * Nobody calls this.  A function whose return address was replaced arrives at
 * __kretprobe_trampoline, with the stack pointer it was called with.  The code
 * saves the registers below it and calls kretprobe_return(regs, sp).
 *
 * On top of the saved registers it makes a frame like a function's.  The link in
 * it is what the function had: the trampoline's address, so that unwinders treat
 * both alike.  kretprobe_return() replaces it by the true return address.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/csr.h>

#include "frame.h"

/* struct stackframe, below the stack pointer at the return. */
#define FRAME_BYTES	16
#define LINK		(PT_SIZE_ON_STACK + FRAME_BYTES - SZREG)
#define OUTER_FP	(PT_SIZE_ON_STACK + FRAME_BYTES - 2 * SZREG)

	.section .kprobes.text, "ax"

SYM_CODE_START(__kretprobe_trampoline)
	addi	sp, sp, -(PT_SIZE_ON_STACK + FRAME_BYTES)
	REG_S	ra, LINK(sp)
	REG_S	s0, OUTER_FP(sp)

	FRAME_REGS REG_S
	REG_S	a0, PT_A0(sp)
	REG_S	gp, PT_GP(sp)
	REG_S	tp, PT_TP(sp)

	addi	s0, sp, PT_SIZE_ON_STACK + FRAME_BYTES
	REG_S	s0, PT_SP(sp)
	/* The mode before the last trap does not matter: it is the kernel's. */
	csrr	t0, CSR_STATUS
	li	t1, SR_PP
	or	t0, t0, t1
	REG_S	t0, PT_STATUS(sp)
	REG_S	zero, PT_BADADDR(sp)
	REG_S	zero, PT_CAUSE(sp)
	REG_S	zero, PT_ORIG_A0(sp)
	la	t0, __kretprobe_trampoline
	REG_S	t0, PT_EPC(sp)

	mv	a0, sp
	mv	a1, s0
	call	kretprobe_return

	/* Handlers may have changed any register but the stack pointer. */
	FRAME_REGS REG_L
	REG_L	a0, PT_A0(sp)
	REG_L	gp, PT_GP(sp)
	REG_L	ra, LINK(sp)
	addi	sp, sp, PT_SIZE_ON_STACK + FRAME_BYTES
	ret
SYM_CODE_END(__kretprobe_trampoline)
