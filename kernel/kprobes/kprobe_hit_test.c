// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: KUnit tests of the hit: what handlers may rely on, whatever
 * way they were called, and that every execution is accounted for.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kprobe_test.h"

/* The places, one for each way a hit is delivered. */
struct place {
	const char *name;
	int (*fn)(int x);
	unsigned long addr;
};

static struct place places[] = {
	{ "traced", kprobe_test_traced },	/* by the function tracer */
	{ "plain", kprobe_test_plain },		/* by a trap at the entry */
	{ "middle", kprobe_test_straight },	/* by a trap elsewhere */
};

static struct place * const places_end = places + ARRAY_SIZE(places);

static unsigned long misses(const struct kprobe *p, enum kprobe_miss cause)
{
	return atomic_long_read(&p->missed[cause]);
}

/* What the handlers see. */

struct view {
	struct kprobe p;
	unsigned int pre, post;
	unsigned long ip;
	unsigned int preemptible;
	unsigned int irqs_off;
	unsigned int not_running;
	unsigned long arg;
};

static void look_around(struct view *view)
{
	view->preemptible += preemptible();
	view->irqs_off += !!irqs_disabled();
#ifndef MODULE
	view->not_running += kprobe_running() != &view->p;
#endif
}

NOKPROBE_SYMBOL(look_around);

static int view_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct view *view = container_of(p, struct view, p);

	view->pre++;
	view->ip = instruction_pointer(regs);
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	view->arg = regs_get_kernel_argument(regs, 0);
#endif
	look_around(view);
	return 0;
}

NOKPROBE_SYMBOL(view_pre);

static void view_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct view *view = container_of(p, struct view, p);

	view->post++;
	look_around(view);
}

NOKPROBE_SYMBOL(view_post);

static void hit_contract(struct kunit *test)
{
	struct place *place;

	for (place = places; place < places_end; place++) {
		struct view view = {
			.p.addr = (void *)place->addr,
			.p.pre_handler = view_pre,
			.p.post_handler = view_post,
		};
		unsigned long flags;

		KUNIT_ASSERT_EQ(test, register_kprobe(&view.p), 0);
		KUNIT_EXPECT_EQ_MSG(test, place->fn(39), 42, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, view.pre, 1, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, view.post, 1, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, view.ip,
				    (unsigned long)view.p.addr + KPROBE_IP_OFFSET,
				    "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, view.preemptible, 0, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, view.not_running, 0, "%s", place->name);
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
		if (place->fn != kprobe_test_straight)
			KUNIT_EXPECT_EQ_MSG(test, (int)view.arg, 39, "%s", place->name);
#endif
		/* With interrupts off they stay off. */
		view.irqs_off = 0;
		local_irq_save(flags);
		place->fn(1);
		KUNIT_EXPECT_TRUE(test, irqs_disabled());
		local_irq_restore(flags);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
		KUNIT_EXPECT_EQ_MSG(test, view.irqs_off, 2, "%s", place->name);
		unregister_kprobe(&view.p);
	}
}

/* Changing where it goes on. */

static int divert(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, kprobe_test_text(kprobe_test_replacement));
	return 1;
}

NOKPROBE_SYMBOL(divert);

