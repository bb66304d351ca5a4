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
 *	   with a breakpoint:
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

/**
 * kprobe_frame_enter() - begin to run handlers
 * @frame: where to keep what must be known meanwhile; on the stack
 * @interrupted: context level of the code that hit the probe
 * @cause: why not, when the answer is false
 *
 * Context: preemption off.
 * Return: false if the hit comes out of a handler, or out of a section marked
 * by kprobe_busy_begin(), of the same level: no handler may run.
 */
bool __kprobes kprobe_frame_enter(struct kprobe_frame *frame,
				  unsigned int interrupted,
				  enum kprobe_miss *cause)
{
	struct kprobe_frame *top = raw_cpu_read(kprobe_top_frame);

	if (kprobe_frame_occupied(top, interrupted)) {
		*cause = top->busy ? KPROBE_MISS_BUSY : KPROBE_MISS_RECURSION;
		return false;
	}

	frame->outer = top;
	frame->probe = NULL;
	frame->regs = NULL;
	frame->level = kprobe_level();
	frame->busy = false;
	kprobe_frame_show(frame);
	return true;
}

/**
 * kprobe_frame_exit() - handlers have run
 * @frame: what kprobe_frame_enter() got
 */
void __kprobes kprobe_frame_exit(struct kprobe_frame *frame)
{
	kprobe_frame_hide(frame->outer);
}

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
	kprobe_count_misses(pt, top->busy ? KPROBE_MISS_BUSY : KPROBE_MISS_RECURSION);
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
 * kprobe_run_post_handlers() - a probed instruction has been executed
 * @pt: its point
 * @regs: registers after it, instruction pointer at the next instruction
 * @interrupted: context level of the code that executed it
 *
 * After a hit that was missed there is no call either: the level that was
 * occupied then still is.
 *
 * Context: preemption off, RCU watching.
 */
void __kprobes kprobe_run_post_handlers(struct kprobe_point *pt,
					struct pt_regs *regs,
					unsigned int interrupted)
{
	struct kprobe_frame frame;
	enum kprobe_miss cause;
	struct kprobe *p;

	if (unlikely(!kprobe_frame_enter(&frame, interrupted, &cause)))
		return;

	/* RCU: pairs with list_add_tail_rcu() and list_del_rcu() in core.c. */
	list_for_each_entry_lockless(p, &pt->probes, list) {
		if (!p->post_handler || kprobe_disabled(p))
			continue;
		frame.probe = p;
		p->post_handler(p, regs, 0);
	}

	kprobe_frame_exit(&frame);
}

/* Execute the original instruction of @pt, or set it up to be executed. */
static __always_inline void execute_original(struct kprobe_point *pt,
					     struct pt_regs *regs,
					     unsigned int interrupted)
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
			kprobe_run_post_handlers(pt, regs, interrupted);
		return;
	}
	instruction_pointer_set(regs, insn->slot);
}

/*
 * The end of the copy in a slot.  Its probes may have been removed since the
 * slot was entered; the point outlives everybody who stands in the slot.
 */
static __kprobes bool slot_trap(struct pt_regs *regs, unsigned long addr,
				unsigned int interrupted)
{
	struct kprobe_point *pt = kprobe_slot_owner(addr);

	if (!pt || addr != pt->insn.slot + pt->insn.tail)
		return false;

	instruction_pointer_set(regs, pt->addr + pt->insn.length);
	if (READ_ONCE(pt->posts))
		kprobe_run_post_handlers(pt, regs, interrupted);
	return true;
}

/* Documented in <linux/kprobes_arch.h>. */
bool __kprobes kprobe_trap(struct pt_regs *regs, unsigned long addr)
{
	unsigned int count = preempt_count();
	unsigned int interrupted = (count - KPROBE_TRAP_LEVEL) & KPROBE_LEVEL_MASK;
	struct kprobe_point *pt = kprobe_point_find(addr);

	/* A breakpoint at a site of the function tracer is the tracer's. */
	if (likely(pt && !pt->ftrace)) {
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
/* Documented in <linux/kprobes_arch.h>. */
unsigned long __kprobes kprobe_detour_hit(struct kprobe_point *pt, struct pt_regs *regs)
{
	unsigned long resume = kprobe_detour_body(pt);
	unsigned int level;
	bool rcu_idle;

	preempt_disable_notrace();
	/* As in the function tracer's path. */
	rcu_idle = unlikely(kprobe_rcu_idle());
	if (rcu_idle)
		ct_nmi_enter();
	level = kprobe_level();
	if (unlikely(kprobe_run_pre_handlers(pt, regs, level, level)))
		resume = instruction_pointer(regs);
	if (rcu_idle)
		ct_nmi_exit();
	preempt_enable_notrace();
	return resume;
}

#if !KPROBE_DETOUR_BODY
/* Documented in <linux/kprobes_arch.h>. */
unsigned long __kprobes kprobe_jump_hit(unsigned long addr, struct pt_regs *regs)
{
	struct kprobe_point *pt;
	unsigned long copy;
	unsigned int level;
	bool rcu_idle;

	preempt_disable_notrace();
	/* As in the function tracer's path. */
	rcu_idle = unlikely(kprobe_rcu_idle());
	if (rcu_idle)
		ct_nmi_enter();
	pt = kprobe_point_find(addr);
	copy = pt ? kprobe_region_copy(pt) : 0;
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

/* What kprobe_running() shows for a section marked as busy. */
static struct kprobe kprobe_busy_marker;

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
	struct kprobe_frame *frame;

	preempt_disable_notrace();
	busy = raw_cpu_ptr(&kprobe_busy);
	if (busy->depth[level]++)
		return;
	frame = &busy->frame[level];
	frame->outer = raw_cpu_read(kprobe_top_frame);
	frame->probe = &kprobe_busy_marker;
	frame->regs = NULL;
	frame->level = kprobe_level();
	frame->busy = true;
	/* Against an interrupt on this CPU: fill in, then show. */
	barrier();
	raw_cpu_write(kprobe_top_frame, frame);
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
		kprobe_frame_exit(&busy->frame[level]);
	preempt_enable_notrace();
}
