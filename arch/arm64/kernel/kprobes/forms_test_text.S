/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, arm64: functions for forms_test.c, each with an instruction to
 * be probed.
 *
 * form NAME ... end_form: a function of x0 and x1 whose value says whether the
 * instruction at label "at" did what it should.  refused NAME: the same, but the
 * decoder must not accept the instruction; it is not executed.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

	.macro	entry, name, refused
	.pushsection .rodata.kprobe_forms, "a"
	.balign	8
	.quad	.Lform_\name, .Lat_\name, .Lname_\name, \refused
	.popsection
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
	.asciz	"\name"
	.popsection
	.endm

	.macro	form, name
SYM_FUNC_START(kprobe_form_\name)
.Lform_\name = kprobe_form_\name
	entry	\name, 0
	.endm

	.macro	refused, name
SYM_FUNC_START(kprobe_form_\name)
.Lform_\name = kprobe_form_\name
	entry	\name, 1
	.endm

/* Behind it comes the probed instruction. */
	.macro	at, name
.Lat_\name:
	.endm

	.macro	end_form, name
SYM_FUNC_END(kprobe_form_\name)
	.endm

	.section .rodata.kprobe_forms, "a"
	.balign	8
	.globl	kprobe_forms
kprobe_forms:

	.text

form adr
at adr
	adr	x0, .Lform_adr
	adr	x2, .Lform_adr
	sub	x0, x0, x2
	ret
end_form adr

form adrp
at adrp
	adrp	x0, .Lform_adrp
	adrp	x2, .Lform_adrp
	sub	x0, x0, x2
	ret
end_form adrp

form ldr_literal
at ldr_literal
	ldr	x0, 1f
	ret
	.balign	8
1:	.quad	0x1122334455667788
end_form ldr_literal

form ldr_w_literal
at ldr_w_literal
	ldr	w0, 1f
	ret
1:	.long	0x99aabbcc
end_form ldr_w_literal

form ldrsw_literal
at ldrsw_literal
	ldrsw	x0, 1f
	ret
1:	.long	0x99aabbcc
end_form ldrsw_literal

form prfm_literal
at prfm_literal
	prfm	pldl1keep, 1f
	ret
1:	.long	0
end_form prfm_literal

form b
at b
	b	2f
1:	mov	x0, #1
	ret
2:	mov	x0, #2
	b	3f
3:	ret
end_form b

form b_back
	b	2f
1:	mov	x0, #1
	ret
2:
at b_back
	b	1b
end_form b_back

form bl
	mov	x9, x30
at bl
	bl	1f
1:	adr	x2, 1b
	sub	x0, x30, x2
	ret	x9
end_form bl

form b_eq
	cmp	x0, x1
at b_eq
	b.eq	1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
end_form b_eq

form b_lt
	cmp	x0, x1
at b_lt
	b.lt	1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
end_form b_lt

form b_hi
	cmp	x0, x1
at b_hi
	b.hi	1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
end_form b_hi

form cbz
at cbz
	cbz	x0, 1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
end_form cbz

form cbnz_w
at cbnz_w
	cbnz	w0, 1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
end_form cbnz_w

form tbz
at tbz
	tbz	x0, #33, 1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
end_form tbz

form tbnz
at tbnz
	tbnz	w0, #0, 1f
	mov	x0, #1
	ret
1:	mov	x0, #2
	ret
end_form tbnz

form br
	adr	x2, 1f
at br
	br	x2
	mov	x0, #1
	ret
1:	bti	j
	mov	x0, #2
	ret
end_form br

form br_x16
	adr	x16, 1f
at br_x16
	br	x16
	mov	x0, #1
	ret
1:	bti	c
	mov	x0, #2
	ret
end_form br_x16

form blr
	mov	x9, x30
	adr	x2, 1f
at blr
	blr	x2
2:	mov	x0, #1
	ret	x9
1:	bti	c
	adr	x2, 2b
	sub	x0, x30, x2
	ret	x9
end_form blr

form blr_x30
	mov	x9, x30
	adr	x30, 1f
at blr_x30
	blr	x30
2:	mov	x0, #1
	ret	x9
1:	bti	c
	adr	x2, 2b
	sub	x0, x30, x2
	ret	x9
end_form blr_x30

form ret
	add	x0, x0, x1
at ret
	ret
end_form ret

form ret_x9
	mov	x9, x30
	mov	x30, #0
at ret_x9
	ret	x9
end_form ret_x9

form nop
at nop
	nop
	ret
end_form nop