static void hit_divert(struct kunit *test)
{
	struct place *place;

	for (place = places; place < places_end; place++) {
		struct kprobe first = { .addr = (void *)place->addr, .pre_handler = divert };
		struct view second = {
			.p.addr = (void *)place->addr,
			.p.pre_handler = view_pre,
			.p.post_handler = view_post,
		};

		if (place->fn == kprobe_test_straight)
			continue;
		KUNIT_ASSERT_EQ(test, register_kprobe(&first), 0);
		KUNIT_EXPECT_EQ_MSG(test, place->fn(5), 1005, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, place->fn(6), 1006, "%s", place->name);

		KUNIT_ASSERT_EQ(test, register_kprobe(&second.p), 0);
		KUNIT_EXPECT_EQ_MSG(test, place->fn(7), 1007, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, second.pre, 0, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, second.post, 0, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(&second.p), 0, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, misses(&second.p, KPROBE_MISS_DIVERTED), 1, "%s",
				    place->name);
		KUNIT_EXPECT_EQ_MSG(test, second.p.nmissed, 1, "%s", place->name);

		KUNIT_EXPECT_EQ(test, disable_kprobe(&first), 0);
		KUNIT_EXPECT_EQ_MSG(test, place->fn(8), 11, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, second.pre, 1, "%s", place->name);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&first), 0);
		unregister_kprobe(&second.p);
		KUNIT_EXPECT_EQ_MSG(test, place->fn(9), 1009, "%s", place->name);
		unregister_kprobe(&first);
		KUNIT_EXPECT_EQ_MSG(test, place->fn(10), 13, "%s", place->name);
	}
}

/* A handler that runs into probes, its own and others. */

static int run_into(struct kprobe *p, struct pt_regs *regs)
{
	struct place *place;

	for (place = places; place < places_end; place++)
		place->fn(1);
	return 0;
}

NOKPROBE_SYMBOL(run_into);

static void run_into_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	run_into(p, regs);
}

NOKPROBE_SYMBOL(run_into_post);

static void hit_recursion(struct kunit *test)
{
	struct kprobe p[ARRAY_SIZE(places)];
	struct place *place;
	int i, post;

	for (place = places; place < places_end; place++) {
		for (post = 0; post < 2; post++) {
			struct kprobe outer = { .addr = (void *)place->addr };

			if (post)
				outer.post_handler = run_into_post;
			else
				outer.pre_handler = run_into;
			memset(p, 0, sizeof(p));
			for (i = 0; i < ARRAY_SIZE(places); i++) {
				p[i].addr = (void *)places[i].addr;
				KUNIT_ASSERT_EQ(test, register_kprobe(&p[i]), 0);
			}
			KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
			for (i = 0; i < 7; i++)
				KUNIT_EXPECT_EQ(test, place->fn(4), 7);

			/* Each of the 7 calls called all three. */
			KUNIT_EXPECT_EQ(test, kprobe_test_hits(&outer), 7);
			KUNIT_EXPECT_EQ(test, misses(&outer, KPROBE_MISS_RECURSION), 7);
			KUNIT_EXPECT_EQ(test, outer.nmissed, 7);
			for (i = 0; i < ARRAY_SIZE(places); i++) {
				KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(&p[i]),
						    &places[i] == place ? 7 : 0,
						    "%s in %s", places[i].name, place->name);
				KUNIT_EXPECT_EQ_MSG(test, misses(&p[i], KPROBE_MISS_RECURSION), 7,
						    "%s in %s", places[i].name, place->name);
				KUNIT_EXPECT_EQ_MSG(test, kprobe_test_misses(&p[i]), 7,
						    "%s in %s", places[i].name, place->name);
				KUNIT_EXPECT_EQ(test, p[i].nmissed, 7);
			}
			unregister_kprobe(&outer);
			for (i = 0; i < ARRAY_SIZE(places); i++)
				unregister_kprobe(&p[i]);
		}
	}
}

#ifndef MODULE
static void hit_busy(struct kunit *test)
{
	struct place *place;

	for (place = places; place < places_end; place++) {
		struct view view = {
			.p.addr = (void *)place->addr,
			.p.pre_handler = view_pre,
			.p.post_handler = view_post,
		};
		int a, b;

		KUNIT_ASSERT_EQ(test, register_kprobe(&view.p), 0);
		kprobe_busy_begin();
		a = place->fn(4);
		kprobe_busy_begin();
		b = place->fn(4);
		kprobe_busy_end();
		b += place->fn(4);
		kprobe_busy_end();
		KUNIT_EXPECT_EQ(test, a, 7);
		KUNIT_EXPECT_EQ(test, b, 14);
		KUNIT_EXPECT_EQ_MSG(test, view.pre + view.post, 0, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, misses(&view.p, KPROBE_MISS_BUSY), 3, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, kprobe_test_misses(&view.p), 3, "%s", place->name);
		KUNIT_EXPECT_EQ(test, place->fn(4), 7);
		KUNIT_EXPECT_EQ_MSG(test, view.pre, 1, "%s", place->name);
		unregister_kprobe(&view.p);
	}
}
#endif

