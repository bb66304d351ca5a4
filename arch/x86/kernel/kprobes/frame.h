/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: a struct pt_regs on the stack, where no exception has made one.
 *
 * For trampoline.S and detour_entry.S.
 */
#ifndef _X86_KERNEL_KPROBES_FRAME_H
#define _X86_KERNEL_KPROBES_FRAME_H

#include <asm/ptrace-abi.h>
#include <asm/segment.h>

/*
 * Save all registers.  pt_regs::sp is where the stack pointer is after the first
 * push; the caller adds the distance to what it is to say.
 *
 * @ip:	what to put into pt_regs::ip
 * @bp:	where the frame pointer is
 */
.macro SAVE_FRAME ip:req bp:req
#ifdef CONFIG_X86_64
	pushq	$__KERNEL_DS
	pushq	%rsp
	pushfq
	pushq	$__KERNEL_CS
	pushq	\ip
	pushq	$-1				/* orig_ax: no system call */
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbx
	pushq	\bp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
#else
	pushl	$__KERNEL_DS
	pushl	%esp
	pushfl
	pushl	$__KERNEL_CS
	pushl	\ip
	pushl	$-1				/* orig_ax: no system call */
	pushl	$0				/* gs: the user's, not ours to touch */
	pushl	%fs
	pushl	%es
	pushl	%ds
	pushl	%eax
	pushl	\bp
	pushl	%edi
	pushl	%esi
	pushl	%edx
	pushl	%ecx
	pushl	%ebx
#endif
.endm

/* Restore the general registers; the stack pointer ends at pt_regs::flags. */
.macro RESTORE_FRAME
#ifdef CONFIG_X86_64
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rax
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	leaq	3 * 8(%rsp), %rsp		/* orig_ax, ip, cs */
#else
	popl	%ebx
	popl	%ecx
	popl	%edx
	popl	%esi
	popl	%edi
	popl	%ebp
	popl	%eax
	leal	7 * 4(%esp), %esp		/* ds ... gs, orig_ax, ip, cs */
#endif
.endm

#endif /* _X86_KERNEL_KPROBES_FRAME_H */
