// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: the life of a probe.
 *
 * The public API: registering, unregistering, enabling, disabling, one probe
 * or thousands.  Everything is a batch: one round of text patching, one update
 * of the function tracer's filter and one grace period for all probes of a
 * call.
 *
 *	struct kprobe		what a caller registers
 *	struct kprobe_point	a probed address; has a list of struct kprobe
 *
 * A registration goes through: resolve (names to addresses), prepare (points:
 * may this be probed? decode, slot), link (the probes can be seen by a hit),
 * apply (breakpoints and filters).  It can fail up to and including apply, and
 * is then undone as a whole.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <asm/sections.h>

#include "internal.h"

/* More probes than instructions of any kernel: such a count is a mistake. */
#define KPROBE_BATCH_MAX	BIT(24)

/* What it protects is listed in internal.h. */
DEFINE_MUTEX(kprobe_mutex);

/* Points by address, for the hit and for ordered walks. */
struct kprobe_table kprobe_points = { KPROBE_TABLE_INIT };
static struct rb_root points_by_addr = RB_ROOT;

/*
 * Two points with none between them, NULL at either end: where was searched last.
 * A registration searches the same place again and again, and arrays of probes
 * come in the order of their addresses, mostly.
 */
static struct {
	bool known;
	struct kprobe_point *below;
	struct kprobe_point *above;
} gap;

/* Points whose text went away, with probes that are not unregistered yet. */
static LIST_HEAD(gone_points);

/* Every registered probe: what is not in here is not, whatever the struct says. */
static struct kprobe_table registered = { KPROBE_TABLE_INIT, .by_identity = true };

/* kprobe::point while unregistration waits for its grace period. */
static struct kprobe_point leaving;

/* debugfs kprobes/enabled */
static bool all_enabled = true;

static bool kprobes_ready;

static bool is_in_gap(unsigned long addr)
{
	return gap.known && (!gap.below || gap.below->addr < addr) &&
	       (!gap.above || gap.above->addr >= addr);
}

static void find_gap(unsigned long addr)
{
	struct rb_node *node = points_by_addr.rb_node;

	if (is_in_gap(addr))
		return;
	gap.known = true;
	gap.below = NULL;
	gap.above = NULL;
	while (node) {
		struct kprobe_point *pt = rb_entry(node, struct kprobe_point, rb);

		if (pt->addr >= addr) {
			gap.above = pt;
			node = node->rb_left;
		} else {
			gap.below = pt;
			node = node->rb_right;
		}
	}
}

/**
 * kprobe_next_point() - walk points by address
 * @addr: where to begin
 *
 * Context: kprobe_mutex held.
 * Return: the point with the lowest address that is not below @addr, or NULL.
 */
struct kprobe_point *kprobe_next_point(unsigned long addr)
{
	find_gap(addr);
	return gap.above;
}

static void point_publish(struct kprobe_point *pt)
{
	struct rb_node *parent = NULL, **link = &points_by_addr.rb_node;

	kprobe_table_insert(&kprobe_points, pt);

	find_gap(pt->addr);
	/* Of two neighbours one has a free link towards the other. */
	if (gap.below && !gap.below->rb.rb_right) {
		parent = &gap.below->rb;
		link = &parent->rb_right;
	} else if (gap.above) {
		parent = &gap.above->rb;
		link = &parent->rb_left;
	}
	rb_link_node(&pt->rb, parent, link);
	rb_insert_color(&pt->rb, &points_by_addr);
	gap.below = pt;
}

static void point_unpublish(struct kprobe_point *pt)
{
	kprobe_table_remove(&kprobe_points, pt);
	rb_erase(&pt->rb, &points_by_addr);
	gap.known = false;
}

/* The point with the next lower address, or NULL. */
static struct kprobe_point *point_in_front(struct kprobe_point *pt)
{
	struct rb_node *node = rb_prev(&pt->rb);

	return node ? rb_entry(node, struct kprobe_point, rb) : NULL;
}

/* Recompute what the hit reads of a point, after a change of its probes. */
static void refresh_point(struct kprobe_point *pt)
{
	struct kprobe *p, *sole = NULL;
	unsigned int enabled = 0, posts = 0;

	list_for_each_entry(p, &pt->probes, list) {
		if (kprobe_disabled(p))
			continue;
		enabled++;
		posts += !!p->post_handler;
		sole = p;
	}
	pt->wanted = enabled;
	WRITE_ONCE(pt->posts, posts);
	/* Pairs with READ_ONCE() of it in hit.h, trap.c and ftrace.c. */
	smp_store_release(&pt->sole, enabled == 1 ? sole : NULL);
}

