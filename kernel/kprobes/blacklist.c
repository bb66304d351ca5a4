// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: what must not be probed.
 *
 * Functions marked with NOKPROBE_SYMBOL(), text sections that are excluded as
 * a whole (the core's own hit path, entry code, code that runs while RCU does
 * not watch), and what callers add at run time.  Kept as an array of ranges,
 * sorted by start, that is replaced when it changes; read under RCU by anybody.
 */
#include <linux/bsearch.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "internal.h"

/**
 * struct excluded_range - text that must not be probed
 * @start: its first byte
 * @end: the byte behind it
 * @reach: the largest @end among this range and those sorted before it.  It
 *	makes one look enough even where ranges overlap
 */
struct excluded_range {
	unsigned long start;
	unsigned long end;
	unsigned long reach;
};

struct excluded_set {
	struct rcu_head rcu;
	unsigned int nr;
	struct excluded_range range[];
};

static struct excluded_set __rcu *excluded;
static DEFINE_MUTEX(excluded_mutex);

static struct excluded_set *excluded_now(void)
{
	return rcu_dereference_protected(excluded, lockdep_is_held(&excluded_mutex));
}

static struct excluded_set *alloc_set(unsigned int nr)
{
	struct excluded_set *set;

	return kvzalloc(struct_size(set, range, nr), GFP_KERNEL);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct excluded_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return 0;
}

/* Sort @set, drop what is in it twice, and make it the current one. */
static void publish(struct excluded_set *set)
{
	struct excluded_set *old = excluded_now();
	unsigned long reach = 0;
	unsigned int i, nr = 0;

	sort(set->range, set->nr, sizeof(set->range[0]), compare_ranges, NULL);
	for (i = 0; i < set->nr; i++) {
		struct excluded_range *r = &set->range[i];

		if (nr && !compare_ranges(&set->range[nr - 1], r))
			continue;
		reach = max(reach, r->end);
		r->reach = reach;
		set->range[nr++] = *r;
	}
	set->nr = nr;

	/* Pairs with rcu_dereference_raw() in in_excluded_range(). */
	rcu_assign_pointer(excluded, set);
	if (old)
		kvfree_rcu(old, rcu);
}

/* A copy of the current set with room for @more ranges. */
static struct excluded_set *extended_copy(unsigned int more)
{
	struct excluded_set *old = excluded_now(), *set;

	set = alloc_set((old ? old->nr : 0) + more);
	if (set && old) {
		set->nr = old->nr;
		memcpy(set->range, old->range, old->nr * sizeof(old->range[0]));
	}
	return set;
}

static int function_range(unsigned long addr, struct excluded_range *r)
{
	unsigned long size, offset;

	if (!kernel_text_address(addr) ||
	    !kallsyms_lookup_size_offset(addr, &size, &offset) || !size)
		return -EINVAL;
	r->start = addr - offset;
	r->end = r->start + size;
	return 0;
}

/* Add the functions that @nr addresses are in. */
static int exclude_functions(const unsigned long *addrs, unsigned int nr)
{
	struct excluded_set *set;
	unsigned int i;

	mutex_lock(&excluded_mutex);
	set = extended_copy(nr);
	if (set) {
		for (i = 0; i < nr; i++) {
			unsigned long entry = (unsigned long)
				dereference_symbol_descriptor((void *)addrs[i]);

			/* Not every marked function is in this kernel. */
			if (!function_range(entry, &set->range[set->nr]))
				set->nr++;
		}
		publish(set);
	}
	mutex_unlock(&excluded_mutex);
	return set ? 0 : -ENOMEM;
}

static unsigned int count_in_area(unsigned long start, unsigned long end)
{
	struct excluded_range r;
	unsigned int nr = 0;

	for (; start < end; start = r.end, nr++)
		if (function_range(start, &r))
			break;
	return nr;
}

/* Add every function of [start, end). */
static int exclude_area(unsigned long start, unsigned long end)
{
	struct excluded_set *set;
	struct excluded_range *r;
	unsigned int nr;

	if (start >= end)
		return 0;
	mutex_lock(&excluded_mutex);
	nr = count_in_area(start, end);
	set = extended_copy(nr + 1);
	if (set) {
		/* The whole, so that gaps between functions are in it. */
		set->range[set->nr++] = (struct excluded_range){ start, end };
		while (nr--) {
			r = &set->range[set->nr++];
			function_range(start, r);
			start = r->end;
		}
		publish(set);
	}
	mutex_unlock(&excluded_mutex);
	return set ? 0 : -ENOMEM;
}

/**
 * kprobe_add_ksym_blacklist() - exclude a function from probing
 * @entry: an address in the function
 *
 * Probes that are on it already stay.
 *
 * Context: process context, may sleep.
 * Return: bytes of the function, -EINVAL if @entry is in no function, -ENOMEM.
 */
int kprobe_add_ksym_blacklist(unsigned long entry)
{
	struct excluded_range r;
	int ret;

	if (function_range(entry, &r))
		return -EINVAL;
	ret = exclude_functions(&entry, 1);
	return ret ?: (int)(r.end - r.start);
}

/**
 * kprobe_add_area_blacklist() - exclude all functions of an area from probing
 * @start: first byte
 * @end: the byte behind it
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL if that is no area of kernel text, -ENOMEM.
 */
int kprobe_add_area_blacklist(unsigned long start, unsigned long end)
{
	if (start >= end || !kernel_text_address(start))
		return -EINVAL;
	return exclude_area(start, end);
}

