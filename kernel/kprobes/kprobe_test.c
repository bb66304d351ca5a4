// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: KUnit tests of the API: what may be registered, what is
 * refused with which errno and for which reason, and what is left afterwards.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/prandom.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "internal.h"
#include "kprobe_test.h"

/* The calls of handlers, in their order. */
static struct kprobe *calls[32];
static unsigned int nr_calls;

static int note_call(struct kprobe *p, struct pt_regs *regs)
{
	if (nr_calls < ARRAY_SIZE(calls))
		calls[nr_calls] = p;
	nr_calls++;
	return 0;
}

NOKPROBE_SYMBOL(note_call);

static void note_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	note_call(p, regs);
}

NOKPROBE_SYMBOL(note_post);

/* Call @fn once and tell how many handlers were called. */
static unsigned int calls_of(struct kunit *test, int (*fn)(int))
{
	nr_calls = 0;
	KUNIT_EXPECT_EQ(test, fn(4), 7);
	return nr_calls;
}

/* The place may be behind a landing pad. */
static unsigned long place_of(int (*fn)(int))
{
	struct kprobe p = { .addr = (void *)kprobe_test_text(fn), .pre_handler = note_call };
	unsigned long place;

	if (register_kprobe(&p))
		return 0;
	place = (unsigned long)p.addr;
	unregister_kprobe(&p);
	return place;
}

static void check_place(struct kunit *test, const char *what, struct kprobe *p,
			int (*fn)(int), unsigned long text)
{
	unsigned long place;

	KUNIT_EXPECT_EQ_MSG(test, calls_of(test, fn), 0, "%s: before", what);
	KUNIT_ASSERT_EQ_MSG(test, register_kprobe(p), 0, "%s", what);
	place = (unsigned long)p->addr;
	KUNIT_EXPECT_TRUE_MSG(test, place >= text && place <= text + 16, "%s: at %pS", what,
			      p->addr);
	KUNIT_EXPECT_TRUE_MSG(test, kprobe_test_is_first(p->addr, p), "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, calls_of(test, fn), 1, "%s: probed", what);
	KUNIT_EXPECT_EQ_MSG(test, kprobe_test_hits(p), 1, "%s: hits", what);
	KUNIT_EXPECT_EQ_MSG(test, p->nmissed, 0, "%s: misses", what);
	unregister_kprobe(p);
	KUNIT_EXPECT_EQ_MSG(test, calls_of(test, fn), 0, "%s: after", what);
	KUNIT_EXPECT_TRUE_MSG(test, kprobe_test_is_first((void *)place, NULL), "%s", what);
}

static void api_by_address(struct kunit *test)
{
	struct kprobe traced = { .pre_handler = note_call };
	struct kprobe plain = { .pre_handler = note_call };
	struct kprobe mid = { .pre_handler = note_call };

	traced.addr = (void *)kprobe_test_text(kprobe_test_traced);
	plain.addr = (void *)kprobe_test_text(kprobe_test_plain);
	mid.addr = (void *)kprobe_test_mid;
	check_place(test, "traced", &traced, kprobe_test_traced,
		    kprobe_test_text(kprobe_test_traced));
	check_place(test, "plain", &plain, kprobe_test_plain,
		    kprobe_test_text(kprobe_test_plain));
	check_place(test, "middle", &mid, kprobe_test_straight, kprobe_test_mid);
}

static void api_by_symbol(struct kunit *test)
{
	struct kprobe traced = { .symbol_name = "kprobe_test_traced", .pre_handler = note_call };
	struct kprobe plain = { .symbol_name = "kprobe_test_plain", .pre_handler = note_call };
	struct kprobe mid = { .symbol_name = "kprobe_test_straight", .pre_handler = note_call };
	struct kprobe from = { .pre_handler = note_call };

	mid.offset = kprobe_test_mid - kprobe_test_text(kprobe_test_straight);
	from.addr = (void *)kprobe_test_text(kprobe_test_straight);
	from.offset = mid.offset;
	check_place(test, "traced", &traced, kprobe_test_traced,
		    kprobe_test_text(kprobe_test_traced));
	check_place(test, "plain", &plain, kprobe_test_plain,
		    kprobe_test_text(kprobe_test_plain));
	check_place(test, "symbol and offset", &mid, kprobe_test_straight, kprobe_test_mid);
	check_place(test, "address and offset", &from, kprobe_test_straight, kprobe_test_mid);
#ifdef MODULE
	{
		struct kprobe qualified = {
			.symbol_name = KBUILD_MODNAME ":kprobe_test_plain",
			.pre_handler = note_call,
		};

		check_place(test, "module:symbol", &qualified, kprobe_test_plain,
			    kprobe_test_text(kprobe_test_plain));
	}
#endif
}

/* The same struct, again and again. */
static void api_again(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "kprobe_test_plain", .pre_handler = note_call };
	int i;

	for (i = 0; i < 10; i++) {
		p.addr = NULL;
		KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
		KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_plain), 1);
		KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p), 1);
		unregister_kprobe(&p);
	}
}

