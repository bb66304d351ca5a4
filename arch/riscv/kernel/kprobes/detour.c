// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, RISC-V: what a detour buffer is made of.
 *
 * Called by the core when it replaces a breakpoint by a jump.  That is
 *
 *	jalr	rd, -2048 + n(zero)
 *
 * with a register rd that nobody reads there: one instruction of 32 bits, so
 * that no task can stand in its middle, and most jumps replace nothing but the
 * probed instruction.  It reaches the last 2 KiB of the address space, from
 * anywhere: the second half of a page that arch.c maps there, with a few
 * instructions for each rd (detour_entry.S).  They know from rd where they came
 * from.  The buffer is left with
 *
 *	copies of the instructions the jump replaces
 *	auipc, jalr	a jump behind the last of them, through a free register
 *
 * Nothing here depends on the state of the running kernel: the file is also
 * compiled for the test in tools/kprobes/host/riscv-decode.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "common.h"
#include "insn.h"

/**
 * struct copy - a copy that is being written
 * @words: what there is of it
 * @nr: how many words
 * @at: address of the first one
 * @err: -ERANGE if an operand did not reach, -EBUSY if no register was free
 */
struct copy {
	u32 words[8];
	unsigned int nr;
	unsigned long at;
	int err;
};

static void put(struct copy *c, u32 word)
{
	c->words[c->nr++] = word;
}

/* auipc, and an instruction with what is missing. */
static void put_pair(struct copy *c, u32 op, u32 rd, u32 reg, unsigned long address)
{
	long distance = address - (c->at + c->nr * 4);
	long low = sign_extended(distance & 0xfff, 12), high = distance - low;

	if ((s32)high != high)
		c->err = -ERANGE;
	put(c, OP_AUIPC | reg << 7 | (u32)high);
	put(c, make_i(op, 0, rd, reg, low));
}

static void put_address(struct copy *c, u32 reg, unsigned long address)
{
	put_pair(c, OP_OP_IMM, reg, reg, address);
}

static void put_jump_through(struct copy *c, u32 reg, unsigned long target)
{
	put_pair(c, OP_JALR, 0, reg, target);
}

static void put_jump(struct copy *c, unsigned long target)
{
	unsigned int reg = kprobe_free_register(target);

	if (!reg)
		c->err = -EBUSY;
	else
		put_jump_through(c, reg, target);
}

/* Over a jump that gets there: the condition inverted. */
static void put_branch(struct copy *c, u32 word, unsigned long target)
{
	put(c, make_b(funct3_of(word) ^ 1, rs1_of(word), rs2_of(word), 3 * 4));
	put_jump(c, target);
}

/* At a call the temporaries are free, but for the one that holds the target. */
static void put_call(struct copy *c, unsigned long next, unsigned long target)
{
	put_address(c, X_RA, next);
	put_jump_through(c, X_T1, target);
}

static void put_indirect_call(struct copy *c, u32 word, unsigned long next)
{
	unsigned int reg = rs1_of(word);

	if (reg == X_RA) {
		reg = X_T1;
		put(c, make_i(OP_OP_IMM, 0, reg, X_RA, 0));
	}
	put_address(c, X_RA, next);
	put(c, make_i(OP_JALR, 0, 0, reg, imm_i(word)));
}

/* Does it leave a return address elsewhere than a call does? */
static bool links_elsewhere(u32 word)
{
	return (opcode_of(word) == OP_JAL || opcode_of(word) == OP_JALR) &&
	       rd_of(word) && rd_of(word) != X_RA;
}

