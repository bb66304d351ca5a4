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
#include <asm/smap.h>
#include <asm/unwind_hints.h>

#include "frame.h"

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
	SAVE_FRAME $0, %rbp			/* ip: below */
	cld
	ASM_CLAC

	movq	SS + 8 + 8 * GAP_WORDS(%rsp), %rbx	/* the body */
	movq	POINT_FROM_RETURN(%rbx), %rdi
	movq	(%rdi), %rax			/* kprobe_point::addr */
	incq	%rax
	movq	%rax, RIP(%rsp)
	addq	$8 * (2 + GAP_WORDS), RSP(%rsp)
	movq	%rsp, %rsi
	UNWIND_HINT_REGS
	ENCODE_FRAME_POINTER
	call	kprobe_detour_hit
	testl	%eax, %eax
	jnz	.Ldiverted

	/* To where the handlers want the stack to be. */
.Lgo_on:
	movq	RSP(%rsp), %rdx
	movq	%rbx, -8(%rdx)
	subq	$8, RSP(%rsp)

	RESTORE_FRAME
	UNWIND_HINT_EMPTY
	popfq
	movq	(%rsp), %rsp
	UNWIND_HINT_FUNC
	RET

.Ldiverted:
	UNWIND_HINT_REGS
	movq	RIP(%rsp), %rbx
	jmp	.Lgo_on
#else
	leal	-4 * GAP_WORDS(%esp), %esp
	SAVE_FRAME $0, %ebp			/* ip: below */
	cld
	ASM_CLAC

	movl	4 * (SS + 1 + GAP_WORDS)(%esp), %ebx	/* the body */
	movl	POINT_FROM_RETURN(%ebx), %eax
	movl	(%eax), %ecx			/* kprobe_point::addr */
	incl	%ecx
	movl	%ecx, 4 * EIP(%esp)
	addl	$4 * (2 + GAP_WORDS), 4 * UESP(%esp)
	movl	%esp, %edx
	ENCODE_FRAME_POINTER
	call	kprobe_detour_hit
	testl	%eax, %eax
	jz	1f
	movl	4 * EIP(%esp), %ebx

	/* To where the handlers want the stack to be. */
1:
	movl	4 * UESP(%esp), %edx
	movl	%ebx, -4(%edx)
	subl	$4, 4 * UESP(%esp)

	RESTORE_FRAME
	popfl
	movl	(%esp), %esp
	RET
#endif
SYM_CODE_END(kprobe_detour_enter)
