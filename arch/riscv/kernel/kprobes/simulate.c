// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, RISC-V: instructions executed on saved registers: those that
 * depend on their own address, and the arithmetic that touches nothing but
 * registers.
 *
 * Called by the core's hit code through kprobe_insn::simulate, which decode.c
 * has set to the function that fits: a hit does not look at opcodes again.
 * Each is named after its instruction; parameters, context and result are
 * those of kprobe_simulate_t.
 */
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include "common.h"

/* struct pt_regs begins with the pc and x1 to x31, in this order. */
static __always_inline unsigned long reg_value(const struct pt_regs *regs, u8 number)
{
	return number ? ((const unsigned long *)regs)[number] : 0;
}

static __always_inline void set_reg(struct pt_regs *regs, u8 number, unsigned long value)
{
	if (number)
		((unsigned long *)regs)[number] = value;
}

/* A register or an immediate: the one that is not there counts as 0. */
static __always_inline unsigned long operand2(const struct arch_kprobe_insn *arch,
					      const struct pt_regs *regs)
{
	return reg_value(regs, arch->rs2) + arch->imm;
}

/* What an instruction of 32 bits on a machine of 64 leaves in its register. */
static __always_inline unsigned long extended(u32 value)
{
	return (long)(s32)value;
}

#define WORD_SHIFT(b)	((b) & (BITS_PER_LONG - 1))
#define HALF_SHIFT(b)	((b) & 31)

/* @result is made from the operands a and b. */
#define ARITHMETIC(name, result)						\
bool __kprobes kprobe_simulate_##name(const struct kprobe_insn *insn,	\
				      unsigned long addr, struct pt_regs *regs)	\
{									\
	unsigned long a = reg_value(regs, insn->arch.rs1);		\
	unsigned long b = operand2(&insn->arch, regs);			\
									\
	set_reg(regs, insn->arch.rd, result);				\
	instruction_pointer_set(regs, addr + insn->length);		\
	return true;							\
}

ARITHMETIC(add, a + b)
ARITHMETIC(sub, a - b)
ARITHMETIC(sll, a << WORD_SHIFT(b))
ARITHMETIC(slt, (long)a < (long)b)
ARITHMETIC(sltu, a < b)
ARITHMETIC(xor, a ^ b)
ARITHMETIC(srl, a >> WORD_SHIFT(b))
ARITHMETIC(sra, (long)a >> WORD_SHIFT(b))
ARITHMETIC(or, a | b)
ARITHMETIC(and, a & b)
ARITHMETIC(addw, extended(a + b))
ARITHMETIC(subw, extended(a - b))
ARITHMETIC(sllw, extended((u32)a << HALF_SHIFT(b)))
ARITHMETIC(srlw, extended((u32)a >> HALF_SHIFT(b)))
ARITHMETIC(sraw, extended((s32)a >> HALF_SHIFT(b)))

/* The same for branches: the immediate is where to, the operands are registers. */
#define BRANCH(name, condition)						\
bool __kprobes kprobe_simulate_##name(const struct kprobe_insn *insn,	\
				      unsigned long addr, struct pt_regs *regs)	\
{									\
	unsigned long a = reg_value(regs, insn->arch.rs1);		\
	unsigned long b = reg_value(regs, insn->arch.rs2);		\
									\
	instruction_pointer_set(regs, addr + ((condition) ? insn->arch.imm : \
							    insn->length)); \
	return true;							\
}

BRANCH(beq, a == b)
BRANCH(bne, a != b)
BRANCH(blt, (long)a < (long)b)
BRANCH(bge, (long)a >= (long)b)
BRANCH(bltu, a < b)
BRANCH(bgeu, a >= b)

bool __kprobes kprobe_simulate_auipc(const struct kprobe_insn *insn,
				     unsigned long addr, struct pt_regs *regs)
{
	set_reg(regs, insn->arch.rd, addr + insn->arch.imm);
	instruction_pointer_set(regs, addr + insn->length);
	return true;
}

bool __kprobes kprobe_simulate_jal(const struct kprobe_insn *insn,
				   unsigned long addr, struct pt_regs *regs)
{
	set_reg(regs, insn->arch.rd, addr + insn->length);
	instruction_pointer_set(regs, addr + insn->arch.imm);
	return true;
}

/* Both registers may be the same: read first.  Bit 0 of the target is ignored. */
bool __kprobes kprobe_simulate_jalr(const struct kprobe_insn *insn,
				    unsigned long addr, struct pt_regs *regs)
{
	unsigned long target = reg_value(regs, insn->arch.rs1) + insn->arch.imm;

	set_reg(regs, insn->arch.rd, addr + insn->length);
	instruction_pointer_set(regs, target & ~1UL);
	return true;
}
