/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: functions for jump_test.c, with a place that a jump cannot take.
 *
 * At the marked place of each stands a one-byte instruction, followed by others
 * that a jump would replace along with it.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>

/* Where the place of the function @name is: kprobe_jump_site_<name>. */
.macro SITE name:req
.Lsite_\@:
	ANNOTATE_NOENDBR
	.pushsection .rodata
	_ASM_ALIGN
	.globl	kprobe_jump_site_\name
kprobe_jump_site_\name:
	_ASM_PTR .Lsite_\@
	.popsection
	nop
.endm

	.text

/* Nobody jumps there: this one gets its jump. */
SYM_FUNC_START(kprobe_jump_free)
	SITE	free
	nop
	nop
	nop
	nop
	nop
	RET
SYM_FUNC_END(kprobe_jump_free)

/* A loop comes back. */
SYM_FUNC_START(kprobe_jump_looped)
	mov	$3, %ecx
	SITE	looped
.Lagain:
	nop
	nop
	dec	%ecx
	jnz	.Lagain
	RET
SYM_FUNC_END(kprobe_jump_looped)

/* Another function comes, as a part that the compiler split off does. */
SYM_FUNC_START(kprobe_jump_entered)
	SITE	entered
	nop
.Lentered:
	nop
	nop
	nop
	nop
	RET
SYM_FUNC_END(kprobe_jump_entered)

SYM_FUNC_START(kprobe_jump_enters)
	STACK_FRAME_NON_STANDARD kprobe_jump_enters
	nop
	jmp	.Lentered
SYM_FUNC_END(kprobe_jump_enters)

/* The handler of an exception. */
SYM_FUNC_START(kprobe_jump_fixed_up)
.Lmay_fault:
	mov	(%_ASM_AX), %eax
	SITE	fixed_up
	nop
	nop
.Lfixup:
	nop
	nop
	RET
	_ASM_EXTABLE(.Lmay_fault, .Lfixup)
SYM_FUNC_END(kprobe_jump_fixed_up)

/* A table of addresses. */
SYM_FUNC_START(kprobe_jump_tabled)
	STACK_FRAME_NON_STANDARD kprobe_jump_tabled
	SITE	tabled
	nop
.Lcase:
	ANNOTATE_NOENDBR
	nop
	nop
	nop
	ANNOTATE_RETPOLINE_SAFE
	jmp	*%_ASM_AX
SYM_FUNC_END(kprobe_jump_tabled)

	.pushsection .rodata
	_ASM_ALIGN
	_ASM_PTR .Lcase
	.popsection

/* Reads what SI points to, CX bytes: a task stands in it for long. */
SYM_FUNC_START(kprobe_jump_standing)
	SITE	standing
	rep lodsb
	nop
	nop
	nop
	RET
SYM_FUNC_END(kprobe_jump_standing)
