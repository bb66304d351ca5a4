// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: jumps in place of breakpoints.
 *
 * The core tells when points may want a jump (kprobe_optimizer_request()) and
 * when they must have none any more (kprobe_optimizer_revoke()).  A thread does
 * the rest, many points at a time:
 *
 *	QUEUED	look at the code (region.c, flow.c), make the detour buffer
 *	   |
 *	WAITING	the breakpoint's trap executes the copies of the whole region:
 *	   |	from now on nobody enters what the jump will replace.  Wait until
 *	   |	nobody stands there: an RCU-tasks grace period, no lock held.
 *	   |	Not needed where the jump replaces one instruction
 *	READY	write the tail of the jump behind the breakpoint
 *	   |	write its first opcode unit over the breakpoint
 *	PLACED
 *
 * and back from PLACED, at once: the breakpoint, the tail, then the trap
 * executes the probed instruction alone again.  A buffer stays with its point,
 * a preempted task may stand in it.
 *
 * While debug.kprobes_optimization is 0 points stop at READY: switching it on
 * again needs no grace period.
 *
 * Everything is protected by kprobe_mutex.
 */
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <asm/sections.h>

#include "internal.h"

/* Points looked at, or written, while the mutex is held. */
#define EXAMINE_BATCH	64
#define PLACE_BATCH	4096

static const char switched_off[] = "switched off by debug.kprobes_optimization";

/* Points by state. */
static LIST_HEAD(queued);
static LIST_HEAD(waiting);
static LIST_HEAD(ready);
static LIST_HEAD(placed);

/* debug.kprobes_optimization */
static bool allowed = true;

/* The thread sleeps here; so do those who wait for it. */
static DECLARE_WAIT_QUEUE_HEAD(wake);
static DECLARE_WAIT_QUEUE_HEAD(done);
static bool busy;

/* Called for every new point. */
void kprobe_optimizer_init_point(struct kprobe_point *pt)
{
	INIT_LIST_HEAD(&pt->opt);
}

/* Called when a point is freed. */
void kprobe_detour_free(struct kprobe_point *pt)
{
	kfree(pt->detour);
}

static void set_state(struct kprobe_point *pt, enum kprobe_jump jump,
		      struct list_head *list, const char *why_not)
{
	pt->jump = jump;
	pt->why_not = why_not;
	if (list)
		list_move_tail(&pt->opt, list);
	else
		list_del_init(&pt->opt);
}

/**
 * kprobe_blocks_jump() - would a jump at a point overwrite an address
 * @pt: the point, or NULL
 * @addr: an address above it
 */
bool kprobe_blocks_jump(const struct kprobe_point *pt, unsigned long addr)
{
	return pt && !pt->ftrace && addr - pt->addr < KPROBE_JUMP_BYTES;
}

/* Why there can be no jump now; that may change.  NULL if there can. */
static const char *obstacle(struct kprobe_point *pt)
{
	struct kprobe_point *next = kprobe_following(pt);

	if (!kprobe_wants_arming(pt))
		return "disabled";
	if (pt->posts)
		return "a post_handler needs the breakpoint";
	if (next && kprobe_blocks_jump(pt, next->addr))
		return "another probe is in the way";
	return NULL;
}

/* What has to be in place before execution can come to the detour buffer. */
static int prepare_detour(struct kprobe_point *pt, const char **why)
{
	struct kprobe_detour *detour;
	int ret;

	if (pt->detour)
		return 0;
	*why = "init text";
	if (init_section_contains((void *)pt->addr, 1))
		return -EINVAL;
	detour = kmalloc(sizeof(*detour), GFP_KERNEL);
	if (!detour) {
		*why = "no memory";
		return -ENOMEM;
	}
	ret = kprobe_detour_get(pt, detour, why);
	if (ret)
		kfree(detour);
	return ret;
}

/* Decide about a queued point. */
static void examine(struct kprobe_point *pt)
{
	const char *why = obstacle(pt);
	int ret;

	if (why) {
		set_state(pt, KPROBE_JUMP_NONE, NULL, why);
		return;
	}
	ret = prepare_detour(pt, &why);
	if (ret)
		set_state(pt, ret == -ENOMEM ? KPROBE_JUMP_NONE : KPROBE_JUMP_NEVER, NULL, why);
	else
		set_state(pt, KPROBE_JUMP_WAITING, &waiting,
			  "waiting for tasks to leave its place");
}

/*
 * Let the traps of points execute the copies of the whole region.
 *
 * Pairs with kprobe_region_copy() in the hit: it must find the buffer filled.
 */