static void api_disabled(struct kunit *test)
{
	static int (* const fns[])(int) = {
		kprobe_test_traced, kprobe_test_plain, kprobe_test_straight,
	};
	unsigned long places[] = {
		kprobe_test_text(kprobe_test_traced),
		kprobe_test_text(kprobe_test_plain),
		kprobe_test_mid,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		struct kprobe p = {
			.addr = (void *)places[i],
			.pre_handler = note_call,
			.post_handler = note_post,
			.flags = KPROBE_FLAG_DISABLED,
		};

		KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
		KUNIT_EXPECT_TRUE(test, kprobe_disabled(&p));
		KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 0);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&p), 0);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&p), 0);
		KUNIT_EXPECT_FALSE(test, kprobe_disabled(&p));
		KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 2);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&p), 0);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&p), 0);
		KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 0);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&p), 0);
		KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 2);
		KUNIT_EXPECT_EQ(test, kprobe_test_hits(&p), 2);
		KUNIT_EXPECT_EQ(test, p.nmissed, 0);
		unregister_kprobe(&p);
		KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 0);
	}
}

#define SIBLINGS 4

static void setup_siblings(struct kprobe *p, unsigned long place)
{
	int i;

	memset(p, 0, SIBLINGS * sizeof(*p));
	for (i = 0; i < SIBLINGS; i++) {
		p[i].addr = (void *)place;
		p[i].pre_handler = note_call;
	}
}

/* Called were the siblings in @mask, in the order of their registration. */
static void check_siblings(struct kunit *test, struct kprobe *p, unsigned int mask,
			   int (*fn)(int))
{
	unsigned int i, n = 0;

	KUNIT_EXPECT_EQ_MSG(test, calls_of(test, fn), hweight32(mask), "siblings %#x", mask);
	for (i = 0; i < SIBLINGS; i++) {
		if (mask & BIT(i)) {
			KUNIT_EXPECT_PTR_EQ_MSG(test, calls[n], &p[i], "siblings %#x, call %u",
						mask, n);
			n++;
		}
	}
}

static void siblings_of(struct kunit *test, unsigned long place, int (*fn)(int))
{
	struct kprobe p[SIBLINGS];
	unsigned int order, mask;
	int i;

	/* Whoever goes first: all orders. */
	for (order = 0; order < SIBLINGS * SIBLINGS * SIBLINGS * SIBLINGS; order++) {
		unsigned int who[SIBLINGS];

		for (i = 0, mask = 0; i < SIBLINGS; i++) {
			who[i] = order >> (2 * i) & 3;
			mask |= BIT(who[i]);
		}
		if (mask != BIT(SIBLINGS) - 1)
			continue;

		setup_siblings(p, place);
		for (i = 0, mask = 0; i < SIBLINGS; i++) {
			KUNIT_ASSERT_EQ(test, register_kprobe(&p[i]), 0);
			mask |= BIT(i);
			check_siblings(test, p, mask, fn);
		}
		for (i = 0; i < SIBLINGS; i++) {
			unregister_kprobe(&p[who[i]]);
			mask &= ~BIT(who[i]);
			check_siblings(test, p, mask, fn);
		}
	}

	/* Whoever is disabled: all sets, each after each. */
	setup_siblings(p, place);
	for (i = 0; i < SIBLINGS; i++)
		KUNIT_ASSERT_EQ(test, register_kprobe(&p[i]), 0);
	for (order = 0; order < BIT(2 * SIBLINGS); order++) {
		mask = (order ^ order >> SIBLINGS) & (BIT(SIBLINGS) - 1);
		for (i = 0; i < SIBLINGS; i++) {
			if (mask & BIT(i))
				KUNIT_EXPECT_EQ(test, enable_kprobe(&p[i]), 0);
			else
				KUNIT_EXPECT_EQ(test, disable_kprobe(&p[i]), 0);
		}
		check_siblings(test, p, mask, fn);
	}
	for (i = 0; i < SIBLINGS; i++)
		unregister_kprobe(&p[i]);
	check_siblings(test, p, 0, fn);
}

