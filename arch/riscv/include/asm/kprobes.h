/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: facts for the kprobes core, see <linux/kprobes_arch.h>.
 */
#ifndef _ASM_RISCV_KPROBES_H
#define _ASM_RISCV_KPROBES_H

#ifdef CONFIG_OPTPROBES
#define KPROBE_JUMP_BYTES	4	/* jalr */
#define KPROBE_JUMP_BACK_BYTES	8	/* auipc, jalr */
#define KPROBE_DETOUR_BYTES	40	/* copies of two instructions, the jump back */
#define KPROBE_DETOUR_ENTRY	0
#define KPROBE_DETOUR_BODY	0
#define KPROBE_RELATIVE_JUMP_TABLES

/* The last 2 KiB of the address space: a few instructions for each register. */
#define KPROBE_JUMP_STUBS	(-2048)
#define KPROBE_JUMP_STUB_BYTES	32
#endif

#ifndef __ASSEMBLY__
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
#define KPROBE_TRAP_LEVEL	0	/* the exception's entry adds nothing */

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

#ifdef CONFIG_OPTPROBES
void kprobe_jump_return(void);

/* Does a frame return to where pt_regs are, as an exception's does? */
static inline bool kprobe_is_jump_return(unsigned long pc)
{
	return pc == (unsigned long)kprobe_jump_return;
}
#else
static inline bool kprobe_is_jump_return(unsigned long pc)
{
	return false;
}
#endif
#endif /* __ASSEMBLY__ */
#endif /* _ASM_RISCV_KPROBES_H */
