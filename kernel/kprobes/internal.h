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
#include <linux/static_call_types.h>

extern struct mutex kprobe_mutex;

/**
 * enum kprobe_tail - what stands behind the copy in a slot
 * @KPROBE_TAIL_JUMP: a jump back
 * @KPROBE_TAIL_TRAP: a breakpoint, for post_handlers, or because no jump reaches
 * @KPROBE_TAIL_CALL: a call to what runs the post_handlers, if there are any, and
 *	goes on behind the probed instruction.  Cheaper than a trap, but nothing
 *	that can be changed by one opcode unit: slots are born with it
 */
enum kprobe_tail {
	KPROBE_TAIL_JUMP,
	KPROBE_TAIL_TRAP,
	KPROBE_TAIL_CALL,
};

/**
 * enum kprobe_jump - the way from a breakpoint to a jump
 * @KPROBE_JUMP_NONE: a breakpoint, or nothing; see kprobe_point::why_not
 * @KPROBE_JUMP_NEVER: a breakpoint, because of the code around it
 * @KPROBE_JUMP_QUEUED: to be looked at by the optimizer
 * @KPROBE_JUMP_WAITING: a breakpoint whose trap executes the copies of all that
 *	the jump will replace; until nobody stands there any more
 * @KPROBE_JUMP_READY: the same, and nobody stands there
 * @KPROBE_JUMP_PLACED: a jump
 */
enum kprobe_jump {
	KPROBE_JUMP_NONE,
	KPROBE_JUMP_NEVER,
	KPROBE_JUMP_QUEUED,
	KPROBE_JUMP_WAITING,
	KPROBE_JUMP_READY,
	KPROBE_JUMP_PLACED,
};

struct kprobe_detour;

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
 * @tail: what the slot ends with
 * @gone: the text went away; the point is out of the table
 * @insn: the instruction
 * @jump: how far the jump in place of the breakpoint has come
 * @detour: the buffer of that jump, once it was made; outlives the jump
 * @copy: where the copies of all the instructions the jump replaces are, while
 *	a trap is to execute these and not the instruction alone; or 0.  Written
 *	under kprobe_mutex, read under RCU by the hit
 * @why_not: why there is no jump, or NULL
 * @opt: link in the optimizer's list for the state @jump
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
	bool gone;
	enum kprobe_tail tail : 8;
#ifdef CONFIG_OPTPROBES
	enum kprobe_jump jump : 8;
#endif
	struct kprobe_insn insn;
#ifdef CONFIG_OPTPROBES
	struct kprobe_detour *detour;
	unsigned long copy;
	const char *why_not;
	struct list_head opt;
#endif
	union {
		struct rb_node rb;
		struct list_head gone_link;
		struct rcu_head rcu;
	};
	struct list_head batch;
};

/* The key in kprobe_points; and where the code that detour buffers call looks. */
static_assert(offsetof(struct kprobe_point, addr) == 0);

/* table.c: objects by key, read without locks */

/**
 * struct kprobe_table - a set of objects, looked up by key in O(1)
 * @array: the current array, see table.h; replaced as a whole when it is to grow
 *	or shrink.  Written under kprobe_mutex, read under RCU
 * @live: objects
 * @used: objects and marks of removed ones in @array
 * @by_identity: an object's key is its address, not its first word
 */
struct kprobe_table {
	unsigned long array;
	unsigned int live;
	unsigned int used;
	bool by_identity;
};

extern void *kprobe_table_empty[];

/* Of the two entries it has, a hash's highest bit chooses one. */
#define KPROBE_TABLE_INIT	.array = (unsigned long)kprobe_table_empty + BITS_PER_LONG - 1

void *kprobe_table_lookup(const struct kprobe_table *table, unsigned long key);
bool kprobe_table_has(const struct kprobe_table *table, const void *object);
int kprobe_table_reserve(struct kprobe_table *table, unsigned int more);
void kprobe_table_insert(struct kprobe_table *table, void *object);
void kprobe_table_remove(struct kprobe_table *table, const void *object);
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
 * @probe: the probe whose handler runs; kprobe_busy_begin() has a mark for it
 * @regs: the registers its pre_handler was given, or NULL
 * @level: context level at which the handlers run: preempt_count()'s bits for
 *	softirq serving, hardirq and NMI
 *
 * Lives on the stack of whoever runs the handlers.
 */
struct kprobe_frame {
	struct kprobe_frame *outer;
	struct kprobe *probe;
	struct pt_regs *regs;
	unsigned long level;
};

#define KPROBE_LEVEL_MASK	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/* The context level of the caller. */
static __always_inline unsigned long kprobe_level(void)
{
	return preempt_count() & KPROBE_LEVEL_MASK;
}