/**
 * kprobe_wants_arming() - is a point to fire
 * @pt: the point
 *
 * Context: kprobe_mutex held.
 */
bool kprobe_wants_arming(const struct kprobe_point *pt)
{
	return pt->wanted && all_enabled && !pt->gone;
}

/*
 * Write breakpoints, original instructions and slot tails for all points of a
 * list, in one round of text patching.  Cannot fail: memory or not.
 */
static void poke_points(struct list_head *points)
{
	struct kprobe_pokes pokes;
	struct kprobe_point *pt;

	kprobe_pokes_begin(&pokes, 2 * list_count_nodes(points));
	mutex_lock(&text_mutex);
	list_for_each_entry(pt, points, batch) {
		bool arm = kprobe_wants_arming(pt);
		enum kprobe_tail tail = pt->posts ? KPROBE_TAIL_TRAP : KPROBE_TAIL_JUMP;

		if (pt->insn.slot && pt->insn.exec == KPROBE_EXEC_BOOST &&
		    !pt->gone && pt->tail != KPROBE_TAIL_CALL && pt->tail != tail) {
			pt->tail = tail;
			kprobe_pokes_add(&pokes, pt->insn.slot + pt->insn.tail,
					 tail == KPROBE_TAIL_TRAP ? KPROBE_BREAKPOINT :
								    pt->insn.tail_jump);
		}
		if (pt->armed != arm) {
			pt->armed = arm;
			kprobe_pokes_add(&pokes, pt->addr, arm ? KPROBE_BREAKPOINT :
					 *(kprobe_opcode_t *)pt->insn.bytes);
		}
	}
	kprobe_pokes_write(&pokes);
	mutex_unlock(&text_mutex);
	kprobe_pokes_end(&pokes);
}

/*
 * Bring the points of a list to the state their probes ask for.  Fails only if
 * the function tracer refuses to arm; then no point was armed.
 */
static int apply_points(struct list_head *points)
{
	struct kprobe_point *pt, *next;
	LIST_HEAD(arm_ftrace);
	LIST_HEAD(disarm_ftrace);
	LIST_HEAD(poke);
	int ret;

	list_for_each_entry_safe(pt, next, points, batch) {
		if (!pt->ftrace)
			list_move_tail(&pt->batch, &poke);
		else if (kprobe_wants_arming(pt) && !pt->armed)
			list_move_tail(&pt->batch, &arm_ftrace);
		else if (!kprobe_wants_arming(pt) && pt->armed)
			list_move_tail(&pt->batch, &disarm_ftrace);
	}

	ret = kprobe_ftrace_arm(&arm_ftrace);
	if (!ret) {
		kprobe_ftrace_disarm(&disarm_ftrace);
		if (!list_empty(&poke)) {
			kprobe_optimizer_revoke(&poke);
			poke_points(&poke);
			kprobe_optimizer_request(&poke);
		}
	}

	list_splice_tail(&arm_ftrace, points);
	list_splice_tail(&disarm_ftrace, points);
	list_splice_tail(&poke, points);
	return ret;
}

/* Add a point to a batch, once. */
static void collect_point(struct kprobe_point *pt, struct list_head *points)
{
	if (list_empty(&pt->batch))
		list_add_tail(&pt->batch, points);
}

static void release_batch(struct list_head *points)
{
	struct kprobe_point *pt, *next;

	list_for_each_entry_safe(pt, next, points, batch)
		list_del_init(&pt->batch);
}

static int refused(const char **why, int err, const char *reason)
{
	*why = reason;
	return err;
}

/**
 * struct kprobe_request - a probe on its way through registration
 * @p: the probe
 * @addr: the address it goes to
 * @fn: the function it is in; its size is 0 until that is looked up, or again
 * @on_entry: whether that is a function's entry
 * @noted: it is in the table of registered probes
 * @pt: its point
 * @mod: the module that is pinned meanwhile, or NULL
 * @hits: its per-CPU counter
 */
struct kprobe_request {
	struct kprobe *p;
	unsigned long addr;
	struct kprobe_function fn;
	bool on_entry;
	bool noted;
	struct kprobe_point *pt;
	struct module *mod;
	unsigned long __percpu *hits;
};

