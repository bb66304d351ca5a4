// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes, arm64: may an instruction be probed, and how is it executed.
 *
 * a64_decode() is called at registration: for kernel probes by
 * arch_kprobe_decode(), for user probes by arm_probe_decode_insn().  Every
 * instruction is
 *
 * - refused, with a reason, if it does not survive the exception in front of
 *   it, or leads away from the code that is executed;
 * - simulated (simulate.h), if it depends on its address: branches, adr, and
 *   loads of literals;
 * - copied, which is all the rest.
 *
 * Classes, names and numbers are those of the Arm Architecture Reference Manual
 * (DDI 0487), chapter C4, "A64 Instruction Set Encoding".  Among the branches,
 * which may have members that this file does not know, only what is known is
 * accepted.
 *
 * Nothing here depends on the state of the running kernel: the file is also
 * compiled for the test in tools/kprobes/host/arm64-decode.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "a64.h"

#define NOT_AN_INSTRUCTION	"not an instruction"

static u32 field(u32 word, unsigned int lsb, unsigned int width)
{
	return (word >> lsb) & ((1U << width) - 1);
}

/* A signed field that counts instructions, in bytes. */
static s64 distance(u32 word, unsigned int lsb, unsigned int width)
{
	return sign_extend64(field(word, lsb, width), width - 1) * A64_INSN_BYTES;
}

