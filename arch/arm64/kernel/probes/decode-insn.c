// SPDX-License-Identifier: GPL-2.0-only
/*
 * User probes, arm64: the decoder and the simulators of kernel probes, for the
 * registers and the memory of a task in user mode.
 *
 * Called by uprobes.c, in process context.
 */
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/traps.h>

#include "decode-insn.h"
#include "../kprobes/a64.h"
#include "../kprobes/simulate.h"

/* False if the literal cannot be read: the task gets the signal for that. */
static bool load_literal(const struct a64_insn *a64, unsigned long addr, u64 *value)
{
	unsigned long from = addr + a64->offset;
	u32 word;
	int err;

	if (a64->kind == A64_LDR) {
		err = get_user(*value, (u64 __user *)from);
	} else {
		err = get_user(word, (u32 __user *)from);
		*value = a64->kind == A64_LDRSW ? (s64)(s32)word : word;
	}
	if (err)
		arm64_notify_segfault(from);
	return !err;
}

static void simulate_literal(const struct a64_insn *a64, unsigned long addr,
			     struct pt_regs *regs)
{
	u64 value;

	if (!load_literal(a64, addr, &value))
		return;
	pt_regs_write_reg(regs, a64->reg, value);
	a64_next(addr, regs);
}

/* BTYPE stays clear: the target is not asked for a landing pad. */
static void simulate_register_branch(const struct a64_insn *a64, unsigned long addr,
				     struct pt_regs *regs)
{
	regs->pc = a64_register_target(a64, regs);
	if (a64->kind == A64_BLR)
		a64_link(addr, regs);
}

static void simulate(u32 opcode, long addr, struct pt_regs *regs)
{
	struct a64_insn a64;
	const char *why;

	if (a64_decode(opcode, &a64, &why))
		return;

	switch (a64.kind) {
	case A64_NOP:
		a64_next(addr, regs);
		break;
	case A64_BL:
		a64_link(addr, regs);
		fallthrough;
	case A64_B:
		a64_branch_if(true, &a64, addr, regs);
		break;
	case A64_B_COND:
		a64_b_cond(&a64, addr, regs);
		break;
	case A64_CBZ:
		a64_cbz(&a64, addr, regs);
		break;
	case A64_CBZ_W:
		a64_cbz_w(&a64, addr, regs);
		break;
	case A64_TBZ:
		a64_tbz(&a64, addr, regs);
		break;
	case A64_ADR:
		a64_adr(&a64, addr, regs);
		break;
	case A64_ADRP:
		a64_adrp(&a64, addr, regs);
		break;
	case A64_LDR:
	case A64_LDR_W:
	case A64_LDRSW:
		simulate_literal(&a64, addr, regs);
		break;
	case A64_BR:
	case A64_BLR:
	case A64_RET:
		simulate_register_branch(&a64, addr, regs);
		break;
	}
}

/**
 * arm_probe_decode_insn() - may a user probe be put on an instruction
 * @insn: the instruction
 * @api: on INSN_GOOD_NO_SLOT its handler is set
 *
 * A signed branch address is checked with the task's keys, which the CPU does
 * not have at hand in kernel mode, and the task's vector registers may be
 * anywhere: what needs them is rejected.
 *
 * Return: see enum probe_insn.
 */
enum probe_insn arm_probe_decode_insn(probe_opcode_t insn, struct arch_probe_insn *api)
{
	struct a64_insn a64;
	const char *why;

	api->handler = NULL;
	if (a64_decode(insn, &a64, &why) || a64.auth != A64_AUTH_NONE ||
	    a64.kind == A64_LDR_VECTOR)
		return INSN_REJECTED;
	if (a64.kind == A64_COPY)
		return INSN_GOOD;
	api->handler = simulate;
	return INSN_GOOD_NO_SLOT;
}
