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
	ENTER_BY_CALL
#ifdef CONFIG_X86_64
	movq	POINT_FROM_RETURN(%rbx), %rdi
	movq	(%rdi), %rax			/* kprobe_point::addr */
	incq	%rax
	movq	%rax, RIP(%rsp)
	movq	%rsp, %rsi
#else
	movl	POINT_FROM_RETURN(%ebx), %eax
	movl	(%eax), %ecx			/* kprobe_point::addr */
	incl	%ecx
	movl	%ecx, 4 * EIP(%esp)
	movl	%esp, %edx
#endif
	FRAME_HINT
	ENCODE_FRAME_POINTER
	call	kprobe_detour_hit
	testl	%eax, %eax
	jnz	.Ldiverted
.Lgo_on:
	LEAVE_TO_BX

.Ldiverted:
	FRAME_HINT
#ifdef CONFIG_X86_64
	movq	RIP(%rsp), %rbx
#else
	movl	4 * EIP(%esp), %ebx
#endif
	jmp	.Lgo_on
SYM_CODE_END(kprobe_detour_enter)