/* Is it text that may be probed at all?  Pins the module it belongs to. */
static int check_text(struct kprobe_request *rq, const char **why)
{
	unsigned long addr = rq->addr;
	struct module *owner;
	bool unloaded;

	if (core_kernel_text(addr))
		return 0;

	/* Until it is pinned, the module must not go away: RCU-sched. */
	preempt_disable();
	owner = __module_text_address(addr);
	if (owner && !try_module_get(owner)) {
		preempt_enable();
		return refused(why, -ENOENT, "the module is being unloaded");
	}
	/* A symbol of a module that was unloaded since it was looked up. */
	unloaded = !owner && rq->p->symbol_name && !__module_address(addr) &&
		   is_vmalloc_or_module_addr((void *)addr);
	preempt_enable();
	if (unloaded)
		return refused(why, -ENOENT, "the module was unloaded");
	if (!owner)
		return refused(why, -EINVAL, "not kernel text");

	rq->mod = owner;
	/* What was looked up before may have been another module's. */
	rq->fn.size = 0;
	if (within_module_init(addr, owner) && owner->state != MODULE_STATE_COMING)
		return refused(why, -ENOENT, "the module's init text was freed");
	return 0;
}

/*
 * The function tracer's site that an address is in, or 0.  (ftrace_location()
 * would also find the one that a function has behind its first instruction.)
 */
static unsigned long tracer_site(unsigned long addr)
{
#ifdef CONFIG_DYNAMIC_FTRACE
	return ftrace_location_range(addr, addr);
#else
	return 0;
#endif
}

