/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: instructions for forms_test.c, which calls kprobe_form_run().
 *
 * Registers of a form: a1 and s1 point to memory, t6 holds the way back, sp the
 * stack; all others are random, a2 often as a0.  What is behind the probed
 * instruction undoes changes of the stack pointer and shows where a branch went.
 */
#include <linux/linkage.h>
#include <asm/asm.h>

#include "forms_test.h"

/*
 * Forms need not keep t3: a jump to them, and one behind the next, may use it.  An
 * indirect jump in their own function could go to any of them.
 */
	.macro	way_back
	li	t3, 4
	li	t3, 5
	j	kprobe_forms_back
	.endm

/* 8 words below what is saved: forms move the stack pointer into them. */
#define FRAME	(24 * SZREG)

	.text

/* x1 and x5 to x30, by number, but for the one that holds the image's address. */
	.macro each_reg op, base
	.irp n, 1, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18
	\op	x\n, \n * SZREG(\base)
	.endr
	.irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	\op	x\n, \n * SZREG(\base)
	.endr
	.endm

	.macro saved_regs op
	\op	ra, 8 * SZREG(sp)
	\op	s0, 9 * SZREG(sp)
	\op	s1, 10 * SZREG(sp)
	.irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\op	s\n, (9 + \n) * SZREG(sp)
	.endr
	.endm

SYM_FUNC_START(kprobe_form_run)
	addi	sp, sp, -FRAME
	saved_regs REG_S
	REG_S	a0, 21 * SZREG(sp)
	.irp n, 0, 1, 2, 3
	REG_L	t0, (FORMS_STACK + \n) * SZREG(a0)
	REG_S	t0, \n * SZREG(sp)
	.endr
	mv	t6, a1
	each_reg REG_L, a0
	REG_L	a0, 10 * SZREG(a0)
	jalr	t6, 0(t6)
	REG_L	t6, 21 * SZREG(sp)
	each_reg REG_S, t6
	REG_S	a0, 10 * SZREG(t6)
	.irp n, 0, 1, 2, 3
	REG_L	t0, \n * SZREG(sp)
	REG_S	t0, (FORMS_STACK + \n) * SZREG(t6)
	.endr
	saved_regs REG_L
	addi	sp, sp, FRAME
	ret
SYM_FUNC_END(kprobe_form_run)

SYM_FUNC_START(kprobe_forms_back)
	jr	t6
SYM_FUNC_END(kprobe_forms_back)

	.macro entry table, start, insn, text:vararg
	.pushsection .rodata.kprobe_forms_strings, "a"
7773:	.string	"\text"
	.popsection
	.pushsection .rodata.\table, "a"
	RISCV_PTR \start, \insn, 7773b
	.popsection
	.endm

	.macro form text:vararg
7771:	\text
	way_back
	entry kprobe_forms, 7771b, 7771b, \text
	.endm

/* One that moves the stack pointer: by how much comes first. */
	.macro form_sp moved, text:vararg
7771:	\text
	mv	a0, sp
	addi	sp, sp, -(\moved)
	sub	a0, a0, sp
	way_back
	entry kprobe_forms, 7771b, 7771b, \text
	.endm

/* A branch to 7772f. */
	.macro form_branch text:vararg
7771:	\text
	addi	a7, a7, 1
	way_back
7772:	addi	a7, a7, 2
	way_back
	entry kprobe_forms, 7771b, 7771b, \text
	.endm

/* A call, whose callee may change t1. */
	.macro form_call text:vararg
7772:	li	t1, 6
	addi	a7, a7, 2
	way_back
7771:	\text
	addi	a7, a7, 1
	way_back
7772:	li	t1, 7
	addi	a7, a7, 2
	way_back
	entry kprobe_forms, 7771b, 7771b, \text
	.endm

	.macro form_backward text:vararg
7772:	addi	a7, a7, 2
	way_back
7771:	\text
	addi	a7, a7, 1
	way_back
	entry kprobe_forms, 7771b, 7771b, \text
	.endm

/* A jump to where @reg says: 7772f. */
	.macro form_jalr reg, text:vararg
7770:	lla	\reg, 7772f
7771:	\text
	addi	a7, a7, 1
	way_back
