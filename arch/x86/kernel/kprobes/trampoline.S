/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: where followed functions return to.
 *
 * Nobody calls this.  A function whose return address was replaced arrives at
 * __kretprobe_trampoline, with the stack pointer just above the slot that held
 * its return address.  The code makes the slot valid again, saves the
 * registers below it, and calls kretprobe_return(regs, slot), which puts the
 * true return address into the slot.
 *
 * The slot is made valid by a call: it pushes the address behind it, which is
 * that of the trampoline.  So the slot holds again what it held while the
 * function ran, and unwinders treat both alike.  And the CPU's return stack,
 * from which the function has taken one entry, gets one back: the RET at the
 * end is mispredicted, but those of all outer functions are not.
 *
 * Until the call is done the slot lies below the stack pointer.  Unwinders
 * that start there know the two addresses.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/segment.h>
#include <asm/unwind_hints.h>

#ifdef CONFIG_FRAME_POINTER
#define LINK_SLOTS	1
#else
#define LINK_SLOTS	0
#endif

	.section .kprobes.text, "ax"

SYM_CODE_START(kretprobe_trampoline_call)
	UNWIND_HINT_EMPTY
	ANNOTATE_NOENDBR
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Lreturned
SYM_INNER_LABEL(__kretprobe_trampoline, SYM_L_GLOBAL)
	UNWIND_HINT_EMPTY
	ANNOTATE_NOENDBR
	jmp	kretprobe_trampoline_call

.Lreturned:
	UNWIND_HINT_FUNC
#ifdef CONFIG_X86_64
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp
	movq	%rsp, %rbp
#endif
	pushq	$__KERNEL_DS
	pushq	$0				/* sp: below */
	pushfq
	pushq	$__KERNEL_CS
	pushq	$__kretprobe_trampoline		/* ip: kretprobe_return() */
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
#ifdef CONFIG_FRAME_POINTER
	pushq	(%rbp)
#else
	pushq	%rbp
#endif
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15

	movq	%rsp, %rdi
	leaq	SS + 8 + 8 * LINK_SLOTS(%rsp), %rsi
	leaq	8(%rsi), %rax
	movq	%rax, RSP(%rsp)
	call	kretprobe_return

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
	leaq	3 * 8(%rsp), %rsp
	popfq
	leaq	2 * 8 + 8 * LINK_SLOTS(%rsp), %rsp
	UNWIND_HINT_FUNC
	RET
#else
#ifdef CONFIG_FRAME_POINTER
	pushl	%ebp
	movl	%esp, %ebp
#endif
	pushl	$__KERNEL_DS
	pushl	$0				/* sp: below */
	pushfl
	pushl	$__KERNEL_CS
	pushl	$__kretprobe_trampoline		/* ip: kretprobe_return() */
	pushl	$-1				/* orig_ax: no system call */
	pushl	$0				/* gs: the user's, not ours to touch */
	pushl	%fs
	pushl	%es
	pushl	%ds
	pushl	%eax
#ifdef CONFIG_FRAME_POINTER
	pushl	(%ebp)
#else
	pushl	%ebp
#endif
	pushl	%edi
	pushl	%esi
	pushl	%edx
	pushl	%ecx
	pushl	%ebx

	movl	%esp, %eax
	leal	4 * (SS + 1 + LINK_SLOTS)(%esp), %edx
	leal	4(%edx), %ecx
	movl	%ecx, 4 * UESP(%esp)
	call	kretprobe_return

	popl	%ebx
	popl	%ecx
	popl	%edx
	popl	%esi
	popl	%edi
	popl	%ebp
	popl	%eax
	leal	7 * 4(%esp), %esp
	popfl
	leal	2 * 4 + 4 * LINK_SLOTS(%esp), %esp
	RET
#endif
SYM_CODE_END(kretprobe_trampoline_call)