form bti
	mov	x9, x30
	adr	x2, .Lat_bti
	blr	x2
	ret	x9
at bti
	bti	c
	mov	x0, #3
	ret
end_form bti

form paciasp
at paciasp
	hint	#25
	hint	#29
	ret
end_form paciasp

form autiasp
	hint	#25
at autiasp
	hint	#29
	ret
end_form autiasp

form add
at add
	add	x0, x0, x1, lsl #2
	ret
end_form add

form cmp
at cmp
	cmp	x0, x1
	cset	x0, lt
	ret
end_form cmp

form stp
at stp
	stp	x0, x1, [sp, #-16]!
	ldr	x0, [sp, #8]
	add	sp, sp, #16
	ret
end_form stp

form ldp
	stp	x0, x1, [sp, #-16]!
at ldp
	ldp	x1, x0, [sp], #16
	ret
end_form ldp

form mrs_current
at mrs_current
	mrs	x0, sp_el0
	mrs	x2, sp_el0
	sub	x0, x0, x2
	ret
end_form mrs_current

form mrs_daif
	msr	daifset, #2
at mrs_daif
	mrs	x0, daif
	msr	daifclr, #2
	ret
end_form mrs_daif

form msr_daifset
	mrs	x2, daif
at msr_daifset
	msr	daifset, #2
	mrs	x0, daif
	msr	daif, x2
	ret
end_form msr_daifset

form msr_daifclr
	mrs	x2, daif
	msr	daifset, #2
at msr_daifclr
	msr	daifclr, #2
	mrs	x0, daif
	msr	daif, x2
	ret
end_form msr_daifclr

/* Interrupts are off: one would make the store fail, and the loop go round. */
form before_exclusives
	str	x0, [sp, #-16]!
	mov	x2, sp
	mrs	x5, daif
	msr	daifset, #2
at before_exclusives
	mov	x6, x1
1:	ldxr	x3, [x2]
	add	x3, x3, x6
	stxr	w4, x3, [x2]
	cbnz	w4, 1b
	msr	daif, x5
	ldr	x0, [sp], #16
	ret
end_form before_exclusives

form behind_exclusives
	str	x0, [sp, #-16]!
	mov	x2, sp
	mrs	x5, daif
	msr	daifset, #2
1:	ldxr	x3, [x2]
	add	x3, x3, x1
	stxr	w4, x3, [x2]
at behind_exclusives
	cbnz	w4, 1b
	msr	daif, x5
	ldr	x0, [sp], #16
	ret
end_form behind_exclusives

refused ldxr
1:
at ldxr
	ldxr	x3, [x2]
	add	x3, x3, #1
	stxr	w4, x3, [x2]
	cbnz	w4, 1b
	ret
end_form ldxr

refused between_exclusives
1:	ldxr	x3, [x2]
at between_exclusives
	add	x3, x3, #1
	stxr	w4, x3, [x2]
	cbnz	w4, 1b
	ret
end_form between_exclusives

refused stxr
1:	ldxr	x3, [x2]
	add	x3, x3, #1
at stxr
	stxr	w4, x3, [x2]
	cbnz	w4, 1b
	ret
end_form stxr

refused brk
at brk
	brk	#0x123
	ret
end_form brk

refused hvc
at hvc
	hvc	#0
	ret
end_form hvc

refused eret
at eret
	eret
end_form eret

refused mrs_elr
at mrs_elr
	mrs	x0, elr_el1
	ret
end_form mrs_elr

refused msr_current
at msr_current
	msr	sp_el0, x0
	ret
end_form msr_current

refused literal_in_text
	ret
at literal_in_text
	.long	0
end_form literal_in_text

/*
 * For forms_test.c's handlers, which change where it goes on: 2 as it is, 1
 * without the probed instruction, 3 if the flags are changed in front of it or
 * behind it, or the branch is skipped, 4 if it returns to kprobe_diverted_link, which
 * goes on at x16.
 */
SYM_FUNC_START(kprobe_diverted)
	mov	x0, #1
	cmp	x0, #1
SYM_INNER_LABEL(kprobe_diverted_at, SYM_L_GLOBAL)
	mov	x0, #2
	b.eq	1f
	mov	x0, #3
1:	ret
SYM_INNER_LABEL(kprobe_diverted_link, SYM_L_GLOBAL)
	mov	x0, #4
	ret	x16
SYM_FUNC_END(kprobe_diverted)

	.pushsection .rodata.kprobe_forms, "a"
	.quad	0, 0, 0, 0
	.popsection
