/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: return probes: where a call's return address is.
 *
 * For kernel/kprobes/retprobe.c, by way of <linux/kprobes_arch.h>, where the
 * contract is.  The trampoline is in arch/riscv/kernel/kprobes/trampoline.S.
 *
 * A call is known by its stack pointer: at the return it is again what it was
 * at the entry, and frame-pointer unwinders know it as the end of the frame.
 */
#ifndef _ASM_RISCV_KRETPROBE_H
#define _ASM_RISCV_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

static __always_inline
void arch_kretprobe_prepare(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ri->ret_addr = (kprobe_opcode_t *)regs->ra;
	ri->fp = (void *)regs->sp;
}

static __always_inline void arch_kretprobe_hijack(struct pt_regs *regs)
{
	regs->ra = (unsigned long)__kretprobe_trampoline;
}

/* The link of the trampoline's own frame: it returns through it, too. */
static __always_inline void arch_kretprobe_fixup(struct pt_regs *regs, void *fp,
						 unsigned long ret_addr)
{
	WRITE_ONCE(*((unsigned long *)fp - 1), ret_addr);
}

#endif /* _ASM_RISCV_KRETPROBE_H */
