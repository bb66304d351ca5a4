// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: return probes: where a call's return address is.
 *
 * For kernel/kprobes/retprobe.c, see <linux/kprobes_arch.h>.  The trampoline
 * is in trampoline.S.
 */
#include <linux/kprobes.h>
#include <linux/kprobes_arch.h>
#include <linux/ptrace.h>

/**
 * struct return_frame - what the trampoline has put on the stack
 * @regs: the registers
 * @bp: with frame pointers, makes the trampoline a frame of the chain
 * @ret_addr: the slot the function has returned through
 */
struct return_frame {
	struct pt_regs regs;
#ifdef CONFIG_FRAME_POINTER
	unsigned long bp;
#endif
	unsigned long ret_addr;
};

const char * const arch_kretprobe_blacklist[] = {
	"__switch_to",
	NULL
};

/* Documented in <linux/kprobes_arch.h>. */
void __kprobes arch_kretprobe_prepare(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long *slot = (unsigned long *)regs->sp;

	ri->ret_addr = (kprobe_opcode_t *)*slot;
	ri->fp = slot;
}

/* Documented in <linux/kprobes_arch.h>. */
void __kprobes arch_kretprobe_hijack(struct pt_regs *regs)
{
	WRITE_ONCE(*(unsigned long *)regs->sp, (unsigned long)__kretprobe_trampoline);
}

/* Documented in <linux/kprobes_arch.h>. */
void __kprobes arch_kretprobe_fixup(struct pt_regs *regs, unsigned long ret_addr)
{
	struct return_frame *frame = container_of(regs, struct return_frame, regs);

	WRITE_ONCE(frame->ret_addr, ret_addr);
}
