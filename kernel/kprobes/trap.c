// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: the hit.
 *
 * kprobe_trap() is called by the architecture's breakpoint exception; the
 * function tracer's path (ftrace.c) and return probes (retprobe.c) share the
 * running of handlers.  Everything here may run in any context, on top of
 * anything, including an NMI that interrupted this very code.  Therefore: no
 * locks, no allocation, no printing, nothing that could be probed or traced.
 *
 * The way of a trap:
 *
 *	breakpoint at a probed address
 *	   |  look up the point, run the pre_handlers
 *	   |-- a handler sent us elsewhere: done
 *	   |-- the instruction is simulated: run the post_handlers, done
 *	   `-- go on in the slot: nothing is remembered
 *	          ... the copy runs, in the context it belongs to ...
 *	   the slot ends with a jump back: done; or, if there are post_handlers,
 *	   with a call of the architecture's code, or a breakpoint:
 *	      |  the slot's address tells the point, run the post_handlers
 *	      `- go on behind the instruction
 *
 * A frame exists only while handlers run.  It records the context level they
 * run at, so that a hit can tell whether it interrupted the handlers (then it
 * gets a frame of its own on top) or comes out of them (recursion: it is
 * counted as a miss and the instruction is executed without handlers).
 */
#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>

#include "hit.h"

DEFINE_PER_CPU(struct kprobe_frame *, kprobe_top_frame);

/* What kprobe_running() shows for a section marked as busy. */
static struct kprobe kprobe_busy_marker;

/**
 * kprobe_count_miss() - count an execution without a call of the handlers
 * @p: the probe
 * @cause: why
 */
void __kprobes kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause)
{
	atomic_long_inc(&p->missed[cause]);
	atomic_long_inc(&p->nmissed_counter);
}

/**
 * kprobe_count_misses() - the same for all enabled probes of a point
 * @pt: the point
 * @cause: why
 *
 * Context: preemption off, RCU watching.
 */
void __kprobes kprobe_count_misses(struct kprobe_point *pt, enum kprobe_miss cause)
{
	struct kprobe *p;

	/* RCU: pairs with list_add_tail_rcu() and list_del_rcu() in core.c. */
	list_for_each_entry_lockless(p, &pt->probes, list)
		if (!kprobe_disabled(p))
			kprobe_count_miss(p, cause);
}

/**
 * kprobe_count_occupied() - a hit came out of a handler, or of a busy section
 * @pt: the point
 * @top: the frame at the level of the code that hit it
 */
void __kprobes kprobe_count_occupied(struct kprobe_point *pt, const struct kprobe_frame *top)
{
	kprobe_count_misses(pt, top->probe == &kprobe_busy_marker ? KPROBE_MISS_BUSY :
								     KPROBE_MISS_RECURSION);
}

/**
 * kprobe_walk_pre() - several probes at one address, in the order of their
 * registration
 * @frame: the frame they run in
 * @pt: their point
 * @regs: registers of the code that hit it
 *
 * Return: true if a handler has set up @regs to go on elsewhere.
 */
bool __kprobes kprobe_walk_pre(struct kprobe_frame *frame, struct kprobe_point *pt,
			       struct pt_regs *regs)
{
	bool diverted = false;
	struct kprobe *p;

	/* RCU: pairs with list_add_tail_rcu() and list_del_rcu() in core.c. */
	list_for_each_entry_lockless(p, &pt->probes, list) {
		if (kprobe_disabled(p))
			continue;
		if (diverted) {
			kprobe_count_miss(p, KPROBE_MISS_DIVERTED);
			continue;
		}
		frame->probe = p;
		diverted = kprobe_call_pre(p, regs);
	}
	return diverted;
}

/**
 * kprobe_walk_post() - the same for the post_handlers
 * @frame: the frame they run in
 * @pt: their point
 * @regs: registers after the probed instruction
 */
void __kprobes kprobe_walk_post(struct kprobe_frame *frame, struct kprobe_point *pt,
				struct pt_regs *regs)
{
	struct kprobe *p;

	/* RCU: pairs with list_add_tail_rcu() and list_del_rcu() in core.c. */
	list_for_each_entry_lockless(p, &pt->probes, list) {
		if (!p->post_handler || kprobe_disabled(p))
			continue;
		frame->probe = p;
		p->post_handler(p, regs, 0);
	}
}

/*
 * A probed instruction has been executed; @regs->ip is at the next one.  After a
 * hit that was missed there is no call either: the level that was occupied then
 * still is.
 */
static __always_inline void run_post_handlers(struct kprobe_point *pt,
					      struct pt_regs *regs,
					      unsigned long interrupted)
{
	struct kprobe_frame *top = raw_cpu_read(kprobe_top_frame);
	/* RCU: pairs with the store in core.c's refresh_point(). */
	struct kprobe *p = READ_ONCE(pt->sole);
	struct kprobe_frame frame __uninitialized;

	if (kprobe_frame_occupied(top, interrupted))
		return;

	kprobe_frame_push(&frame, top, p, NULL, kprobe_level());
	if (unlikely(!p))
		kprobe_walk_post(&frame, pt, regs);
	else if (p->post_handler)
		p->post_handler(p, regs, 0);
	kprobe_frame_pop(&frame);
}