/*
 * A handler is interrupted by a timer on its CPU, and the timer's function is
 * probed too: the latter must not be missed.
 */
struct timed {
	struct hrtimer timer;
	int (*fn)(int x);
	unsigned long fired;
	unsigned long inside;
	bool handler_runs;
};

static struct timed timed;

static enum hrtimer_restart timed_fire(struct hrtimer *timer)
{
	timed.fn(1);
	timed.fired++;
	if (READ_ONCE(timed.handler_runs))
		WRITE_ONCE(timed.inside, timed.inside + 1);
	hrtimer_forward_now(timer, ns_to_ktime(100 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

/* 300 us, and as long as it takes to be interrupted three times. */
static int spin(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long inside = timed.inside, i;
	bool off = raw_irqs_disabled();

	/* A trap turned them off, the interrupted code had them on. */
	if (off)
		raw_local_irq_enable();
	WRITE_ONCE(timed.handler_runs, true);
	for (i = 0; i < 300 || (i < 100000 && READ_ONCE(timed.inside) - inside < 3); i++)
		udelay(1);
	WRITE_ONCE(timed.handler_runs, false);
	if (off)
		raw_local_irq_disable();
	return 0;
}

NOKPROBE_SYMBOL(spin);

static void spin_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	spin(p, regs);
}

NOKPROBE_SYMBOL(spin_post);

static void interrupted_handler(struct kunit *test, struct place *place, bool post,
				int (*inner)(int))
{
	struct kprobe outer = { .addr = (void *)place->addr };
	struct view view = {
		.p.addr = (void *)kprobe_test_text(inner),
		.p.pre_handler = view_pre,
		.p.post_handler = view_post,
	};
	int i;

	if (post)
		outer.post_handler = spin_post;
	else
		outer.pre_handler = spin;
	memset(&timed, 0, sizeof(timed));
	timed.fn = inner;
	hrtimer_init(&timed.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timed.timer.function = timed_fire;

	KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
	/*
	 * Where the trap is entered like an NMI, lockdep reports the interrupt
	 * that such a handler lets in, and is off from then on.
	 */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) && (KPROBE_TRAP_LEVEL & NMI_MASK) &&
	    !kprobe_ftrace(&outer)) {
		kunit_info(test, "%s: left out with lockdep", place->name);
		unregister_kprobe(&outer);
		return;
	}
	KUNIT_ASSERT_EQ(test, register_kprobe(&view.p), 0);
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	hrtimer_start(&timed.timer, ns_to_ktime(100 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	/* On a busy host the guest's timer may be late. */
	for (i = 0; i < 10 || (READ_ONCE(timed.inside) < 30 && i < 1000); i++)
		KUNIT_EXPECT_EQ(test, place->fn(4), 7);
	hrtimer_cancel(&timed.timer);

	KUNIT_EXPECT_GE_MSG(test, timed.inside, 3UL,
			    "%s, post %d: the handler was not interrupted", place->name, post);
	KUNIT_EXPECT_EQ_MSG(test, view.pre, timed.fired, "%s, post %d", place->name, post);
	KUNIT_EXPECT_EQ_MSG(test, view.post, timed.fired, "%s, post %d", place->name, post);
	KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(&view.p), timed.fired, "%s, post %d",
			    place->name, post);
	KUNIT_EXPECT_EQ_MSG(test, view.p.nmissed, 0, "%s, post %d", place->name, post);
	KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(&outer), i, "%s, post %d", place->name, post);
	KUNIT_EXPECT_EQ_MSG(test, outer.nmissed, 0, "%s, post %d", place->name, post);
	unregister_kprobe(&view.p);
	unregister_kprobe(&outer);
}

static void hit_in_interrupt_of_handler(struct kunit *test)
{
	struct place *place;
	int post;

	for (place = places; place < places_end; place++) {
		for (post = 0; post < 2; post++) {
			interrupted_handler(test, place, post, kprobe_test_timed);
			interrupted_handler(test, place, post, kprobe_test_timed_plain);
		}
	}
}

/* Handlers that do what they must not. */

static struct kprobe other = { .symbol_name = "kprobe_test_inner" };
static int ret_register, ret_enable, ret_disable;

static int call_api(struct kprobe *p, struct pt_regs *regs)
{
	other.addr = NULL;
	ret_register = register_kprobe(&other);
	ret_enable = enable_kprobe(p);
	ret_disable = disable_kprobe(p);
	return 0;
}

NOKPROBE_SYMBOL(call_api);

static void call_api_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	call_api(p, regs);
}