/* Decide how the point is delivered, and decode what is probed. */
static int prepare_insn(struct kprobe_point *pt, const struct kprobe_function *fn,
			const char **why)
{
	struct kprobe_insn *insn = &pt->insn;
	unsigned long site;
	int ret;

	site = tracer_site(pt->addr);
	if (site && site != pt->addr)
		return refused(why, -EILSEQ, "in the middle of a function tracer site");
	if (site && !IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		return refused(why, -EINVAL,
			       "a function tracer site, without support for probing it");
	pt->ftrace = site;

	ret = kprobe_check_boundary(pt->addr, fn, why);
	if (ret)
		return ret;

	insn->avail = min_t(unsigned long, fn->start + fn->size - pt->addr,
			    KPROBE_INSN_BYTES_MAX);
	if (kprobe_copy_text(insn->bytes, pt->addr, insn->avail))
		return refused(why, -EINVAL, "the text is not readable");
#ifdef CONFIG_KPROBES_ON_FTRACE
	if (pt->ftrace) {
		insn->length = MCOUNT_INSN_SIZE;
		return 0;
	}
#endif

	ret = arch_kprobe_decode(insn, pt->addr, why);
	if (ret)
		return ret;
	if (insn->exec != KPROBE_EXEC_SIMULATE || insn->wants_slot)
		return kprobe_slot_get(pt, why);
	return 0;
}

/* Points whose jump, if they have one, has to make room for another point. */
static void collect_blocked(struct kprobe_point *pt, struct list_head *points)
{
	struct kprobe_point *before = point_in_front(pt);

	for (; kprobe_blocks_jump(before, pt->addr); before = point_in_front(before))
		collect_point(before, points);
}

static int prepare_point(struct kprobe_request *rq, struct list_head *points,
			 const char **why)
{
	struct kprobe_point *pt;
	int ret;

	pt = kprobe_table_lookup(&kprobe_points, rq->addr);
	if (pt) {
		rq->pt = pt;
		collect_point(pt, points);
		return 0;
	}

	if (!rq->fn.size)
		kprobe_find_function(rq->addr, &rq->fn);
	ret = kprobe_check_blacklist(rq->addr, &rq->fn, why);
	if (!ret)
		ret = kprobe_check_reserved(rq->addr, rq->addr, why);
	if (ret)
		return ret;

	pt = kprobe_point_alloc(rq->addr);
	if (!pt)
		return refused(why, -ENOMEM, "no memory");
	pt->posts = !!rq->p->post_handler;
	ret = prepare_insn(pt, &rq->fn, why);
	if (!ret && kprobe_table_reserve(&kprobe_points, 1))
		ret = refused(why, -ENOMEM, "no memory");
	if (ret) {
		kprobe_slot_drop(pt);
		kprobe_point_free(pt);
		return ret;
	}
	point_publish(pt);
	rq->pt = pt;
	collect_point(pt, points);
	collect_blocked(pt, points);
	return 0;
}

/* What can be checked and got without the mutex. */
static int resolve_request(struct kprobe_request *rq, const char **why)
{
	struct kprobe *p = rq->p;
	int ret;

	ret = kprobe_resolve(p, &rq->addr, &rq->fn, &rq->on_entry, why);
	if (ret)
		return ret;
	rq->hits = kprobe_counter_get();
	if (!rq->hits)
		return refused(why, -ENOMEM, "no memory for the counters");
	return 0;
}

static int prepare_request(struct kprobe_request *rq, struct list_head *points,
			   const char **why)
{
	int ret;

	if (kprobe_table_has(&registered, rq->p))
		return refused(why, -EINVAL, "this struct kprobe is registered already");
	ret = check_text(rq, why);
	if (!ret)
		ret = prepare_point(rq, points, why);
	if (!ret && kprobe_table_reserve(&registered, 1))
		ret = refused(why, -ENOMEM, "no memory");
	if (ret)
		return ret;
	kprobe_table_insert(&registered, rq->p);
	rq->p->point = rq->pt;
	rq->noted = true;
	return 0;
}

/* From here on a hit can see the probe. */
static void link_request(struct kprobe_request *rq)
{
	struct kprobe *p = rq->p;
	unsigned int i;

	p->addr = (kprobe_opcode_t *)rq->addr;
	p->opcode = *(kprobe_opcode_t *)rq->pt->insn.bytes;
	p->flags &= KPROBE_FLAG_DISABLED;
	if (rq->pt->ftrace)
		p->flags |= KPROBE_FLAG_FTRACE;
	if (rq->on_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	if (kprobe_jump_placed(rq->pt))
		p->flags |= KPROBE_FLAG_OPTIMIZED;
	p->nmissed = 0;
	for (i = 0; i < KPROBE_MISS_NR; i++)
		atomic_long_set(&p->missed[i], 0);
	p->hits = rq->hits;
	INIT_HLIST_NODE(&p->hlist);
	/* Pairs with the walks in trap.c. */
	list_add_tail_rcu(&p->list, &rq->pt->probes);
}

static void refresh_points(struct list_head *points)
{
	struct kprobe_point *pt;

	list_for_each_entry(pt, points, batch)
		refresh_point(pt);
}

/* A point is gone that may have been in the way of jumps in front of it. */
static void reconsider_blocked(struct kprobe_point *before, unsigned long addr)
{
	for (; kprobe_blocks_jump(before, addr); before = point_in_front(before))
		kprobe_optimizer_reconsider(before);
}

/* Take points without probes out of the table; they move to @dead. */
static void reap_points(struct list_head *points, struct list_head *dead)
{
	struct kprobe_point *before, *pt, *next;

	list_for_each_entry_safe(pt, next, points, batch) {
		if (!list_empty(&pt->probes))
			continue;
		if (pt->gone) {
			list_del(&pt->gone_link);
		} else {
			before = point_in_front(pt);
			point_unpublish(pt);
			reconsider_blocked(before, pt->addr);
		}
		list_move_tail(&pt->batch, dead);
	}
	kprobe_table_shrink(&kprobe_points);
}

/* Undo link_request() for all requests; kprobe_mutex is held. */
static void unlink_requests(struct kprobe_request *rqs, unsigned int n,
			    struct list_head *points)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		/* Pairs with the walks in trap.c. */
		list_del_rcu(&rqs[i].p->list);
	refresh_points(points);
	apply_points(points);
}

/* Whatever registration has got that does not stay. */
static void drop_requests(struct kprobe_request *rqs, unsigned int n, bool failed)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		module_put(rqs[i].mod);
		if (failed)
			kprobe_counter_put(rqs[i].hits);
	}
	kvfree(rqs);
}

/* Give the structs back to their owner as he passed them. */
static void restore_request(struct kprobe_request *rq)
{
	struct kprobe *p = rq->p;

	if (p->symbol_name)
		p->addr = NULL;
	p->flags &= KPROBE_FLAG_DISABLED;
	p->hits = NULL;
	p->point = NULL;
	INIT_LIST_HEAD(&p->list);
}

