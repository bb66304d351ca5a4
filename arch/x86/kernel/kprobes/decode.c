// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, x86: may an instruction be probed, and how is it executed.
 *
 * Called by the core at registration.  Every instruction is
 *
 * - refused, with a reason, if it cannot be executed anywhere else or does not
 *   survive the exception in front of it;
 * - simulated (simulate.c), if it depends on its address: near branches;
 * - boosted, which is all the rest: a copy is run in a slot, followed by a jump
 *   back.  An operand relative to the instruction pointer is adjusted.
 *
 * Nothing here depends on the state of the running kernel, and the kernel's
 * decoder is the only thing used from outside: the file is also compiled for
 * the test in tools/kprobes/host/x86-decode.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <asm/insn.h>
#include <asm/unaligned.h>

#include "common.h"

/* Prefixes. */
#define PREFIX_FS	0x64
#define PREFIX_GS	0x65
#define PREFIX_OPSIZE	0x66
#define PREFIX_LOCK	0xf0
#define PREFIX_REPNE	0xf2
#define PREFIX_REP	0xf3

#ifdef CONFIG_X86_64
#define PREFIX_PERCPU	PREFIX_GS
#define PREFIX_FOREIGN	PREFIX_FS
#else
#define PREFIX_PERCPU	PREFIX_FS
#define PREFIX_FOREIGN	PREFIX_GS
#endif

/* Opcodes. */
#define OP_TWO_BYTES	0x0f
#define OP_JMP32	0xe9
#define OP_INT3		0xcc

/* Where the general registers are saved, in the order of their numbers. */
#define SAVED(reg)	offsetof(struct pt_regs, reg)

static const u8 reg_offset[] = {
	SAVED(ax), SAVED(cx), SAVED(dx), SAVED(bx),
	SAVED(sp), SAVED(bp), SAVED(si), SAVED(di),
#ifdef CONFIG_X86_64
	SAVED(r8), SAVED(r9), SAVED(r10), SAVED(r11),
	SAVED(r12), SAVED(r13), SAVED(r14), SAVED(r15),
#endif
};

/* What the eight pairs of conditions look at; the odd one of a pair negates. */
static const u32 condition_flags[] = {
	X86_EFLAGS_OF,
	X86_EFLAGS_CF,
	X86_EFLAGS_ZF,
	X86_EFLAGS_CF | X86_EFLAGS_ZF,
	X86_EFLAGS_SF,
	X86_EFLAGS_PF,
	KPROBE_FLAG_LESS,
	KPROBE_FLAG_LESS | X86_EFLAGS_ZF,
};

static bool has_prefix(struct insn *in, u8 prefix)
{
	return memchr(in->prefixes.bytes, prefix, sizeof(in->prefixes.bytes));
}

/*
 * What the kernel's decoder takes for an instruction because it is one on 32 bit,
 * or because it looks at no more than is needed to find the end.
 */
static bool is_undefined(const struct insn *in)
{
	/* EVEX: a bit that must be zero, and one that must be set. */
	if (in->vex_prefix.nbytes == 4)
		return in->vex_prefix.bytes[1] & 0x08 || !(in->vex_prefix.bytes[2] & 0x04);
	if (!IS_ENABLED(CONFIG_X86_64) || in->vex_prefix.nbytes)
		return false;

	switch (in->opcode.bytes[0]) {
	case 0x06 ... 0x07:	/* push, pop of segments */
	case 0x0e:
	case 0x16 ... 0x17:
	case 0x1e ... 0x1f:
	case 0x27:		/* decimal adjustments */
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60 ... 0x62:	/* pusha, popa, bound */
	case 0x82:
	case 0x9a:		/* far call */
	case 0xce:		/* into */
	case 0xd4 ... 0xd6:
	case 0xea:		/* far jmp */
		return true;
	}
	return false;
}

