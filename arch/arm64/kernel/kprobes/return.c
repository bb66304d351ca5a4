// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: return probes: what they must keep away from.
 *
 * For kernel/kprobes/retprobe.c, see <linux/kprobes_arch.h>.  The hit's part
 * is in <asm/kretprobe.h> and trampoline.S.
 */
#include <linux/kprobes_arch.h>

const char * const arch_kretprobe_blacklist[] = {
	"__switch_to",
	NULL
};
