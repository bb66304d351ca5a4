/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes, arm64: instructions that depend on their own address, executed on
 * saved registers.
 *
 * For simulate.c, where kernel probes have a function for each, and for user
 * probes (arch/arm64/kernel/probes/decode-insn.c).  What each of them does is
 * in the Arm Architecture Reference Manual, C6.2, by its name.  Literals are
 * not here: how to read them depends on whose they are.
 */
#ifndef _ARM64_KPROBES_SIMULATE_H
#define _ARM64_KPROBES_SIMULATE_H

#include <linux/ptrace.h>

#include "a64.h"

#define A64_LINK_REG	30

static __always_inline void a64_next(unsigned long addr, struct pt_regs *regs)
{
	regs->pc = addr + A64_INSN_BYTES;
}

static __always_inline void a64_branch_if(bool taken, const struct a64_insn *insn,
					  unsigned long addr, struct pt_regs *regs)
{
	regs->pc = addr + (taken ? insn->offset : A64_INSN_BYTES);
}

static __always_inline void a64_link(unsigned long addr, struct pt_regs *regs)
{
	regs->regs[A64_LINK_REG] = addr + A64_INSN_BYTES;
}

/*
 * Conditions come in pairs, the odd one being the opposite; but "never" is
 * another "always".
 */
static __always_inline bool a64_condition_holds(u8 condition, u64 pstate)
{
	bool n = pstate & PSR_N_BIT, z = pstate & PSR_Z_BIT;
	bool c = pstate & PSR_C_BIT, v = pstate & PSR_V_BIT;
	bool holds = true;

	switch (condition >> 1) {
	case 0:			/* eq, ne */
		holds = z;
		break;
	case 1:			/* cs, cc */
		holds = c;
		break;
	case 2:			/* mi, pl */
		holds = n;
		break;
	case 3:			/* vs, vc */
		holds = v;
		break;
	case 4:			/* hi, ls */
		holds = c && !z;
		break;
	case 5:			/* ge, lt */
		holds = n == v;
		break;
	case 6:			/* gt, le */
		holds = n == v && !z;
		break;
	case 7:
		return true;
	}
	return holds != (condition & 1);
}

static __always_inline void a64_b_cond(const struct a64_insn *insn, unsigned long addr,
				       struct pt_regs *regs)
{
	a64_branch_if(a64_condition_holds(insn->arg, regs->pstate), insn, addr, regs);
}

static __always_inline void a64_cbz(const struct a64_insn *insn, unsigned long addr,
				    struct pt_regs *regs)
{
	bool zero = !pt_regs_read_reg(regs, insn->reg);

	a64_branch_if(zero != insn->inverted, insn, addr, regs);
}

static __always_inline void a64_cbz_w(const struct a64_insn *insn, unsigned long addr,
				      struct pt_regs *regs)
{
	bool zero = !(u32)pt_regs_read_reg(regs, insn->reg);

	a64_branch_if(zero != insn->inverted, insn, addr, regs);
}

static __always_inline void a64_tbz(const struct a64_insn *insn, unsigned long addr,
				    struct pt_regs *regs)
{
	bool zero = !(pt_regs_read_reg(regs, insn->reg) >> insn->arg & 1);

	a64_branch_if(zero != insn->inverted, insn, addr, regs);
}

static __always_inline void a64_adr(const struct a64_insn *insn, unsigned long addr,
				    struct pt_regs *regs)
{
	pt_regs_write_reg(regs, insn->reg, addr + insn->offset);
	a64_next(addr, regs);
}

static __always_inline void a64_adrp(const struct a64_insn *insn, unsigned long addr,
				     struct pt_regs *regs)
{
	pt_regs_write_reg(regs, insn->reg, (addr & ~0xfffUL) + insn->offset);
	a64_next(addr, regs);
}

/*
 * What checks a signed address is the CPU itself: it has the keys.  (The
 * instructions are hints, so that any assembler knows them: autia1716,
 * autib1716.)
 */
#define A64_AUTH(name, hint)							\
static __always_inline								\
unsigned long name(unsigned long address, unsigned long with)			\
{										\
	register unsigned long modifier asm("x16") = with;			\
	register unsigned long target asm("x17") = address;			\
										\
	asm volatile("hint #" #hint : "+r" (target) : "r" (modifier));		\
	return target;								\
}

A64_AUTH(a64_auth_key_a, 12)
A64_AUTH(a64_auth_key_b, 14)

/* Where a branch to an address in a register goes. */
static __always_inline unsigned long a64_register_target(const struct a64_insn *insn,
							 const struct pt_regs *regs)
{
	unsigned long target = pt_regs_read_reg(regs, insn->reg);
	unsigned long modifier;

	if (insn->auth == A64_AUTH_NONE)
		return target;

	modifier = insn->arg == 31 ? regs->sp : regs->regs[insn->arg];
	if (insn->zero_modifier)
		modifier = 0;
	return insn->auth == A64_AUTH_KEY_A ? a64_auth_key_a(target, modifier) :
					      a64_auth_key_b(target, modifier);
}

#endif /* _ARM64_KPROBES_SIMULATE_H */