static void use_copies(struct list_head *points)
{
	struct kprobe_point *pt;

	kprobe_slots_write();
	list_for_each_entry_reverse(pt, points, opt) {
		if (pt->copy)
			break;
		/* Pairs as said above. */
		smp_store_release(&pt->copy, kprobe_detour_body(pt));
	}
}

/* The first queued point's text cannot be surveyed: it has to do without. */
static void give_up_first(int err)
{
	struct kprobe_point *pt = list_first_entry(&queued, struct kprobe_point, opt);

	set_state(pt, KPROBE_JUMP_NONE, NULL, err == -ENOMEM ? "no memory" : "init text");
}

/* Survey the text of the first queued point, if that was not done yet. */
static void survey_for_first(void)
{
	struct kprobe_point *pt;
	int ret = -EALREADY;

	mutex_lock(&kprobe_mutex);
	pt = list_first_entry_or_null(&queued, struct kprobe_point, opt);
	if (pt && !kprobe_flow_surveyed(pt->addr)) {
		ret = kprobe_flow_survey_begin(pt->addr);
		if (ret)
			give_up_first(ret);
	}
	mutex_unlock(&kprobe_mutex);
	if (ret || kprobe_flow_survey_finish() != -ENOMEM)
		return;

	mutex_lock(&kprobe_mutex);
	if (!list_empty(&queued))
		give_up_first(-ENOMEM);
	mutex_unlock(&kprobe_mutex);
}

/* Look at the next queued points.  Returns whether there are more. */
static bool examine_some(void)
{
	struct kprobe_point *pt;
	unsigned int n = 0;
	bool more;

	survey_for_first();
	mutex_lock(&kprobe_mutex);
	while (READ_ONCE(allowed) && n++ < EXAMINE_BATCH) {
		pt = list_first_entry_or_null(&queued, struct kprobe_point, opt);
		if (!pt || !kprobe_flow_surveyed(pt->addr))
			break;
		examine(pt);
	}
	use_copies(&waiting);
	more = READ_ONCE(allowed) && !list_empty(&queued);
	mutex_unlock(&kprobe_mutex);
	return more;
}

static void set_probe_flags(struct kprobe_point *pt, bool optimized)
{
	struct kprobe *p;

	list_for_each_entry(p, &pt->probes, list)
		WRITE_ONCE(p->flags, optimized ? p->flags | KPROBE_FLAG_OPTIMIZED :
						 p->flags & ~KPROBE_FLAG_OPTIMIZED);
}

/* Somebody else has written there since the buffer was made (a debugger). */
static bool text_changed(const struct kprobe_point *pt)
{
	return memcmp((kprobe_opcode_t *)pt->addr + 1, pt->detour->replaced + 1,
		      KPROBE_JUMP_BYTES - sizeof(kprobe_opcode_t));
}

/* Write all opcode units of jumps, or of what they replace, but the first. */
static void add_tail(struct kprobe_pokes *pokes, const struct kprobe_point *pt,
		     const kprobe_opcode_t *text)
{
	unsigned int i;

	for (i = 1; i < KPROBE_JUMP_UNITS; i++)
		kprobe_pokes_add(pokes, pt->addr + i * sizeof(*text), text[i]);
}

/* Move up to @max points that can get their jump now to @chosen. */
static void choose(struct list_head *chosen, unsigned int max)
{
	struct kprobe_point *pt, *next;

	list_for_each_entry_safe(pt, next, &ready, opt) {
		if (!max--)
			break;
		if (text_changed(pt)) {
			/* Pairs with kprobe_region_copy(). */
			WRITE_ONCE(pt->copy, 0);
			set_state(pt, KPROBE_JUMP_NONE, NULL, "somebody else changed the text");
		} else {
			list_move_tail(&pt->opt, chosen);
		}
	}
}

/*
 * Put up to @max ready points' jumps in place.  Between the rounds every CPU
 * has seen the tails, while the breakpoints keep them from being executed
 * (Intel SDM vol. 3, "Handling Self- and Cross-Modifying Code").
 */
static void place_jumps(unsigned int max)
{
	struct kprobe_point *pt, *next;
	struct kprobe_pokes pokes;
	LIST_HEAD(chosen);

	max = min_t(size_t, max, list_count_nodes(&ready));
	kprobe_pokes_begin(&pokes, max * max_t(unsigned int, KPROBE_JUMP_UNITS - 1, 1));
	mutex_lock(&text_mutex);
	choose(&chosen, max);
	list_for_each_entry(pt, &chosen, opt)
		add_tail(&pokes, pt, pt->detour->jump);
	kprobe_pokes_write(&pokes);
	list_for_each_entry(pt, &chosen, opt)
		kprobe_pokes_add(&pokes, pt->addr, pt->detour->jump[0]);
	kprobe_pokes_write(&pokes);
	mutex_unlock(&text_mutex);
	kprobe_pokes_end(&pokes);

	list_for_each_entry_safe(pt, next, &chosen, opt) {
		set_state(pt, KPROBE_JUMP_PLACED, &placed, NULL);
		set_probe_flags(pt, true);
	}
}