static bool in_excluded_range(unsigned long addr)
{
	/* Pairs with rcu_assign_pointer() in publish(); kgdb asks from NMIs. */
	struct excluded_set *set = rcu_dereference_raw(excluded);
	unsigned int low = 0, high = set ? set->nr : 0;

	/* The first range that starts behind @addr. */
	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (set->range[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && set->range[low - 1].reach > addr;
}

/* From the boot on, whether or not there is memory for ranges. */
static bool in_arch_area(unsigned long addr)
{
	const struct kprobe_area *area;

	for (area = arch_kprobe_areas; area->end; area++)
		if (addr >= area->start && addr < area->end)
			return true;
	return false;
}

static bool is_excluded(unsigned long addr)
{
	bool found;

	if (in_arch_area(addr) || cpu_in_idle(addr))
		return true;
	if (addr >= (unsigned long)__kprobes_text_start &&
	    addr < (unsigned long)__kprobes_text_end)
		return true;

	preempt_disable_notrace();
	found = in_excluded_range(addr);
	preempt_enable_notrace();
	return found;
}

/* Clang's CFI and function padding have symbols, but no code to be executed. */
static bool is_preamble(const char *name)
{
	return str_has_prefix(name, "__cfi_") || str_has_prefix(name, "__pfx_");
}

/**
 * kprobe_name_matters() - can a function be excluded because of its name
 * @name: the name
 *
 * For those who have the name anyway, see struct kprobe_function.
 *
 * Return: true for a part that the compiler split off, and for a preamble.
 */
bool kprobe_name_matters(const char *name)
{
	return strchr(name, '.') || is_preamble(name);
}

/* Is this a part that the compiler split off a function that is excluded? */
static bool is_excluded_part(char *name)
{
	char *suffix = strchr(name, '.');
	unsigned long addr;

	if (!suffix || suffix == name)
		return false;
	*suffix = '\0';
	addr = (unsigned long)kprobe_lookup_name(name, 0);
	return addr && is_excluded(addr);
}

/**
 * within_kprobe_blacklist() - is an address excluded from probing
 * @addr: any address
 *
 * A part that the compiler split off a function (foo.cold, foo.part.0) is
 * excluded with the function.
 *
 * Context: any.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	if (is_excluded(addr))
		return true;
	return !lookup_symbol_name(addr, name) && is_excluded_part(name);
}

/**
 * kprobe_check_blacklist() - the same, and why
 * @addr: an address in kernel text
 * @fn: the function it is in
 * @why: set to the reason
 *
 * Context: process context.
 * Return: 0, or -EINVAL if it is excluded.
 */
int kprobe_check_blacklist(unsigned long addr, const struct kprobe_function *fn,
			   const char **why)
{
	char name[KSYM_NAME_LEN];

	*why = "blacklisted: must not be probed";
	if (is_excluded(addr))
		return -EINVAL;
	if ((fn->size && !fn->name_matters) || lookup_symbol_name(addr, name))
		return 0;
	if (is_excluded_part(name))
		return -EINVAL;
	*why = "a function preamble that is never executed";
	return is_preamble(name) ? -EINVAL : 0;
}

/**
 * kprobe_blacklist_add_module() - exclude what a module marks
 * @mod: a module that is being loaded
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_blacklist_add_module(struct module *mod)
{
	unsigned long start;
	int ret = 0;

	if (mod->kprobe_blacklist)
		ret = exclude_functions(mod->kprobe_blacklist,
					mod->num_kprobe_blacklist);
	start = (unsigned long)mod->kprobes_text_start;
	if (!ret && start)
		ret = exclude_area(start, start + mod->kprobes_text_size);
	start = (unsigned long)mod->noinstr_text_start;
	if (!ret && start)
		ret = exclude_area(start, start + mod->noinstr_text_size);
	return ret;
}

/**
 * kprobe_blacklist_drop() - text went away, and what was excluded of it
 * @start: first byte
 * @end: the byte behind it
 *
 * Context: process context, may sleep.
 */
void kprobe_blacklist_drop(unsigned long start, unsigned long end)
{
	struct excluded_set *set;
	unsigned int i, nr = 0;

	mutex_lock(&excluded_mutex);
	/* Without memory the ranges stay: too much is excluded, not too little. */
	set = extended_copy(0);
	if (set) {
		for (i = 0; i < set->nr; i++)
			if (set->range[i].start < start || set->range[i].start >= end)
				set->range[nr++] = set->range[i];
		set->nr = nr;
		publish(set);
	}
	mutex_unlock(&excluded_mutex);
}

/**
 * kprobe_blacklist_for_each() - walk what is excluded, by address
 * @fn: called for each range; non-zero ends the walk
 * @data: for @fn
 *
 * Context: process context, may sleep.
 * Return: what @fn returned last, or 0.
 */
int kprobe_blacklist_for_each(int (*fn)(unsigned long start, unsigned long end,
					void *data), void *data)
{
	struct excluded_set *set;
	unsigned int i;
	int ret = 0;

	mutex_lock(&excluded_mutex);
	set = excluded_now();
	for (i = 0; set && i < set->nr && !ret; i++)
		ret = fn(set->range[i].start, set->range[i].end, data);
	mutex_unlock(&excluded_mutex);
	return ret;
}

/**
 * kprobe_blacklist_init() - exclude what this kernel marks
 *
 * Return: 0 or -ENOMEM.
 */
int __init kprobe_blacklist_init(void)
{
	const struct kprobe_area *area;
	int ret;

	ret = exclude_functions(__start_kprobe_blacklist,
				__stop_kprobe_blacklist - __start_kprobe_blacklist);
	if (!ret)
		ret = exclude_area((unsigned long)__kprobes_text_start,
				   (unsigned long)__kprobes_text_end);
	if (!ret)
		ret = exclude_area((unsigned long)__noinstr_text_start,
				   (unsigned long)__noinstr_text_end);
	for (area = arch_kprobe_areas; !ret && area->end; area++)
		ret = exclude_area(area->start, area->end);
	return ret;
}
