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

/**
 * struct ftrace_hit - what is needed after the pre_handlers
 * @frame: the frame of all handlers, pre and post
 * @resume: where the tracer, or a live patch, wants to go on
 */
struct ftrace_hit {
	struct kprobe_frame frame;
	unsigned long resume;
};

/* Several probes at one address, or none any more. */
static noinline void __kprobes deliver_to_all(struct ftrace_hit *hit,
					      struct kprobe_point *pt, struct pt_regs *regs)
{
	if (kprobe_walk_pre(&hit->frame, pt, regs))
		return;
	instruction_pointer_set(regs, hit->resume);
	kprobe_walk_post(&hit->frame, pt, regs);
}

/* As if a breakpoint had trapped. */
static __always_inline void deliver(struct kprobe_point *pt, unsigned long ip,
				    struct pt_regs *regs)
{
	struct kprobe_frame *top = raw_cpu_read(kprobe_top_frame);
	/* RCU: pairs with the store in core.c's refresh_point(). */
	struct kprobe *p = READ_ONCE(pt->sole);
	unsigned long level = kprobe_level();
	struct ftrace_hit hit __uninitialized;

	if (kprobe_frame_occupied(top, level)) {
		kprobe_count_occupied(pt, top);
		return;
	}

	hit.resume = instruction_pointer(regs);
	kprobe_frame_push(&hit.frame, top, p, regs, level);
	instruction_pointer_set(regs, ip + KPROBE_IP_OFFSET);
	if (unlikely(!p)) {
		deliver_to_all(&hit, pt, regs);
	} else if (likely(!kprobe_call_pre(p, regs))) {
		/* What is not in a register need not be saved: kprobe_frame_pop(). */
		regs = READ_ONCE(hit.frame.regs);
		p = READ_ONCE(hit.frame.probe);
		instruction_pointer_set(regs, READ_ONCE(hit.resume));
		if (p->post_handler)
			p->post_handler(p, regs, 0);
	}
	kprobe_frame_pop(&hit.frame);
}

/* The idle loop is traced too where RCU does not watch: enter like an NMI. */
static noinline void __kprobes deliver_in_the_dark(unsigned long ip, struct pt_regs *regs)
{
	struct kprobe_point *pt;

	ct_nmi_enter();
	if (kprobe_point_find(ip, &pt))
		deliver(pt, ip, regs);
	ct_nmi_exit();
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
	/* They are there: FTRACE_OPS_FL_SAVE_REGS. */
	struct pt_regs *regs = &fregs->regs;
	struct kprobe_point *pt;

	preempt_disable_notrace();
	if (likely(!kprobe_rcu_idle())) {
		if (likely(kprobe_point_find(ip, &pt)))
			deliver(pt, ip, regs);
	} else {
		deliver_in_the_dark(ip, regs);
	}
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
