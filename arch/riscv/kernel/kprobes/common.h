/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, RISC-V: what the files of this folder share.
 */
#ifndef _RISCV_KERNEL_KPROBES_COMMON_H
#define _RISCV_KERNEL_KPROBES_COMMON_H

#include <linux/kprobes_arch.h>

/*
 * The simulators: what decode.c has to choose from.  Each works for the form
 * with two registers and for the one with an immediate.
 */
#define KPROBE_SIMULATORS(F)						\
	F(auipc) F(jal) F(jalr)						\
	F(beq) F(bne) F(blt) F(bge) F(bltu) F(bgeu)			\
	F(add) F(sub) F(sll) F(slt) F(sltu) F(xor) F(srl) F(sra) F(or) F(and) \
	F(addw) F(subw) F(sllw) F(srlw) F(sraw)

#define KPROBE_DECLARE_SIMULATOR(name)					\
	bool kprobe_simulate_##name(const struct kprobe_insn *insn,	\
				    unsigned long addr, struct pt_regs *regs);
KPROBE_SIMULATORS(KPROBE_DECLARE_SIMULATOR)

/* An LR and its SC are at most so far from each other (16 instructions). */
#define KPROBE_LRSC_BYTES	64

/* Labels in mcount-dyn.S. */
void ftrace_graph_call(void);
void ftrace_graph_regs_call(void);

bool kprobe_in_lrsc(const u16 *text, size_t before, size_t after);
u32 kprobe_expand(u16 c);
u32 kprobe_insn_word(const struct kprobe_insn *insn);

#ifdef CONFIG_OPTPROBES

/**
 * enum kprobe_text - what there is to be known of an instruction but its encoding
 * @KPROBE_TEXT_PLAIN: nothing
 * @KPROBE_TEXT_ENDS: execution does not go on behind it
 * @KPROBE_TEXT_FAULTS: if it faults, execution goes on elsewhere
 * @KPROBE_TEXT_CHANGES: another may stand there later
 */
enum kprobe_text {
	KPROBE_TEXT_PLAIN,
	KPROBE_TEXT_ENDS,
	KPROBE_TEXT_FAULTS,
	KPROBE_TEXT_CHANGES,
};

enum kprobe_text kprobe_text_kind(unsigned long addr, u32 word, unsigned long *elsewhere);
unsigned int kprobe_free_register(unsigned long addr);

/* In detour_entry.S, and whether it is where the jumps go. */
extern char kprobe_jump_page[];
extern bool kprobe_jump_page_mapped;

#endif /* CONFIG_OPTPROBES */

#endif /* _RISCV_KERNEL_KPROBES_COMMON_H */
