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

/* struct stackframe, below the stack pointer at the return. */
#define FRAME_BYTES	16
#define LINK		(PT_SIZE_ON_STACK + FRAME_BYTES - SZREG)
#define OUTER_FP	(PT_SIZE_ON_STACK + FRAME_BYTES - 2 * SZREG)

	.section .kprobes.text, "ax"

SYM_CODE_START(__kretprobe_trampoline)
	addi	sp, sp, -(PT_SIZE_ON_STACK + FRAME_BYTES)
	REG_S	ra, LINK(sp)
	REG_S	s0, OUTER_FP(sp)

	REG_S	ra, PT_RA(sp)
	REG_S	gp, PT_GP(sp)
	REG_S	tp, PT_TP(sp)
	REG_S	t0, PT_T0(sp)
	REG_S	t1, PT_T1(sp)
	REG_S	t2, PT_T2(sp)
	REG_S	s0, PT_S0(sp)
	REG_S	s1, PT_S1(sp)
	REG_S	a0, PT_A0(sp)
	REG_S	a1, PT_A1(sp)
	REG_S	a2, PT_A2(sp)
	REG_S	a3, PT_A3(sp)
	REG_S	a4, PT_A4(sp)
	REG_S	a5, PT_A5(sp)
	REG_S	a6, PT_A6(sp)
	REG_S	a7, PT_A7(sp)
	REG_S	s2, PT_S2(sp)
	REG_S	s3, PT_S3(sp)
	REG_S	s4, PT_S4(sp)
	REG_S	s5, PT_S5(sp)
	REG_S	s6, PT_S6(sp)
	REG_S	s7, PT_S7(sp)
	REG_S	s8, PT_S8(sp)
	REG_S	s9, PT_S9(sp)
	REG_S	s10, PT_S10(sp)
	REG_S	s11, PT_S11(sp)
	REG_S	t3, PT_T3(sp)
	REG_S	t4, PT_T4(sp)
	REG_S	t5, PT_T5(sp)
	REG_S	t6, PT_T6(sp)

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
	REG_L	gp, PT_GP(sp)
	REG_L	t0, PT_T0(sp)
	REG_L	t1, PT_T1(sp)
	REG_L	t2, PT_T2(sp)
	REG_L	s0, PT_S0(sp)
	REG_L	s1, PT_S1(sp)
	REG_L	a0, PT_A0(sp)
	REG_L	a1, PT_A1(sp)
	REG_L	a2, PT_A2(sp)
	REG_L	a3, PT_A3(sp)
	REG_L	a4, PT_A4(sp)
	REG_L	a5, PT_A5(sp)
	REG_L	a6, PT_A6(sp)
	REG_L	a7, PT_A7(sp)
	REG_L	s2, PT_S2(sp)
	REG_L	s3, PT_S3(sp)
	REG_L	s4, PT_S4(sp)
	REG_L	s5, PT_S5(sp)
	REG_L	s6, PT_S6(sp)
	REG_L	s7, PT_S7(sp)
	REG_L	s8, PT_S8(sp)
	REG_L	s9, PT_S9(sp)
	REG_L	s10, PT_S10(sp)
	REG_L	s11, PT_S11(sp)
	REG_L	t3, PT_T3(sp)
	REG_L	t4, PT_T4(sp)
	REG_L	t5, PT_T5(sp)
	REG_L	t6, PT_T6(sp)
	REG_L	ra, LINK(sp)
	addi	sp, sp, PT_SIZE_ON_STACK + FRAME_BYTES
	ret
SYM_CODE_END(__kretprobe_trampoline)
