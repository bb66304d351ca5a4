// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, the benchmark: registering and unregistering many.
 *
 * For bench.c.  What is measured is the whole call as its caller sees it: the
 * instructions it takes, and the time it waits for others.
 */
#define pr_fmt(fmt) "kp-bench: " fmt

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>

#include "bench.h"

static struct kprobe *probes;
static struct kprobe **probe_ptrs;
static unsigned int nr_probes;

static struct kretprobe *returns;
static struct kretprobe **return_ptrs;
static unsigned int nr_returns;

static enum bench_site filled_site;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static kprobe_opcode_t *target_address(enum bench_site site, unsigned int i)
{
	unsigned long addr;

	if (BENCH_HAS_TRACED && site == BENCH_TRACED)
		addr = (unsigned long)bench_traced_targets[i];
	else
		addr = (unsigned long)bench_plain_targets[i];
	if (site == BENCH_MIDDLE)
		addr += bench_plain_middle;
	return (kprobe_opcode_t *)addr;
}

/* What is free for everybody; freed memory that is on its way counts. */
static unsigned long free_bytes(void)
{
	rcu_barrier();
	drain_all_pages(NULL);
	return global_zone_page_state(NR_FREE_PAGES) << PAGE_SHIFT;
}

/**
 * bench_memory() - say how much is free
 *
 * For what probes take later than when they are registered.
 */
int bench_memory(void)
{
	pr_notice("memory free=%lu\n", free_bytes());
	return 0;
}

/**
 * struct lap - what is compared before and after a call
 * @clock: the time
 * @gp: RCU's grace periods
 */
struct lap {
	u64 clock;
	unsigned long gp;
};

static void lap_begin(struct lap *lap)
{
	lap->gp = get_state_synchronize_rcu();
	lap->clock = bench_clock();
}

static void lap_end(struct lap *lap)
{
	lap->clock = bench_clock() - lap->clock;
	/* The two low bits are the state of the grace period. */
	lap->gp = (get_state_synchronize_rcu() - lap->gp) >> 2;
}

static void report(const char *what, enum bench_site site, unsigned int n,
		   const struct lap *lap, long memory)
{
	pr_notice("%s site=%s n=%u clock=%llu gp=%lu memory=%ld\n", what,
		  bench_site_names[site], n, lap->clock, lap->gp, memory);
}

/**
 * bench_fill() - register an array of probes, and keep it registered
 * @site: where
 * @n: how many
 */
int bench_fill(enum bench_site site, unsigned int n)
{
	unsigned long before;
	struct lap lap;
	unsigned int i;
	int ret;

	if (nr_probes || !n || n > BENCH_TARGETS)
		return -EINVAL;
	before = free_bytes();
	probes = vzalloc(array_size(n, sizeof(*probes)));
	probe_ptrs = vzalloc(array_size(n, sizeof(*probe_ptrs)));
	if (!probes || !probe_ptrs) {
		ret = -ENOMEM;
		goto fail;
	}
	for (i = 0; i < n; i++) {
		probes[i].addr = target_address(site, i);
		probes[i].pre_handler = count_hit;
		probe_ptrs[i] = &probes[i];
	}

	lap_begin(&lap);
	ret = register_kprobes(probe_ptrs, n);
	lap_end(&lap);
	if (ret)
		goto fail;
	nr_probes = n;
	filled_site = site;
	report("fill", site, n, &lap, before - free_bytes() - n * sizeof(*probe_ptrs));
	return 0;

fail:
	vfree(probe_ptrs);
	vfree(probes);
	return ret;
}

/**
 * bench_drain() - unregister what bench_fill() registered
 */
int bench_drain(void)
{
	struct lap lap;

	if (!nr_probes)
		return -EINVAL;
	lap_begin(&lap);
	unregister_kprobes(probe_ptrs, nr_probes);
	lap_end(&lap);
	vfree(probe_ptrs);
	vfree(probes);
	report("drain", filled_site, nr_probes, &lap, 0);
	nr_probes = 0;
	return 0;
}

/**
 * bench_fill_returns() - register an array of return probes, and keep it
 * @site: where
 * @n: how many
 */
int bench_fill_returns(enum bench_site site, unsigned int n)
{
	unsigned long before;
	struct lap lap;
	unsigned int i;
	int ret;

	if (nr_returns || !n || n > BENCH_TARGETS)
		return -EINVAL;
	before = free_bytes();
	returns = vzalloc(array_size(n, sizeof(*returns)));
	return_ptrs = vzalloc(array_size(n, sizeof(*return_ptrs)));
	if (!returns || !return_ptrs) {
		ret = -ENOMEM;
		goto fail;
	}
	for (i = 0; i < n; i++) {
		returns[i].kp.addr = target_address(site, i);
		returns[i].handler = count_return;
		return_ptrs[i] = &returns[i];
	}

	lap_begin(&lap);
	ret = register_kretprobes(return_ptrs, n);
	lap_end(&lap);
	if (ret)
		goto fail;
	nr_returns = n;
	filled_site = site;
	report("rfill", site, n, &lap, before - free_bytes() - n * sizeof(*return_ptrs));
	return 0;

fail:
	vfree(return_ptrs);
	vfree(returns);
	return ret;
}

/**
 * bench_drain_returns() - unregister what bench_fill_returns() registered
 */
int bench_drain_returns(void)
{
	struct lap lap;

	if (!nr_returns)
		return -EINVAL;
	lap_begin(&lap);
	unregister_kretprobes(return_ptrs, nr_returns);
	lap_end(&lap);
	vfree(return_ptrs);
	vfree(returns);
	report("rdrain", filled_site, nr_returns, &lap, 0);
	nr_returns = 0;
	return 0;
}

/**
 * bench_singles() - register probes one by one, and unregister them
 * @site: where, at the functions bench_fill() takes last
 * @n: how many
 */
int bench_singles(enum bench_site site, unsigned int n)
{
	unsigned int i, done = 0;
	struct kprobe *singles;
	struct lap lap;
	int ret = 0;

	if (!n || n + nr_probes > BENCH_TARGETS)
		return -EINVAL;
	singles = vzalloc(array_size(n, sizeof(*singles)));
	if (!singles)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		singles[i].addr = target_address(site, BENCH_TARGETS - 1 - i);
		singles[i].pre_handler = count_hit;
	}

	lap_begin(&lap);
	while (done < n && !ret) {
		ret = register_kprobe(&singles[done]);
		done += !ret;
	}
	lap_end(&lap);
	report("add", site, done, &lap, nr_probes);

	lap_begin(&lap);
	for (i = 0; i < done; i++)
		unregister_kprobe(&singles[i]);
	lap_end(&lap);
	report("remove", site, done, &lap, nr_probes);
	vfree(singles);
	return ret;
}
