/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: the public API.
 *
 * For modules and subsystems that want to run a handler when an instruction
 * of the kernel is reached (struct kprobe) or when a function returns (struct
 * kretprobe), and for the few places of the kernel that must know about
 * probes (fault handling, symbol lookup, unwinders, task exit).
 *
 * The contract every handler can rely on is in Documentation/trace/kprobes.rst.
 * What an architecture supplies is in <linux/kprobes_arch.h>.
 */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H

#include <linux/compiler.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/bug.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/rcupdate.h>
#include <linux/mutex.h>
#include <linux/ftrace.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/atomic.h>
#include <linux/errno.h>
#include <asm/kprobes.h>

#ifndef CONFIG_KPROBES
/* The architecture names its type only where it has probes. */
typedef int kprobe_opcode_t;
#endif

struct kprobe;
struct kprobe_point;
struct pt_regs;
struct kretprobe;
struct kretprobe_instance;
struct kretprobe_pool;
struct module;
struct task_struct;

typedef int (*kprobe_pre_handler_t)(struct kprobe *, struct pt_regs *);
typedef void (*kprobe_post_handler_t)(struct kprobe *, struct pt_regs *,
				      unsigned long flags);
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *,
				   struct pt_regs *);

/* Bits of kprobe::flags.  A caller may set KPROBE_FLAG_DISABLED, nothing else. */
#define KPROBE_FLAG_GONE		1	/* the probed text went away */
#define KPROBE_FLAG_DISABLED		2	/* registered, but does not fire */
#define KPROBE_FLAG_OPTIMIZED		4	/* reached by a jump, not a trap */
#define KPROBE_FLAG_FTRACE		8	/* delivered by the function tracer */
#define KPROBE_FLAG_ON_FUNC_ENTRY	16	/* addr is the entry of a function */

/**
 * enum kprobe_miss - why a probe's handler was not called for an execution
 * @KPROBE_MISS_RECURSION: the instruction was reached from within a probe
 *	handler running at the same context level (task, softirq, hardirq, NMI)
 *	of the same CPU
 * @KPROBE_MISS_BUSY: a section marked by kprobe_busy_begin() was active at
 *	the same context level of the same CPU
 * @KPROBE_MISS_DIVERTED: a probe registered earlier at this address returned
 *	non-zero, which ends the walk
 * @KPROBE_MISS_POOL: a return probe had no instance left to follow the call:
 *	kretprobe::maxactive calls were inside
 * @KPROBE_MISS_NR: number of causes
 *
 * For every enabled probe: executions = hits + sum of the misses.
 */
enum kprobe_miss {
	KPROBE_MISS_RECURSION,
	KPROBE_MISS_BUSY,
	KPROBE_MISS_DIVERTED,
	KPROBE_MISS_POOL,
	KPROBE_MISS_NR,
};

/**
 * struct kprobe - a probe on one instruction
 * @hlist: private; unhashed when the probe is not registered
 * @list: private; empty when the probe is not registered
 * @nmissed: executions at which @pre_handler was not called, whatever the
 *	cause; read only
 * @addr: address of the probed instruction.  Either the caller sets it, or
 *	@symbol_name; registration fills it in
 * @symbol_name: symbol to look up, "name" or "module:name", or NULL
 * @offset: added to @addr or to the address of @symbol_name, in bytes
 * @pre_handler: called before the instruction is executed; returns 0, or
 *	non-zero after having set up @regs to go on elsewhere.  May be NULL
 * @post_handler: called after the instruction was executed.  May be NULL
 * @opcode: first opcode unit of the original instruction; read only
 * @flags: KPROBE_FLAG_*
 * @point: private; the probe point this probe belongs to
 * @hits: private; calls of the handlers, per CPU
 * @missed: private; executions without a call, by cause
 *
 * Zero it, set @addr or @symbol_name and a handler, then register it.  It must
 * stay where it is until it is unregistered.
 */
struct kprobe {
	struct hlist_node hlist;
	struct list_head list;
	union {
		unsigned long nmissed;
		/* private: the same word, for counting from any context */
		atomic_long_t nmissed_counter;
	};
	u32 flags;
	unsigned int offset;
	const char *symbol_name;
	kprobe_opcode_t *addr;
	kprobe_opcode_t opcode;
	kprobe_post_handler_t post_handler;
	kprobe_pre_handler_t pre_handler;

