// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: refusals, explained.
 *
 * Registration and its relatives return an errno, of which there are fewer
 * than there are reasons.  kprobe_refuse() records the reason in words; the
 * last ones can be read in debugfs (kprobes/errors).  For the core, in process
 * context.
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "internal.h"

#define REFUSALS_KEPT	64

/**
 * struct refusal - what was refused, and why
 * @when: monotonic time, in ns
 * @addr: the address, 0 if it was not known
 * @offset: the offset given
 * @err: the errno returned, negative
 * @comm: the task that asked
 * @symbol: the symbol given, or empty
 * @why: the reason
 */
struct refusal {
	u64 when;
	unsigned long addr;
	unsigned int offset;
	int err;
	char comm[TASK_COMM_LEN];
	char symbol[64];
	char why[96];
};

static struct refusal refusals[REFUSALS_KEPT];
static unsigned long nr_refusals;
static DEFINE_SPINLOCK(refusals_lock);

/**
 * kprobe_refuse() - record why something was refused
 * @p: the probe, or NULL
 * @err: the errno that is going to be returned, negative
 * @why: the reason, in words
 *
 * Context: process context.
 */
void kprobe_refuse(const struct kprobe *p, int err, const char *why)
{
	struct refusal *r;

	spin_lock(&refusals_lock);
	r = &refusals[nr_refusals++ % REFUSALS_KEPT];
	memset(r, 0, sizeof(*r));
	r->when = ktime_get_ns();
	r->err = err;
	get_task_comm(r->comm, current);
	strscpy(r->why, why ?: "no reason recorded", sizeof(r->why));
	if (p) {
		r->addr = (unsigned long)p->addr;
		r->offset = p->offset;
		if (p->symbol_name)
			strscpy(r->symbol, p->symbol_name, sizeof(r->symbol));
	}
	spin_unlock(&refusals_lock);
}

static void show_refusal(struct seq_file *m, const struct refusal *r)
{
	char name[80] = "-";

	if (r->symbol[0])
		snprintf(name, sizeof(name), "%s+0x%x", r->symbol, r->offset);
	seq_printf(m, "%llu.%06llu %s %px %s %d %s\n",
		   div_u64(r->when, NSEC_PER_SEC),
		   div_u64(r->when, NSEC_PER_USEC) % USEC_PER_SEC, r->comm,
		   kallsyms_show_value(m->file->f_cred) ? (void *)r->addr : NULL,
		   name, r->err, r->why);
}

/**
 * kprobe_errors_show() - print the last refusals, oldest first
 * @m: where to
 * @unused: nothing
 *
 * A line each: time, task, address, symbol+offset or "-", errno, reason.
 *
 * Context: process context.
 * Return: 0.
 */
int kprobe_errors_show(struct seq_file *m, void *unused)
{
	unsigned long i, first, last;
	struct refusal copy;

	spin_lock(&refusals_lock);
	last = nr_refusals;
	spin_unlock(&refusals_lock);
	first = last > REFUSALS_KEPT ? last - REFUSALS_KEPT : 0;

	for (i = first; i < last; i++) {
		spin_lock(&refusals_lock);
		copy = refusals[i % REFUSALS_KEPT];
		spin_unlock(&refusals_lock);
		show_refusal(m, &copy);
	}
	return 0;
}
