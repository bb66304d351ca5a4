// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, RISC-V: which registers are free.
 *
 * For detour.c.  No jump gets far without a register.  A function may leave
 * what it likes in the temporaries (t0 to t6): behind a call, and behind a
 * return, nobody reads what was in them.  (Compilers that look which registers a
 * function leaves alone are told not to: arch/riscv/Makefile.)  One that on all
 * ways to there is not read, or is written before it is read, is free.
 *
 * Nothing here depends on the state of the running kernel but what
 * kprobe_text_kind() tells: the file is also compiled for the test in
 * tools/kprobes/host/riscv-decode.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "common.h"
#include "insn.h"

#define TEMPORARIES	(GENMASK(7, 5) | GENMASK(31, 28))

/* Instructions looked at, and places where they branch to, at most. */
#define STEPS_MAX	400
#define PLACES_MAX	64

/**
 * struct place - where execution may come to
 * @addr: its address
 * @open: temporaries that were neither read nor written on the way
 */
struct place {
	unsigned long addr;
	u32 open;
};

/**
 * struct search - a search for free registers
 * @live: temporaries that are read, as far as is known yet
 * @places: where execution may come to; all of them are looked at once
 * @nr: how many places there are
 * @steps: how many more instructions may be looked at
 */
struct search {
	u32 live;
	struct place places[PLACES_MAX];
	unsigned int nr;
	unsigned int steps;
};

/* This way cannot be followed: all that is still open may be read there. */
static void give_up(struct search *s, u32 open)
{
	s->live |= open;
}

static void add_place(struct search *s, unsigned long addr, u32 open)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->places[i].addr == addr && !(open & ~s->places[i].open))
			return;
	if (s->nr == PLACES_MAX) {
		give_up(s, open);
		return;
	}
	s->places[s->nr].addr = addr;
	s->places[s->nr++].open = open;
}

/* Compressed accesses reach a temporary by way of the stack pointer only. */
static void stack_access(u16 c, u32 *reads, u32 *writes)
{
	*reads = *writes = 0;
	if (bits(c, 1, 0) != 2)
		return;
	if (bits(c, 15, 15))
		*reads = BIT(bits(c, 6, 2));		/* c.swsp, c.sdsp */
	else
		*writes = BIT(bits(c, 11, 7));		/* c.lwsp, c.ldsp */
}

/*
 * Fields that are none in fact may be taken for registers that are read, not for
 * such that are written.
 */
static void operands(u32 word, u32 *reads, u32 *writes)
{
	u32 rs1 = BIT(rs1_of(word)), rs2 = BIT(rs2_of(word)), rd = BIT(rd_of(word));

	*reads = rs1 | rs2;
	*writes = 0;
	switch (opcode_of(word)) {
	case OP_LUI:
	case OP_AUIPC:
	case OP_JAL:
		*reads = 0;
		*writes = rd;
		break;
	case OP_LOAD:
	case OP_OP_IMM:
	case OP_OP_IMM_32:
	case OP_JALR:
		*reads = rs1;
		*writes = rd;
		break;
	case OP_OP:
	case OP_OP_32:
	case OP_AMO:
		*writes = rd;
		break;
	case OP_LOAD_FP:
	case OP_STORE_FP:
	case OP_MISC_MEM:
		*reads = rs1;
		break;
	case OP_SYSTEM:
		if (!funct3_of(word))
			break;
		*writes = rd;
		if (funct3_of(word) != 4)
			*reads = funct3_of(word) & 4 ? 0 : rs1;
		break;
	}
}

/* May it fault? */
static bool may_fault(u32 word)
{
	switch (opcode_of(word)) {
	case OP_LOAD:
	case OP_LOAD_FP:
	case OP_STORE:
	case OP_STORE_FP:
	case OP_AMO:
	case OP_SYSTEM:
		return true;
	}
	return false;
}

/*
 * Where does execution go from the instruction at @at?  Returns false if not to
 * the one behind it.
 */