	/* private: */
	struct kprobe_point *point;
	unsigned long __percpu *hits;
	atomic_long_t missed[KPROBE_MISS_NR];
};

/* Upper bound of kretprobe::data_size, in bytes. */
#define KRETPROBE_MAX_DATA_SIZE	4096

/**
 * struct kretprobe - a probe on the return of a function
 * @kp: the probe on the function's entry; set its @addr or @symbol_name
 * @handler: called when the function has returned, with the registers as the
 *	caller will see them.  May be NULL
 * @entry_handler: called at entry; non-zero means "not this call".  May be NULL
 * @maxactive: > 0: at most so many calls followed at once, calls beyond that
 *	are missed and counted; <= 0: every call is followed
 * @nmissed: calls that were not followed because @maxactive others were, or
 *	for want of memory; read only
 * @data_size: bytes of private data for each followed call (instance), at most
 *	KRETPROBE_MAX_DATA_SIZE
 * @pool: private; what joins the probe and its instances
 *
 * Both handlers run with preemption off and must not sleep.
 */
struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler;
	kretprobe_handler_t entry_handler;
	int maxactive;
	union {
		int nmissed;
		/* private: the same word, for counting from any context */
		atomic_t nmissed_counter;
	};
	size_t data_size;

	/* private: */
	struct kretprobe_pool *pool;
};

/**
 * struct kretprobe_instance - one call that a return probe follows
 * @node: private; link in the task's list of followed calls, innermost first,
 *	or in a stock of free instances
 * @pool: private; what joins it and its probe
 * @ret_addr: the true return address
 * @fp: where on the stack (or which frame) the return address was replaced
 * @data: the caller's private data, kretprobe::data_size bytes, kept from
 *	entry_handler to handler.  Not initialized
 */
struct kretprobe_instance {
	struct llist_node node;
	struct kretprobe_pool *pool;
	kprobe_opcode_t *ret_addr;
	void *fp;
	char data[];
};

#ifdef CONFIG_KPROBES

int register_kprobe(struct kprobe *p);
void unregister_kprobe(struct kprobe *p);
int register_kprobes(struct kprobe **kps, int num);
void unregister_kprobes(struct kprobe **kps, int num);
int enable_kprobe(struct kprobe *kp);
int disable_kprobe(struct kprobe *kp);

struct kprobe *get_kprobe(void *addr);
struct kprobe *kprobe_running(void);
void kprobe_busy_begin(void);
void kprobe_busy_end(void);

kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset);
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset);

bool within_kprobe_blacklist(unsigned long addr);
int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);

bool is_kprobe_insn_slot(unsigned long addr);
unsigned long kprobe_slot_to_text(unsigned long ip);
unsigned long kprobe_restart_address(unsigned long ip);
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym);

void kprobe_free_init_mem(void);

bool kprobe_about_to_execute(struct pt_regs *regs);
bool kprobe_at_function_entry(struct pt_regs *regs);

/* Detour buffers come from the same pages: is_kprobe_insn_slot() knows them. */
static inline bool is_kprobe_optinsn_slot(unsigned long addr)
{
	return false;
}

#ifdef CONFIG_OPTPROBES
bool kprobes_allow_jumps(bool allow);
void wait_for_kprobe_optimizer(void);
#else
static inline bool kprobes_allow_jumps(bool allow) { return false; }
static inline void wait_for_kprobe_optimizer(void) { }
#endif

/**
 * kprobe_page_fault() - take a fault out of an out-of-line slot
 * @regs: registers of the fault
 * @trap: number of the exception
 *
 * For the architecture's page fault handler, before it looks at the faulting
 * instruction.  A fault on the copy of a probed instruction is moved to the
 * probed address, so that everything downstream (the exception tables, an
 * oops, restarting the instruction after the page came in) sees what it would
 * see without the probe, and so that a task which sleeps in the fault does not
 * stand in a slot meanwhile.  (In a detour buffer that can be done only for the
 * first instruction.  Registration sees to it that no other has an entry in the
 * exception tables.)
 *
 * Context: any, interrupts on or off.
 * Return: always false: the fault goes on, at the right address.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	if (!user_mode(regs)) {
		unsigned long ip = instruction_pointer(regs);
		unsigned long text = kprobe_restart_address(ip);

		if (unlikely(text != ip))
			instruction_pointer_set(regs, text);
	}
	return false;
}

#else /* !CONFIG_KPROBES */

