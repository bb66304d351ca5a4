/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, x86: where slots call to when post_handlers want to run.
 *
 * The call stands behind the copy of the probed instruction, in the place of the
 * jump back (decode.c).  The code saves the registers as a struct pt_regs, calls
 * kprobe_tail_hit(), and goes on behind the probed instruction, or where the
 * handlers want.  The return address only tells the slot.
 *
 * To an unwinder it looks like an exception there: it translates an address in
 * a slot, and then kprobe_tail_hit() has put the true one into the frame.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/smap.h>
#include <asm/unwind_hints.h>

#include "frame.h"

	.section .kprobes.text, "ax"

SYM_CODE_START(kprobe_tail_enter)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
	ENTER_BY_CALL
#ifdef CONFIG_X86_64
	movq	%rbx, RIP(%rsp)
	movq	%rsp, %rdi
	movq	%rbx, %rsi
	FRAME_HINT
	ENCODE_FRAME_POINTER
	call	kprobe_tail_hit
	movq	RIP(%rsp), %rbx
#else
	movl	%ebx, 4 * EIP(%esp)
	movl	%esp, %eax
	movl	%ebx, %edx
	FRAME_HINT
	ENCODE_FRAME_POINTER
	call	kprobe_tail_hit
	movl	4 * EIP(%esp), %ebx
#endif
	LEAVE_TO_BX
SYM_CODE_END(kprobe_tail_enter)
