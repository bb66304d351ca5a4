/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: the common case of a hit, inlined.
 *
 * For trap.c and ftrace.c, whose __kprobes functions it becomes part of.  All
 * rules of trap.c apply.  Calls, and registers saved for them, would be a
 * quarter of what a hit costs beyond the exception or the tracer's trampoline.
 */
#ifndef _KERNEL_KPROBES_HIT_H
#define _KERNEL_KPROBES_HIT_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "internal.h"
#include "table.h"

/*
 * The innermost frame.  Only its own CPU uses it.  Frames are entered and left
 * in strict nesting, whatever interrupts in between leaves the pointer as it
 * was, so plain accesses do; barrier() keeps the frame's content before it.
 */
DECLARE_PER_CPU(struct kprobe_frame *, kprobe_top_frame);

bool kprobe_walk_pre(struct kprobe_frame *frame, struct kprobe_point *pt,
		     struct pt_regs *regs);
void kprobe_count_occupied(struct kprobe_point *pt, const struct kprobe_frame *top);

/* Do handlers run, or not run, at the level of the code that hit the probe? */
static __always_inline bool kprobe_frame_occupied(const struct kprobe_frame *top,
						  unsigned int interrupted)
{
	return unlikely(top && top->level == interrupted);
}

static __always_inline void kprobe_frame_show(struct kprobe_frame *frame)
{
	/* Against an interrupt on this CPU: fill in, then show. */
	barrier();
	raw_cpu_write(kprobe_top_frame, frame);
}

static __always_inline void kprobe_frame_hide(struct kprobe_frame *outer)
{
	raw_cpu_write(kprobe_top_frame, outer);
	/* Against an interrupt on this CPU: hide, then let the frame die. */
	barrier();
}

static __always_inline bool kprobe_call_pre(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(*p->hits);
	return p->pre_handler && p->pre_handler(p, regs);
}

/**
 * kprobe_run_pre_handlers() - a probed instruction is about to be executed
 * @pt: its point
 * @regs: registers of the code that hit it
 * @interrupted: context level of that code
 * @level: context level of the caller
 *
 * Context: preemption off, RCU watching.
 * Return: true if a handler has set up @regs to go on elsewhere.
 */
static __always_inline bool kprobe_run_pre_handlers(struct kprobe_point *pt,
						    struct pt_regs *regs,
						    unsigned int interrupted,
						    unsigned int level)
{
	struct kprobe_frame *top = raw_cpu_read(kprobe_top_frame);
	/* RCU: pairs with the store in core.c's refresh_point(). */
	struct kprobe *p = READ_ONCE(pt->sole);
	struct kprobe_frame frame = {
		.outer = top, .probe = p, .regs = regs, .level = level,
	};
	bool diverted;

	if (kprobe_frame_occupied(top, interrupted)) {
		kprobe_count_occupied(pt, top);
		return false;
	}

	kprobe_frame_show(&frame);
	if (likely(p))
		diverted = kprobe_call_pre(p, regs);
	else
		diverted = kprobe_walk_pre(&frame, pt, regs);
	kprobe_frame_hide(top);
	return diverted;
}

static __always_inline struct kprobe_point *kprobe_point_find(unsigned long addr)
{
	return kprobe_table_find(&kprobe_points, addr);
}

#endif /* _KERNEL_KPROBES_HIT_H */
