// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, RISC-V: may an instruction be probed, and how is it executed.
 *
 * Called by the core at registration.  Every instruction is
 *
 * - refused, with a reason, if it cannot be executed anywhere else or does not
 *   survive the exception in front of it;
 * - simulated (simulate.c), if it depends on its address, or is arithmetic on
 *   registers;
 * - stepped, which is all the rest: a copy is run in a slot that ends with a
 *   breakpoint.  No jump without a register to spare reaches from the slots to
 *   the text: "jal x0" does 1 MiB.  So what can be simulated is, to spare it
 *   the second exception.
 *
 * Compressed instructions are expanded to what they stand for and then treated
 * like it.  Encodings are those of the RISC-V unprivileged (RV32/RV64 IMAFDC)
 * and privileged specifications.
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

/* The other way round, for what compressed instructions stand for. */

static u32 make_r(u32 op, u32 funct3, u32 funct7, u32 rd, u32 rs1, u32 rs2)
{
	return op | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25;
}

static u32 make_j(u32 rd, long imm)
{
	u32 i = imm;

	return OP_JAL | rd << 7 | bits(i, 20, 20) << 31 | bits(i, 10, 1) << 21 |
	       bits(i, 11, 11) << 20 | bits(i, 19, 12) << 12;
}

/*
 * A memory access is run as it stands, so all that must be known of one that is
 * compressed is that it is one: this stands for any of them.
 */
#define SOME_ACCESS	OP_LOAD
#define NOT_KNOWN	0

static u32 expand_quadrant0(u16 c)
{
	u32 rd = 8 + bits(c, 4, 2);
	u32 imm;

	switch (bits(c, 15, 13)) {
	case 0:		/* c.addi4spn */
		imm = bits(c, 12, 11) << 4 | bits(c, 10, 7) << 6 |
		      bits(c, 6, 6) << 2 | bits(c, 5, 5) << 3;
		return imm ? make_i(OP_OP_IMM, 0, rd, 2, imm) : NOT_KNOWN;
	case 4:
		return NOT_KNOWN;
	}
	return SOME_ACCESS;
}

static u32 expand_arithmetic(u16 c)
{
	/* What c.sub and its like stand for: funct3, by bits 6 to 5. */
	static const u8 funct3[] = { 0, 4, 6, 7 };
	u32 rd = 8 + bits(c, 9, 7), rs2 = 8 + bits(c, 4, 2);
	u32 shift = bits(c, 12, 12) << 5 | bits(c, 6, 2);
	u32 which = bits(c, 6, 5);

	switch (bits(c, 11, 10)) {
	case 0:		/* c.srli */
		return make_i(OP_OP_IMM, 5, rd, rd, shift);
	case 1:		/* c.srai */
		return make_i(OP_OP_IMM, 5, rd, rd, shift | 0x400);
	case 2:		/* c.andi */
		return make_i(OP_OP_IMM, 7, rd, rd, sign_extended(shift, 6));
	}
	if (!bits(c, 12, 12))	/* c.sub, c.xor, c.or, c.and */
		return make_r(OP_OP, funct3[which], which ? 0 : 0x20, rd, rd, rs2);
	if (which > 1)
		return NOT_KNOWN;
	/* c.subw, c.addw */
	return make_r(OP_OP_32, 0, which ? 0 : 0x20, rd, rd, rs2);
}

static long imm_cj(u16 c)
{
	return sign_extended(bits(c, 12, 12) << 11 | bits(c, 11, 11) << 4 |
			     bits(c, 10, 9) << 8 | bits(c, 8, 8) << 10 |
			     bits(c, 7, 7) << 6 | bits(c, 6, 6) << 7 |
			     bits(c, 5, 3) << 1 | bits(c, 2, 2) << 5, 12);
}

static long imm_cb(u16 c)
{
	return sign_extended(bits(c, 12, 12) << 8 | bits(c, 11, 10) << 3 |
			     bits(c, 6, 5) << 6 | bits(c, 4, 3) << 1 |
			     bits(c, 2, 2) << 5, 9);
}

