/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: what the files of the KUnit tests share with each other.
 *
 * For kernel/kprobes/ *_test.c only.
 */
#ifndef _KERNEL_KPROBES_KPROBE_TEST_H
#define _KERNEL_KPROBES_KPROBE_TEST_H

#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <asm/sections.h>

struct kunit;

/*
 * kprobe_test_targets.c: functions to be probed.  Each returns its argument + 3.
 * They differ in how a probe on the entry is delivered: the function tracer
 * has a site in the traced one, if it has sites at all.
 */
int kprobe_test_traced(int x);
int kprobe_test_plain(int x);
int kprobe_test_jumped(int x);
int kprobe_test_straight(int x);
int kprobe_test_framed(int x);
int kprobe_test_inner(int x);
int kprobe_test_timed(int x);
int kprobe_test_timed_plain(int x);
int kprobe_test_blacklisted(int x);
/* Returns its argument + 1000: to be executed in place of the others. */
int kprobe_test_replacement(int x);
/* *@dst = *@src, or -EFAULT if that cannot be read. */
int kprobe_test_peek(unsigned int *dst, const unsigned int *src);

/* An instruction inside kprobe_test_straight(), executed once per call. */
extern const unsigned long kprobe_test_mid;
/* The same of kprobe_test_framed(). */
extern const unsigned long kprobe_test_framed_mid;

/* Two functions of one name, kprobe_test_twin. */
unsigned long kprobe_test_twin_here(void);
unsigned long kprobe_test_twin_there(void);
unsigned long kprobe_test_suffixed(void);

static inline unsigned long kprobe_test_text(void *fn)
{
	return (unsigned long)dereference_function_descriptor(fn);
}

/* Is @p (or none, if NULL) the first probe at @addr? */
static inline bool kprobe_test_is_first(void *addr, struct kprobe *p)
{
	bool is = true;

	/* Not exported. */
#ifndef MODULE
	preempt_disable();
	is = get_kprobe(addr) == p;
	preempt_enable();
#endif
	return is;
}

/* kprobe_test_util.c */

/**
 * struct kprobe_test_many - probes on a large part of the kernel's functions
 * @probes: the probes
 * @array: pointers to those of them that are registered
 * @n: how many these are
 * @refused: how many were refused
 */
struct kprobe_test_many {
	struct kprobe *probes;
	struct kprobe **array;
	unsigned int n;
	unsigned int refused;
};

unsigned long kprobe_test_hits(const struct kprobe *p);
unsigned long kprobe_test_misses(const struct kprobe *p);
char *kprobe_test_read(struct kunit *test, const char *name);
const char *kprobe_test_last_reason(struct kunit *test);
void kprobe_test_refused(struct kunit *test, const char *what, struct kprobe *p,
			 int err, const char *words);
int kprobe_test_arm_many(struct kprobe_test_many *many, unsigned int limit,
			 kprobe_pre_handler_t pre, kprobe_post_handler_t post);
void kprobe_test_disarm_many(struct kprobe_test_many *many);

/**
 * struct kprobe_test_functions - the kernel's functions, but those excluded
 * @addrs: their addresses, ascending
 * @n: how many
 * @room: of @addrs
 */
struct kprobe_test_functions {
	unsigned long *addrs;
	unsigned int n;
	unsigned int room;
};

int kprobe_test_get_functions(struct kprobe_test_functions *functions);
int kprobe_test_arm_insides(struct kprobe_test_many *many, const unsigned long *addrs,
			    unsigned int n, unsigned int apart, kprobe_pre_handler_t pre);
int kprobe_test_arm_sites(struct kprobe_test_many *many, unsigned int limit,
			  kprobe_pre_handler_t pre);
void *kprobe_test_copy_text(size_t *size);
unsigned long kprobe_test_compare_text(const void *copy);

#endif /* _KERNEL_KPROBES_KPROBE_TEST_H */