static int register_locked(struct kprobe_request *rqs, unsigned int n,
			   unsigned int *culprit, bool *linked, const char **why,
			   struct list_head *dead)
{
	LIST_HEAD(points);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		*culprit = i;
		ret = prepare_request(&rqs[i], &points, why);
	}
	kprobe_slots_write();
	if (!ret) {
		*linked = true;
		for (i = 0; i < n; i++)
			link_request(&rqs[i]);
		refresh_points(&points);
		ret = apply_points(&points);
		if (ret) {
			*why = "the function tracer refused";
			unlink_requests(rqs, n, &points);
		}
	}
	if (ret)
		for (i = 0; i < n; i++)
			if (rqs[i].noted)
				rqs[i].p->point = &leaving;
	if (ret)
		reap_points(&points, dead);
	release_batch(&points);
	return ret;
}

/* After the grace period: the structs may be used again. */
static void forget_registered(struct kprobe *p)
{
	kprobe_table_remove(&registered, p);
}

static int register_requests(struct kprobe_request *rqs, unsigned int n,
			     unsigned int *culprit, const char **why)
{
	bool linked = false;
	LIST_HEAD(dead);
	unsigned int i;
	int ret;

	mutex_lock(&kprobe_mutex);
	ret = register_locked(rqs, n, culprit, &linked, why, &dead);
	mutex_unlock(&kprobe_mutex);
	if (!ret)
		return 0;

	/* A hit may have seen the probes. */
	if (linked)
		synchronize_rcu();
	mutex_lock(&kprobe_mutex);
	for (i = 0; i < n; i++) {
		if (rqs[i].noted)
			forget_registered(rqs[i].p);
		if (linked)
			restore_request(&rqs[i]);
	}
	mutex_unlock(&kprobe_mutex);
	kprobe_points_retire(&dead);
	return ret;
}

/* Refuse what would sleep or deadlock where the caller is. */
static bool called_from_handler(void)
{
	bool running;

	preempt_disable();
	running = kprobe_running();
	preempt_enable();
	return running || in_interrupt() || irqs_disabled();
}

static int check_call(struct kprobe **kps, int num)
{
	const char *why;
	int ret = -EINVAL;

	if (called_from_handler()) {
		ret = -EBUSY;
		why = "called from a probe handler, an interrupt or with interrupts off";
	} else if (!kprobes_ready) {
		ret = -EAGAIN;
		why = "too early in the boot";
	} else if (!kps || num <= 0) {
		why = "no probes are given";
	} else if (num > KPROBE_BATCH_MAX) {
		ret = -E2BIG;
		why = "an absurd number of probes";
	} else {
		return 0;
	}
	kprobe_refuse(NULL, ret, why);
	return ret;
}

/**
 * register_kprobes() - register an array of probes
 * @kps: pointers to the probes
 * @num: how many
 *
 * All or nothing: after an error no probe of the array is registered and the
 * structs are as they were.  The cost for the machine is that of one
 * registration, whatever number of probes: one round of text patching, one
 * update of the function tracer's filter.
 *
 * Context: process context, may sleep.
 *
 * Return: 0, or for the first probe that is refused (the reason in words is in
 * debugfs, kprobes/errors):
 *
 * * -EINVAL - NULL or no probes; neither or both of address and symbol; not
 *   kernel text; not in a function; blacklisted; an instruction that cannot be
 *   probed; text that is patched by others (static key, static call, BUG());
 *   the struct is registered already or stands in the array twice
 * * -EILSEQ - not the first byte of an instruction
 * * -ENOENT - no such symbol or module; the module is being or was unloaded;
 *   its init text was freed
 * * -EADDRNOTAVAIL - several functions have the given name
 * * -E2BIG - an absurd number of probes
 * * -EBUSY - called from a handler, from an interrupt or with interrupts off
 * * -EAGAIN - called before the subsystem is up
 * * -ENOMEM - no memory
 * * other - what the function tracer returned when it refused
 */
