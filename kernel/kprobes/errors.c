// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: refusals, explained.
 *
 * Registration and its relatives return an errno, of which there are fewer
 * than there are reasons.  kprobe_refuse() records the reason in words; the
 * last ones can be read in debugfs (kprobes/errors).  For the core.
 */
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
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
static DEFINE_RAW_SPINLOCK(refusals_lock);

/* A handler must not wait for a lock that what it interrupted may hold. */
static bool lock_refusals(unsigned long *flags)
{
	bool handler;

	local_irq_save(*flags);
	handler = in_nmi() || kprobe_running();
	if (!handler) {
		raw_spin_lock(&refusals_lock);
		return true;
	}
	if (raw_spin_trylock(&refusals_lock))
		return true;
	local_irq_restore(*flags);
	return false;
}

/**
 * kprobe_refuse() - record why something was refused
 * @p: the probe, or NULL
 * @err: the errno that is going to be returned, negative
 * @why: the reason, in words
 *
 * Context: any: a probe handler that calls what it must not is refused, too.
 * One that interrupted the recording of another refusal goes unrecorded.
 */
void kprobe_refuse(const struct kprobe *p, int err, const char *why)
{
	unsigned long flags;
	struct refusal *r;

	if (!lock_refusals(&flags))
		return;
	r = &refusals[nr_refusals++ % REFUSALS_KEPT];
	memset(r, 0, sizeof(*r));
	/* No locks, no retries: the handler may have interrupted anything. */
	r->when = ktime_get_mono_fast_ns();
	r->err = err;
	strscpy(r->comm, current->comm, sizeof(r->comm));
	strscpy(r->why, why ?: "no reason recorded", sizeof(r->why));
	if (p) {
		r->addr = (unsigned long)p->addr;
		r->offset = p->offset;
		if (p->symbol_name)
			strscpy(r->symbol, p->symbol_name, sizeof(r->symbol));
	}
	raw_spin_unlock_irqrestore(&refusals_lock, flags);
}

static void show_refusal(struct seq_file *m, const struct refusal *r)
{
	char name[80] = "-";
	u64 seconds;
	u32 ns;

	seconds = div_u64_rem(r->when, NSEC_PER_SEC, &ns);
	if (r->symbol[0])
		snprintf(name, sizeof(name), "%s+0x%x", r->symbol, r->offset);
	seq_printf(m, "%llu.%06lu %s %px %s %d %s\n", seconds, ns / NSEC_PER_USEC, r->comm,
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

	raw_spin_lock_irq(&refusals_lock);
	last = nr_refusals;
	raw_spin_unlock_irq(&refusals_lock);
	first = last > REFUSALS_KEPT ? last - REFUSALS_KEPT : 0;

	for (i = first; i < last; i++) {
		raw_spin_lock_irq(&refusals_lock);
		copy = refusals[i % REFUSALS_KEPT];
		raw_spin_unlock_irq(&refusals_lock);
		show_refusal(m, &copy);
	}
	return 0;
}
