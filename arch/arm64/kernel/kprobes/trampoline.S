/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: where followed functions return to.
 *
 * Nobody calls this.  A function whose return address was replaced arrives at
 * __kretprobe_trampoline, with stack and frame pointer as its caller has them.
 * The code saves the registers, calls kretprobe_return(regs, frame pointer), and
 * goes on at the address it got.
 *
 * The frame record, which is part of struct pt_regs, has the trampoline's
 * address for the return address, like that of the function had: unwinders treat
 * both alike.
 *
 * BTI: nothing but RET comes here, and RET asks for no landing pad.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

#include "frame.h"

	.section .kprobes.text, "ax"

SYM_CODE_START(__kretprobe_trampoline)
	sub	sp, sp, #PT_REGS_SIZE
	all_pairs stp

	adr	x30, __kretprobe_trampoline
	add	x0, sp, #PT_REGS_SIZE
	stp	x30, x0, [sp, #S_LR]
	stp	x29, x30, [sp, #S_STACKFRAME]
	save_state x30, x2, x3			// kretprobe_return() knows better

	mov	x0, sp
	mov	x1, x29
	add	x29, sp, #S_STACKFRAME
	bl	kretprobe_return
	mov	x30, x0

	ldr	x2, [sp, #S_PSTATE]
	msr	nzcv, x2
	all_pairs ldp
	add	sp, sp, #PT_REGS_SIZE
	ret
SYM_CODE_END(__kretprobe_trampoline)