int register_kprobes(struct kprobe **kps, int num)
{
	struct kprobe_request *rqs;
	const char *why = NULL;
	unsigned int culprit = 0, nr;
	int i, ret;

	ret = check_call(kps, num);
	if (ret)
		return ret;
	rqs = kvmalloc_array(num, sizeof(*rqs), GFP_KERNEL);
	if (!rqs) {
		kprobe_refuse(NULL, -ENOMEM, "no memory for the requests");
		return -ENOMEM;
	}

	for (i = 0; i < num && !ret; i++) {
		culprit = i;
		rqs[i] = (struct kprobe_request){ .p = kps[i] };
		if (!kps[i])
			ret = refused(&why, -EINVAL, "a NULL pointer in the array");
		else if (kprobe_check_unregistered(kps[i]))
			ret = refused(&why, -EINVAL, "this struct kprobe is registered already");
		else
			ret = resolve_request(&rqs[i], &why);
	}
	nr = i;
	if (!ret)
		ret = register_requests(rqs, nr, &culprit, &why);
	if (ret)
		kprobe_refuse(kps[culprit], ret, why);
	drop_requests(rqs, nr, ret);
	return ret;
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe() - register a probe
 * @p: the probe
 *
 * Context: process context, may sleep.
 * Return: 0, or an error as register_kprobes().
 */
int register_kprobe(struct kprobe *p)
{
	return register_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/* The point of a registered probe, or NULL. */
static struct kprobe_point *registered_point(const struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_table_has(&registered, p) || p->point == &leaving)
		return NULL;
	return p->point;
}

/**
 * kprobe_check_unregistered() - may a struct kprobe be registered
 * @p: the struct
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINVAL if it is registered.
 */
int kprobe_check_unregistered(const struct kprobe *p)
{
	bool found;

	mutex_lock(&kprobe_mutex);
	found = kprobe_table_has(&registered, p);
	mutex_unlock(&kprobe_mutex);
	return found ? -EINVAL : 0;
}

/* Take a probe off its point, and the point into a batch. */
static bool unlink_probe(struct kprobe *p, struct list_head *points)
{
	struct kprobe_point *pt = registered_point(p);

	if (!pt)
		return false;
	/* Pairs with the walks in trap.c. */
	list_del_rcu(&p->list);
	p->point = &leaving;
	collect_point(pt, points);
	return true;
}

/* After the grace period: give the structs back to their owners. */
static void release_probes(struct hlist_head *probes)
{
	struct hlist_node *next;
	struct kprobe *p;

	hlist_for_each_entry(p, probes, hlist)
		kprobe_counter_put(p->hits);

	mutex_lock(&kprobe_mutex);
	hlist_for_each_entry_safe(p, next, probes, hlist) {
		p->hits = NULL;
		p->point = NULL;
		p->flags &= ~KPROBE_FLAG_OPTIMIZED;
		INIT_LIST_HEAD(&p->list);
		hlist_del_init(&p->hlist);
		forget_registered(p);
	}
	kprobe_table_shrink(&registered);
	mutex_unlock(&kprobe_mutex);
}

/**
 * unregister_kprobes() - unregister an array of probes
 * @kps: pointers to the probes
 * @num: how many
 *
 * When it returns no handler of these probes runs any more, and the structs
 * are the caller's again.  Waits for one RCU grace period, whatever number of
 * probes.  What is NULL or not registered is passed over (and recorded in
 * debugfs, kprobes/errors).
 *
 * Context: process context, may sleep.  Not from a handler: there it does
 * nothing but warn, since the caller would free what is in use.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	HLIST_HEAD(probes);
	LIST_HEAD(points);
	LIST_HEAD(dead);
	int i, ret;

	ret = check_call(kps, num);
	WARN_ONCE(ret == -EBUSY, "%s() where it cannot wait\n", __func__);
	if (ret)
		return;

	mutex_lock(&kprobe_mutex);
	for (i = 0; i < num; i++) {
		if (unlink_probe(kps[i], &points))
			hlist_add_head(&kps[i]->hlist, &probes);
		else
			kprobe_refuse(NULL, -EINVAL, "unregistering what is not registered");
	}
	refresh_points(&points);
	apply_points(&points);
	reap_points(&points, &dead);
	release_batch(&points);
	mutex_unlock(&kprobe_mutex);

	if (hlist_empty(&probes))
		return;
	/*
	 * For the hits that still run a handler: see the walks in trap.c.  The
	 * caller waits; the CPUs have just been interrupted for the text anyway.
	 */
	synchronize_rcu_expedited();
	release_probes(&probes);
	kprobe_points_retire(&dead);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe() - unregister a probe
 * @p: the probe
 *
 * As unregister_kprobes().
 *
 * Context: process context, may sleep.  Not from a handler.
 */
void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

/* Set or clear KPROBE_FLAG_DISABLED of a registered probe. */
static int set_disabled(struct kprobe *p, struct kprobe_point *pt, bool disabled)
{
	LIST_HEAD(points);
	u32 flags = p->flags;
	int ret;

	WRITE_ONCE(p->flags, disabled ? flags | KPROBE_FLAG_DISABLED :
					flags & ~KPROBE_FLAG_DISABLED);
	refresh_point(pt);
	collect_point(pt, &points);
	ret = apply_points(&points);
	if (ret) {
		WRITE_ONCE(p->flags, flags);
		refresh_point(pt);
	}
	release_batch(&points);
	return ret;
}

static int change_enabled(struct kprobe *p, bool enable)
{
	struct kprobe_point *pt;
	const char *why = NULL;
	int ret = 0;

	if (called_from_handler()) {
		kprobe_refuse(NULL, -EBUSY,
			      "called from a probe handler, an interrupt or with interrupts off");
		return -EBUSY;
	}

	mutex_lock(&kprobe_mutex);
	pt = registered_point(p);
	if (!pt)
		ret = refused(&why, -EINVAL, "not registered");
	else if (pt->gone && enable)
		ret = refused(&why, -EINVAL, "the probed text is gone");
	else if (!pt->gone && !!(p->flags & KPROBE_FLAG_DISABLED) == enable)
		ret = set_disabled(p, pt, !enable);
	if (ret)
		kprobe_refuse(pt ? p : NULL, ret, why ?: "the function tracer refused");
	mutex_unlock(&kprobe_mutex);
	return ret;
}

/**
 * enable_kprobe() - let a disabled probe fire
 * @kp: a registered probe
 *
 * Context: process context, may sleep.
 * Return: 0, also if it is enabled already; -EINVAL if it is not registered or
 * its text is gone; -EBUSY if called from a handler, an interrupt or with
 * interrupts off; what the function tracer returned if it refused.
 */
int enable_kprobe(struct kprobe *kp)
{
	return change_enabled(kp, true);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

/**
 * disable_kprobe() - keep a probe registered, but let it not fire
 * @kp: a registered probe
 *
 * A handler that is running on another CPU is not waited for.
 *
 * Context: process context, may sleep.
 * Return: 0, also if it is disabled already or gone; -EINVAL if it is not
 * registered; -EBUSY if called from a handler, an interrupt or with interrupts
 * off.
 */
int disable_kprobe(struct kprobe *kp)
{
	return change_enabled(kp, false);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * get_kprobe() - the probe at an address
 * @addr: the address
 *
 * Context: any, with preemption off.
 * Return: the probe registered first there, or NULL.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct kprobe_point *pt = kprobe_point_lookup((unsigned long)addr);

	if (!pt)
		return NULL;
	return list_first_or_null_rcu(&pt->probes, struct kprobe, list);
}

/**
 * kprobe_set_all_enabled() - arm or disarm everything
 * @on: whether probes are to fire
 *
 * Context: process context, may sleep.
 * Return: 0, or what the function tracer returned if it refused: then nothing
 * has changed.
 */
int kprobe_set_all_enabled(bool on)
{
	struct kprobe_point *pt;
	LIST_HEAD(points);
	int ret = 0;

	mutex_lock(&kprobe_mutex);
	if (on != all_enabled) {
		all_enabled = on;
		for (pt = kprobe_next_point(0); pt; pt = kprobe_following(pt))
			collect_point(pt, &points);
		ret = apply_points(&points);
		if (ret)
			all_enabled = !on;
		release_batch(&points);
	}
	mutex_unlock(&kprobe_mutex);
	return ret;
}

/**
 * kprobe_all_enabled() - what kprobe_set_all_enabled() set
 */
bool kprobe_all_enabled(void)
{
	return READ_ONCE(all_enabled);
}

/**
 * kprobe_following() - the point with the next higher address
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 * Return: the point, or NULL.
 */
struct kprobe_point *kprobe_following(struct kprobe_point *pt)
{
	struct rb_node *node = rb_next(&pt->rb);

	return node ? rb_entry(node, struct kprobe_point, rb) : NULL;
}

static struct kprobe *nth_probe(struct kprobe_point *pt, unsigned int *n)
{
	struct kprobe *p;

	list_for_each_entry(p, &pt->probes, list)
		if (!(*n)--)
			return p;
	return NULL;
}

static struct kprobe *nth_gone_probe(unsigned int n)
{
	struct kprobe_point *pt;
	struct kprobe *p = NULL;

	list_for_each_entry(pt, &gone_points, gone_link) {
		p = nth_probe(pt, &n);
		if (p)
			break;
	}
	return p;
}

/**
 * kprobe_walk_here() - the probe at which a walk over all of them stands
 * @walk: the walk; begins zeroed.  Adding 1 to @walk->nth leads to the next
 *
 * By address, those whose text is gone last.  The mutex may be released between
 * two calls: a walk keeps its place by address, whatever comes and goes.
 *
 * Context: kprobe_mutex held.
 * Return: the probe, or NULL behind the last one.
 */
struct kprobe *kprobe_walk_here(struct kprobe_walk *walk)
{
	struct kprobe_point *pt = NULL;
	struct kprobe *p;

	if (!walk->gone)
		pt = kprobe_next_point(walk->addr);
	for (; pt; pt = kprobe_following(pt)) {
		unsigned int n;

		if (pt->addr != walk->addr) {
			walk->addr = pt->addr;
			walk->nth = 0;
		}
		n = walk->nth;
		p = nth_probe(pt, &n);
		if (p)
			return p;
	}
	if (!walk->gone) {
		walk->gone = true;
		walk->nth = 0;
	}
	return nth_gone_probe(walk->nth);
}

/*
 * The text of [start, end) goes away.  Nothing is written to it: it may be
 * unmapped or read-only by now, and nobody executes it.  The probes stay
 * registered until their owners unregister them.
 */
static void text_gone(unsigned long start, unsigned long end)
{
	struct kprobe_point *pt, *next;
	LIST_HEAD(points);
	struct kprobe *p;

	kprobe_forget_boundaries(start, end);
	kprobe_flow_forget(start, end);
	for (pt = kprobe_next_point(start); pt && pt->addr < end; pt = next) {
		next = kprobe_following(pt);
		kprobe_optimizer_forget(pt);
		point_unpublish(pt);
		list_add_tail(&pt->gone_link, &gone_points);
		pt->gone = true;
		list_for_each_entry(p, &pt->probes, list)
			WRITE_ONCE(p->flags, p->flags | KPROBE_FLAG_GONE);
		refresh_point(pt);
		if (pt->ftrace && pt->armed)
			collect_point(pt, &points);
		else
			pt->armed = false;
	}
	kprobe_ftrace_disarm(&points);
	release_batch(&points);
}

static void module_text_gone(const struct module_layout *layout)
{
	unsigned long start = (unsigned long)layout->base;

	if (!layout->base)
		return;
	text_gone(start, start + layout->text_size);
	kprobe_blacklist_drop(start, start + layout->text_size);
}

static int kprobes_module_event(struct notifier_block *nb, unsigned long event,
				void *data)
{
	struct module *mod = data;

	switch (event) {
	case MODULE_STATE_COMING:
		if (kprobe_blacklist_add_module(mod))
			return notifier_from_errno(-ENOMEM);
		break;
	case MODULE_STATE_LIVE:
		mutex_lock(&kprobe_mutex);
		module_text_gone(&mod->init_layout);
		mutex_unlock(&kprobe_mutex);
		break;
	case MODULE_STATE_GOING:
		mutex_lock(&kprobe_mutex);
		module_text_gone(&mod->init_layout);
		module_text_gone(&mod->core_layout);
		mutex_unlock(&kprobe_mutex);
		break;
	}
	return NOTIFY_DONE;
}

/* Before those who register probes when a module comes (kprobe events: 2). */
static struct notifier_block kprobes_module_nb = {
	.notifier_call = kprobes_module_event,
	.priority = INT_MAX,
};

/**
 * kprobe_free_init_mem() - the kernel's init text is about to be freed
 *
 * Context: process context, at the end of the boot.
 */
void kprobe_free_init_mem(void)
{
	mutex_lock(&kprobe_mutex);
	text_gone((unsigned long)__init_begin, (unsigned long)__init_end);
	mutex_unlock(&kprobe_mutex);
}

static int __init kprobes_init(void)
{
	int ret;

	kprobe_slots_init();
	ret = kprobe_blacklist_init();
	if (!ret)
		ret = register_module_notifier(&kprobes_module_nb);
	kprobes_ready = !ret;
	return ret;
}
early_initcall(kprobes_init);
