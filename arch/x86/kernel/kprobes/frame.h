/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: a struct pt_regs on the stack, where no exception has made one.
 *
 * For trampoline.S, tail_entry.S and detour_entry.S.
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

/* For the unwinder: the frame is complete.  There are no such hints on 32 bit. */
.macro FRAME_HINT
#ifdef CONFIG_X86_64
	UNWIND_HINT_REGS
#endif
.endm

/*
 * Below the interrupted stack, for handlers that push to it: what the
 * breakpoint exception leaves, too.
 */
#define GAP_WORDS	6

/*
 * Where a call replaced something: make the registers of the code that was
 * interrupted, as far as the return address and the stack pointer go.  Ends with
 * the return address in %rbx, and pt_regs::ip to be filled in.
 */
.macro ENTER_BY_CALL
#ifdef CONFIG_X86_64
	leaq	-8 * GAP_WORDS(%rsp), %rsp
	SAVE_FRAME $0, %rbp
	cld
	ASM_CLAC
	movq	SS + 8 + 8 * GAP_WORDS(%rsp), %rbx
	addq	$8 * (2 + GAP_WORDS), RSP(%rsp)
#else
	leal	-4 * GAP_WORDS(%esp), %esp
	SAVE_FRAME $0, %ebp
	cld
	ASM_CLAC
	movl	4 * (SS + 1 + GAP_WORDS)(%esp), %ebx
	addl	$4 * (2 + GAP_WORDS), 4 * UESP(%esp)
#endif
.endm

/* Go on at %rbx, with the registers of the frame, the stack pointer included. */
.macro LEAVE_TO_BX
#ifdef CONFIG_X86_64
	movq	RSP(%rsp), %rdx
	movq	%rbx, -8(%rdx)
	subq	$8, RSP(%rsp)
	RESTORE_FRAME
	UNWIND_HINT_EMPTY
	popfq
	movq	(%rsp), %rsp
	UNWIND_HINT_FUNC
#else
	movl	4 * UESP(%esp), %edx
	movl	%ebx, -4(%edx)
	subl	$4, 4 * UESP(%esp)
	RESTORE_FRAME
	popfl
	movl	(%esp), %esp
#endif
	RET
.endm

#endif /* _X86_KERNEL_KPROBES_FRAME_H */
