/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, RISC-V: what instructions are made of.
 *
 * Encodings are those of the RISC-V unprivileged and privileged specifications.
 */
#ifndef _RISCV_KERNEL_KPROBES_INSN_H
#define _RISCV_KERNEL_KPROBES_INSN_H

#include <linux/types.h>

/* Major opcodes, with the two bits that say "32 bits". */
enum {
	OP_LOAD		= 0x03,
	OP_LOAD_FP	= 0x07,
	OP_MISC_MEM	= 0x0f,
	OP_OP_IMM	= 0x13,
	OP_AUIPC	= 0x17,
	OP_OP_IMM_32	= 0x1b,
	OP_STORE	= 0x23,
	OP_STORE_FP	= 0x27,
	OP_AMO		= 0x2f,
	OP_OP		= 0x33,
	OP_LUI		= 0x37,
	OP_OP_32	= 0x3b,
	OP_MADD		= 0x43,
	OP_MSUB		= 0x47,
	OP_NMSUB	= 0x4b,
	OP_NMADD	= 0x4f,
	OP_OP_FP	= 0x53,
	OP_OP_V		= 0x57,
	OP_BRANCH	= 0x63,
	OP_JALR		= 0x67,
	OP_JAL		= 0x6f,
	OP_SYSTEM	= 0x73,
};

#define INSN_NOP	0x00000013
#define INSN_EBREAK	0x00100073
#define INSN_SRET	0x10200073
#define INSN_MRET	0x30200073
#define INSN_C_EBREAK	0x9002

/* Registers by their numbers. */
enum {
	X_RA = 1,
	X_SP = 2,
	X_T1 = 6,
};

static inline unsigned int bits(u32 word, unsigned int high, unsigned int low)
{
	return (word >> low) & ((2u << (high - low)) - 1);
}

/* The low @n bits of @value, as a signed number. */
static inline long sign_extended(u32 value, unsigned int n)
{
	return (long)((s32)(value << (32 - n)) >> (32 - n));
}

static inline unsigned int opcode_of(u32 word)
{
	return bits(word, 6, 0);
}

static inline unsigned int rd_of(u32 word)
{
	return bits(word, 11, 7);
}

static inline unsigned int funct3_of(u32 word)
{
	return bits(word, 14, 12);
}

static inline unsigned int rs1_of(u32 word)
{
	return bits(word, 19, 15);
}

static inline unsigned int rs2_of(u32 word)
{
	return bits(word, 24, 20);
}

static inline unsigned int funct7_of(u32 word)
{
	return bits(word, 31, 25);
}

/* Immediates, by the names the specification has for the formats. */

static inline long imm_i(u32 word)
{
	return sign_extended(word >> 20, 12);
}

static inline long imm_u(u32 word)
{
	return (s32)(word & 0xfffff000);
}

static inline long imm_b(u32 word)
{
	return sign_extended(bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 |
			     bits(word, 30, 25) << 5 | bits(word, 11, 8) << 1, 13);
}

static inline long imm_j(u32 word)
{
	return sign_extended(bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 |
			     bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1, 21);
}

static inline u32 make_i(u32 op, u32 funct3, u32 rd, u32 rs1, long imm)
{
	return op | rd << 7 | funct3 << 12 | rs1 << 15 | (u32)imm << 20;
}

static inline u32 make_b(u32 funct3, u32 rs1, u32 rs2, long imm)
{
	u32 i = imm;

	return OP_BRANCH | funct3 << 12 | rs1 << 15 | rs2 << 20 |
	       bits(i, 12, 12) << 31 | bits(i, 10, 5) << 25 |
	       bits(i, 4, 1) << 8 | bits(i, 11, 11) << 7;
}

#endif /* _RISCV_KERNEL_KPROBES_INSN_H */
