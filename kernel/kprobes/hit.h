/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: the common case of a hit, inlined.
 *
 * For trap.c, ftrace.c and retprobe.c, whose __kprobes functions it becomes part
 * of.  All rules of trap.c apply.  Calls, and registers saved for them, would be
 * a quarter of what a hit costs beyond the exception or the tracer's trampoline.
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
void kprobe_walk_post(struct kprobe_frame *frame, struct kprobe_point *pt,
		      struct pt_regs *regs);
void kprobe_count_occupied(struct kprobe_point *pt, const struct kprobe_frame *top);

/* Do handlers run, or not run, at the level of the code that hit the probe? */
static __always_inline bool kprobe_frame_occupied(const struct kprobe_frame *top,
						  unsigned long interrupted)
{
	return unlikely(top && top->level == interrupted);
}

/**
 * kprobe_frame_push() - handlers begin to run
 * @frame: what must be known meanwhile; on the stack
 * @outer: what was the innermost frame
 * @probe: the probe whose handler is called first, if known
 * @regs: the registers its pre_handler is given, or NULL
 * @level: context level of the caller
 */
static __always_inline void kprobe_frame_push(struct kprobe_frame *frame,
					      struct kprobe_frame *outer,
					      struct kprobe *probe,
					      struct pt_regs *regs, unsigned long level)
{
	frame->outer = outer;
	frame->probe = probe;
	frame->regs = regs;
	frame->level = level;
	/* Against an interrupt on this CPU: fill in, then show. */
	barrier();
	raw_cpu_write(kprobe_top_frame, frame);
}

/**
 * kprobe_frame_pop() - handlers have run
 * @frame: the innermost frame
 *
 * What it holds is read back from memory here and by the callers: a value that
 * is kept in a register over the call of a handler costs three instructions.
 */
static __always_inline void kprobe_frame_pop(const struct kprobe_frame *frame)
{
	raw_cpu_write(kprobe_top_frame, READ_ONCE(frame->outer));
	/* Against an interrupt on this CPU: hide, then let the frame die. */
	barrier();
}

static __always_inline int kprobe_call_pre(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(*p->hits);
	return p->pre_handler ? p->pre_handler(p, regs) : 0;
}

/**
 * kprobe_run_pre_handlers() - a probed instruction is about to be executed
 * @pt: its point
 * @regs: registers of the code that hit it
 * @interrupted: context level of that code
 * @level: context level of the caller
 *
 * Context: preemption off, RCU watching.
 * Return: not 0 if a handler has set up @regs to go on elsewhere.
 */
static __always_inline int kprobe_run_pre_handlers(struct kprobe_point *pt,
						   struct pt_regs *regs,
						   unsigned long interrupted,
						   unsigned long level)
{
	struct kprobe_frame *top = raw_cpu_read(kprobe_top_frame);
	/* RCU: pairs with the store in core.c's refresh_point(). */
	struct kprobe *p = READ_ONCE(pt->sole);
	struct kprobe_frame frame __uninitialized;
	int diverted;

	if (kprobe_frame_occupied(top, interrupted)) {
		kprobe_count_occupied(pt, top);
		return 0;
	}

	kprobe_frame_push(&frame, top, p, regs, level);
	if (likely(p))
		diverted = kprobe_call_pre(p, regs);
	else
		diverted = kprobe_walk_pre(&frame, pt, regs);
	kprobe_frame_pop(&frame);
	return diverted;
}

/* Is there a point at an address, and which? */
static __always_inline bool kprobe_point_find(unsigned long addr, struct kprobe_point **pt)
{
	void *object;

	if (!kprobe_table_find(&kprobe_points, addr, &object))
		return false;
	*pt = object;
	return true;
}

#endif /* _KERNEL_KPROBES_HIT_H */