NOKPROBE_SYMBOL(call_api_post);

static void hit_api_in_handler(struct kunit *test)
{
	struct place *place;
	int post;

	for (place = places; place < places_end; place++) {
		for (post = 0; post < 2; post++) {
			struct kprobe p = { .addr = (void *)place->addr };
			struct view view = {
				.p.addr = (void *)place->addr,
				.p.pre_handler = view_pre,
			};

			if (post)
				p.post_handler = call_api_post;
			else
				p.pre_handler = call_api;
			ret_register = 1;
			ret_enable = 1;
			ret_disable = 1;
			KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
			KUNIT_EXPECT_EQ(test, place->fn(4), 7);
			KUNIT_EXPECT_EQ_MSG(test, ret_register, -EBUSY, "%s", place->name);
			KUNIT_EXPECT_EQ_MSG(test, ret_enable, -EBUSY, "%s", place->name);
			KUNIT_EXPECT_EQ_MSG(test, ret_disable, -EBUSY, "%s", place->name);
			KUNIT_EXPECT_NOT_NULL(test, strstr(kprobe_test_last_reason(test),
							   "handler"));
			/* Everything works as before. */
			KUNIT_ASSERT_EQ(test, register_kprobe(&view.p), 0);
			KUNIT_EXPECT_EQ(test, place->fn(4), 7);
			KUNIT_EXPECT_EQ(test, view.pre, 1);
			unregister_kprobe(&view.p);
			unregister_kprobe(&p);
		}
	}
	other.addr = NULL;
	KUNIT_EXPECT_EQ(test, register_kprobe(&other), 0);
	unregister_kprobe(&other);
}

/* Where the tracer delivers, handlers run as in the probed function itself. */
static int toggle_bh(struct kprobe *p, struct pt_regs *regs)
{
	local_bh_disable();
	local_bh_enable();
	return 0;
}

NOKPROBE_SYMBOL(toggle_bh);

static void hit_bh_in_handler(struct kunit *test)
{
	struct kprobe p = { .addr = (void *)places[0].addr, .pre_handler = toggle_bh };
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	if (kprobe_ftrace(&p))
		for (i = 0; i < 1000; i++)
			KUNIT_EXPECT_EQ(test, places[0].fn(4), 7);
	KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p), kprobe_ftrace(&p) ? 1000 : 0);
	unregister_kprobe(&p);
}

/* A fault in a handler is the handler's. */

static void *unreadable;
static long ret_unreadable, ret_readable;

static int read_memory(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long word;

	ret_unreadable = copy_from_kernel_nofault(&word, unreadable, sizeof(word));
	ret_readable = copy_from_kernel_nofault(&word, &ret_unreadable, sizeof(word));
	return 0;
}

NOKPROBE_SYMBOL(read_memory);

static void read_memory_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	read_memory(p, regs);
}

NOKPROBE_SYMBOL(read_memory_post);

