/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: return probes: where a call's return address is.
 *
 * For kernel/kprobes/retprobe.c, by way of <linux/kprobes_arch.h>, where the
 * contract is.  The trampoline is in arch/arm64/kernel/kprobes/trampoline.S.
 *
 * At a function's entry the return address is in the link register, and not
 * signed yet: the function's own PACIASP signs what the probe has put there.
 * A call is known by its caller's frame pointer: the function has no frame of
 * its own yet, the trampoline has it no more, and an unwinder has it in hand
 * when it has read the return address from the frame record of the function.
 */
#ifndef _ASM_ARM64_KRETPROBE_H
#define _ASM_ARM64_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

static __always_inline
void arch_kretprobe_prepare(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ri->ret_addr = (kprobe_opcode_t *)regs->regs[30];
	ri->fp = (void *)regs->regs[29];
}

static __always_inline void arch_kretprobe_hijack(struct pt_regs *regs)
{
	regs->regs[30] = (unsigned long)__kretprobe_trampoline;
}

/* The trampoline's frame record held the trampoline's address. */
static __always_inline void arch_kretprobe_fixup(struct pt_regs *regs, void *fp,
						 unsigned long ret_addr)
{
	WRITE_ONCE(regs->stackframe[1], ret_addr);
}

#endif /* _ASM_ARM64_KRETPROBE_H */