static int decode_bytes(struct insn *in, const u8 *bytes, size_t avail)
{
	if (avail > KPROBE_INSN_BYTES_MAX)
		avail = KPROBE_INSN_BYTES_MAX;
	if (!avail || insn_decode(in, bytes, avail, INSN_MODE_KERN) < 0)
		return -EILSEQ;
	return 0;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_insn_length(const u8 *bytes, size_t avail)
{
	struct insn in;
	int err = decode_bytes(&in, bytes, avail);

	return err ? err : in.length;
}

/*
 * After STI, interrupts stay off for one more instruction.  A breakpoint, or a
 * jump back from a slot, would be that instruction.  These count on it:
 */
static bool counts_on_interrupt_shadow(const u8 *next, size_t avail)
{
	if (avail >= 1 && (next[0] == 0xf4 ||		/* hlt */
			   next[0] == 0xcf))		/* iret */
		return true;
	if (avail >= 2 && ((next[0] == 0x48 && next[1] == 0xcf) ||	/* iretq */
			   (next[0] == 0x0f && next[1] == 0x35)))	/* sysexit */
		return true;
	return avail >= 3 && next[0] == 0x0f && next[1] == 0x01 &&
	       (next[2] == 0xc9 ||			/* mwait */
		next[2] == 0xfb ||			/* mwaitx */
		next[2] == 0xd8);			/* vmrun */
}

/* 0f 01 with a register form of ModRM: each byte its own instruction. */
static const char *refuse_0f01(struct insn *in)
{
	switch (in->modrm.bytes[0]) {
	case 0xc2:
	case 0xc3:
		return "enters a virtual machine (vmlaunch, vmresume)";
	case 0xc9:
	case 0xfb:
		return "waits for an interrupt that the trap may have taken (mwait)";
	case 0xca:
		if (has_prefix(in, PREFIX_REP) || has_prefix(in, PREFIX_REPNE))
			return "returns from an event (eretu, erets)";
		break;
	case 0xcd:
		if (has_prefix(in, PREFIX_OPSIZE))
			return "leaves the SEAM module (seamret)";
		break;
	case 0xd7:
		return "enters or leaves an enclave (enclu)";
	case 0xd8:
		return "enters a virtual machine (vmrun)";
	case 0xde:
		return "starts a secure loader (skinit)";
	case 0xec:
		if (has_prefix(in, PREFIX_REP))
			return "returns from a user interrupt (uiret)";
		break;
	case 0xf8:
		return "exchanges the per-CPU base (swapgs)";
	}
	return NULL;
}

static const char *refuse_two_bytes(struct insn *in)
{
	switch (in->opcode.bytes[1]) {
	case 0x01:
		return refuse_0f01(in);
	case 0x05:
	case 0x07:
		return "enters or leaves the kernel (syscall, sysret)";
	case 0x34:
	case 0x35:
		return "enters or leaves the kernel (sysenter, sysexit)";
	case 0x0b:
	case 0xb9:
	case 0xff:
		return "undefined instruction (ud0, ud1, ud2)";
	case 0x1e:
		/* A branch to it must find it, not a breakpoint. */
		if (IS_ENABLED(CONFIG_X86_KERNEL_IBT) && has_prefix(in, PREFIX_REP) &&
		    (in->modrm.bytes[0] & 0xfe) == 0xfa)
			return "landing pad of indirect branches (endbr)";
		break;
	case 0x37:
		return "enters or leaves a measured environment (getsec)";
	case 0xaa:
		return "leaves system management mode (rsm)";
	case 0xb2:
		return "loads the stack segment, holds off the next trap (lss)";
	}
	return NULL;
}

/* Why must this instruction not be probed; NULL if it may. */
static const char *refuse(struct insn *in, const u8 *next, size_t next_avail)
{
	u8 op = in->opcode.bytes[0];
	u8 modrm = in->modrm.bytes[0];

	if (in->emulate_prefix_size)
		return "undefined instruction that a hypervisor emulates";
	/* AVX: none of it is special, and the opcode is of another map. */
	if (in->vex_prefix.nbytes)
		return NULL;

	switch (op) {
	case OP_TWO_BYTES:
		return refuse_two_bytes(in);
	case 0x17:
		return "loads the stack segment, holds off the next trap (pop %ss)";
	case 0x62:
		return "traps if an index is out of bounds (bound)";
	case 0x8e:
		if (X86_MODRM_REG(modrm) == 2)
			return "loads the stack segment, holds off the next trap (mov %ss)";
		break;
	case 0x9a:
	case 0xea:
		return "far branch";
	case 0xc7:
		if (modrm == 0xf8)
			return "starts a transaction, which a trap would abort (xbegin)";
		break;
	case 0xca:
	case 0xcb:
		return "far return";
	case 0xcc:
		return "a breakpoint is part of the text (int3)";
	case 0xcd:
	case 0xce:
		return "software interrupt (int, into)";
	case 0xcf:
		return "returns from an interrupt (iret)";
	case 0xf1:
		return "debug trap (int1)";
	case 0xf4:
		return "waits for an interrupt that the trap may have taken (hlt)";
	case 0xfb:
		if (counts_on_interrupt_shadow(next, next_avail))
			return "the next instruction counts on interrupts being off (sti)";
		break;
	case 0xff:
		if (X86_MODRM_REG(modrm) == 3 || X86_MODRM_REG(modrm) == 5)
			return "far branch";
		break;
	}
	return NULL;
}

/* Is it one of the branches that are simulated? */
static bool is_near_branch(struct insn *in)
{
	u8 reg = X86_MODRM_REG(in->modrm.bytes[0]);

	if (in->vex_prefix.nbytes)
		return false;

	switch (in->opcode.bytes[0]) {
	case OP_TWO_BYTES:
		return (in->opcode.bytes[1] & 0xf0) == 0x80;
	case 0x70 ... 0x7f:
	case 0xc2 ... 0xc3:
	case 0xe0 ... 0xe3:
	case 0xe8 ... 0xe9:
	case 0xeb:
		return true;
	case 0xff:
		return reg == 2 || reg == 4;
	}
	return false;
}

/* An instruction without effect.  "pause" has one, and "xchg %r8, %rax". */
static bool is_nop(struct insn *in)
{
	if (in->vex_prefix.nbytes || has_prefix(in, PREFIX_LOCK) ||
	    has_prefix(in, PREFIX_REP) || has_prefix(in, PREFIX_REPNE))
		return false;
	if (in->opcode.bytes[0] == 0x90)
		return !X86_REX_B(in->rex_prefix.bytes[0]);
	return in->opcode.bytes[0] == OP_TWO_BYTES && in->opcode.bytes[1] == 0x1f;
}

static void decode_condition(struct arch_kprobe_insn *arch, u8 cc)
{
	arch->flags = condition_flags[(cc & 0xf) / 2];
	arch->inverted = cc & 1;
}

/* The operand of a branch through memory.  Returns why it cannot be read. */
static const char *decode_operand(struct arch_kprobe_insn *arch, struct insn *in,
				  unsigned long next)
{
	u8 modrm = in->modrm.bytes[0];
	u8 rex = in->rex_prefix.bytes[0];
	u8 mod = X86_MODRM_MOD(modrm);
	u8 base = X86_MODRM_RM(modrm);

	if (in->addr_bytes != sizeof(long))
		return "branch through an operand with a short address";
	if (has_prefix(in, PREFIX_FOREIGN))
		return "branch through an operand in a foreign segment";
	arch->percpu = has_prefix(in, PREFIX_PERCPU);
	if (arch->percpu && !IS_ENABLED(CONFIG_SMP))
		return "branch through an operand in a foreign segment";

	arch->target = (long)in->displacement.value;
	arch->base = KPROBE_NO_REG;
	arch->index = KPROBE_NO_REG;

	if (in->sib.nbytes) {
		u8 sib = in->sib.bytes[0];
		u8 index = X86_SIB_INDEX(sib) | (X86_REX_X(rex) ? 8 : 0);

		base = X86_SIB_BASE(sib);
		arch->scale = X86_SIB_SCALE(sib);
		if (index != 4)
			arch->index = reg_offset[index];
	}
	if (base != 5 || mod)
		arch->base = reg_offset[base | (X86_REX_B(rex) ? 8 : 0)];
	else if (insn_rip_relative(in))
		arch->target += next;
	return NULL;
}

/* Choose the simulator.  Returns why there is none that would do. */
static const char *decode_branch(struct kprobe_insn *insn, struct insn *in,
				 unsigned long addr)
{
	struct arch_kprobe_insn *arch = &insn->arch;
	u8 modrm = in->modrm.bytes[0];
	u8 op = in->opcode.bytes[0];
	u8 reg;

	/* Intel ignores it on 64 bit, AMD does not. */
	if (has_prefix(in, PREFIX_OPSIZE))
		return "branch with a 16 bit operand";
	if (has_prefix(in, PREFIX_LOCK))
		return "lock prefix on a branch";

	arch->target = addr + in->length + in->immediate.value;

	switch (op) {
	case OP_TWO_BYTES:
		decode_condition(arch, in->opcode.bytes[1]);
		insn->simulate = kprobe_simulate_jcc;
		return NULL;
	case 0x70 ... 0x7f:
		decode_condition(arch, op);
		insn->simulate = kprobe_simulate_jcc;
		return NULL;
	case 0xc2:
		arch->pop_bytes = in->immediate.value;
		fallthrough;
	case 0xc3:
		insn->simulate = kprobe_simulate_ret;
		return NULL;
	case 0xe0:	/* loopne: like jne, if the count is not over */
	case 0xe1:	/* loope: like je */
		arch->flags = X86_EFLAGS_ZF;
		arch->inverted = op == 0xe0;
		arch->counter_bytes = in->addr_bytes;
		insn->simulate = kprobe_simulate_loop;
		return NULL;
	case 0xe2:	/* loop: "none of no flags" always holds */
		arch->inverted = true;
		arch->counter_bytes = in->addr_bytes;
		insn->simulate = kprobe_simulate_loop;
		return NULL;
	case 0xe3:
		arch->counter_bytes = in->addr_bytes;
		insn->simulate = kprobe_simulate_jcxz;
		return NULL;
	case 0xe8:
		insn->simulate = kprobe_simulate_call;
		return NULL;
	case 0xe9:
	case 0xeb:
		insn->simulate = kprobe_simulate_jmp;
		return NULL;
	}

	/* ff /2 and ff /4 */
	if (X86_MODRM_MOD(modrm) == 3) {
		reg = X86_MODRM_RM(modrm) | (X86_REX_B(in->rex_prefix.bytes[0]) ? 8 : 0);
		arch->reg = reg_offset[reg];
		insn->simulate = X86_MODRM_REG(modrm) == 2 ? kprobe_simulate_call_reg :
							     kprobe_simulate_jmp_reg;
		return NULL;
	}

	insn->simulate = X86_MODRM_REG(modrm) == 2 ? kprobe_simulate_call_mem :
						     kprobe_simulate_jmp_mem;
	/* The operand may be unreadable; see build_operand_check(). */
	insn->wants_slot = true;
	arch->modrm_at = insn_offset_modrm(in);
	return decode_operand(arch, in, addr + in->length);
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_decode(struct kprobe_insn *insn, unsigned long addr, const char **why)
{
	struct arch_kprobe_insn *arch = &insn->arch;
	struct insn in;
	const char *reason;

	if (decode_bytes(&in, insn->bytes, insn->avail) || is_undefined(&in)) {
		*why = "not an instruction";
		return -EILSEQ;
	}

	memset(arch, 0, sizeof(*arch));
	insn->length = in.length;
	insn->exec = KPROBE_EXEC_BOOST;
	insn->wants_slot = true;
	insn->simulate = NULL;

	reason = refuse(&in, insn->bytes + in.length, insn->avail - in.length);
	if (!reason && is_near_branch(&in)) {
		insn->exec = KPROBE_EXEC_SIMULATE;
		insn->wants_slot = false;
		reason = decode_branch(insn, &in, addr);
	} else if (is_nop(&in)) {
		insn->exec = KPROBE_EXEC_SIMULATE;
		insn->wants_slot = false;
		insn->simulate = kprobe_simulate_jmp;
		arch->target = addr + in.length;
	}
	if (reason) {
		*why = reason;
		return -EINVAL;
	}

	if (insn_rip_relative(&in))
		arch->disp_at = insn_offset_displacement(&in);
	return 0;
}

/*
 * The slot of a branch through memory is only run when the operand could not
 * be read.  It must fault the way the branch would, but it must not branch: a
 * callee that returned to a slot could outlive the slot.  So it is
 *
 *	push	operand
 *	lea	8(%rsp), %rsp
 *	jmp	to the probed address
 *
 * "push" differs from "call" and "jmp" in three bits of ModRM and reads the same
 * operand.  Where the operand is readable meanwhile, the branch is tried again.
 */
static unsigned int build_operand_check(const struct kprobe_insn *insn, u8 *image)
{
#ifdef CONFIG_X86_64
	static const u8 drop_word[] = { 0x48, 0x8d, 0x64, 0x24, 0x08 };
#else
	static const u8 drop_word[] = { 0x8d, 0x64, 0x24, 0x04 };
#endif
	u8 *modrm = image + insn->arch.modrm_at;

	*modrm = (*modrm & ~0x38) | 6 << 3;
	memcpy(image + insn->length, drop_word, sizeof(drop_word));
	return insn->length + sizeof(drop_word);
}

/* Put @distance into the four bytes at @at; false if it does not fit. */
static bool put_distance(u8 *at, unsigned long distance)
{
	s32 disp = distance;

	put_unaligned_le32(disp, at);
	return (long)disp == (long)distance;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_build_slot(struct kprobe_insn *insn, unsigned long addr,
			   unsigned long slot, void *image)
{
	unsigned long back = addr + insn->length;
	unsigned int tail = insn->length;
	u8 *at = image;

	memset(image, OP_INT3, KPROBE_SLOT_BYTES);
	memcpy(image, insn->bytes, insn->length);

	if (insn->arch.disp_at) {
		u8 *disp = at + insn->arch.disp_at;
		long moved = (s32)get_unaligned_le32(disp) + addr - slot;

		if (!put_distance(disp, moved))
			return -ERANGE;
	}

	if (insn->exec == KPROBE_EXEC_SIMULATE) {
		tail = build_operand_check(insn, at);
		back = addr;
	}
	if (tail + 5 > KPROBE_SLOT_BYTES)
		return -ERANGE;
	at[tail] = OP_JMP32;
	if (!put_distance(at + tail + 1, back - (slot + tail + 5)))
		return -ERANGE;

	insn->tail = tail;
	insn->tail_jump = OP_JMP32;
	return 0;
}