static void api_siblings_traced(struct kunit *test)
{
	siblings_of(test, kprobe_test_text(kprobe_test_traced), kprobe_test_traced);
}

static void api_siblings_plain(struct kunit *test)
{
	siblings_of(test, kprobe_test_text(kprobe_test_plain), kprobe_test_plain);
}

static void api_siblings_middle(struct kunit *test)
{
	siblings_of(test, kprobe_test_mid, kprobe_test_straight);
}

/* A post_handler comes and goes while others stay. */
static void api_post_comes_and_goes(struct kunit *test)
{
	unsigned long places[] = {
		kprobe_test_text(kprobe_test_traced),
		kprobe_test_text(kprobe_test_plain),
		kprobe_test_mid,
	};
	static int (* const fns[])(int) = {
		kprobe_test_traced, kprobe_test_plain, kprobe_test_straight,
	};
	int i, round;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		struct kprobe stays = { .addr = (void *)places[i], .pre_handler = note_call };

		KUNIT_ASSERT_EQ(test, register_kprobe(&stays), 0);
		for (round = 0; round < 3; round++) {
			struct kprobe guest = {
				.addr = (void *)places[i],
				.post_handler = note_post,
			};

			KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 1);
			KUNIT_ASSERT_EQ(test, register_kprobe(&guest), 0);
			KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 2);
			KUNIT_EXPECT_PTR_EQ(test, calls[0], &stays);
			KUNIT_EXPECT_PTR_EQ(test, calls[1], &guest);
			KUNIT_EXPECT_EQ(test, kprobe_test_hits(&guest), 1);
			KUNIT_EXPECT_EQ(test, disable_kprobe(&guest), 0);
			KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 1);
			KUNIT_EXPECT_EQ(test, enable_kprobe(&guest), 0);
			KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 2);
			unregister_kprobe(&guest);
		}
		unregister_kprobe(&stays);
	}
}

static int some_data;

static void api_refused_places(struct kunit *test)
{
	struct kprobe p;
	void *page;

#define REFUSED(what, err, words, ...) do {					\
		p = (struct kprobe){ .pre_handler = note_call, __VA_ARGS__ };	\
		kprobe_test_refused(test, what, &p, err, words);		\
	} while (0)

	REFUSED("neither", -EINVAL, "neither");
	REFUSED("both", -EINVAL, "both", .addr = (void *)kprobe_test_mid,
		.symbol_name = "kprobe_test_plain");
	REFUSED("data", -EINVAL, "not kernel text", .addr = (void *)&some_data);
	page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	REFUSED("heap", -EINVAL, "not kernel text", .addr = page);
	REFUSED("stack", -EINVAL, "not kernel text", .addr = (void *)&page);
	REFUSED("user space", -EINVAL, "not kernel text", .addr = (void *)0x400000);
	REFUSED("first page", -EINVAL, "not kernel text", .addr = (void *)8);
	REFUSED("last word", -EINVAL, "not kernel text", .addr = (void *)-8UL);
	REFUSED("wrapped", -EINVAL, "overflow", .addr = (void *)-8UL, .offset = 16);
	REFUSED("middle of an instruction", -EILSEQ, "",
		.addr = (void *)(kprobe_test_mid + 1));
	REFUSED("middle of an instruction, by symbol", -EILSEQ, "",
		.symbol_name = "kprobe_test_straight",
		.offset = kprobe_test_mid + 1 - kprobe_test_text(kprobe_test_straight));
	REFUSED("blacklisted", -EINVAL, "blacklisted",
		.symbol_name = "kprobe_test_blacklisted");
	REFUSED("blacklisted, by address", -EINVAL, "blacklisted",
		.addr = (void *)kprobe_test_text(kprobe_test_blacklisted));
	REFUSED("unknown", -ENOENT, "no such symbol", .symbol_name = "kprobe_test_nothing");
	if (IS_ENABLED(CONFIG_PREEMPTION))
		REFUSED("the end of a hit", -EINVAL, "blacklisted",
			.symbol_name = "preempt_schedule_notrace");
	REFUSED("empty", -EINVAL, "name", .symbol_name = "");
	REFUSED("unknown module", -ENOENT, "no such", .symbol_name = "nomodule:printk");
	REFUSED("no name", -EINVAL, "name", .symbol_name = "nomodule:");
	REFUSED("ambiguous", -EADDRNOTAVAIL, "several", .symbol_name = "kprobe_test_twin");
	REFUSED("near match", -ENOENT, "suffix", .symbol_name = "kprobe_test_specialized");