7772:	addi	a7, a7, 2
	way_back
	entry kprobe_forms, 7770b, 7771b, \text
	.endm

	.macro refused text:vararg
7771:	\text
	jr	t6
	entry kprobe_forms_refused, 7771b, 7771b, \text
	.endm

	.pushsection .rodata.kprobe_forms, "a"
	.balign SZREG
SYM_DATA_START(kprobe_forms)
	.popsection
	.pushsection .rodata.kprobe_forms_refused, "a"
	.balign SZREG
SYM_DATA_START(kprobe_forms_refused)
	.popsection

SYM_FUNC_START(kprobe_forms_text)
	.option push
	.option norvc
	.balign 4

	form lui a0, 0x12345
	form lui a0, 0xfffff
	form lui zero, 1
	form auipc a0, 0x12345
	form auipc t0, 0xfffff
	form addi a0, a2, -2048
	form addi a0, a0, 2047
	form addi zero, a0, 1
	form slti a0, a2, 5
	form slti a0, a2, -5
	form sltiu a0, a2, -1
	form sltiu a0, a2, 1
	form xori a0, a2, -1
	form ori a0, a2, 7
	form andi a0, a2, -8
	form slli a0, a2, 1
	form srli a0, a2, 31
	form srai a0, a2, 31
	form add a0, a2, a3
	form add a0, a0, a0
	form add zero, a0, a2
	form sub a0, a2, a3
	form sub a0, zero, a0
	form sll a0, a2, a3
	form slt a0, a2, a3
	form sltu a0, a2, a3
	form sltu a0, zero, a2
	form xor a0, a2, a3
	form srl a0, a2, a3
	form sra a0, a2, a3
	form or a0, a2, a3
	form and a0, a2, a3
	form mul a0, a2, a3
	form mulh a0, a2, a3
	form mulhsu a0, a2, a3
	form mulhu a0, a2, a3
	form div a0, a2, a3
	form divu a0, a2, a3
	form rem a0, a2, zero
	form remu a0, a2, a3

	form_sp -64, addi sp, sp, -64
	form_sp 48, addi sp, sp, 48

	form lb a0, 0(a1)
	form lb a0, -1(a1)
	form lbu a0, 7(s1)
	form lh a0, 2(a1)
	form lhu a0, -2(s1)
	form lw a0, 4(a1)
	form lw a1, 4(a1)
	form lw zero, 4(a1)
	form sb a0, 5(a1)
	form sh a0, -6(s1)
	form sw a0, 8(a1)
	form sw zero, 8(a1)
	form lw a0, 8(sp)
	form sw a0, 8(sp)

	form amoadd.w a0, a2, (a1)
	form amoswap.w.aq a0, a2, (a1)
	form amoxor.w.rl a0, a2, (a1)
	form amoor.w.aqrl a0, a2, (a1)
	form amoand.w zero, a2, (a1)
	form amomin.w a0, a2, (a1)
	form amomaxu.w a0, a2, (a1)

	form fence rw, rw
	form fence w, o
	form fence.i
	form sfence.vma a1, zero
	form csrr a0, stvec

	form_branch beq a0, a2, 7772f
	form_branch bne a0, a2, 7772f
	form_branch blt a0, a2, 7772f
	form_branch bge a0, a2, 7772f
	form_branch bltu a0, a2, 7772f
	form_branch bgeu a0, a2, 7772f
	form_branch beq zero, zero, 7772f
	form_branch bnez a0, 7772f
	form_branch bltz a0, 7772f
	form_backward beq a0, a2, 7772b
	form_backward bgeu a0, a2, 7772b
	form_call jal ra, 7772f
	form_branch jal t0, 7772f
	form_branch jal zero, 7772f
	form_call jal ra, 7772b

