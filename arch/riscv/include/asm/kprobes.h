/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: facts for the kprobes core, see <linux/kprobes_arch.h>.
 */
#ifndef _ASM_RISCV_KPROBES_H
#define _ASM_RISCV_KPROBES_H

#include <asm-generic/kprobes.h>

#include <linux/types.h>

struct llist_node;
struct pt_regs;
struct task_struct;

#ifdef CONFIG_KPROBES

/*
 * Where instructions of 16 bits exist, the breakpoint is always one of them: it
 * never reaches into the next instruction, and one store writes it.
 */
#ifdef CONFIG_RISCV_ISA_C
typedef u16 kprobe_opcode_t;
#define KPROBE_BREAKPOINT	0x9002		/* c.ebreak */
#else
typedef u32 kprobe_opcode_t;
#define KPROBE_BREAKPOINT	0x00100073	/* ebreak */
#endif

#define KPROBE_INSN_BYTES_MAX	4
#define KPROBE_SLOT_BYTES	8	/* the copy, and a breakpoint */
#define KPROBE_IP_OFFSET	0
/* kprobe_break_handler() enters like an NMI. */
#define KPROBE_TRAP_LEVEL	(NMI_OFFSET + HARDIRQ_OFFSET)

/**
 * struct arch_kprobe_insn - what the RISC-V simulators need to know
 * @imm: the immediate operand, extended to a word; 0 if there is none
 * @rd: number of the destination register
 * @rs1: number of the first source register; 0, which reads as 0, if none
 * @rs2: number of the second source register; 0 if none
 */
struct arch_kprobe_insn {
	long imm;
	u8 rd;
	u8 rs1;
	u8 rs2;
};

bool kprobe_break_handler(struct pt_regs *regs);

#else /* !CONFIG_KPROBES */

static inline bool kprobe_break_handler(struct pt_regs *regs)
{
	return false;
}

#endif /* CONFIG_KPROBES */

#ifdef CONFIG_KRETPROBES
unsigned long kretprobe_unwind(struct task_struct *task, unsigned long pc,
			       unsigned long cfa, struct llist_node **cur);
#else
static inline
unsigned long kretprobe_unwind(struct task_struct *task, unsigned long pc,
			       unsigned long cfa, struct llist_node **cur)
{
	return pc;
}
#endif
#endif /* _ASM_RISCV_KPROBES_H */