#undef REFUSED

	/* By address, or by the full name, they are accepted. */
	p = (struct kprobe){ .addr = (void *)kprobe_test_twin_here() };
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), 0);
	unregister_kprobe(&p);
	p = (struct kprobe){ .addr = (void *)kprobe_test_twin_there() };
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), 0);
	unregister_kprobe(&p);
	p = (struct kprobe){ .symbol_name = "kprobe_test_specialized.isra.0" };
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_GE(test, (unsigned long)p.addr, kprobe_test_suffixed());
	unregister_kprobe(&p);
}

static void api_bad_calls(struct kunit *test)
{
	struct kprobe a = { .symbol_name = "kprobe_test_plain", .pre_handler = note_call };
	struct kprobe b = { .addr = (void *)kprobe_test_mid, .pre_handler = note_call };
	struct kprobe *none[] = { NULL };
	struct kprobe *array[] = { &a, &b };

	KUNIT_EXPECT_EQ(test, register_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(NULL, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(none, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, INT_MIN), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, INT_MAX), -E2BIG);
	KUNIT_EXPECT_EQ(test, enable_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&a), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&a), -EINVAL);
	unregister_kprobe(NULL);
	unregister_kprobe(&a);
	unregister_kprobes(NULL, 1);
	unregister_kprobes(none, 1);
	unregister_kprobes(array, 0);
	unregister_kprobes(array, -1);
	unregister_kprobes(array, 2);

	/* Twice. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&b), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&b), -EINVAL);
	KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_straight), 1);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_straight), 1);
	KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_plain), 0);
	unregister_kprobe(&b);
	unregister_kprobe(&b);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&b), -EINVAL);
	KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_straight), 0);

	/* What is not registered in an array to be unregistered. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&b), 0);
	array[0] = &a;
	unregister_kprobes(array, 2);
	KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_straight), 0);

	/* Twice in one array to be unregistered. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&b), 0);
	array[0] = &b;
	unregister_kprobes(array, 2);
	KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_straight), 0);
}

#define SMALL_ARRAY	9

/* Whatever is wrong, and wherever it stands: nothing is registered. */
static void api_all_or_nothing(struct kunit *test)
{
	static const char * const wrongs[] = {
		"null", "twice", "unknown", "data", "middle", "blacklisted", "registered",
	};
	struct kprobe other = { .addr = (void *)kprobe_test_mid, .pre_handler = note_call };
	static struct kprobe p[SMALL_ARRAY];
	struct kprobe *array[SMALL_ARRAY];

	static int (* const fns[])(int) = {
		kprobe_test_traced, kprobe_test_plain, kprobe_test_inner,
	};
	u8 before[3][16];
	int i, at, wrong;

	for (i = 0; i < ARRAY_SIZE(fns); i++)
		memcpy(before[i], (void *)kprobe_test_text(fns[i]), sizeof(before[i]));
	KUNIT_ASSERT_EQ(test, register_kprobe(&other), 0);

	for (wrong = 0; wrong < ARRAY_SIZE(wrongs); wrong++) {
		for (at = 0; at < SMALL_ARRAY; at++) {
			int err;

			memset(p, 0, sizeof(p));
			for (i = 0; i < SMALL_ARRAY; i++) {
				p[i].addr = (void *)kprobe_test_text(fns[i % 3]);
				p[i].pre_handler = note_call;
				array[i] = &p[i];
			}
			switch (wrong) {
			case 0:
				array[at] = NULL;
				break;
			case 1:
				array[at] = &p[(at + 4) % SMALL_ARRAY];
				break;
			case 2:
				p[at].addr = NULL;
				p[at].symbol_name = "kprobe_test_nothing";
				break;
			case 3:
				p[at].addr = (void *)&some_data;
				break;
			case 4:
				p[at].addr = (void *)(kprobe_test_mid + 1);
				break;
			case 5:
				p[at].addr = NULL;
				p[at].symbol_name = "kprobe_test_blacklisted";
				break;
			case 6:
				array[at] = &other;
				break;
			}
			err = register_kprobes(array, SMALL_ARRAY);
			KUNIT_EXPECT_LT_MSG(test, err, 0, "%s at %d", wrongs[wrong], at);
			for (i = 0; i < ARRAY_SIZE(fns); i++) {
				KUNIT_EXPECT_EQ_MSG(test, calls_of(test, fns[i]), 0, "%s at %d",
						    wrongs[wrong], at);
				KUNIT_EXPECT_EQ_MSG(test, 0,
						    memcmp(before[i],
							   (void *)kprobe_test_text(fns[i]),
							   sizeof(before[i])),
						    "%s at %d", wrongs[wrong], at);
			}
			for (i = 0; i < SMALL_ARRAY; i++)
				KUNIT_EXPECT_EQ_MSG(test, enable_kprobe(&p[i]), -EINVAL,
						    "%s at %d: %d", wrongs[wrong], at, i);
			KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_straight), 1);
		}
	}
	unregister_kprobe(&other);

	/* Nothing wrong: the same structs can be registered now. */
	memset(p, 0, sizeof(p));
	for (i = 0; i < SMALL_ARRAY; i++) {
		p[i].addr = (void *)kprobe_test_text(fns[i % 3]);
		p[i].pre_handler = note_call;
		array[i] = &p[i];
	}
	KUNIT_ASSERT_EQ(test, register_kprobes(array, SMALL_ARRAY), 0);
	for (i = 0; i < ARRAY_SIZE(fns); i++)
		KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 3);
	unregister_kprobes(array, SMALL_ARRAY);
	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		KUNIT_EXPECT_EQ(test, calls_of(test, fns[i]), 0);
		KUNIT_EXPECT_EQ(test, 0, memcmp(before[i], (void *)kprobe_test_text(fns[i]),
						sizeof(before[i])));
	}
}

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(nothing);

