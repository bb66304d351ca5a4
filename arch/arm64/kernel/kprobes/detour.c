// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, arm64: what a detour buffer is made of.
 *
 * Called by the core when it replaces a breakpoint by a jump.  A buffer looks
 * like this:
 *
 *		.quad	the probe point
 *		.quad	kprobe_detour_enter	(detour_entry.S)
 *	entry:	sub	sp, sp, #PT_REGS_SIZE
 *		stp	x29, x30, [sp, #S_FP]
 *		ldr	x30, the second word
 *		blr	x30
 *		ldp	x29, x30, [sp, #S_FP]
 *		add	sp, sp, #PT_REGS_SIZE
 *	body:	a copy of the instruction, or what does the same from here
 *		b	behind the instruction
 *
 * Nothing here depends on the state of the running kernel: the file is also
 * compiled for the test in tools/kprobes/host/arm64-decode.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kprobes_arch.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/cpufeature.h>

#include "a64.h"

#define LINK_REG	30
#define ZERO_REG	31

#define B		0x14000000
#define BR		0xd61f0000
#define ADRP		0x90000000
#define ADD_IMM		0x91000000
#define LDR_X		0xf9400000
#define LDR_W		0xb9400000
#define LDRSW		0xb9800000

/* Bit 21 tells "blr" from "br", those with a signed address as well. */
#define BLR_BIT		BIT(21)

static u32 instruction(const struct kprobe_insn *insn)
{
	__le32 word;

	memcpy(&word, insn->bytes, sizeof(word));
	return le32_to_cpu(word);
}

/**
 * struct copy - a copy that is being written
 * @words: what there is of it
 * @nr: how many words
 * @at: address of the first one
 * @far: an operand did not reach
 */
struct copy {
	__le32 words[4];
	unsigned int nr;
	unsigned long at;
	bool far;
};

static void put(struct copy *c, u32 word)
{
	c->words[c->nr++] = cpu_to_le32(word);
}

static unsigned long here(const struct copy *c)
{
	return c->at + c->nr * A64_INSN_BYTES;
}

static void put_b(struct copy *c, unsigned long target)
{
	long distance = target - here(c);

	c->far |= distance < -(long)SZ_128M || distance >= (long)SZ_128M;
	put(c, B | (distance >> 2 & 0x03ffffff));
}

/* adrp: the page of an address. */
static void put_adrp(struct copy *c, unsigned int reg, unsigned long address)
{
	long pages = (long)((address & ~0xfffUL) - (here(c) & ~0xfffUL)) >> 12;

	c->far |= pages < -(1L << 20) || pages >= 1L << 20;
	put(c, ADRP | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5 | reg);
}

static void put_address(struct copy *c, unsigned int reg, unsigned long address)
{
	put_adrp(c, reg, address);
	put(c, ADD_IMM | (address & 0xfff) << 10 | reg << 5 | reg);
}

/*
 * A branch that may be taken reaches less far than the jumps behind it:
 *
 *		b.cond	1f
 *		b	2f
 *	1:	b	target
 *	2:
 */
static void put_conditional(struct copy *c, u32 word, u32 offset_mask, unsigned long target)
{
	put(c, (word & ~offset_mask) | 2 << 5);
	put_b(c, here(c) + 2 * A64_INSN_BYTES);
	put_b(c, target);
}

/* "blr" leaves the true return address, and is a "br" then. */
static void put_indirect_call(struct copy *c, u32 word, unsigned long next)
{
	put_address(c, LINK_REG, next);
	put(c, word & ~BLR_BIT);
}

static void put_literal_load(struct copy *c, u32 opcode, unsigned int reg,
			     unsigned long address)
{
	if (reg == ZERO_REG)
		return;
	put_address(c, reg, address);
	put(c, opcode | reg << 5 | reg);
}

/* Is it looked at whether branches to registers' addresses hit landing pads? */
static bool is_text_guarded(void)
{
	return IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && system_supports_bti();
}

/* The copy of "blr" is a "br"; landing pads of functions are for two of these. */
static const char *refuse_call(const struct a64_insn *a64)
{
	if (a64->reg == LINK_REG || (a64->auth != A64_AUTH_NONE && a64->arg == LINK_REG))
		return "a call goes through the link register";
	if (is_text_guarded() && a64->reg != 16 && a64->reg != 17)
		return "a call would look like a jump to its target's landing pad";
	return NULL;
}

static bool is_landing_pad(u32 word)
{
	if ((word & 0xfffff01f) != 0xd503201f)
		return false;
	switch (word >> 5 & 0x7f) {
	case 25:		/* paciasp */
	case 27:		/* pacibsp */
	case 32:		/* bti */
	case 34:		/* bti c */
	case 36:		/* bti j */
	case 38:		/* bti jc */
		return true;
	}
	return false;
}

static const char *refuse_detour(const struct kprobe_insn *insn)
{
	const struct a64_insn *a64 = &insn->arch.a64;

	if (a64->kind == A64_BLR)
		return refuse_call(a64);
	if (a64->kind == A64_LDR_VECTOR)
		return "no free register to load a vector from elsewhere";
	if (is_text_guarded() && is_landing_pad(instruction(insn)))
		return "a jump is no landing pad";
	return NULL;
}

static void put_copy(struct copy *c, const struct kprobe_insn *insn, unsigned long from)
{
	const struct a64_insn *a64 = &insn->arch.a64;
	unsigned long target = from + a64->offset;
	u32 word = instruction(insn);

	switch (a64->kind) {
	case A64_COPY:
	case A64_BR:
	case A64_RET:
		put(c, word);
		break;
	case A64_NOP:
		break;
	case A64_BL:
		put_address(c, LINK_REG, from + A64_INSN_BYTES);
		fallthrough;
	case A64_B:
		put_b(c, target);
		break;
	case A64_B_COND:
	case A64_CBZ:
	case A64_CBZ_W:
		put_conditional(c, word, 0x7ffff << 5, target);
		break;
	case A64_TBZ:
		put_conditional(c, word, 0x3fff << 5, target);
		break;
	case A64_BLR:
		put_indirect_call(c, word, from + A64_INSN_BYTES);
		break;
	case A64_ADR:
		if (a64->reg != ZERO_REG)
			put_address(c, a64->reg, target);
		break;
	case A64_ADRP:
		put_adrp(c, a64->reg, (from & ~0xfffUL) + a64->offset);
		break;
	case A64_LDR:
		put_literal_load(c, LDR_X, a64->reg, target);
		break;
	case A64_LDR_W:
		put_literal_load(c, LDR_W, a64->reg, target);
		break;
	case A64_LDRSW:
		put_literal_load(c, LDRSW, a64->reg, target);
		break;
	}
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_relocate(const struct kprobe_insn *insn, unsigned long from,
			 unsigned long to, u8 *image, unsigned int room,
			 const char **why)
{
	struct copy c = { .at = to };
	unsigned int bytes;

	*why = refuse_detour(insn);
	if (*why)
		return -EINVAL;
	put_copy(&c, insn, from);
	if (c.far) {
		*why = "an operand is out of reach of the detour buffer";
		return -ERANGE;
	}
	bytes = c.nr * A64_INSN_BYTES;
	if (bytes > room) {
		*why = "the copies are longer than a detour buffer";
		return -ENOSPC;
	}
	memcpy(image, c.words, bytes);
	return bytes;
}

/* Documented in <linux/kprobes_arch.h>. */
bool arch_kprobe_calls(const struct kprobe_insn *insn)
{
	return insn->arch.a64.kind == A64_BL || insn->arch.a64.kind == A64_BLR;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_flow(const u8 *bytes, size_t avail, unsigned long addr,
		     struct kprobe_flow *flow)
{
	struct a64_insn a64;
	const char *why;
	__le32 word;

	memset(flow, 0, sizeof(*flow));
	if (avail < A64_INSN_BYTES)
		return -EILSEQ;
	flow->length = A64_INSN_BYTES;
	memcpy(&word, bytes, sizeof(word));
	if (a64_decode(le32_to_cpu(word), &a64, &why))
		return 0;
	flow->indirect = a64.kind == A64_BR;
	flow->ends = a64.kind == A64_B || a64.kind == A64_RET || flow->indirect;
	if (a64.kind != A64_COPY && a64.offset)
		flow->target[0] = addr + a64.offset;
	return 0;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_jump(void *image, unsigned long from, unsigned long to)
{
	struct copy c = { .at = from };

	put_b(&c, to);
	memcpy(image, c.words, KPROBE_JUMP_BYTES);
	return c.far ? -ERANGE : 0;
}

#define SUB_SP		0xd10003ff
#define ADD_SP		0x910003ff
#define STP_SP		0xa90003e0
#define LDP_SP		0xa94003e0
#define LDR_LITERAL	0x58000000
#define BLR_LINK	0xd63f03c0

#define FRAME_LINK_AT	offsetof(struct pt_regs, regs[29])
#define FRAME_LINK	(FRAME_LINK_AT / 8 << 15 | LINK_REG << 10 | 29)

static_assert(sizeof(struct pt_regs) < 4096 && sizeof(struct pt_regs) % 16 == 0);

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_entry(void *image, unsigned long detour, struct kprobe_point *pt)
{
	void (*enter)(void) = kprobe_detour_enter;
	const u32 code[] = {
		SUB_SP | sizeof(struct pt_regs) << 10,
		STP_SP | FRAME_LINK,
		/* From here to the second pointer: four words back. */
		LDR_LITERAL | (-4 & 0x7ffff) << 5 | LINK_REG,
		BLR_LINK,
		LDP_SP | FRAME_LINK,
		ADD_SP | sizeof(struct pt_regs) << 10,
	};
	__le32 *entry = image + KPROBE_DETOUR_ENTRY;
	unsigned int i;

	static_assert(sizeof(pt) + sizeof(enter) == KPROBE_DETOUR_ENTRY);
	static_assert(KPROBE_DETOUR_ENTRY + sizeof(code) == KPROBE_DETOUR_BODY);
	memcpy(image, &pt, sizeof(pt));
	memcpy(image + sizeof(pt), &enter, sizeof(enter));
	for (i = 0; i < sizeof(code) / sizeof(*code); i++)
		entry[i] = cpu_to_le32(code[i]);
	return 0;
}
