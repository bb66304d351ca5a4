// SPDX-License-Identifier: GPL-2.0-only
/*
 * One flavour: everything in one object, of which only FLAVOUR stays visible
 * outside.  Compiled once for each, with the options of that kernel.  On 32 bit
 * the kernel's "long" is an "int" of this host.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "flavour.h"

#define __KERNEL__ 1
#ifdef CONFIG_X86_32
#define long int
#endif

#include "../../../../arch/x86/kernel/kprobes/decode.c"
#include "../../../../arch/x86/kernel/kprobes/simulate.c"

/* The base's decoder; the functions below are all that uses it. */
#include "insn.c"
#include "inat.c"

static const struct {
	kprobe_simulate_t function;
	const char *name;
} simulators[] = {
	{ kprobe_simulate_jmp, "jmp" },
	{ kprobe_simulate_jcc, "jcc" },
	{ kprobe_simulate_loop, "loop" },
	{ kprobe_simulate_jcxz, "jcxz" },
	{ kprobe_simulate_call, "call" },
	{ kprobe_simulate_ret, "ret" },
	{ kprobe_simulate_jmp_reg, "jmp_reg" },
	{ kprobe_simulate_call_reg, "call_reg" },
	{ kprobe_simulate_jmp_mem, "jmp_mem" },
	{ kprobe_simulate_call_mem, "call_mem" },
};

static int redo_decode(struct kprobe_insn *insn, const struct decoded *d, const char **why)
{
	memset(insn, 0xa5, sizeof(*insn));	/* the function is to set it all */
	memcpy(insn->bytes, d->bytes, sizeof(insn->bytes));
	insn->avail = d->avail;
	return arch_kprobe_decode(insn, d->addr, why);
}

static void flavour_decode(struct decoded *d, const u8 *bytes, unsigned int avail,
			   u64 addr)
{
	struct kprobe_insn insn;
	unsigned int i;

	memset(d, 0, sizeof(*d));
	d->avail = avail < INSN_BYTES ? avail : INSN_BYTES;
	memcpy(d->bytes, bytes, d->avail);
	d->addr = addr;
	d->err = redo_decode(&insn, d, &d->why);
	if (d->err)
		return;
	d->length = insn.length;
	d->how = insn.exec;
	d->wants_slot = insn.wants_slot;
	for (i = 0; i < ARRAY_SIZE(simulators); i++)
		if (insn.exec == KPROBE_EXEC_SIMULATE &&
		    insn.simulate == simulators[i].function)
			d->simulator = simulators[i].name;
}

static int flavour_length(const u8 *bytes, unsigned int avail)
{
	return arch_kprobe_insn_length(bytes, avail);
}

static void copy_regs(struct machine *m, struct pt_regs *regs, bool to_kernel)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reg_offset); i++) {
		unsigned long *r = (unsigned long *)((u8 *)regs + reg_offset[i]);

		if (to_kernel)
			*r = m->reg[i];
		else
			m->reg[i] = *r;
	}
	if (to_kernel) {
		regs->ip = m->ip;
		regs->flags = m->flags;
	} else {
		m->ip = regs->ip;
		m->flags = regs->flags;
	}
}

static bool flavour_simulate(const struct decoded *d, struct machine *m)
{
	struct pt_regs regs = { }, before;
	struct kprobe_insn insn;
	const char *why;
	bool done;

	if (redo_decode(&insn, d, &why))
		return false;
	copy_regs(m, &regs, true);
	before = regs;
	done = insn.simulate(&insn, d->addr, &regs);
	if (!done && memcmp(&before, &regs, sizeof(regs)))
		m->ip = ~0ULL;		/* touched: make the comparison fail */
	else
		copy_regs(m, &regs, false);
	return done;
}

static int flavour_build_slot(const struct decoded *d, u64 slot, u8 *image,
			      unsigned int *tail, unsigned int *tail_jump)
{
	struct kprobe_insn insn;
	const char *why;
	int err;

	if (redo_decode(&insn, d, &why))
		return -1;
	err = arch_kprobe_build_slot(&insn, d->addr, slot, image);
	*tail = insn.tail;
	*tail_jump = insn.tail_jump;
	return err;
}

const struct flavour FLAVOUR = {
	sizeof(long) * 8,
	flavour_decode, flavour_length, flavour_simulate, flavour_build_slot,
};