/* 500 over the whole kernel, registered and unregistered as one array. */
static void api_array_of_500(struct kunit *test)
{
	struct kprobe_test_many many;
	size_t size;
	void *text;
	int err, i;

	text = kprobe_test_copy_text(&size);
	KUNIT_ASSERT_NOT_NULL(test, text);
	err = kprobe_test_arm_many(&many, 600, nothing, NULL);
	if (err == -EOPNOTSUPP) {
		vfree(text);
		kunit_skip(test, "only when built in");
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	if (!err) {
		unsigned int n = many.n;

		KUNIT_EXPECT_GE(test, n, 500);
		unregister_kprobes(many.array, n);
		KUNIT_EXPECT_EQ(test, kprobe_test_compare_text(text), 0UL);
		for (i = 0; i < n; i++)
			many.array[i]->flags = KPROBE_FLAG_DISABLED;
		KUNIT_EXPECT_EQ(test, register_kprobes(many.array, n), 0);
		unregister_kprobes(many.array, n);
		for (i = 0; i < n; i++)
			many.array[i]->flags = 0;
		many.n = 0;
		err = register_kprobes(many.array, n);
		KUNIT_EXPECT_EQ(test, err, 0);
		if (!err)
			many.n = n;
		kunit_info(test, "%u probes, %u refused\n", n, many.refused);
	}
	kprobe_test_disarm_many(&many);
	KUNIT_EXPECT_EQ(test, kprobe_test_compare_text(text), 0UL);
	vfree(text);
}

/* The files tools read. */
static void api_debugfs(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "kprobe_test_plain", .pre_handler = note_call };
	struct kprobe off = {
		.symbol_name = "kprobe_test_straight",
		.pre_handler = note_call,
		.flags = KPROBE_FLAG_DISABLED,
		.offset = kprobe_test_mid - kprobe_test_text(kprobe_test_straight),
	};
	char *text, *line, *end, want[64];

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&off), 0);

	text = kprobe_test_read(test, "kprobes/list");
	line = strstr(text, "  k  kprobe_test_plain+0x");
	KUNIT_EXPECT_NOT_NULL_MSG(test, line, "%s", text);
	snprintf(want, sizeof(want), "  k  kprobe_test_straight+0x%x", off.offset);
	line = strstr(text, want);
	KUNIT_EXPECT_NOT_NULL_MSG(test, line, "%s", text);
	if (line) {
		end = strchrnul(line, '\n');
		*end = 0;
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(line, "[DISABLED]"), "%s", line);
	}

	KUNIT_EXPECT_EQ(test, calls_of(test, kprobe_test_plain), 1);
	text = kprobe_test_read(test, "kprobes/stats");
	line = strstr(text, "kprobe_test_plain+0x");
	KUNIT_EXPECT_NOT_NULL_MSG(test, line, "%s", text);
	if (line) {
		end = strchrnul(line, '\n');
		*end = 0;
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(line, "hits=1 "), "%s", line);
	}

	unregister_kprobe(&p);
	unregister_kprobe(&off);
	text = kprobe_test_read(test, "kprobes/list");
	KUNIT_EXPECT_PTR_EQ(test, strstr(text, "kprobe_test_plain"), NULL);
	text = kprobe_test_read(test, "kprobes/blacklist");
	KUNIT_EXPECT_NE(test, text[0], 0);
}