static inline int register_kprobe(struct kprobe *p) { return -EOPNOTSUPP; }
static inline void unregister_kprobe(struct kprobe *p) { }
static inline int register_kprobes(struct kprobe **kps, int num) { return -EOPNOTSUPP; }
static inline void unregister_kprobes(struct kprobe **kps, int num) { }
static inline int enable_kprobe(struct kprobe *kp) { return -EOPNOTSUPP; }
static inline int disable_kprobe(struct kprobe *kp) { return -EOPNOTSUPP; }
static inline struct kprobe *get_kprobe(void *addr) { return NULL; }
static inline struct kprobe *kprobe_running(void) { return NULL; }

#define kprobe_busy_begin()	do { } while (0)
#define kprobe_busy_end()	do { } while (0)

static inline bool within_kprobe_blacklist(unsigned long addr) { return true; }
static inline bool is_kprobe_insn_slot(unsigned long addr) { return false; }
static inline bool is_kprobe_optinsn_slot(unsigned long addr) { return false; }
static inline unsigned long kprobe_slot_to_text(unsigned long ip) { return ip; }

static inline int kprobe_get_kallsym(unsigned int symnum, unsigned long *value,
				     char *type, char *sym)
{
	return -ERANGE;
}

static inline void kprobe_free_init_mem(void) { }
static inline bool kprobe_page_fault(struct pt_regs *regs, unsigned int trap) { return false; }
static inline bool kprobe_about_to_execute(struct pt_regs *regs) { return false; }
static inline bool kprobe_at_function_entry(struct pt_regs *regs) { return false; }

#endif /* CONFIG_KPROBES */

#ifdef CONFIG_KRETPROBES

int register_kretprobe(struct kretprobe *rp);
void unregister_kretprobe(struct kretprobe *rp);
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);

struct kretprobe *get_kretprobe(struct kretprobe_instance *ri);
unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri);
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur);
void kprobe_flush_task(struct task_struct *tsk);

/* The code every followed function returns to; never call it. */
extern char __kretprobe_trampoline[];

static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return addr == (unsigned long)
		dereference_function_descriptor(__kretprobe_trampoline);
}

#else /* !CONFIG_KRETPROBES */

static inline int register_kretprobe(struct kretprobe *rp) { return -EOPNOTSUPP; }
static inline void unregister_kretprobe(struct kretprobe *rp) { }
static inline int register_kretprobes(struct kretprobe **rps, int num) { return -EOPNOTSUPP; }
static inline void unregister_kretprobes(struct kretprobe **rps, int num) { }
static inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri) { return NULL; }
static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr) { return false; }

static nokprobe_inline
unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return 0;
}

static inline unsigned long kretprobe_find_ret_addr(struct task_struct *tsk,
						    void *fp,
						    struct llist_node **cur)
{
	return 0;
}

static inline void kprobe_flush_task(struct task_struct *tsk) { }

#endif /* CONFIG_KRETPROBES */

/* A return probe is enabled and disabled at the entry of its function. */
static inline int enable_kretprobe(struct kretprobe *rp) { return enable_kprobe(&rp->kp); }
static inline int disable_kretprobe(struct kretprobe *rp) { return disable_kprobe(&rp->kp); }

static inline bool kprobe_gone(struct kprobe *kp)
{
	return !!(kp->flags & KPROBE_FLAG_GONE);
}

/* A probe that is gone can never fire again: it counts as disabled too. */
static inline bool kprobe_disabled(struct kprobe *kp)
{
	return !!(kp->flags & (KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED));
}

static inline bool kprobe_optimized(struct kprobe *kp)
{
	return !!(kp->flags & KPROBE_FLAG_OPTIMIZED);
}

static inline bool kprobe_ftrace(struct kprobe *kp)
{
	return !!(kp->flags & KPROBE_FLAG_FTRACE);
}

#endif /* _LINUX_KPROBES_H */