void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause);
void kprobe_count_misses(struct kprobe_point *pt, enum kprobe_miss cause);

/* slots.c: out-of-line memory */

int kprobe_slot_get(struct kprobe_point *pt, const char **why);
void kprobe_slots_write(void);
void kprobe_slot_drop(struct kprobe_point *pt);
int kprobe_detour_get(struct kprobe_point *pt, struct kprobe_detour *detour,
		      const char **why);
struct kprobe_point *kprobe_slot_owner(unsigned long addr);
struct kprobe_point *kprobe_point_alloc(unsigned long addr);
void kprobe_point_free(struct kprobe_point *pt);
void kprobe_points_retire(struct list_head *points);
void kprobe_slots_init(void);

/* poke.c: writing to text, many places at a time */

/**
 * struct kprobe_pokes - places to be written in one round
 * @at: the places
 * @n: how many
 * @room: how many fit
 * @few: what @at is when there is no memory, or no need
 */
struct kprobe_pokes {
	struct kprobe_poke *at;
	unsigned int n;
	unsigned int room;
	struct kprobe_poke few[32];
};

void kprobe_pokes_begin(struct kprobe_pokes *pokes, unsigned int n);
void kprobe_pokes_add(struct kprobe_pokes *pokes, unsigned long addr,
		      kprobe_opcode_t opcode);
void kprobe_pokes_write(struct kprobe_pokes *pokes);
void kprobe_pokes_end(struct kprobe_pokes *pokes);

/**
 * struct kprobe_function - the function an address is in
 * @start: its first byte
 * @entry: where a probe on its entry goes: behind what has to stay in place
 * @size: its length in bytes, or 0 if it was not looked up or there is none
 * @name_matters: kprobe_check_blacklist() has to look at its name.  To find a
 *	name takes long: it is done once, or not at all (names.c)
 */
struct kprobe_function {
	unsigned long start;
	unsigned long entry;
	unsigned long size;
	bool name_matters;
};

/* boundary.c: where instructions begin */

int kprobe_check_boundary(unsigned long addr, const struct kprobe_function *fn,
			  const char **why);
void kprobe_forget_boundaries(unsigned long start, unsigned long end);
bool kprobe_is_instruction(unsigned long addr);
int kprobe_check_targets(unsigned long addr, unsigned int len, const char **why);

/* counter.c: per-CPU counters */

unsigned long __percpu *kprobe_counter_get(void);
void kprobe_counter_put(unsigned long __percpu *counter);

/* reserved.c: text that others rewrite */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];
#endif

/* resolve.c: names to addresses */

void kprobe_find_function(unsigned long addr, struct kprobe_function *fn);
int kprobe_resolve(struct kprobe *p, unsigned long *addr, struct kprobe_function *fn,
		   bool *on_entry, const char **why);
bool kprobe_is_function_entry(unsigned long addr);

/* names.c: functions that their names may exclude */

bool kprobe_names_known(unsigned long addr);
bool kprobe_name_listed(unsigned long start);

/* blacklist.c: what must not be probed */

/* Set by the linker script: addresses of functions marked NOKPROBE_SYMBOL(). */
extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];

int kprobe_blacklist_init(void);
bool kprobe_name_matters(const char *name);
int kprobe_check_blacklist(unsigned long addr, const struct kprobe_function *fn,
			   const char **why);
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

/**
 * struct kprobe_walk - how far a walk over all registered probes has come
 * @addr: address of the point it stands at
 * @nth: which of the probes there; which of all whose text is gone
 * @gone: it has come to those
 */
struct kprobe_walk {
	unsigned long addr;
	unsigned int nth;
	bool gone;
};

struct kprobe *kprobe_walk_here(struct kprobe_walk *walk);
int kprobe_set_all_enabled(bool on);
bool kprobe_all_enabled(void);
int kprobe_check_unregistered(const struct kprobe *p);
bool kprobe_wants_arming(const struct kprobe_point *pt);

/* retprobe.c: the pre_handler of a return probe's kprobe */

int kretprobe_pre_handler(struct kprobe *p, struct pt_regs *regs);

#ifdef CONFIG_OPTPROBES

/* flow.c: who jumps where */

extern struct exception_table_entry __start___ex_table[];
extern struct exception_table_entry __stop___ex_table[];

int kprobe_flow_targets(unsigned long start, unsigned long size, const u8 *text,
			unsigned long *targets);
int kprobe_flow_survey_begin(unsigned long addr);
int kprobe_flow_survey_finish(void);
bool kprobe_flow_surveyed(unsigned long addr);
void kprobe_flow_forget(unsigned long start, unsigned long end);

/* region.c: the instructions a jump replaces */

#define KPROBE_JUMP_UNITS	(KPROBE_JUMP_BYTES / sizeof(kprobe_opcode_t))

