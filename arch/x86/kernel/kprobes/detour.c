// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, x86: what a detour buffer is made of.
 *
 * Called by the core when it replaces a breakpoint by a jump.  A buffer looks
 * like this:
 *
 *		.quad	the probe point
 *	entry:	call	kprobe_detour_enter	(detour_entry.S)
 *	body:	copies of the instructions the jump replaces
 *		jmp	behind the last of them
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/insn.h>
#include <asm/nospec-branch.h>
#include <asm/unaligned.h>

#include "common.h"

#define OP_PUSH_IMM32	0x68
#define OP_CALL32	0xe8
#define OP_JMP32	0xe9
#define OP_JMP8		0xeb
#define OP_INT3		0xcc
#define OP_GROUP5	0xff

/* Put the distance from the end of a 4-byte operand to an address there. */
static int put_rel32(u8 *at, unsigned long at_addr, unsigned long target)
{
	long distance = target - (at_addr + 4);

	put_unaligned_le32(distance, at);
	return (s32)distance == distance ? 0 : -ERANGE;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_jump(void *image, unsigned long from, unsigned long to)
{
	*(u8 *)image = OP_JMP32;
	return put_rel32(image + 1, from + 1, to);
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_entry(void *image, unsigned long detour, struct kprobe_point *pt)
{
	u8 *entry = image + KPROBE_DETOUR_ENTRY;

	memcpy(image, &pt, sizeof(pt));
	*entry = OP_CALL32;
	return put_rel32(entry + 1, detour + KPROBE_DETOUR_ENTRY + 1,
			 (unsigned long)kprobe_detour_enter);
}

static int decode(struct insn *in, const u8 *bytes, size_t avail)
{
	avail = min_t(size_t, avail, KPROBE_INSN_BYTES_MAX);
	return !avail || insn_decode(in, bytes, avail, INSN_MODE_KERN) < 0 ? -EILSEQ : 0;
}

/* A jump to one of the thunks for indirect jumps is an indirect jump. */
static bool is_indirect_thunk(unsigned long addr)
{
#ifdef CONFIG_RETPOLINE
	unsigned long thunks = (unsigned long)__x86_indirect_thunk_array;

	return addr - thunks < 16 * RETPOLINE_THUNK_SIZE;
#else
	return false;
#endif
}

/*
 * Addresses an instruction has as operands: relative to %rip, or as a constant.
 * Somebody took the address of a label.
 */
static void find_operands(struct insn *in, unsigned long addr, struct kprobe_flow *flow)
{
	if (insn_rip_relative(in))
		flow->target[0] = addr + in->length + in->displacement.value;
	if (in->immediate1.nbytes == 4 && in->immediate2.nbytes == 4)
		flow->target[1] = (u32)in->immediate1.value |
				  (u64)(u32)in->immediate2.value << (BITS_PER_LONG - 32);
	else if (in->immediate.nbytes == 4)
		flow->target[1] = (long)in->immediate.value;
}

/*
 * What assemblers pad 32 bit code with: "lea 0(%esi), %esi" in several lengths,
 * "mov %esi, %esi".
 */
static bool is_padding(struct insn *in)
{
	u8 modrm = in->modrm.bytes[0], reg = X86_MODRM_REG(modrm);
	u8 base = X86_MODRM_RM(modrm);

	if (in->opcode.bytes[0] == 0x89)
		return X86_MODRM_MOD(modrm) == 3 && reg == base;
	if (in->opcode.bytes[0] != 0x8d || X86_MODRM_MOD(modrm) == 3 ||
	    in->displacement.value)
		return false;
	if (in->sib.nbytes) {
		if (X86_SIB_INDEX(in->sib.bytes[0]) != 4)
			return false;
		base = X86_SIB_BASE(in->sib.bytes[0]);
	}
	return reg == base;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_flow(const u8 *bytes, size_t avail, unsigned long addr,
		     struct kprobe_flow *flow)
{
	struct insn in;
	u8 op, op2;

	if (decode(&in, bytes, avail))
		return -EILSEQ;
	memset(flow, 0, sizeof(*flow));
	flow->length = in.length;
	op = in.opcode.bytes[0];
	op2 = in.opcode.bytes[1];

	if (in.vex_prefix.nbytes) {
		find_operands(&in, addr, flow);
		return 0;
	}
	switch (op) {
	case 0x0f:
		if ((op2 & 0xf0) == 0x80)			/* jcc rel32 */
			break;
		flow->filler = op2 == 0x1f;
		flow->ends = op2 == 0x0b;			/* ud2 */
		find_operands(&in, addr, flow);
		return 0;
	case 0x70 ... 0x7f:					/* jcc rel8 */
	case 0xe0 ... 0xe3:					/* loop, jcxz */
	case OP_CALL32:
	case OP_JMP32:
	case OP_JMP8:
		break;
	case 0xc2 ... 0xc3:					/* ret */
		flow->ends = true;
		return 0;
	case OP_INT3:
	case 0x90:
		flow->filler = true;
		return 0;
	case OP_GROUP5:
		flow->indirect = X86_MODRM_REG(in.modrm.bytes[0]) == 4;
		flow->ends = flow->indirect;
		fallthrough;
	default:
		flow->filler = is_padding(&in);
		find_operands(&in, addr, flow);
		return 0;
	}

	flow->target[0] = addr + in.length + in.immediate.value;
	flow->ends = op == OP_JMP32 || op == OP_JMP8;
	flow->indirect = op != OP_CALL32 && is_indirect_thunk(flow->target[0]);
	return 0;
}

/* Documented in <linux/kprobes_arch.h>. */
bool arch_kprobe_calls(const struct kprobe_insn *insn)
{
	return insn->simulate == kprobe_simulate_call ||
	       insn->simulate == kprobe_simulate_call_reg ||
	       insn->simulate == kprobe_simulate_call_mem;
}

/* "push" sign-extends: text is in the upper half, within its reach. */
static int put_return_address(u8 *image, unsigned long address)
{
	image[0] = OP_PUSH_IMM32;
	put_unaligned_le32(address, image + 1);
	return (long)(s32)address == (long)address ? 5 : -ERANGE;
}

static int copy_plain(const struct kprobe_insn *insn, unsigned long from,
		      unsigned long to, u8 *image)
{
	unsigned int disp = insn->arch.disp_at;
	long moved;

	memcpy(image, insn->bytes, insn->length);
	if (!disp)
		return insn->length;
	moved = (s32)get_unaligned_le32(insn->bytes + disp) + from - to;
	put_unaligned_le32(moved, image + disp);
	return (s32)moved == moved ? insn->length : -ERANGE;
}

static int copy_jcc(const struct kprobe_insn *insn, struct insn *in,
		    unsigned long to, u8 *image)
{
	u8 cc = in->opcode.bytes[in->opcode.nbytes - 1] & 0x0f;

	image[0] = 0x0f;
	image[1] = 0x80 | cc;
	return put_rel32(image + 2, to + 2, insn->arch.target) ?: 6;
}

static int copy_call(const struct kprobe_insn *insn, unsigned long from,
		     unsigned long to, u8 *image)
{
	int pushed = put_return_address(image, from + insn->length);

	if (pushed < 0)
		return pushed;
	return arch_kprobe_put_jump(image + pushed, to + pushed, insn->arch.target) ?:
	       pushed + 5;
}

/* "call" and "jmp" through an operand differ in three bits of ModRM: /2, /4. */
static int copy_indirect_call(const struct kprobe_insn *insn, struct insn *in,
			      unsigned long from, unsigned long to, u8 *image)
{
	int pushed = put_return_address(image, from + insn->length), len;
	u8 *modrm;

	if (pushed < 0)
		return pushed;
	len = copy_plain(insn, from, to + pushed, image + pushed);
	if (len < 0)
		return len;
	modrm = image + pushed + insn_offset_modrm(in);
	*modrm = (*modrm & ~0x38) | 4 << 3;
	return pushed + len;
}

/* The push in front of it would change what the operand is. */
static bool goes_through_stack_pointer(const struct kprobe_insn *insn)
{
	u8 sp = offsetof(struct pt_regs, sp);

	if (insn->simulate == kprobe_simulate_call_reg)
		return insn->arch.reg == sp;
	return insn->arch.base == sp;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_relocate(const struct kprobe_insn *insn, unsigned long from,
			 unsigned long to, u8 *image, unsigned int room,
			 const char **why)
{
	kprobe_simulate_t simulate = insn->simulate;
	u8 copy[2 * KPROBE_INSN_BYTES_MAX];
	struct insn in;
	int len;

	*why = "an instruction cannot be copied";
	if (decode(&in, insn->bytes, insn->length))
		return -EILSEQ;

	if (!simulate || simulate == kprobe_simulate_ret ||
	    simulate == kprobe_simulate_jmp_reg || simulate == kprobe_simulate_jmp_mem) {
		len = copy_plain(insn, from, to, copy);
	} else if (simulate == kprobe_simulate_jmp) {
		if (insn->arch.target == from + insn->length)
			return 0;				/* a nop */
		len = arch_kprobe_put_jump(copy, to, insn->arch.target) ?: 5;
	} else if (simulate == kprobe_simulate_jcc) {
		len = copy_jcc(insn, &in, to, copy);
	} else if (simulate == kprobe_simulate_call) {
		len = copy_call(insn, from, to, copy);
	} else if (!arch_kprobe_calls(insn)) {
		*why = "a loop or jcxz reaches only a short way";
		return -ERANGE;
	} else if (goes_through_stack_pointer(insn)) {
		*why = "a call goes through the stack pointer";
		return -EINVAL;
	} else {
		len = copy_indirect_call(insn, &in, from, to, copy);
	}

	if (len < 0) {
		*why = "an operand is out of reach of the detour buffer";
		return len;
	}
	if (len > room) {
		*why = "the copies are longer than a detour buffer";
		return -ENOSPC;
	}
	memcpy(image, copy, len);
	return len;
}
