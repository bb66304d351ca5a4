/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, arm64: where detour buffers call to.
 *
 * A buffer (detour.c) makes room for a struct pt_regs on the stack, saves x29
 * and x30 there, and calls here.  The code saves the rest, calls
 * kprobe_detour_hit(), and returns to the buffer, which goes on with what it
 * holds a copy of.  If a handler wants to go on elsewhere, or with interrupts
 * masked in another way, an exception return leads there: nothing else jumps
 * without a free register.
 *
 * To an unwinder it looks like the breakpoint's exception: a frame record in a
 * struct pt_regs, with the probed address.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>
#include <asm/ptrace.h>

#include "frame.h"

/* From the return address: the pointer at the start of the buffer, the copies. */
#define POINT_FROM_RETURN	-32
#define BODY_FROM_RETURN	8

	.section .kprobes.text, "ax"

SYM_CODE_START(kprobe_detour_enter)
	bti	c
	all_pairs stp
	mov	x19, x30
	ldr	x0, [x30, #POINT_FROM_RETURN]
	ldr	x2, [x0]			// kprobe_point::addr
	save_state x2, x20, x3
	add	x1, sp, #PT_REGS_SIZE
	str	x1, [sp, #S_SP]
	stp	x29, x2, [sp, #S_STACKFRAME]
	add	x29, sp, #S_STACKFRAME

	mov	x1, sp
	bl	kprobe_detour_hit

	mov	w3, w0
	add	x0, x19, #BODY_FROM_RETURN
	cbz	w3, 1f
	ldr	x0, [sp, #S_PC]
	b	.Lelsewhere
1:
	ldr	x1, [sp, #S_PSTATE]
	eor	x2, x1, x20
	tst	x2, #~(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)
	b.ne	.Lelsewhere

	msr	nzcv, x1
	mov	x30, x19
	all_pairs ldp
	ret

.Lelsewhere:
	leave_by_exception 0
SYM_CODE_END(kprobe_detour_enter)
