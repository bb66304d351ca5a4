/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: facts for the kprobes core, see <linux/kprobes_arch.h>.
 */
#ifndef _ASM_ARM64_KPROBES_H
#define _ASM_ARM64_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES

#include <linux/sizes.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#include <asm/debug-monitors.h>
#include <asm/probes.h>

typedef u32 kprobe_opcode_t;

/* Opcodes as they are in memory: little endian, whatever the data is. */
#define KPROBE_BREAKPOINT	((__force u32)cpu_to_le32(BRK64_OPCODE_KPROBES))
#define KPROBE_INSN_BYTES_MAX	4
#define KPROBE_SLOT_BYTES	20		/* the copy, and a call or a branch back */
#define KPROBE_TAIL_CALL_BYTES	16		/* save x30, bl, restore it, a branch back */
#define KPROBE_SLOT_REACH	(SZ_128M - SZ_64K)	/* of a branch, from anywhere in a page */
#define KPROBE_IP_OFFSET	0
#define KPROBE_TRAP_LEVEL	0		/* a debug exception adds nothing */

#define KPROBE_JUMP_BYTES	4		/* b */
#define KPROBE_DETOUR_ENTRY	16		/* behind two pointers */
#define KPROBE_DETOUR_BODY	(KPROBE_DETOUR_ENTRY + 6 * 4)
#define KPROBE_DETOUR_BYTES	64		/* of 56: what a cache line holds */

/* tail_entry.S: slots call it; detour_entry.S: detour buffers call it */
void kprobe_tail_enter(void);
#ifdef CONFIG_OPTPROBES
void kprobe_detour_enter(void);
#endif

/**
 * struct arch_kprobe_insn - what the arm64 simulators need to know
 * @a64: the instruction
 */
struct arch_kprobe_insn {
	struct a64_insn a64;
};

#endif /* CONFIG_KPROBES */
#endif /* _ASM_ARM64_KPROBES_H */
