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
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

#include "frame.h"

/* The frame pointer, and whether it has moved to the stack. */
#ifdef CONFIG_FRAME_POINTER
#define LINK_SLOTS	1
#define LINK		(%_ASM_BP)
#else
#define LINK_SLOTS	0
#define LINK		%_ASM_BP
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
#ifdef CONFIG_FRAME_POINTER
	push	%_ASM_BP
	mov	%_ASM_SP, %_ASM_BP
#endif
	SAVE_FRAME $__kretprobe_trampoline, LINK
#ifdef CONFIG_X86_64
	movq	%rsp, %rdi
	leaq	SS + 8 + 8 * LINK_SLOTS(%rsp), %rsi
	addq	$8 * (2 + LINK_SLOTS), RSP(%rsp)
	call	kretprobe_return
	RESTORE_FRAME
	popfq
	leaq	2 * 8 + 8 * LINK_SLOTS(%rsp), %rsp
	UNWIND_HINT_FUNC
#else
	movl	%esp, %eax
	leal	4 * (SS + 1 + LINK_SLOTS)(%esp), %edx
	addl	$4 * (2 + LINK_SLOTS), 4 * UESP(%esp)
	call	kretprobe_return
	RESTORE_FRAME
	popfl
	leal	2 * 4 + 4 * LINK_SLOTS(%esp), %esp
#endif
	RET
SYM_CODE_END(kretprobe_trampoline_call)