static u32 expand_lui(u16 c)
{
	u32 rd = bits(c, 11, 7);
	u32 imm6 = bits(c, 12, 12) << 5 | bits(c, 6, 2);

	if (!imm6)
		return NOT_KNOWN;
	if (rd != 2)
		return OP_LUI | rd << 7 | (u32)sign_extended(imm6, 6) << 12;
	/* c.addi16sp */
	return make_i(OP_OP_IMM, 0, 2, 2,
		      sign_extended(bits(c, 12, 12) << 9 | bits(c, 6, 6) << 4 |
				    bits(c, 5, 5) << 6 | bits(c, 4, 3) << 7 |
				    bits(c, 2, 2) << 5, 10));
}

static u32 expand_quadrant1(u16 c)
{
	u32 rd = bits(c, 11, 7);
	long imm6 = sign_extended(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6);

	switch (bits(c, 15, 13)) {
	case 0:		/* c.addi, c.nop */
		return make_i(OP_OP_IMM, 0, rd, rd, imm6);
	case 1:
		if (!IS_ENABLED(CONFIG_64BIT))	/* c.jal */
			return make_j(1, imm_cj(c));
		/* c.addiw */
		return rd ? make_i(OP_OP_IMM_32, 0, rd, rd, imm6) : NOT_KNOWN;
	case 2:		/* c.li */
		return make_i(OP_OP_IMM, 0, rd, 0, imm6);
	case 3:
		return expand_lui(c);
	case 4:
		return expand_arithmetic(c);
	case 5:		/* c.j */
		return make_j(0, imm_cj(c));
	}
	/* c.beqz, c.bnez */
	return make_b(bits(c, 13, 13), 8 + bits(c, 9, 7), 0, imm_cb(c));
}

static u32 expand_jump_or_move(u16 c)
{
	u32 rd = bits(c, 11, 7), rs2 = bits(c, 6, 2);
	u32 links = bits(c, 12, 12);

	if (c == INSN_C_EBREAK)
		return INSN_EBREAK;
	if (rs2)	/* c.mv, c.add */
		return make_r(OP_OP, 0, 0, rd, links ? rd : 0, rs2);
	/* c.jr, c.jalr */
	return rd ? make_i(OP_JALR, 0, links, rd, 0) : NOT_KNOWN;
}

static u32 expand_quadrant2(u16 c)
{
	u32 rd = bits(c, 11, 7);

	switch (bits(c, 15, 13)) {
	case 0:		/* c.slli */
		return make_i(OP_OP_IMM, 1, rd, rd,
			      bits(c, 12, 12) << 5 | bits(c, 6, 2));
	case 2:		/* c.lwsp */
		return rd ? SOME_ACCESS : NOT_KNOWN;
	case 3:		/* c.ldsp, on 32 bit c.flwsp */
		return rd || !IS_ENABLED(CONFIG_64BIT) ? SOME_ACCESS : NOT_KNOWN;
	case 4:
		return expand_jump_or_move(c);
	}
	return SOME_ACCESS;
}

/**
 * kprobe_expand() - what a compressed instruction stands for
 * @c: the instruction
 *
 * Return: one of 32 bits; a load if it is any access to memory; 0 if it is none.
 */
