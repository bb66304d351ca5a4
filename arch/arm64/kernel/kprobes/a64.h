/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, arm64: the decoder of A64 instructions.
 *
 * For arch/arm64/kernel/kprobes/, and for user probes, by way of
 * arch/arm64/kernel/probes/decode-insn.c.
 */
#ifndef _ARM64_KPROBES_A64_H
#define _ARM64_KPROBES_A64_H

#include <asm/probes.h>

#define A64_INSN_BYTES	4

int a64_decode(u32 word, struct a64_insn *insn, const char **why);
bool a64_is_load_exclusive(u32 word);
bool a64_is_store_exclusive(u32 word);
bool a64_between_exclusives(const u32 *before, unsigned int nr_before,
			    const u32 *after, unsigned int nr_after);

#endif /* _ARM64_KPROBES_A64_H */