/* Execute the original instruction of @pt, or set it up to be executed. */
static __always_inline void execute_original(struct kprobe_point *pt,
					     struct pt_regs *regs,
					     unsigned long interrupted)
{
	const struct kprobe_insn *insn = &pt->insn;
	unsigned long copy = kprobe_region_copy(pt);

	/* On the way to a jump: it and those that follow, at once. */
	if (unlikely(copy)) {
		instruction_pointer_set(regs, copy);
		return;
	}
	if (insn->exec == KPROBE_EXEC_SIMULATE &&
	    likely(insn->simulate(insn, pt->addr, regs))) {
		if (READ_ONCE(pt->posts))
			run_post_handlers(pt, regs, interrupted);
		return;
	}
	instruction_pointer_set(regs, insn->slot);
}

/*
 * The end of the copy in a slot.  Its probes may have been removed since the
 * slot was entered; the point outlives everybody who stands in the slot.
 */
static __kprobes bool slot_trap(struct pt_regs *regs, unsigned long addr,
				unsigned long interrupted)
{
	struct kprobe_point *pt = kprobe_slot_owner(addr);

	if (!pt || addr != pt->insn.slot + pt->insn.tail)
		return false;

	instruction_pointer_set(regs, pt->addr + pt->insn.length);
	if (READ_ONCE(pt->posts))
		run_post_handlers(pt, regs, interrupted);
	return true;
}

#ifdef KPROBE_TAIL_CALL_BYTES
static __always_inline void tail_hit(struct pt_regs *regs, unsigned long addr)
{
	/* Whoever stands in a slot keeps the point: kprobe_points_retire(). */
	struct kprobe_point *pt = kprobe_slot_owner(addr);

	instruction_pointer_set(regs, pt->addr + pt->insn.length);
	if (READ_ONCE(pt->posts))
		run_post_handlers(pt, regs, kprobe_level());
}

/* Where RCU does not watch, enter like an NMI.  As in the function tracer's path. */
static noinline void __kprobes tail_hit_in_the_dark(struct pt_regs *regs,
						    unsigned long addr)
{
	ct_nmi_enter();
	tail_hit(regs, addr);
	ct_nmi_exit();
}

/* Documented in <linux/kprobes_arch.h>. */
void __kprobes kprobe_tail_hit(struct pt_regs *regs, unsigned long addr)
{
	preempt_disable_notrace();
	if (likely(!kprobe_rcu_idle()))
		tail_hit(regs, addr);
	else
		tail_hit_in_the_dark(regs, addr);
	preempt_enable_notrace();
}
#endif

/* Documented in <linux/kprobes_arch.h>. */
bool __kprobes kprobe_trap(struct pt_regs *regs, unsigned long addr)
{
	unsigned int count = preempt_count();
	unsigned long interrupted = (count - KPROBE_TRAP_LEVEL) & KPROBE_LEVEL_MASK;
	struct kprobe_point *pt;

	/* A breakpoint at a site of the function tracer is the tracer's. */
	if (likely(kprobe_point_find(addr, &pt) && !pt->ftrace)) {
		if (likely(!kprobe_run_pre_handlers(pt, regs, interrupted,
						    count & KPROBE_LEVEL_MASK)))
			execute_original(pt, regs, interrupted);
		return true;
	}

	if (slot_trap(regs, addr, interrupted))
		return true;

	/*
	 * A breakpoint that was removed while this CPU was on its way here is
	 * not there any more: execute what stands there now.  One that is
	 * still there is somebody else's.
	 */
	if (READ_ONCE(*(kprobe_opcode_t *)addr) != KPROBE_BREAKPOINT) {
		instruction_pointer_set(regs, addr);
		return true;
	}
	return false;
}

#ifdef CONFIG_OPTPROBES
#if KPROBE_DETOUR_BODY
/* Where RCU does not watch, enter like an NMI.  As in the function tracer's path. */
static noinline int __kprobes detour_hit_in_the_dark(struct kprobe_point *pt,
						     struct pt_regs *regs)
{
	unsigned long level;
	int diverted;

	ct_nmi_enter();
	level = kprobe_level();
	diverted = kprobe_run_pre_handlers(pt, regs, level, level);
	ct_nmi_exit();
	return diverted;
}