/* Replace the jumps of all points of a list (linked by opt) by breakpoints. */
static void remove_jumps(struct list_head *points)
{
	struct kprobe_point *pt;
	struct kprobe_pokes pokes;

	if (list_empty(points))
		return;
	kprobe_pokes_begin(&pokes, list_count_nodes(points) *
				   max_t(unsigned int, KPROBE_JUMP_UNITS - 1, 1));
	mutex_lock(&text_mutex);
	list_for_each_entry(pt, points, opt)
		kprobe_pokes_add(&pokes, pt->addr, KPROBE_BREAKPOINT);
	kprobe_pokes_write(&pokes);
	list_for_each_entry(pt, points, opt)
		add_tail(&pokes, pt, pt->detour->replaced);
	kprobe_pokes_write(&pokes);
	mutex_unlock(&text_mutex);
	kprobe_pokes_end(&pokes);

	list_for_each_entry(pt, points, opt)
		set_probe_flags(pt, false);
}

/* After the grace period: nobody stands where the jumps go. */
static void settle_waiting(void)
{
	struct kprobe_point *pt, *next;
	bool more;

	mutex_lock(&kprobe_mutex);
	list_for_each_entry_safe(pt, next, &waiting, opt)
		set_state(pt, KPROBE_JUMP_READY, &ready, switched_off);
	mutex_unlock(&kprobe_mutex);

	do {
		mutex_lock(&kprobe_mutex);
		if (READ_ONCE(allowed))
			place_jumps(PLACE_BATCH);
		more = READ_ONCE(allowed) && !list_empty(&ready);
		mutex_unlock(&kprobe_mutex);
		cond_resched();
	} while (more);
}

/* Pairs with the wake-ups of those who add to the queue or set @allowed. */
static bool have_work(void)
{
	return READ_ONCE(allowed) && !list_empty_careful(&queued);
}

static int optimizer(void *unused)
{
	for (;;) {
		wait_event_idle(wake, have_work());
		WRITE_ONCE(busy, true);
		while (examine_some())
			cond_resched();
		/* Where one store replaces one instruction nobody stands in between. */
		if (KPROBE_JUMP_UNITS > 1)
			synchronize_rcu_tasks();
		settle_waiting();
		WRITE_ONCE(busy, false);
		wake_up_all(&done);
	}
	return 0;
}

/**
 * wait_for_kprobe_optimizer() - wait until no probe waits for optimization
 *
 * Context: process context, may sleep; as long as an RCU-tasks grace period.
 */
void wait_for_kprobe_optimizer(void)
{
	wait_event(done, !have_work() && !READ_ONCE(busy));
}

/* Returns whether the thread has a new point to look at. */
static bool queue_point(struct kprobe_point *pt)
{
	const char *why;

	if (!pt || pt->ftrace || pt->gone || pt->jump != KPROBE_JUMP_NONE)
		return false;
	why = obstacle(pt);
	if (why) {
		pt->why_not = why;
		return false;
	}
	set_state(pt, KPROBE_JUMP_QUEUED, &queued, "in the optimizer's queue");
	return true;
}

/*
 * While jumps are switched off the thread would only go back to sleep:
 * kprobes_allow_jumps() wakes it when there is something to do.
 */
static void wake_optimizer(void)
{
	/* Pairs with have_work(). */
	if (READ_ONCE(allowed) && wq_has_sleeper(&wake))
		wake_up(&wake);
}

/**
 * kprobe_optimizer_request() - points may want a jump
 * @points: points linked by their batch field
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_optimizer_request(struct list_head *points)
{
	struct kprobe_point *pt;
	bool any = false;

	list_for_each_entry(pt, points, batch)
		any |= queue_point(pt);
	if (any)
		wake_optimizer();
}

/**
 * kprobe_optimizer_reconsider() - something has changed for a point
 * @pt: the point, or NULL
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_optimizer_reconsider(struct kprobe_point *pt)
{
	if (queue_point(pt))
		wake_optimizer();
}

/**
 * kprobe_optimizer_revoke() - points may have to do without a jump
 * @points: points linked by their batch field
 *
 * On return those that must have none have none, and their traps execute the
 * probed instruction alone.
 *
 * Context: process context, kprobe_mutex held, may sleep.  Takes text_mutex.
 */
