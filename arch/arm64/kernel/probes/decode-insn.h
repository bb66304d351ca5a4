/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: what user probes ask about an instruction.  For uprobes.c.
 */
#ifndef _ARM64_PROBES_DECODE_INSN_H
#define _ARM64_PROBES_DECODE_INSN_H

#include <asm/probes.h>

/**
 * enum probe_insn - may an instruction be probed
 * @INSN_REJECTED: no
 * @INSN_GOOD_NO_SLOT: yes, arch_probe_insn::handler does its work
 * @INSN_GOOD: yes, a copy of it can be stepped
 */
enum probe_insn {
	INSN_REJECTED,
	INSN_GOOD_NO_SLOT,
	INSN_GOOD,
};

enum probe_insn arm_probe_decode_insn(probe_opcode_t insn, struct arch_probe_insn *api);

#endif /* _ARM64_PROBES_DECODE_INSN_H */