static void hit_fault_in_handler(struct kunit *test)
{
	void *page = vmalloc(PAGE_SIZE);
	struct place *place;
	int post;

	KUNIT_ASSERT_NOT_NULL(test, page);
	unreadable = page + PAGE_SIZE;
	for (place = places; place < places_end; place++) {
		for (post = 0; post < 2; post++) {
			struct kprobe p = { .addr = (void *)place->addr };

			if (post)
				p.post_handler = read_memory_post;
			else
				p.pre_handler = read_memory;
			ret_unreadable = 1;
			ret_readable = 1;
			KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
			KUNIT_EXPECT_EQ(test, place->fn(4), 7);
			KUNIT_EXPECT_EQ_MSG(test, ret_unreadable, -EFAULT, "%s", place->name);
			KUNIT_EXPECT_EQ_MSG(test, ret_readable, 0, "%s", place->name);
			unregister_kprobe(&p);
		}
	}
	vfree(page);
}

/* A probe on every instruction of a function, one of which faults. */
static void probe_everywhere(struct kunit *test, bool post)
{
	unsigned long start = kprobe_test_text(kprobe_test_peek), at;
	char name[32];
	struct kprobe *p[64];
	unsigned int value, source = 0x12345678, i, n = 0, hits = 0;
	void *page = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, page);
	/* Until the next function begins. */
	for (at = start; at < start + 200 && n < ARRAY_SIZE(p); at += sizeof(kprobe_opcode_t)) {
		struct view *view;

		snprintf(name, sizeof(name), "%ps", (void *)at);
		if (!str_has_prefix(name, "kprobe_test_peek"))
			break;
		view = kunit_kzalloc(test, sizeof(*view), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, view);
		view->p.addr = (void *)at;
		view->p.pre_handler = view_pre;
		view->p.post_handler = post ? view_post : NULL;
		if (!register_kprobe(&view->p))
			p[n++] = &view->p;
	}
	KUNIT_EXPECT_GE(test, n, 4);

	value = 0;
	KUNIT_EXPECT_EQ(test, kprobe_test_peek(&value, &source), 0);
	KUNIT_EXPECT_EQ(test, value, source);
	for (i = 0; i < n; i++)
		hits += kprobe_test_hits(p[i]);
	KUNIT_EXPECT_GE(test, hits, 3);

	value = 1;
	KUNIT_EXPECT_EQ(test, kprobe_test_peek(&value, page + PAGE_SIZE), -EFAULT);
	KUNIT_EXPECT_EQ(test, value, 1);
	KUNIT_EXPECT_EQ(test, kprobe_test_peek(&value, &source), 0);
	KUNIT_EXPECT_EQ(test, value, source);

	unregister_kprobes(p, n);
	vfree(page);
}

static void hit_fault_in_probed(struct kunit *test)
{
	probe_everywhere(test, false);
	probe_everywhere(test, true);
}

/*
 * All CPUs hammer a function with a probe, a return probe and a probe on what
 * the handler calls.  Calls = hits + misses, for each.
 */
#define HAMMER_CALLS	20000

struct hammer {
	struct task_struct *task;
	struct completion done;
	unsigned long wrong;
};

static int hammer_pre(struct kprobe *p, struct pt_regs *regs)
{
	kprobe_test_inner(1);
	return 0;
}

NOKPROBE_SYMBOL(hammer_pre);

#ifdef CONFIG_KRETPROBES
static atomic_long_t returns;

static int hammer_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&returns);
	return 0;
}

NOKPROBE_SYMBOL(hammer_return);
#endif

static int (*hammered)(int);

static int hammer_thread(void *data)
{
	struct hammer *hammer = data;
	int i;

	for (i = 0; i < HAMMER_CALLS; i++) {
		hammer->wrong += hammered(i) != i + 3;
		hammer->wrong += kprobe_test_inner(i) != i + 3;
		if (i % 64 == 0)
			cond_resched_tasks_rcu_qs();
	}
	complete(&hammer->done);
	return 0;
}

