/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, x86: where detour buffers call to.
 *
 * The call's return address is the body of the buffer (detour.c).  The code
 * saves the registers as a struct pt_regs, calls kprobe_detour_hit(), and
 * returns: to the body as a rule, elsewhere if a handler said so.
 *
 * To an unwinder it looks like the breakpoint's exception: a register frame
 * whose instruction pointer is one byte behind the probed address.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/segment.h>
#include <asm/smap.h>
#include <asm/unwind_hints.h>

/*
 * Below the interrupted stack, for handlers that push to it: what the
 * breakpoint exception leaves, too.
 */
#define GAP_WORDS	6

/* From the return address back to the pointer in front of the buffer's entry. */
#ifdef CONFIG_X86_64
#define POINT_FROM_RETURN	(-5 - 8)
#else
#define POINT_FROM_RETURN	(-5 - 4)
#endif

	.section .kprobes.text, "ax"

SYM_CODE_START(kprobe_detour_enter)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
#ifdef CONFIG_X86_64
	leaq	-8 * GAP_WORDS(%rsp), %rsp
	pushq	$__KERNEL_DS
	pushq	$0				/* sp: below */
	pushfq
	pushq	$__KERNEL_CS
	pushq	$0				/* ip: below */
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
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	cld
	ASM_CLAC

	movq	%rsp, %rsi
	leaq	SS + 8 + 8 * GAP_WORDS(%rsi), %rax
	movq	(%rax), %rdi
	addq	$8, %rax
	movq	%rax, RSP(%rsi)
	movq	POINT_FROM_RETURN(%rdi), %rdi
	movq	(%rdi), %rax			/* kprobe_point::addr */
	incq	%rax
	movq	%rax, RIP(%rsi)
	UNWIND_HINT_REGS
	ENCODE_FRAME_POINTER
	call	kprobe_detour_hit

	/* To where the handlers want the stack to be. */
	movq	RSP(%rsp), %rdx
	subq	$8, %rdx
	movq	%rax, (%rdx)
	movq	%rdx, RSP(%rsp)

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
	UNWIND_HINT_EMPTY
	popfq
	movq	(%rsp), %rsp
	UNWIND_HINT_FUNC
	RET
#else
	leal	-4 * GAP_WORDS(%esp), %esp
	pushl	$__KERNEL_DS
	pushl	$0				/* sp: below */
	pushfl
	pushl	$__KERNEL_CS
	pushl	$0				/* ip: below */
	pushl	$-1				/* orig_ax: no system call */
	pushl	$0				/* gs: the user's, not ours to touch */
	pushl	%fs
	pushl	%es
	pushl	%ds
	pushl	%eax
	pushl	%ebp
	pushl	%edi
	pushl	%esi
	pushl	%edx
	pushl	%ecx
	pushl	%ebx
	cld
	ASM_CLAC

	movl	%esp, %edx
	leal	4 * (SS + 1 + GAP_WORDS)(%edx), %ecx
	movl	(%ecx), %eax
	addl	$4, %ecx
	movl	%ecx, 4 * UESP(%edx)
	movl	POINT_FROM_RETURN(%eax), %eax
	movl	(%eax), %ecx			/* kprobe_point::addr */
	incl	%ecx
	movl	%ecx, 4 * EIP(%edx)
	ENCODE_FRAME_POINTER
	call	kprobe_detour_hit

	/* To where the handlers want the stack to be. */
	movl	4 * UESP(%esp), %edx
	subl	$4, %edx
	movl	%eax, (%edx)
	movl	%edx, 4 * UESP(%esp)

	popl	%ebx
	popl	%ecx
	popl	%edx
	popl	%esi
	popl	%edi
	popl	%ebp
	popl	%eax
	leal	7 * 4(%esp), %esp
	popfl
	movl	(%esp), %esp
	RET
#endif
SYM_CODE_END(kprobe_detour_enter)