static int refuse(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

static int invalid(const char **why)
{
	*why = NOT_AN_INSTRUCTION;
	return -EILSEQ;
}

/* adr, adrp; the rest of the class does not look at its address. */
static int decode_immediate(u32 word, struct a64_insn *insn)
{
	s64 imm;

	if (field(word, 24, 5) != 0x10)
		return 0;

	imm = sign_extend64(field(word, 5, 19) << 2 | field(word, 29, 2), 20);
	insn->reg = field(word, 0, 5);
	insn->kind = word >> 31 ? A64_ADRP : A64_ADR;
	insn->offset = word >> 31 ? imm * 4096 : imm;
	return 0;
}

/* C4.1.93 "Exception generation" */
static int decode_exception(u32 word, const char **why)
{
	switch (field(word, 21, 3)) {
	case 0:
		return refuse(why, "calls another exception level (svc, hvc, smc)");
	case 1:
		return refuse(why, "a breakpoint is part of the text (brk)");
	case 2:
	case 5:
		return refuse(why, "halts for an external debugger (hlt, dcps)");
	case 3:
		return refuse(why, "ends a transaction, which the trap aborts (tcancel)");
	}
	return invalid(why);
}

#define SYSREG(op0, op1, crn, crm, op2) \
	((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

/*
 * What an exception writes: a handler in front of the instruction has had one.
 * At EL2 (VHE) these names are for that level; the names ending in EL12 are for
 * registers that the kernel's own exceptions leave alone.
 */
static bool is_exception_state(u32 sysreg)
{
	switch (sysreg & ~SYSREG(0, 4, 0, 0, 0)) {
	case SYSREG(3, 0, 4, 0, 0):	/* SPSR_EL1, EL2 */
	case SYSREG(3, 0, 4, 0, 1):	/* ELR_EL1, EL2 */
	case SYSREG(3, 0, 5, 2, 0):	/* ESR_EL1, EL2 */
	case SYSREG(3, 0, 6, 0, 0):	/* FAR_EL1, EL2 */
		return true;
	}
	return false;
}

/* What the handling of the next exception stands on. */
static bool is_kernel_state(u32 sysreg)
{
	switch (sysreg) {
	case SYSREG(3, 0, 4, 1, 0):	/* SP_EL0: the current task */
	case SYSREG(3, 0, 4, 2, 0):	/* SPSel */
	case SYSREG(3, 0, 12, 0, 0):	/* VBAR_EL1 */
	case SYSREG(3, 4, 12, 0, 0):	/* VBAR_EL2 */
	case SYSREG(3, 0, 13, 0, 4):	/* TPIDR_EL1: the per-CPU offset */
	case SYSREG(3, 4, 13, 0, 2):	/* TPIDR_EL2: the same with VHE */
		return true;
	}
	return false;
}

/* mrs, msr */
static int decode_system_register(u32 word, const char **why)
{
	u32 sysreg = field(word, 5, 16);
	bool read = field(word, 21, 1);

	if (is_exception_state(sysreg))
		return refuse(why, "a register that the trap overwrites (mrs, msr)");
	if (!read && is_kernel_state(sysreg))
		return refuse(why, "what the next trap relies on is in flux (msr)");
	return 0;
}

/*
 * Hints that are not known are nops.  Landing pads (bti, paciasp) are copied:
 * a breakpoint is one of all kinds, and the copy finds PSTATE.BTYPE as the
 * branch has left it.
 */
static int decode_hint(u32 word, struct a64_insn *insn)
{
	if (!field(word, 5, 7))
		insn->kind = A64_NOP;
	return 0;
}

/* C4.1.94 ... C4.1.100: hints, barriers, PSTATE, system instructions */
static int decode_system(u32 word, struct a64_insn *insn, const char **why)
{
	u32 op0 = field(word, 19, 2), op1 = field(word, 16, 3);
	u32 crn = field(word, 12, 4), op2 = field(word, 5, 3);

	if (field(word, 22, 1) || op0 == 1)
		return 0;
	if (op0 >= 2)
		return decode_system_register(word, why);

	if (op1 == 3 && crn == 2 && field(word, 0, 5) == 31)
		return decode_hint(word, insn);
	if (op1 == 3 && crn == 3 && op2 == 3)
		return refuse(why, "part of a transaction, which the trap aborts");
	if (crn == 4 && op1 == 0 && op2 == 5)
		return refuse(why, "exchanges the stack pointer (msr spsel)");
	return 0;
}

/* A branch to an address in a register that may be signed. */
static int decode_signed_branch(u32 word, struct a64_insn *insn, const char **why)
{
	u32 modifier = field(word, 0, 5);

	insn->auth = field(word, 10, 1) ? A64_AUTH_KEY_B : A64_AUTH_KEY_A;
	insn->arg = modifier;

	switch (field(word, 21, 4)) {
	case 0x0:
	case 0x1:
		if (modifier != 31)
			return invalid(why);
		insn->zero_modifier = true;
		break;
	case 0x2:
		if (modifier != 31 || insn->reg != 31)
			return invalid(why);
		insn->reg = 30;
		insn->kind = A64_RET;
		return 0;
	case 0x4:
		return refuse(why, "returns from an exception (eretaa, eretab)");
	case 0x8:
	case 0x9:
		break;
	default:
		return invalid(why);
	}
	insn->kind = field(word, 21, 1) ? A64_BLR : A64_BR;
	return 0;
}

/* C4.1.101 "Unconditional branch (register)" */
static int decode_branch_register(u32 word, struct a64_insn *insn, const char **why)
{
	insn->reg = field(word, 5, 5);
	if (field(word, 16, 5) != 31)
		return invalid(why);
	if (field(word, 11, 5) == 1)
		return decode_signed_branch(word, insn, why);
	if (field(word, 10, 6) || field(word, 0, 5))
		return invalid(why);

	switch (field(word, 21, 4)) {
	case 0x0:
		insn->kind = A64_BR;
		return 0;
	case 0x1:
		insn->kind = A64_BLR;
		return 0;
	case 0x2:
		insn->kind = A64_RET;
		return 0;
	case 0x4:
	case 0x5:
		return refuse(why, "returns from an exception (eret, drps)");
	}
	return invalid(why);
}

/* C4.1.92 "Branches, exception generating and system instructions" */
static int decode_branch(u32 word, struct a64_insn *insn, const char **why)
{
	insn->inverted = field(word, 24, 1);
	insn->reg = field(word, 0, 5);

	switch (word >> 24) {
	case 0x14 ... 0x17:
		insn->kind = A64_B;
		insn->offset = distance(word, 0, 26);
		return 0;
	case 0x94 ... 0x97:
		insn->kind = A64_BL;
		insn->offset = distance(word, 0, 26);
		return 0;
	case 0x34 ... 0x35:
	case 0xb4 ... 0xb5:
		insn->kind = word >> 31 ? A64_CBZ : A64_CBZ_W;
		insn->offset = distance(word, 5, 19);
		return 0;
	case 0x36 ... 0x37:
	case 0xb6 ... 0xb7:
		insn->kind = A64_TBZ;
		insn->offset = distance(word, 5, 14);
		insn->arg = field(word, 19, 5) | word >> 31 << 5;
		return 0;
	case 0x54:
		insn->kind = A64_B_COND;
		insn->offset = distance(word, 5, 19);
		insn->arg = field(word, 0, 4);
		return 0;
	case 0xd4:
		return decode_exception(word, why);
	case 0xd5:
		return decode_system(word, insn, why);
	case 0xd6 ... 0xd7:
		return decode_branch_register(word, insn, why);
	}
	return refuse(why, "branch of an unknown kind");
}

/* "Load/store exclusive register" and "pair"; not the compare-and-swap among them. */
static bool is_exclusive(u32 word)
{
	if (field(word, 24, 6) != 0x08 || field(word, 23, 1))
		return false;
	return !field(word, 21, 1) || word >> 31;
}

/**
 * a64_is_load_exclusive() - is it one of ldxr, ldaxr, ldxp, ldaxp
 * @word: the instruction
 */
bool a64_is_load_exclusive(u32 word)
{
	return is_exclusive(word) && field(word, 22, 1);
}

/**
 * a64_is_store_exclusive() - is it one of stxr, stlxr, stxp, stlxp
 * @word: the instruction
 */
bool a64_is_store_exclusive(u32 word)
{
	return is_exclusive(word) && !field(word, 22, 1);
}

/* "Load register (literal)" */
static int decode_literal(u32 word, struct a64_insn *insn, const char **why)
{
	static const u8 kinds[] = { A64_LDR_W, A64_LDR, A64_LDRSW, A64_NOP };
	u32 opc = word >> 30;

	insn->kind = kinds[opc];
	insn->reg = field(word, 0, 5);
	insn->offset = distance(word, 5, 19);
	if (field(word, 26, 1)) {
		if (opc == 3)
			return invalid(why);
		insn->kind = A64_LDR_VECTOR;
		insn->arg = 4 << opc;
	}
	return 0;
}

static int decode_load_store(u32 word, struct a64_insn *insn, const char **why)
{
	if (field(word, 27, 3) == 3 && !field(word, 24, 2))
		return decode_literal(word, insn, why);
	if (is_exclusive(word))
		return refuse(why, "loses its exclusive access in the trap (ldxr, stxr)");
	return 0;
}

/**
 * a64_decode() - decide whether and how an instruction can be probed
 * @word: the instruction
 * @insn: filled in on success
 * @why: on failure set to a short reason
 *
 * Return: 0, -EILSEQ if there is no such instruction, -EINVAL if it cannot be
 * probed.
 */
int a64_decode(u32 word, struct a64_insn *insn, const char **why)
{
	memset(insn, 0, sizeof(*insn));
	insn->kind = A64_COPY;

	switch (field(word, 25, 4)) {
	case 0x0:
		/* With bit 31: SME. */
		return word >> 31 ? 0 : invalid(why);
	case 0x1:
	case 0x3:
		return invalid(why);
	case 0x8 ... 0x9:
		return decode_immediate(word, insn);
	case 0xa ... 0xb:
		return decode_branch(word, insn, why);
	case 0x4:
	case 0x6:
	case 0xc:
	case 0xe:
		return decode_load_store(word, insn, why);
	}
	/* SVE, registers, floating point, vectors */
	return 0;
}

/**
 * a64_between_exclusives() - would a trap take a store its exclusive access
 * @before: the instructions in front of the one that is asked for, in the order
 *	of their addresses
 * @nr_before: how many
 * @after: the instructions behind it
 * @nr_after: how many
 *
 * An exception, or rather the return from it, clears the monitor: a loop that
 * is trapped between its load and its store never ends.  Such loops are short
 * and have the store behind the load.  A load without a store (it waits for the
 * monitor to be cleared) does not matter.
 */
bool a64_between_exclusives(const u32 *before, unsigned int nr_before,
			    const u32 *after, unsigned int nr_after)
{
	unsigned int i;

	for (i = nr_before; ; i--) {
		if (!i || a64_is_store_exclusive(before[i - 1]))
			return false;
		if (a64_is_load_exclusive(before[i - 1]))
			break;
	}
	for (i = 0; i < nr_after; i++) {
		if (a64_is_load_exclusive(after[i]))
			return false;
		if (a64_is_store_exclusive(after[i]))
			return true;
	}
	return false;
}