/* Names that matter and are not in the list; stops at the first. */
static int find_unlisted(void *data, const char *name, struct module *mod, unsigned long addr)
{
	const char **unlisted = data;

	if (addr < (unsigned long)_stext || addr >= (unsigned long)_etext ||
	    !kprobe_name_matters(name) || kprobe_name_listed(addr))
		return 0;
	*unlisted = kstrdup(name, GFP_KERNEL);
	return 1;
}

static void api_names(struct kunit *test)
{
	unsigned long plain = kprobe_test_text(kprobe_test_plain);
	struct kprobe_function fn;
	const char *unlisted = NULL;
	int i;

	for (i = 0; i < 1000 && !kprobe_names_known(plain); i++)
		msleep(20);
	KUNIT_ASSERT_TRUE(test, kprobe_names_known(plain));
	kallsyms_on_each_symbol(find_unlisted, &unlisted);
	KUNIT_EXPECT_STREQ(test, unlisted ?: "", "");
	kfree(unlisted);
	KUNIT_EXPECT_FALSE(test, kprobe_name_listed(plain));

	kprobe_find_function(plain + 1, &fn);
	KUNIT_EXPECT_EQ(test, fn.start, plain);
	KUNIT_EXPECT_FALSE(test, fn.name_matters);
	KUNIT_EXPECT_GT(test, fn.size, 1UL);
}

/* A function that is large in every configuration. */
#define LARGE_FUNCTION	"copy_process"

