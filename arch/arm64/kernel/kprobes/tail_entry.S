/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, arm64: where slots call to when post_handlers want to run.
 *
 * What stands behind the copy of the probed instruction, in the place of the
 * branch back (arch_kprobe_put_tail_call()), saves x30 on the stack and calls here.
 * The code saves all registers as a struct pt_regs, calls kprobe_tail_hit(), and
 * returns to the slot, which gives x30 back and goes on behind the probed
 * instruction.  If a handler wants to go on elsewhere, or with interrupts masked
 * in another way, an exception return leads there, as from a detour buffer.
 *
 * To an unwinder it looks like an exception behind the probed instruction: a frame
 * record in a struct pt_regs, with the address that the slot's last branch leads to.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>
#include <asm/ptrace.h>

#include "frame.h"

/* From the return address: the branch back. */
#define BACK_FROM_RETURN	4
/* What the slot has pushed. */
#define PUSHED			16

	.section .kprobes.text, "ax"

SYM_CODE_START(kprobe_tail_enter)
	sub	sp, sp, #PT_REGS_SIZE
	all_pairs stp
	mov	x19, x30
	ldr	w2, [x30, #BACK_FROM_RETURN]
CPU_BE(	rev	w2, w2	)
	sbfx	x2, x2, #0, #26
	add	x2, x30, x2, lsl #2
	add	x21, x2, #BACK_FROM_RETURN
	ldr	x0, [sp, #PT_REGS_SIZE]
	add	x1, sp, #PT_REGS_SIZE + PUSHED
	stp	x0, x1, [sp, #S_LR]
	save_state x21, x20, x3
	stp	x29, x21, [sp, #S_STACKFRAME]
	add	x29, sp, #S_STACKFRAME

	mov	x0, sp
	mov	x1, x19
	bl	kprobe_tail_hit

	ldr	x0, [sp, #S_PC]
	cmp	x0, x21
	b.ne	.Lelsewhere
	ldr	x1, [sp, #S_PSTATE]
	eor	x2, x1, x20
	tst	x2, #~(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)
	b.ne	.Lelsewhere

	ldr	x2, [sp, #S_LR]
	str	x2, [sp, #PT_REGS_SIZE]
	msr	nzcv, x1
	mov	x30, x19
	all_pairs ldp
	add	sp, sp, #PT_REGS_SIZE
	ret

.Lelsewhere:
	leave_by_exception PUSHED
SYM_CODE_END(kprobe_tail_enter)