/* Documented in <linux/kprobes_arch.h>. */
int __kprobes kprobe_detour_hit(struct kprobe_point *pt, struct pt_regs *regs)
{
	unsigned long level;
	int diverted;

	preempt_disable_notrace();
	level = kprobe_level();
	if (likely(!kprobe_rcu_idle()))
		diverted = kprobe_run_pre_handlers(pt, regs, level, level);
	else
		diverted = detour_hit_in_the_dark(pt, regs);
	preempt_enable_notrace();
	return diverted;
}
#else
/* Documented in <linux/kprobes_arch.h>. */
unsigned long __kprobes kprobe_jump_hit(unsigned long addr, struct pt_regs *regs)
{
	struct kprobe_point *pt;
	unsigned long copy, level;
	bool rcu_idle;

	preempt_disable_notrace();
	/* As in the function tracer's path. */
	rcu_idle = unlikely(kprobe_rcu_idle());
	if (rcu_idle)
		ct_nmi_enter();
	copy = kprobe_point_find(addr, &pt) ? kprobe_region_copy(pt) : 0;
	/* Removed while this CPU was on its way here: execute what is there now. */
	if (likely(copy)) {
		addr = copy;
		level = kprobe_level();
		if (unlikely(kprobe_run_pre_handlers(pt, regs, level, level)))
			addr = instruction_pointer(regs);
	}
	if (rcu_idle)
		ct_nmi_exit();
	preempt_enable_notrace();
	return addr;
}
#endif
#endif

enum { BUSY_TASK, BUSY_SOFTIRQ, BUSY_HARDIRQ, BUSY_NMI, BUSY_LEVELS };

struct kprobe_busy {
	struct kprobe_frame frame[BUSY_LEVELS];
	unsigned int depth[BUSY_LEVELS];
};

static DEFINE_PER_CPU(struct kprobe_busy, kprobe_busy);

static __always_inline unsigned int busy_level(void)
{
	if (in_nmi())
		return BUSY_NMI;
	if (in_hardirq())
		return BUSY_HARDIRQ;
	return in_serving_softirq() ? BUSY_SOFTIRQ : BUSY_TASK;
}

/**
 * kprobe_running() - whose handler is running here
 *
 * Context: preemption off.
 * Return: the probe whose handler runs on this CPU at the caller's context
 * level, something else that is not NULL in a section marked as busy, or NULL.
 */
struct kprobe __kprobes *kprobe_running(void)
{
	struct kprobe_frame *top = raw_cpu_read(kprobe_top_frame);

	return top && top->level == kprobe_level() ? top->probe : NULL;
}

/*
 * The probe whose pre_handler was given @regs, while that handler runs and has
 * left the instruction pointer alone.
 */
static __kprobes struct kprobe *pre_handler_of(struct pt_regs *regs)
{
	struct kprobe_frame *frame = raw_cpu_read(kprobe_top_frame);

	while (frame && frame->regs != regs)
		frame = frame->outer;
	if (!frame || !frame->probe ||
	    instruction_pointer(regs) !=
	    (unsigned long)frame->probe->addr + KPROBE_IP_OFFSET)
		return NULL;
	return frame->probe;
}

/**
 * kprobe_about_to_execute() - are these the registers of a hit
 * @regs: registers found on a stack
 *
 * For unwinders that start in, or above, a pre_handler: the instruction that
 * counts is the one at the probed address, which is not executed yet.  Where
 * KPROBE_IP_OFFSET is not 0 the instruction pointer may already name the next.
 *
 * Context: any.
 */
bool __kprobes kprobe_about_to_execute(struct pt_regs *regs)
{
	bool ret;

	preempt_disable_notrace();
	ret = pre_handler_of(regs);
	preempt_enable_notrace();
	return ret;
}

/**
 * kprobe_at_function_entry() - are these the registers of a hit at the entry
 * of a function
 * @regs: registers found on a stack
 *
 * For unwinders that start in, or above, a pre_handler: where a function begins
 * it has no frame yet.
 *
 * Context: any.
 */
bool __kprobes kprobe_at_function_entry(struct pt_regs *regs)
{
	struct kprobe *p;
	bool ret;

	preempt_disable_notrace();
	p = pre_handler_of(regs);
	ret = p && (p->flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	preempt_enable_notrace();
	return ret;
}

/**
 * kprobe_busy_begin() - miss all probes until kprobe_busy_end()
 *
 * For code that shares the protection against recursion with probes: on this
 * CPU, at this context level, probes that are hit count as missed.  Nests.
 *
 * Context: any.  Disables preemption.
 */
void __kprobes kprobe_busy_begin(void)
{
	unsigned int level = busy_level();
	struct kprobe_busy *busy;

	preempt_disable_notrace();
	busy = raw_cpu_ptr(&kprobe_busy);
	if (busy->depth[level]++)
		return;
	kprobe_frame_push(&busy->frame[level], raw_cpu_read(kprobe_top_frame),
			  &kprobe_busy_marker, NULL, kprobe_level());
}

/**
 * kprobe_busy_end() - end of what kprobe_busy_begin() began
 *
 * Context: as at the begin.  Enables preemption.
 */
void __kprobes kprobe_busy_end(void)
{
	struct kprobe_busy *busy = raw_cpu_ptr(&kprobe_busy);
	unsigned int level = busy_level();

	if (!--busy->depth[level])
		kprobe_frame_pop(&busy->frame[level]);
	preempt_enable_notrace();
}
