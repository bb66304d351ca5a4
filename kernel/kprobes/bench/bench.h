/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, the benchmark: what its files share with each other.
 *
 * Nothing here knows how probes are implemented.
 */
#ifndef _KPROBES_BENCH_H
#define _KPROBES_BENCH_H

#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/types.h>

#ifdef CONFIG_X86
#include <asm/tsc.h>
#endif

#define BENCH_TARGETS	60000

typedef unsigned long bench_target_t(unsigned long x);

/* targets_*.S: to be probed; the traced ones if the tracer delivers probes */

extern bench_target_t * const bench_plain_targets[BENCH_TARGETS];
extern bench_target_t * const bench_traced_targets[BENCH_TARGETS];
bench_target_t bench_plain, bench_traced;
extern const u32 bench_plain_middle, bench_traced_middle;

#define BENCH_HAS_TRACED	IS_ENABLED(CONFIG_KPROBES_ON_FTRACE)

/**
 * bench_clock() - what time is measured in
 *
 * Under QEMU's -icount shift=0 a nanosecond is an instruction, and so is a
 * cycle of the x86 counter, which is read without rounding.
 */
static __always_inline u64 bench_clock(void)
{
#ifdef CONFIG_X86
	return rdtsc_ordered();
#else
	return ktime_get_ns();
#endif
}

/* Where in a function a probe goes. */
enum bench_site {
	BENCH_PLAIN,		/* entry, no site of the tracer */
	BENCH_MIDDLE,		/* within it */
	BENCH_TRACED,		/* entry, the tracer's site */
	BENCH_SITES,
};

extern const char * const bench_site_names[BENCH_SITES];

/* arrays.c: registering many */

int bench_fill(enum bench_site site, unsigned int n);
int bench_drain(void);
int bench_fill_returns(enum bench_site site, unsigned int n);
int bench_drain_returns(void);
int bench_memory(void);
int bench_singles(enum bench_site site, unsigned int n);

/* hits.c: being hit */

int bench_hits(void);
int bench_jump(void);
int bench_contend(unsigned int threads);

#endif /* _KPROBES_BENCH_H */
