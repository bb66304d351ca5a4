/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: registers in a struct pt_regs at the stack pointer, for
 * detour_entry.S and trampoline.S.
 */
#ifndef _RISCV_KPROBES_FRAME_H
#define _RISCV_KPROBES_FRAME_H

/* All that code may change, but a0 and the stack pointer. */
	.macro	FRAME_REGS op
	\op	ra, PT_RA(sp)
	\op	t0, PT_T0(sp)
	\op	t1, PT_T1(sp)
	\op	t2, PT_T2(sp)
	\op	s0, PT_S0(sp)
	\op	s1, PT_S1(sp)
	\op	a1, PT_A1(sp)
	\op	a2, PT_A2(sp)
	\op	a3, PT_A3(sp)
	\op	a4, PT_A4(sp)
	\op	a5, PT_A5(sp)
	\op	a6, PT_A6(sp)
	\op	a7, PT_A7(sp)
	\op	s2, PT_S2(sp)
	\op	s3, PT_S3(sp)
	\op	s4, PT_S4(sp)
	\op	s5, PT_S5(sp)
	\op	s6, PT_S6(sp)
	\op	s7, PT_S7(sp)
	\op	s8, PT_S8(sp)
	\op	s9, PT_S9(sp)
	\op	s10, PT_S10(sp)
	\op	s11, PT_S11(sp)
	\op	t3, PT_T3(sp)
	\op	t4, PT_T4(sp)
	\op	t5, PT_T5(sp)
	\op	t6, PT_T6(sp)
	.endm

#endif /* _RISCV_KPROBES_FRAME_H */