/* Returns false if a plain copy does. */
static bool put_replacement(struct copy *c, u32 word, unsigned long from,
			    unsigned int length)
{
	switch (opcode_of(word)) {
	case OP_AUIPC:
		if (rd_of(word))
			put_address(c, rd_of(word), from + imm_u(word));
		return true;
	case OP_BRANCH:
		put_branch(c, word, from + imm_b(word));
		return true;
	case OP_JAL:
		if (rd_of(word))
			put_call(c, from + length, from + imm_j(word));
		else
			put_jump(c, from + imm_j(word));
		return true;
	case OP_JALR:
		if (!rd_of(word))
			return false;
		put_indirect_call(c, word, from + length);
		return true;
	}
	return false;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_relocate(const struct kprobe_insn *insn, unsigned long from,
			 unsigned long to, u8 *image, unsigned int room,
			 const char **why)
{
	u32 word = kprobe_insn_word(insn);
	struct copy c = { .at = to };
	const void *bytes = c.words;
	unsigned int len;

	*why = "a call that does not link through ra";
	if (links_elsewhere(word))
		return -EINVAL;
	if (put_replacement(&c, word, from, insn->length)) {
		len = c.nr * sizeof(u32);
	} else {
		bytes = insn->bytes;
		len = insn->length;
	}
	if (c.err) {
		*why = c.err == -EBUSY ? "no register is free where a branch goes" :
					 "an operand is out of reach of the detour buffer";
		return c.err;
	}
	if (len > room) {
		*why = "the copies are longer than a detour buffer";
		return -ENOSPC;
	}
	memcpy(image, bytes, len);
	return len;
}

/* Documented in <linux/kprobes_arch.h>. */
bool arch_kprobe_calls(const struct kprobe_insn *insn)
{
	u32 word = kprobe_insn_word(insn);

	return (opcode_of(word) == OP_JAL || opcode_of(word) == OP_JALR) && rd_of(word);
}

static u32 word_at(const u8 *bytes)
{
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (u32)bytes[3] << 24;
}

/* What the low half of an address is added to is in a register by auipc. */
static unsigned long pair_address(const u8 *bytes, size_t avail, unsigned long addr)
{
	u32 word = word_at(bytes), next;

	if (avail < 8 || (bytes[4] & 3) != 3)
		return 0;
	next = word_at(bytes + 4);
	if (rs1_of(next) != rd_of(word) ||
	    (opcode_of(next) != OP_OP_IMM && opcode_of(next) != OP_JALR))
		return 0;
	return addr + imm_u(word) + imm_i(next);
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_flow(const u8 *bytes, size_t avail, unsigned long addr,
		     struct kprobe_flow *flow)
{
	int length = avail < 2 ? -EILSEQ : arch_kprobe_insn_length(bytes, avail);
	u32 word;

	if (length < 0)
		return length;
	memset(flow, 0, sizeof(*flow));
	flow->length = length;
	word = length == 4 ? word_at(bytes) : kprobe_expand(bytes[0] | bytes[1] << 8);

	switch (opcode_of(word)) {
	case OP_BRANCH:
		flow->target[0] = addr + imm_b(word);
		break;
	case OP_JAL:
		flow->target[0] = addr + imm_j(word);
		flow->ends = !rd_of(word);
		break;
	case OP_JALR:
		flow->ends = !rd_of(word);
		flow->indirect = flow->ends && rs1_of(word) != X_RA;
		break;
	case OP_AUIPC:
		flow->target[0] = pair_address(bytes, avail, addr);
		break;
	case OP_OP_IMM:
		flow->filler = word == INSN_NOP;
		break;
	}
	return 0;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_jump(void *image, unsigned long from, unsigned long to)
{
	unsigned int reg = kprobe_free_register(from);
	u32 word = make_i(OP_JALR, 0, reg, 0, KPROBE_JUMP_STUBS + reg * KPROBE_JUMP_STUB_BYTES);

	if (!kprobe_jump_page_mapped)
		return -ERANGE;
	memcpy(image, &word, sizeof(word));
	return reg ? 0 : -EBUSY;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_jump_back(void *image, unsigned long from, unsigned long to)
{
	struct copy c = { .at = from };

	put_jump(&c, to);
	memcpy(image, c.words, KPROBE_JUMP_BACK_BYTES);
	return c.err;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_entry(void *image, unsigned long detour, struct kprobe_point *pt)
{
	return 0;
}