/**
 * struct kprobe_detour - a detour buffer and what it stands for
 * @addr: the buffer
 * @length: bytes of the instructions the jump replaces
 * @nr: how many instructions these are
 * @end: offset in the buffer of what follows the copies
 * @from: offsets of the instructions from the probed address
 * @copy: offsets of their copies in the buffer
 * @replaced: the original text at the place of the jump
 * @jump: the jump
 */
struct kprobe_detour {
	unsigned long addr;
	u8 length;
	u8 nr;
	u8 end;
	u8 from[KPROBE_JUMP_UNITS];
	u8 copy[KPROBE_JUMP_UNITS];
	kprobe_opcode_t replaced[KPROBE_JUMP_UNITS];
	kprobe_opcode_t jump[KPROBE_JUMP_UNITS];
};

int kprobe_detour_build(struct kprobe_point *pt, struct kprobe_detour *detour,
			void *image, const char **why);
unsigned long kprobe_detour_to_text(const struct kprobe_point *pt, unsigned long ip);

static __always_inline unsigned long kprobe_detour_buffer(const struct kprobe_point *pt)
{
	/* Written before anybody can be there: kprobe_detour_get(). */
	const struct kprobe_detour *detour = READ_ONCE(pt->detour);

	return detour ? detour->addr : 0;
}

static __always_inline unsigned long kprobe_detour_body(const struct kprobe_point *pt)
{
	unsigned long buffer = kprobe_detour_buffer(pt);

	return buffer ? buffer + KPROBE_DETOUR_BODY : 0;
}

static __always_inline unsigned long kprobe_region_copy(const struct kprobe_point *pt)
{
	/* Pairs with the stores in optimizer.c. */
	return READ_ONCE(pt->copy);
}

static inline bool kprobe_jump_placed(const struct kprobe_point *pt)
{
	return pt->jump == KPROBE_JUMP_PLACED;
}

/* How much text at a point is not what it would be without it, at most. */
#define KPROBE_REWRITTEN_MAX	KPROBE_JUMP_BYTES

/* What stood at the place of a point's breakpoint or jump. */
static inline const u8 *kprobe_original_text(const struct kprobe_point *pt,
					     unsigned int *bytes)
{
	bool jump = kprobe_jump_placed(pt);

	*bytes = jump ? KPROBE_JUMP_BYTES : sizeof(kprobe_opcode_t);
	return jump ? (const u8 *)pt->detour->replaced : pt->insn.bytes;
}

/* optimizer.c: jumps in place of breakpoints */

void kprobe_optimizer_init_point(struct kprobe_point *pt);
void kprobe_optimizer_revoke(struct list_head *points);
void kprobe_optimizer_request(struct list_head *points);
void kprobe_optimizer_reconsider(struct kprobe_point *pt);
void kprobe_optimizer_forget(struct kprobe_point *pt);
void kprobe_detour_free(struct kprobe_point *pt);
bool kprobe_blocks_jump(const struct kprobe_point *pt, unsigned long addr);
const char *kprobe_why_no_jump(const struct kprobe_point *pt);

#else /* !CONFIG_OPTPROBES */

static inline unsigned long kprobe_detour_to_text(const struct kprobe_point *pt,
						  unsigned long ip)
{
	return ip;
}

static inline unsigned long kprobe_detour_buffer(const struct kprobe_point *pt) { return 0; }
static inline unsigned long kprobe_detour_body(const struct kprobe_point *pt) { return 0; }
static inline unsigned long kprobe_region_copy(const struct kprobe_point *pt) { return 0; }
static inline bool kprobe_jump_placed(const struct kprobe_point *pt) { return false; }

#define KPROBE_REWRITTEN_MAX	sizeof(kprobe_opcode_t)

static inline const u8 *kprobe_original_text(const struct kprobe_point *pt,
					     unsigned int *bytes)
{
	*bytes = sizeof(kprobe_opcode_t);
	return pt->insn.bytes;
}

static inline void kprobe_optimizer_init_point(struct kprobe_point *pt) { }
static inline void kprobe_optimizer_revoke(struct list_head *points) { }
static inline void kprobe_optimizer_request(struct list_head *points) { }
static inline void kprobe_optimizer_reconsider(struct kprobe_point *pt) { }
static inline void kprobe_optimizer_forget(struct kprobe_point *pt) { }
static inline void kprobe_detour_free(struct kprobe_point *pt) { }
static inline void kprobe_flow_forget(unsigned long start, unsigned long end) { }
static inline const char *kprobe_why_no_jump(const struct kprobe_point *pt) { return NULL; }

static inline bool kprobe_blocks_jump(const struct kprobe_point *pt, unsigned long addr)
{
	return false;
}

#endif /* CONFIG_OPTPROBES */

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