void kprobe_optimizer_revoke(struct list_head *points)
{
	struct kprobe_point *pt, *next;
	LIST_HEAD(jumping);
	const char *why;

	list_for_each_entry(pt, points, batch) {
		if (list_empty(&pt->opt))
			continue;
		why = obstacle(pt);
		if (!why)
			continue;
		if (pt->jump == KPROBE_JUMP_PLACED) {
			list_move_tail(&pt->opt, &jumping);
			pt->why_not = why;
		} else {
			/* Pairs with kprobe_region_copy(). */
			WRITE_ONCE(pt->copy, 0);
			set_state(pt, KPROBE_JUMP_NONE, NULL, why);
		}
	}
	remove_jumps(&jumping);
	list_for_each_entry_safe(pt, next, &jumping, opt) {
		/* The region is whole again.  Pairs with kprobe_region_copy(). */
		WRITE_ONCE(pt->copy, 0);
		set_state(pt, KPROBE_JUMP_NONE, NULL, pt->why_not);
	}
}

/**
 * kprobe_optimizer_forget() - a point's text went away
 * @pt: the point; nothing is written
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_optimizer_forget(struct kprobe_point *pt)
{
	if (pt->jump == KPROBE_JUMP_PLACED)
		set_probe_flags(pt, false);
	/* Pairs with kprobe_region_copy(). */
	WRITE_ONCE(pt->copy, 0);
	set_state(pt, KPROBE_JUMP_NONE, NULL, NULL);
}

/**
 * kprobe_why_no_jump() - why a point has no jump, in words
 * @pt: the point
 *
 * Context: process context, kprobe_mutex held.
 * Return: the reason; NULL if it has one, or none is needed.
 */
const char *kprobe_why_no_jump(const struct kprobe_point *pt)
{
	return pt->ftrace || pt->gone ? NULL : pt->why_not;
}

/**
 * kprobes_allow_jumps() - what debug.kprobes_optimization sets
 * @allow: whether breakpoints may be replaced by jumps
 *
 * If not, all jumps are gone when it returns.  If so, those that were there
 * before are back when it returns.
 *
 * Context: process context, may sleep.
 * Return: what was set before.
 */
bool kprobes_allow_jumps(bool allow)
{
	struct kprobe_point *pt, *next;
	LIST_HEAD(jumping);
	bool before;

	mutex_lock(&kprobe_mutex);
	before = allowed;
	WRITE_ONCE(allowed, allow);
	if (allow && !before) {
		place_jumps(UINT_MAX);
	} else if (!allow && before) {
		list_splice_init(&placed, &jumping);
		remove_jumps(&jumping);
		list_for_each_entry_safe(pt, next, &jumping, opt)
			set_state(pt, KPROBE_JUMP_READY, &ready, switched_off);
	}
	mutex_unlock(&kprobe_mutex);
	/* Pairs with have_work(). */
	wake_up(&wake);
	wake_up_all(&done);
	return before;
}

static int write_allowed(struct ctl_table *table, int write, void *buffer,
			 size_t *length, loff_t *ppos)
{
	static DEFINE_MUTEX(one_writer);
	struct ctl_table copy = *table;
	int value, ret;

	/* What is written and what is done must not get out of step. */
	mutex_lock(&one_writer);
	value = READ_ONCE(allowed);
	copy.data = &value;
	ret = proc_dointvec_minmax(&copy, write, buffer, length, ppos);
	if (!ret && write)
		kprobes_allow_jumps(value);
	mutex_unlock(&one_writer);
	return ret;
}

#define SYSCTL_ENTRY(name)					\
	{							\
		.procname	= name,				\
		.maxlen		= sizeof(int),			\
		.mode		= 0644,				\
		.proc_handler	= write_allowed,		\
		.extra1		= SYSCTL_ZERO,			\
		.extra2		= SYSCTL_ONE,			\
	}

/* The name in the documentation, and the one there was in fact. */
static struct ctl_table optimizer_sysctls[] = {
	SYSCTL_ENTRY("kprobes_optimization"),
	SYSCTL_ENTRY("kprobes-optimization"),
	{}
};

static int __init optimizer_init(void)
{
	struct task_struct *task;

	register_sysctl_init("debug", optimizer_sysctls);
	task = kthread_run(optimizer, NULL, "kprobe-optimizer");
	if (IS_ERR(task))
		/* Nobody is to wait for it: wait_for_kprobe_optimizer(). */
		kprobes_allow_jumps(false);
	return PTR_ERR_OR_ZERO(task);
}

/* Before those who wait for it (self-tests of the tracer); after RCU-tasks. */
device_initcall(optimizer_init);