u32 kprobe_expand(u16 c)
{
	switch (bits(c, 1, 0)) {
	case 0:
		return expand_quadrant0(c);
	case 1:
		return expand_quadrant1(c);
	}
	return expand_quadrant2(c);
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_insn_length(const u8 *bytes, size_t avail)
{
	unsigned int length = (bytes[0] & 3) == 3 ? 4 : 2;

	/* The longer formats that are reserved, and what no extension allows. */
	if ((bytes[0] & 0x1f) == 0x1f || avail < length)
		return -EILSEQ;
	if (length == 2 && !IS_ENABLED(CONFIG_RISCV_ISA_C))
		return -EILSEQ;
	return length;
}

static bool is_lr(u32 word)
{
	return opcode_of(word) == OP_AMO && bits(word, 31, 27) == 0x02 && !rs2_of(word);
}

static bool is_sc(u32 word)
{
	return opcode_of(word) == OP_AMO && bits(word, 31, 27) == 0x03;
}

/**
 * kprobe_in_lrsc() - is a place between a load-reserved and its store
 * @text: the place, with text around it
 * @before: opcode units of 16 bits that may be read before it
 * @after: the same behind it, itself included
 *
 * An exception in between takes the reservation away, every time: the store
 * would fail for ever.  Where instructions begin is not known; that two words of
 * others look like the pair is so unlikely that it does not matter.
 */
bool kprobe_in_lrsc(const u16 *text, size_t before, size_t after)
{
	const size_t far = KPROBE_LRSC_BYTES / sizeof(u16);
	size_t back, ahead;
	u32 word;

	for (back = 1; back <= before && back <= far; back++) {
		if (back == 1 && !after)
			return false;
		word = text[-(long)back] | (u32)text[1 - (long)back] << 16;
		if (is_sc(word))
			return false;
		if (!is_lr(word))
			continue;
		for (ahead = 0; ahead + 1 < after && ahead + back < far; ahead++)
			if (is_sc(text[ahead] | (u32)text[ahead + 1] << 16))
				return true;
		return false;
	}
	return false;
}

/* Control and status registers that the exception itself writes. */
static bool is_trap_csr(unsigned int csr)
{
	switch (csr) {
	case 0x140 ... 0x143:	/* sscratch, sepc, scause, stval */
	case 0x340 ... 0x343:	/* the machine's */
		return true;
	}
	return false;
}

static const char *refuse_system(u32 word)
{
	if (funct3_of(word) == 4)	/* loads and stores of a guest's memory */
		return NULL;
	if (funct3_of(word))
		return is_trap_csr(word >> 20) ?
		       "reads or writes what every exception overwrites (CSR)" : NULL;

	switch (funct7_of(word)) {
	case 0x09:	/* sfence.vma, sinval.vma, and what belongs to it */
	case 0x0b:
	case 0x0c:
	case 0x11:	/* the hypervisor's */
	case 0x13:
	case 0x31:
	case 0x33:
		return NULL;
	}
	switch (word >> 20) {
	case 0x000:
		return "calls the firmware (ecall)";
	case 0x001:
		return "a breakpoint is part of the text (ebreak)";
	case 0x102:
	case 0x302:
		return "returns from an exception (sret, mret)";
	case 0x105:
		return "waits for an interrupt that the trap may have taken (wfi)";
	}
	return "unknown system instruction";
}

/* Why must this instruction not be probed; NULL if it may. */
static const char *refuse(u32 word)
{
	if (is_lr(word))
		return "begins what an exception would undo (lr)";
	if (is_sc(word))
		return "ends what an exception would undo (sc)";
	if (opcode_of(word) == OP_SYSTEM)
		return refuse_system(word);
	return NULL;
}

#define SIMULATOR(name) kprobe_simulate_##name

static kprobe_simulate_t branch_simulator(u32 word)
{
	static const kprobe_simulate_t by_funct3[8] = {
		SIMULATOR(beq), SIMULATOR(bne), NULL, NULL,
		SIMULATOR(blt), SIMULATOR(bge), SIMULATOR(bltu), SIMULATOR(bgeu),
	};

	return by_funct3[funct3_of(word)];
}

/*
 * Arithmetic of the base instruction set.  In the immediate forms funct7 is
 * part of the operand, but for shifts, where it (less its lowest bit, on 64 bit
 * a bit of the distance) chooses like it does for registers.
 */
static kprobe_simulate_t arithmetic_simulator(u32 word, bool immediate)
{
	static const kprobe_simulate_t by_funct3[8] = {
		SIMULATOR(add), SIMULATOR(sll), SIMULATOR(slt), SIMULATOR(sltu),
		SIMULATOR(xor), SIMULATOR(srl), SIMULATOR(or), SIMULATOR(and),
	};
	unsigned int funct3 = funct3_of(word), funct7 = funct7_of(word);
	bool shift = funct3 == 1 || funct3 == 5;

	if (immediate && !shift)
		return by_funct3[funct3];
	if (immediate && IS_ENABLED(CONFIG_64BIT))
		funct7 &= ~1u;
	if (!funct7)
		return by_funct3[funct3];
	if (funct7 == 0x20 && funct3 == 5)
		return SIMULATOR(sra);
	if (funct7 == 0x20 && funct3 == 0)
		return SIMULATOR(sub);
	return NULL;
}

/* The same on 32 of 64 bits. */
static kprobe_simulate_t arithmetic32_simulator(u32 word, bool immediate)
{
	unsigned int funct3 = funct3_of(word), funct7 = funct7_of(word);

	if (immediate && !funct3)
		return SIMULATOR(addw);
	switch (funct7 << 3 | funct3) {
	case 0x00 << 3 | 0:
		return SIMULATOR(addw);
	case 0x20 << 3 | 0:
		return SIMULATOR(subw);
	case 0x00 << 3 | 1:
		return SIMULATOR(sllw);
	case 0x00 << 3 | 5:
		return SIMULATOR(srlw);
	case 0x20 << 3 | 5:
		return SIMULATOR(sraw);
	}
	return NULL;
}

/* The simulator, with its operands in @arch, or NULL if there is none. */
static kprobe_simulate_t choose_simulator(struct arch_kprobe_insn *arch, u32 word)
{
	unsigned int opcode = opcode_of(word);
	kprobe_simulate_t simulate = NULL;

	memset(arch, 0, sizeof(*arch));
	arch->rd = rd_of(word);
	arch->rs1 = rs1_of(word);

	switch (opcode) {
	case OP_LUI:
		arch->rs1 = 0;
		arch->imm = imm_u(word);
		return SIMULATOR(add);
	case OP_AUIPC:
		arch->imm = imm_u(word);
		return SIMULATOR(auipc);
	case OP_JAL:
		arch->imm = imm_j(word);
		return SIMULATOR(jal);
	case OP_JALR:
		arch->imm = imm_i(word);
		return funct3_of(word) ? NULL : SIMULATOR(jalr);
	case OP_BRANCH:
		arch->rs2 = rs2_of(word);
		arch->imm = imm_b(word);
		return branch_simulator(word);
	case OP_OP_IMM:
		arch->imm = imm_i(word);
		simulate = arithmetic_simulator(word, true);
		break;
	case OP_OP_IMM_32:
		arch->imm = imm_i(word);
		simulate = arithmetic32_simulator(word, true);
		break;
	case OP_OP:
		arch->rs2 = rs2_of(word);
		simulate = arithmetic_simulator(word, false);
		break;
	case OP_OP_32:
		arch->rs2 = rs2_of(word);
		simulate = arithmetic32_simulator(word, false);
		break;
	}
	return simulate;
}

/* Is it one that runs the same wherever it stands? */
static bool runs_anywhere(u32 word)
{
	switch (opcode_of(word)) {
	case OP_LOAD:
	case OP_LOAD_FP:
	case OP_MISC_MEM:
	case OP_OP_IMM:
	case OP_OP_IMM_32:
	case OP_STORE:
	case OP_STORE_FP:
	case OP_AMO:
	case OP_OP:
	case OP_OP_32:
	case OP_MADD:
	case OP_MSUB:
	case OP_NMSUB:
	case OP_NMADD:
	case OP_OP_FP:
	case OP_OP_V:
	case OP_SYSTEM:
		return true;
	}
	return false;
}

/**
 * kprobe_insn_word() - an instruction as one of 32 bits
 * @insn: the instruction, with @bytes and @length
 *
 * Return: as that of kprobe_expand().
 */
u32 kprobe_insn_word(const struct kprobe_insn *insn)
{
	u32 word = insn->bytes[0] | insn->bytes[1] << 8;

	if (insn->length == 2)
		return kprobe_expand(word);
	return word | insn->bytes[2] << 16 | (u32)insn->bytes[3] << 24;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_decode(struct kprobe_insn *insn, unsigned long addr, const char **why)
{
	int length = arch_kprobe_insn_length(insn->bytes, insn->avail);
	u32 word;

	if (length < 0) {
		*why = "not an instruction";
		return length;
	}
	insn->length = length;
	word = kprobe_insn_word(insn);

	*why = refuse(word);
	if (*why)
		return -EINVAL;

	insn->simulate = choose_simulator(&insn->arch, word);
	insn->exec = insn->simulate ? KPROBE_EXEC_SIMULATE : KPROBE_EXEC_STEP;
	insn->wants_slot = !insn->simulate;
	if (!insn->simulate && !runs_anywhere(word)) {
		*why = "not an instruction";
		return -EILSEQ;
	}
	return 0;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_build_slot(struct kprobe_insn *insn, unsigned long addr,
			   unsigned long slot, void *image)
{
	const kprobe_opcode_t tail = KPROBE_BREAKPOINT;
	unsigned int at;

	for (at = insn->length; at < KPROBE_SLOT_BYTES; at += sizeof(tail))
		memcpy(image + at, &tail, sizeof(tail));
	memcpy(image, insn->bytes, insn->length);
	insn->tail = insn->length;
	insn->tail_jump = tail;
	return 0;
}