static void hit_counts(struct kunit *test)
{
	struct place *place;

	for (place = places; place < places_end; place++) {
		struct kprobe outer = { .addr = (void *)place->addr, .pre_handler = hammer_pre };
		struct kprobe inner = { .symbol_name = "kprobe_test_inner" };
		struct view innermost = { .p.symbol_name = "kprobe_test_inner" };
		unsigned long calls = 0;
		struct hammer *hammers;
		int cpu;
#ifdef CONFIG_KRETPROBES
		struct kretprobe rp = { .handler = hammer_return };

		rp.kp.addr = (void *)kprobe_test_text(place->fn);
		atomic_long_set(&returns, 0);
		KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
#endif
		innermost.p.pre_handler = view_pre;
		hammered = place->fn;
		hammers = kunit_kcalloc(test, nr_cpu_ids, sizeof(*hammers), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, hammers);
		KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
		KUNIT_ASSERT_EQ(test, register_kprobe(&inner), 0);
		KUNIT_ASSERT_EQ(test, register_kprobe(&innermost.p), 0);

		cpus_read_lock();
		for_each_online_cpu(cpu) {
			struct hammer *hammer = &hammers[cpu];

			init_completion(&hammer->done);
			hammer->task = kthread_create(hammer_thread, hammer, "hammer/%d", cpu);
			if (IS_ERR(hammer->task)) {
				hammer->task = NULL;
				continue;
			}
			kthread_bind(hammer->task, cpu);
			wake_up_process(hammer->task);
			calls += HAMMER_CALLS;
		}
		cpus_read_unlock();
		for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
			if (hammers[cpu].task) {
				wait_for_completion(&hammers[cpu].done);
				KUNIT_EXPECT_EQ(test, hammers[cpu].wrong, 0UL);
			}
		}

		KUNIT_EXPECT_GT(test, calls, 0UL);
		KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(&outer), calls, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, outer.nmissed, 0, "%s", place->name);
		/* Once for the thread, once for the handler. */
		KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(&inner), calls, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, inner.nmissed, calls, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, misses(&inner, KPROBE_MISS_RECURSION), calls, "%s",
				    place->name);
		KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(&innermost.p), calls, "%s", place->name);
		KUNIT_EXPECT_EQ_MSG(test, kprobe_test_misses(&innermost.p), calls, "%s",
				    place->name);
		unregister_kprobe(&innermost.p);
		unregister_kprobe(&inner);
		unregister_kprobe(&outer);
#ifdef CONFIG_KRETPROBES
		KUNIT_EXPECT_EQ_MSG(test, atomic_long_read(&returns) + rp.nmissed, calls, "%s",
				    place->name);
		KUNIT_EXPECT_EQ_MSG(test, rp.nmissed, 0, "%s", place->name);
		unregister_kretprobe(&rp);
#endif
	}
}

static struct kunit_case hit_cases[] = {
	KUNIT_CASE(hit_contract),
	KUNIT_CASE(hit_divert),
	KUNIT_CASE(hit_recursion),
#ifndef MODULE
	KUNIT_CASE(hit_busy),
#endif
	KUNIT_CASE(hit_in_interrupt_of_handler),
	KUNIT_CASE(hit_api_in_handler),
	KUNIT_CASE(hit_bh_in_handler),
	KUNIT_CASE(hit_fault_in_handler),
	KUNIT_CASE(hit_fault_in_probed),
	KUNIT_CASE(hit_counts),
	{}
};

static int hit_init(struct kunit *test)
{
	places[0].addr = kprobe_test_text(kprobe_test_traced);
	places[1].addr = kprobe_test_text(kprobe_test_plain);
	places[2].addr = kprobe_test_mid;
	return 0;
}

static struct kunit_suite hit_suite = {
	.name = "kprobes_hit",
	.init = hit_init,
	.test_cases = hit_cases,
};

kunit_test_suite(hit_suite);
