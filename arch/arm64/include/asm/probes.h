/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: what kernel probes and user probes share: a decoded A64 instruction.
 *
 * For <asm/kprobes.h>, <asm/uprobes.h> and arch/arm64/kernel/{kprobes,probes}/.
 */
#ifndef _ASM_ARM64_PROBES_H
#define _ASM_ARM64_PROBES_H

#include <linux/types.h>

struct pt_regs;

/**
 * enum a64_kind - how an instruction is executed when it is probed
 * @A64_COPY: a copy does the same at any other address
 * @A64_NOP: it does nothing; also the prefetch of a literal
 * @A64_B: b
 * @A64_BL: bl
 * @A64_B_COND: b.cond, bc.cond
 * @A64_CBZ: cbz, cbnz, of 64 bits
 * @A64_CBZ_W: cbz, cbnz, of 32 bits
 * @A64_TBZ: tbz, tbnz
 * @A64_BR: br; with a signed address: braa, brab, braaz, brabz
 * @A64_BLR: blr; with a signed address: blraa, blrab, blraaz, blrabz
 * @A64_RET: ret; with a signed address: retaa, retab
 * @A64_ADR: adr
 * @A64_ADRP: adrp
 * @A64_LDR: ldr of a literal of 64 bits
 * @A64_LDR_W: ldr of a literal of 32 bits
 * @A64_LDRSW: ldrsw of a literal
 * @A64_LDR_VECTOR: ldr of a literal into a vector register
 *
 * All but @A64_COPY are simulated: they look at their own address, or are not
 * worth the detour.
 */
enum a64_kind {
	A64_COPY,
	A64_NOP,
	A64_B,
	A64_BL,
	A64_B_COND,
	A64_CBZ,
	A64_CBZ_W,
	A64_TBZ,
	A64_BR,
	A64_BLR,
	A64_RET,
	A64_ADR,
	A64_ADRP,
	A64_LDR,
	A64_LDR_W,
	A64_LDRSW,
	A64_LDR_VECTOR,
};

/* The address in the register of a branch is signed; with which key. */
enum a64_auth {
	A64_AUTH_NONE,
	A64_AUTH_KEY_A,
	A64_AUTH_KEY_B,
};

/**
 * struct a64_insn - what a simulator needs to know
 * @offset: from the instruction to its target or literal; for adrp from the
 *	4 KiB page that the instruction is in
 * @kind: the simulator
 * @reg: the register it reads or writes
 * @arg: the condition of b.cond; the bit of tbz; the register with the
 *	modifier of a signed address, see @zero_modifier; how many bytes of a
 *	vector register are loaded
 * @inverted: cbnz, tbnz
 * @auth: of br, blr, ret
 * @zero_modifier: the address was signed with zero for a modifier
 */
struct a64_insn {
	s64 offset;
	u8 kind;
	u8 reg;
	u8 arg;
	bool inverted;
	u8 auth;
	bool zero_modifier;
};

/* For user probes, whose code knows these names. */
typedef u32 probe_opcode_t;
typedef void (probes_handler_t)(u32 opcode, long addr, struct pt_regs *regs);

struct arch_probe_insn {
	probes_handler_t *handler;
};

#endif /* _ASM_ARM64_PROBES_H */
