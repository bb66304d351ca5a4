/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: facts for the kprobes core, see <linux/kprobes_arch.h>.
 */
#ifndef _ASM_X86_KPROBES_H
#define _ASM_X86_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES

#include <linux/types.h>

struct pt_regs;

typedef u8 kprobe_opcode_t;

#define KPROBE_BREAKPOINT	0xcc	/* INT3_INSN_OPCODE */
#define KPROBE_INSN_BYTES_MAX	15	/* Intel SDM vol. 2, 2.3.11 */
#define KPROBE_SLOT_BYTES	20	/* 15 + 5 for the jump back */
#define KPROBE_TAIL_CALL_BYTES	6	/* call rel32, and where it would return to */
#define KPROBE_IP_OFFSET	1	/* #BP reports the byte behind INT3 */
#define KPROBE_TRAP_LEVEL	(NMI_OFFSET + HARDIRQ_OFFSET)

#define KPROBE_JUMP_BYTES	5	/* jmp rel32 */
#define KPROBE_DETOUR_BYTES	48	/* a pointer, a call, copies, a jump */
#define KPROBE_DETOUR_ENTRY	(BITS_PER_LONG / 8)
#define KPROBE_DETOUR_BODY	(KPROBE_DETOUR_ENTRY + 5)

/**
 * struct arch_kprobe_insn - what the x86 simulators need to know
 * @target: where a relative branch goes; for a memory operand what is added to
 *	the registers: the displacement, or all of a %rip-relative address
 * @flags: the bits of EFLAGS (or derived from them) a condition looks at
 * @inverted: the condition holds if none of @flags is set, not if one is
 * @counter_bytes: width of the counter of loop and jcxz
 * @pop_bytes: what "ret imm16" releases besides the return address
 * @reg: offset in struct pt_regs of the register a branch goes through
 * @base: offset in struct pt_regs of a memory operand's base, or KPROBE_NO_REG
 * @index: offset in struct pt_regs of its index, or KPROBE_NO_REG
 * @scale: how far the index is shifted
 * @percpu: the memory operand is relative to the per-CPU segment
 * @modrm_at: where the ModRM byte is in the instruction, for a branch through
 *	memory
 * @disp_at: where a displacement relative to %rip is in the instruction, or 0
 */
struct arch_kprobe_insn {
	unsigned long target;
	u32 flags;
	bool inverted;
	u8 counter_bytes;
	u16 pop_bytes;
	u8 reg;
	u8 base;
	u8 index;
	u8 scale;
	bool percpu;
	u8 modrm_at;
	u8 disp_at;
};

#define KPROBE_NO_REG		0xff

int kprobe_int3_handler(struct pt_regs *regs);

/* Part of the return trampoline, for unwinders that start there. */
extern char kretprobe_trampoline_call[];

#endif /* CONFIG_KPROBES */
#endif /* _ASM_X86_KPROBES_H */