static bool follow(struct search *s, struct place *at, u32 word, unsigned int length)
{
	unsigned long elsewhere;

	switch (opcode_of(word)) {
	case OP_BRANCH:
		add_place(s, at->addr + imm_b(word), at->open);
		return true;
	case OP_JAL:
		if (rd_of(word) == X_RA)
			return false;
		/* What a static key rewrites is one of 32 bits. */
		if (rd_of(word) || (length == 4 && kprobe_text_kind(at->addr, word, NULL) !=
						   KPROBE_TEXT_PLAIN))
			give_up(s, at->open);
		else
			add_place(s, at->addr + imm_j(word), at->open);
		return false;
	case OP_JALR:
		if (rd_of(word) != X_RA && (rd_of(word) || rs1_of(word) != X_RA))
			give_up(s, at->open);
		return false;
	case OP_SYSTEM:
		if (word == INSN_SRET || word == INSN_MRET) {
			give_up(s, at->open);
			return false;
		}
		break;
	}

	if (word == INSN_NOP ? length == 2 : word != INSN_EBREAK && !may_fault(word))
		return true;
	switch (kprobe_text_kind(at->addr, word, &elsewhere)) {
	case KPROBE_TEXT_PLAIN:
		return true;
	case KPROBE_TEXT_ENDS:
		return false;
	case KPROBE_TEXT_FAULTS:
		add_place(s, elsewhere, at->open);
		return true;
	case KPROBE_TEXT_CHANGES:
		break;
	}
	give_up(s, at->open);
	return false;
}

/* The next instruction; returns its length, or 0. */
static unsigned int read_insn(unsigned long addr, u16 *c, u32 *word)
{
	u8 bytes[4];
	int length;

	if (kprobe_copy_text(bytes, addr, 2))
		return 0;
	*c = bytes[0] | bytes[1] << 8;
	length = (bytes[0] & 3) == 3 ? 4 : 2;
	if (length == 4 && kprobe_copy_text(bytes + 2, addr + 2, 2))
		return 0;
	if (arch_kprobe_insn_length(bytes, length) != length)
		return 0;
	*word = length == 2 ? kprobe_expand(*c) :
			      *c | bytes[2] << 16 | (u32)bytes[3] << 24;
	return *word ? length : 0;
}

static void search_from(struct search *s, struct place at)
{
	for (;;) {
		unsigned int length;
		u32 word, reads, writes;
		u16 c;

		at.open &= ~s->live;
		if (!at.open)
			return;
		length = s->steps ? read_insn(at.addr, &c, &word) : 0;
		if (!length) {
			give_up(s, at.open);
			return;
		}
		s->steps--;
		if (length == 2 && opcode_of(word) == OP_LOAD)
			stack_access(c, &reads, &writes);
		else
			operands(word, &reads, &writes);
		s->live |= reads & at.open;
		/* If it faults, it has not written. */
		if (may_fault(word)) {
			u32 open = at.open & ~reads;

			at.open = open;
			if (!follow(s, &at, word, length))
				return;
			at.open = open & ~writes;
		} else {
			at.open &= ~(reads | writes);
			if (!follow(s, &at, word, length))
				return;
		}
		at.addr += length;
	}
}

/**
 * kprobe_free_register() - find a register that nobody reads
 * @addr: where execution goes on
 *
 * Context: process context, kprobe_mutex held.
 * Return: its number; 0 if there is none, or none is known.
 */
unsigned int kprobe_free_register(unsigned long addr)
{
	/* t0 is last: jumps through it look like calls to a CPU. */
	static const u8 order[] = { 28, 29, 30, 31, 7, 6, 5 };
	struct search s = { .steps = STEPS_MAX };
	unsigned int i;

	add_place(&s, addr, TEMPORARIES);
	for (i = 0; i < s.nr; i++)
		search_from(&s, s.places[i]);
	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (!(s.live & BIT(order[i])))
			return order[i];
	return 0;
}
