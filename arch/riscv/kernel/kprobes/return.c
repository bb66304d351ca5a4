// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: return probes: what unwinders ask.
 *
 * For arch/riscv/kernel/stacktrace.c.  The hit's part is in <asm/kretprobe.h> and
 * trampoline.S.
 */
#include <linux/ftrace.h>
#include <linux/kprobes_arch.h>
#include <linux/sched.h>

/* Arguments of a variadic function: at most eight registers. */
#define VARIADIC_BYTES_MAX	(8 * sizeof(long))

/**
 * kretprobe_unwind() - where a call returns to
 * @task: the task whose stack is being unwound, or NULL for current
 * @pc: the return address an unwinder has found
 * @cfa: the end of the frame it was found in: where the stack pointer was at
 *	the entry of the function
 * @cur: where in the task's list the unwinder is
 *
 * A variadic function saves its argument registers between what its frame
 * pointer shows as its end and its true end; so a few more places are tried.
 * Whose call it is stays unambiguous: all of them are inside of one frame.
 *
 * Context: any.
 * Return: @pc, or for the return trampoline what it stands for; @pc again if no
 * followed call is known there.
 */
unsigned long __kprobes kretprobe_unwind(struct task_struct *task, unsigned long pc,
					 unsigned long cfa, struct llist_node **cur)
{
	unsigned long found, skipped;

	if (!is_kretprobe_trampoline(pc))
		return pc;
	for (skipped = 0; skipped <= VARIADIC_BYTES_MAX; skipped += sizeof(long)) {
		found = kretprobe_find_ret_addr(task ? : current,
						(void *)(cfa + skipped), cur);
		if (found)
			return found;
	}
	return pc;
}
