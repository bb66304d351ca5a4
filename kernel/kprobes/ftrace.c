// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: points that are delivered by the function tracer.
 *
 * A probe at the entry of a function that the function tracer can hook uses
 * the tracer's site instead of a breakpoint.  For the core: arming and
 * disarming a list of points is one update of the tracer's filter.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "hit.h"

static __always_inline void deliver(struct kprobe_point *pt, struct pt_regs *regs)
{
	unsigned long resume = instruction_pointer(regs);
	unsigned int level = kprobe_level();

	/* As if a breakpoint had trapped. */
	instruction_pointer_set(regs, pt->addr + KPROBE_IP_OFFSET);
	if (kprobe_run_pre_handlers(pt, regs, level, level))
		return;

	/* Where the tracer, or a live patch, wants to go on. */
	instruction_pointer_set(regs, resume);
	if (READ_ONCE(pt->posts))
		kprobe_run_post_handlers(pt, regs, level);
}

/*
 * Called by the function tracer at the site of every armed point, in whatever
 * context the function is called.  The tracer's own protection against
 * recursion is not needed: what is called here is not traced but for the
 * handlers, and these have a frame.
 */
static void __kprobes kprobe_ftrace_hit(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *ops,
					struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct kprobe_point *pt;
	bool rcu_idle;

	if (WARN_ON_ONCE(!regs))
		return;

	preempt_disable_notrace();
	/* The idle loop is traced too where RCU does not watch: enter like an NMI. */
	rcu_idle = unlikely(kprobe_rcu_idle());
	if (rcu_idle)
		ct_nmi_enter();

	pt = kprobe_point_find(ip);
	if (likely(pt))
		deliver(pt, regs);

	if (rcu_idle)
		ct_nmi_exit();
	preempt_enable_notrace();
}

static struct ftrace_ops kprobe_ftrace_ops = {
	.func = kprobe_ftrace_hit,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

/* Points in the filter.  An empty filter would mean every function. */
static unsigned int nr_armed;

/* The addresses of a list of points; @one is used if there is only one. */
static unsigned long *collect_addresses(struct list_head *points, unsigned int *nr,
					unsigned long *one)
{
	struct kprobe_point *pt;
	unsigned long *ips = one;
	unsigned int i = 0;

	*nr = 0;
	list_for_each_entry(pt, points, batch)
		(*nr)++;
	if (*nr > 1)
		ips = kvmalloc_array(*nr, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return NULL;
	list_for_each_entry(pt, points, batch)
		ips[i++] = pt->addr;
	return ips;
}

static void set_armed(struct list_head *points, bool armed)
{
	struct kprobe_point *pt;

	list_for_each_entry(pt, points, batch)
		pt->armed = armed;
}

/**
 * kprobe_ftrace_arm() - let points fire
 * @points: disarmed points on sites of the function tracer, linked by their
 *	batch field
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0, -ENOMEM, or what the function tracer returned: -ENODEV if it has
 * shut itself down, -EINVAL if it does not know a site.  After an error none
 * of the points is armed.
 */
int kprobe_ftrace_arm(struct list_head *points)
{
	unsigned long one, *ips;
	unsigned int nr;
	int ret;

	if (list_empty(points))
		return 0;
	ips = collect_addresses(points, &nr, &one);
	if (!ips)
		return -ENOMEM;

	ret = ftrace_set_filter_ips(&kprobe_ftrace_ops, ips, nr, 0, 0);
	if (!ret && !nr_armed) {
		ret = register_ftrace_function(&kprobe_ftrace_ops);
		if (ret)
			ftrace_set_filter_ips(&kprobe_ftrace_ops, ips, nr, 1, 0);
	}
	if (!ret) {
		nr_armed += nr;
		set_armed(points, true);
	}
	if (ips != &one)
		kvfree(ips);
	return ret;
}

/**
 * kprobe_ftrace_disarm() - let points not fire any more
 * @points: armed points, linked by their batch field
 *
 * If the function tracer has shut itself down it calls nobody; a filter that
 * could not be changed then does no harm.
 *
 * Context: process context, kprobe_mutex held, may sleep.
 */
void kprobe_ftrace_disarm(struct list_head *points)
{
	struct kprobe_point *pt;
	unsigned long one, *ips;
	unsigned int nr;

	if (list_empty(points))
		return;
	ips = collect_addresses(points, &nr, &one);

	nr_armed -= nr;
	if (!nr_armed)
		unregister_ftrace_function(&kprobe_ftrace_ops);
	if (ips) {
		ftrace_set_filter_ips(&kprobe_ftrace_ops, ips, nr, 1, 0);
		if (ips != &one)
			kvfree(ips);
	} else {
		/* No memory for doing it at once: one by one. */
		list_for_each_entry(pt, points, batch)
			ftrace_set_filter_ip(&kprobe_ftrace_ops, pt->addr, 1, 0);
	}
	set_armed(points, false);
}
