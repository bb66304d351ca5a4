/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: what the files of the generic core share with each other.
 *
 * For kernel/kprobes/ only.
 *
 * Locks, outermost first:
 *
 *	kprobe_mutex	the set of probes: every struct kprobe_point, the slots,
 *			the boundary cache.  Taken by registration in all its
 *			forms, by the module notifier and by debugfs
 *	ftrace_lock	(the function tracer's)
 *	text_mutex	only around writes to kernel text
 *
 * None of them is held over a grace period.
 *
 * Lockless readers, all with preemption off: the hit (trap.c, ftrace.c) reads
 * the table, a point's list of probes, and the slot a trap came from.  A probe
 * is its owner's again one RCU grace period after it left the point's list.  A
 * point and its slot are reused one RCU-tasks grace period after the point
 * left the table, because a preempted task may stand in the slot.
 */
#ifndef _KERNEL_KPROBES_INTERNAL_H
#define _KERNEL_KPROBES_INTERNAL_H

#include <linux/kprobes.h>
#include <linux/kprobes_arch.h>
#include <linux/rbtree.h>

extern struct mutex kprobe_mutex;

/**
 * struct kprobe_point - an address with at least one probe on it
 * @addr: the address
 * @probes: its probes (kprobe::list) in the order of registration.  Changed
 *	under kprobe_mutex, walked under RCU by the hit
 * @sole: the one enabled probe, if exactly one is enabled, else NULL.  Written
 *	under kprobe_mutex, read under RCU by the hit, which saves the walk
 * @posts: how many enabled probes have a post_handler
 * @wanted: how many probes are enabled: the point is to be armed
 * @armed: the breakpoint is in the text, or the function tracer's filter has
 *	the address
 * @ftrace: delivered by the function tracer
 * @tail_traps: the slot's jump back is replaced by a breakpoint
 * @gone: the text went away; the point is out of the table
 * @insn: the instruction
 * @rb: link in the tree of points, sorted by address
 * @gone_link: link in the list of points whose text went away
 * @batch: link in a list of points that go through a step together
 * @rcu: for the deferred release
 */
struct kprobe_point {
	unsigned long addr;
	struct list_head probes;
	struct kprobe *sole;
	unsigned int posts;
	unsigned int wanted;
	bool armed;
	bool ftrace;
	bool tail_traps;
	bool gone;
	struct kprobe_insn insn;
	union {
		struct rb_node rb;
		struct list_head gone_link;
	};
	struct list_head batch;
	struct rcu_head rcu;
};

/* table.c: addresses to pointers, read without locks */

struct kprobe_table_array;

/**
 * struct kprobe_table - a set of (address, pointer), looked up in O(1)
 * @array: the current array; replaced as a whole when it is to grow or shrink
 * @live: entries
 * @used: entries and remains of removed ones in @array
 */
struct kprobe_table {
	struct kprobe_table_array __rcu *array;
	unsigned int live;
	unsigned int used;
};

void *kprobe_table_lookup(const struct kprobe_table *table, unsigned long key);
int kprobe_table_reserve(struct kprobe_table *table, unsigned int more);
void kprobe_table_insert(struct kprobe_table *table, unsigned long key,
			 void *value);
void kprobe_table_remove(struct kprobe_table *table, unsigned long key);
void kprobe_table_shrink(struct kprobe_table *table);

extern struct kprobe_table kprobe_points;

static __always_inline struct kprobe_point *kprobe_point_lookup(unsigned long addr)
{
	return kprobe_table_lookup(&kprobe_points, addr);
}

/* trap.c: the hit */

/**
 * struct kprobe_frame - handlers are running
 * @outer: the frame this one interrupted, on the same CPU
 * @probe: the probe whose handler runs
 * @regs: the registers its pre_handler was given, or NULL
 * @level: context level at which the handlers run: preempt_count()'s bits for
 *	softirq serving, hardirq and NMI
 * @busy: not a probe's: kprobe_busy_begin()
 *
 * Lives on the stack of whoever runs the handlers.
 */
struct kprobe_frame {
	struct kprobe_frame *outer;
	struct kprobe *probe;
	struct pt_regs *regs;
	unsigned int level;
	bool busy;
};

#define KPROBE_LEVEL_MASK	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/* The context level of the caller. */
static __always_inline unsigned int kprobe_level(void)
{
	return preempt_count() & KPROBE_LEVEL_MASK;
}

bool kprobe_frame_enter(struct kprobe_frame *frame, unsigned int interrupted,
			enum kprobe_miss *cause);
void kprobe_frame_exit(struct kprobe_frame *frame);
void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause);
void kprobe_count_misses(struct kprobe_point *pt, enum kprobe_miss cause);
bool kprobe_run_pre_handlers(struct kprobe_point *pt, struct pt_regs *regs,
			     unsigned int interrupted);
void kprobe_run_post_handlers(struct kprobe_point *pt, struct pt_regs *regs,
			      unsigned int interrupted);

/* slots.c: out-of-line memory */

int kprobe_slot_get(struct kprobe_point *pt, const char **why);
void kprobe_slots_write(void);
void kprobe_slot_drop(struct kprobe_point *pt);
struct kprobe_point *kprobe_slot_owner(unsigned long addr);
struct kprobe_point *kprobe_point_alloc(unsigned long addr);
void kprobe_point_free(struct kprobe_point *pt);
void kprobe_points_retire(struct list_head *points);
void kprobe_slots_init(void);

/* boundary.c: where instructions begin */

int kprobe_check_boundary(unsigned long addr, unsigned long *function_end,
			  const char **why);
int kprobe_copy_text(void *dst, unsigned long addr, size_t len);
void kprobe_forget_boundaries(unsigned long start, unsigned long end);

/* resolve.c: names to addresses */

int kprobe_resolve(struct kprobe *p, unsigned long *addr, bool *on_entry,
		   const char **why);
bool kprobe_is_function_entry(unsigned long addr);

/* blacklist.c: what must not be probed */

int kprobe_blacklist_init(void);
int kprobe_blacklist_add_module(struct module *mod);
void kprobe_blacklist_drop(unsigned long start, unsigned long end);
int kprobe_blacklist_for_each(int (*fn)(unsigned long start, unsigned long end,
					void *data), void *data);

/* errors.c: refusals, explained */

void kprobe_refuse(const struct kprobe *p, int err, const char *why);
int kprobe_errors_show(struct seq_file *m, void *unused);

/* core.c: the life of a probe */

struct kprobe_point *kprobe_next_point(unsigned long addr);
struct kprobe_point *kprobe_following(struct kprobe_point *pt);
void kprobe_for_each(void (*fn)(struct kprobe *p, struct kprobe_point *pt,
				void *data), void *data);
int kprobe_set_all_enabled(bool on);
bool kprobe_all_enabled(void);
int kprobe_check_unregistered(const struct kprobe *p);

/* retprobe.c: the pre_handler of a return probe's kprobe */

int kretprobe_pre_handler(struct kprobe *p, struct pt_regs *regs);

/* ftrace.c: points that are delivered by the function tracer */

#ifdef CONFIG_KPROBES_ON_FTRACE
int kprobe_ftrace_arm(struct list_head *points);
void kprobe_ftrace_disarm(struct list_head *points);
#else
static inline int kprobe_ftrace_arm(struct list_head *points)
{
	return list_empty(points) ? 0 : -ENODEV;
}

static inline void kprobe_ftrace_disarm(struct list_head *points)
{
}
#endif

#endif /* _KERNEL_KPROBES_INTERNAL_H */