/* What decoding it in one go, from a copy, says of a byte of a function. */
static unsigned long *decode_whole(struct kunit *test, const struct kprobe_function *fn)
{
	unsigned long *starts, at = 0;
	u8 *text = kunit_kmalloc(test, fn->size, GFP_KERNEL);
	int len, ret;

	starts = kunit_kcalloc(test, BITS_TO_LONGS(fn->size), sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_NOT_NULL(test, starts);
	mutex_lock(&kprobe_mutex);
	ret = kprobe_copy_text(text, fn->start, fn->size);
	mutex_unlock(&kprobe_mutex);
	KUNIT_ASSERT_EQ(test, ret, 0);
	for (; at < fn->size; at += len) {
		len = arch_kprobe_insn_length(text + at, fn->size - at);
		KUNIT_ASSERT_GT(test, len, 0);
		__set_bit(at, starts);
	}
	return starts;
}

/* The first byte, of those from a place on in steps, about which there is dissent. */
static unsigned long find_dissent(const struct kprobe_function *fn,
				  const unsigned long *starts, unsigned long from, long step)
{
	unsigned long at;
	const char *why;

	mutex_lock(&kprobe_mutex);
	kprobe_forget_boundaries(fn->start, fn->start + fn->size);
	for (at = from; at < fn->size; at += step)
		if (test_bit(at, starts) != !kprobe_check_boundary(fn->start + at, fn, &why))
			break;
	mutex_unlock(&kprobe_mutex);
	return min(at, fn->size);
}

static void api_boundaries(struct kunit *test)
{
	unsigned long entry = kallsyms_lookup_name(LARGE_FUNCTION), at;
	struct kprobe_function fn;
	unsigned long *starts;

	KUNIT_ASSERT_NE(test, entry, 0UL);
	kprobe_find_function(entry, &fn);
	KUNIT_ASSERT_GT(test, fn.size, 2048UL);
	starts = decode_whole(test, &fn);

	/* Byte by byte, from the end, in strides, and each as the first one asked. */
	KUNIT_EXPECT_EQ(test, find_dissent(&fn, starts, 0, 1), fn.size);
	KUNIT_EXPECT_EQ(test, find_dissent(&fn, starts, fn.size - 1, -1), fn.size);
	KUNIT_EXPECT_EQ(test, find_dissent(&fn, starts, 3, 61), fn.size);
	for (at = 0; at < fn.size; at++)
		KUNIT_ASSERT_EQ(test, find_dissent(&fn, starts, at, fn.size), fn.size);
}

/* The point that a look at all of them finds: the lowest not below an address. */
static struct kprobe_point *lowest_from(struct kprobe *ps, unsigned int n, unsigned long addr)
{
	struct kprobe_point *lowest = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (ps[i].point && ps[i].point->addr >= addr &&
		    (!lowest || ps[i].point->addr < lowest->addr))
			lowest = ps[i].point;
	return lowest;
}

static bool order_is_right(struct kprobe *ps, unsigned int n, const struct kprobe_function *fn)
{
	struct kprobe_point *pt, *want;
	unsigned long addr = fn->start;
	bool right;

	mutex_lock(&kprobe_mutex);
	do {
		pt = kprobe_next_point(addr);
		if (pt && pt->addr >= fn->start + fn->size)
			pt = NULL;
		want = lowest_from(ps, n, addr);
		right = pt == want;
		addr = want ? want->addr + 1 : 0;
	} while (right && want);
	/* And where nobody has just looked. */
	addr = fn->start + prandom_u32_max(fn->size);
	pt = kprobe_next_point(addr);
	want = lowest_from(ps, n, addr);
	right = right && (pt == want || !want);
	mutex_unlock(&kprobe_mutex);
	return right;
}

/* Points come and go in any order, and are found in that of their addresses. */
static void api_any_order(struct kunit *test)
{
	unsigned long entry = kallsyms_lookup_name(LARGE_FUNCTION), *starts, at;
	unsigned int i, round, registered = 0;
	struct kprobe_function fn;
	struct kprobe *ps;

	ps = kunit_kcalloc(test, 64, sizeof(*ps), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ps);
	KUNIT_ASSERT_NE(test, entry, 0UL);
	kprobe_find_function(entry, &fn);
	starts = decode_whole(test, &fn);

	for (round = 0; round < 500; round++) {
		i = prandom_u32_max(64);
		if (ps[i].point) {
			unregister_kprobe(&ps[i]);
		} else {
			/* From one of the first bytes on: there is an instruction behind it. */
			at = find_next_bit(starts, fn.size, prandom_u32_max(fn.size / 2));
			ps[i] = (struct kprobe){ .addr = (void *)fn.start + at };
			registered += !register_kprobe(&ps[i]);
		}
		if (!order_is_right(ps, 64, &fn))
			break;
	}
	KUNIT_EXPECT_EQ(test, round, 500U);
	KUNIT_EXPECT_GT(test, registered, 64U);
	for (i = 0; i < 64; i++)
		if (ps[i].point)
			unregister_kprobe(&ps[i]);
}

static struct kunit_case api_cases[] = {
	KUNIT_CASE(api_by_address),
	KUNIT_CASE(api_by_symbol),
	KUNIT_CASE(api_again),
	KUNIT_CASE(api_disabled),
	KUNIT_CASE(api_siblings_traced),
	KUNIT_CASE(api_siblings_plain),
	KUNIT_CASE(api_siblings_middle),
	KUNIT_CASE(api_post_comes_and_goes),
	KUNIT_CASE(api_refused_places),
	KUNIT_CASE(api_bad_calls),
	KUNIT_CASE(api_all_or_nothing),
	KUNIT_CASE(api_array_of_500),
	KUNIT_CASE(api_names),
	KUNIT_CASE(api_boundaries),
	KUNIT_CASE(api_any_order),
	KUNIT_CASE(api_debugfs),
	{}
};

static int api_init(struct kunit *test)
{
	/* Fails early, and with a clear message, where nothing works at all. */
	KUNIT_ASSERT_NE(test, place_of(kprobe_test_plain), 0UL);
	return 0;
}

static struct kunit_suite api_suite = {
	.name = "kprobes_api",
	.init = api_init,
	.test_cases = api_cases,
};

kunit_test_suite(api_suite);

MODULE_LICENSE("GPL");
