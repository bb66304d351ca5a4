/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: return probes: where a call's return address is.
 *
 * For kernel/kprobes/retprobe.c, by way of <linux/kprobes_arch.h>, where the
 * contract is.  The trampoline is in arch/x86/kernel/kprobes/trampoline.S.
 */
#ifndef _ASM_X86_KRETPROBE_H
#define _ASM_X86_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

static __always_inline
void arch_kretprobe_prepare(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long *slot = (unsigned long *)regs->sp;

	ri->ret_addr = (kprobe_opcode_t *)*slot;
	ri->fp = slot;
}

static __always_inline void arch_kretprobe_hijack(struct pt_regs *regs)
{
	WRITE_ONCE(*(unsigned long *)regs->sp, (unsigned long)__kretprobe_trampoline);
}

/* The slot is valid again, made so by the trampoline. */
static __always_inline void arch_kretprobe_fixup(struct pt_regs *regs, void *fp,
						 unsigned long ret_addr)
{
	WRITE_ONCE(*(unsigned long *)fp, ret_addr);
}

#endif /* _ASM_X86_KRETPROBE_H */