#ifdef CONFIG_64BIT
	form slli a0, a2, 63
	form srli a0, a2, 32
	form srai a0, a2, 63
	form addiw a0, a2, -1
	form addiw a0, a2, 2047
	form slliw a0, a2, 31
	form srliw a0, a2, 1
	form sraiw a0, a2, 31
	form addw a0, a2, a3
	form subw a0, a2, a3
	form sllw a0, a2, a3
	form srlw a0, a2, a3
	form sraw a0, a2, a3
	form mulw a0, a2, a3
	form divw a0, a2, a3
	form divuw a0, a2, a3
	form remw a0, a2, a3
	form remuw a0, a2, a3
	form lwu a0, 4(a1)
	form ld a0, 8(a1)
	form sd a0, -8(a1)
	form amoadd.d a0, a2, (a1)
	form amoswap.d a0, a0, (a1)
	form amomax.d a0, a2, (a1)
	form amominu.d a0, a2, (a1)
#endif
	.option pop

#ifdef CONFIG_RISCV_ISA_C
	.option push
	.option rvc
	form c.nop
	form c.addi4spn a0, sp, 16
	form c.addi a0, -3
	form c.li a0, -32
	form c.lui a0, 0xfffe1
	form c.srli a0, 5
	form c.srai a0, 31
	form c.andi a0, -2
	form c.slli a0, 7
	form c.sub a0, a2
	form c.xor a0, a2
	form c.or a0, a2
	form c.and a0, a2
	form c.mv a0, a2
	form c.add a0, a2
	form c.lw a0, 4(a1)
	form c.sw a0, 8(s1)
	form c.lwsp a0, 4(sp)
	form c.swsp a0, 8(sp)
	form_sp -64, c.addi16sp sp, -64
	form_sp 48, c.addi16sp sp, 48
	form_sp 8, c.addi sp, 8
	form_branch c.beqz a0, 7772f
	form_branch c.bnez a0, 7772f
	form_backward c.beqz a0, 7772b
	form_branch c.j 7772f
	form_backward c.j 7772b
#ifdef CONFIG_64BIT
	form c.addiw a0, 5
	form c.subw a0, a2
	form c.addw a0, a2
	form c.srli a0, 33
	form c.slli a0, 63
	form c.ld a0, 8(a1)
	form c.sd a0, 16(a1)
	form c.ldsp a0, 16(sp)
	form c.sdsp a0, 24(sp)
#endif
	.option pop
#endif
SYM_FUNC_END(kprobe_forms_text)

SYM_FUNC_START(kprobe_forms_indirect_text)
	.option push
	.option norvc
	.balign 4
	form_jalr t1, jalr ra, 0(t1)
	form_jalr t1, jalr zero, 0(t1)
	form_jalr t1, jalr t1, 0(t1)
	form_jalr t1, jalr t1, 1(t1)
	form_jalr ra, jalr t0, 0(ra)
	.option pop
#ifdef CONFIG_RISCV_ISA_C
	.option push
	.option rvc
	form_jalr t1, c.jr t1
	form_jalr t1, c.jalr t1
	form_jalr ra, c.jalr ra
	.option pop
#endif
SYM_FUNC_END(kprobe_forms_indirect_text)

/* Its end is what has no length: nothing behind that can be probed. */
SYM_FUNC_START(kprobe_forms_refused_text)
#ifdef CONFIG_RISCV_ISA_C
	refused c.ebreak
	refused .2byte 0x8000
	refused .2byte 0x6101
#endif
	.option push
	.option norvc
	.balign 4
	refused ebreak
	refused ecall
	refused sret
	refused mret
	refused wfi
	refused csrr a0, sepc
	refused csrr a0, scause
	refused csrr a0, stval
	refused csrrw tp, sscratch, tp
	refused lr.w a0, (a1)
	refused addi a0, a0, 1
	refused bnez a0, . + 8
	refused sc.w a0, a2, (a1)
	refused .4byte 0x00002067
	refused .4byte 0xffffffff
	refused .4byte 0x0000001f
	.option pop
SYM_FUNC_END(kprobe_forms_refused_text)

	.pushsection .rodata.kprobe_forms, "a"
SYM_DATA_END_LABEL(kprobe_forms, SYM_L_GLOBAL, kprobe_forms_end)
	.popsection
	.pushsection .rodata.kprobe_forms_refused, "a"
SYM_DATA_END_LABEL(kprobe_forms_refused, SYM_L_GLOBAL, kprobe_forms_refused_end)
	.popsection
