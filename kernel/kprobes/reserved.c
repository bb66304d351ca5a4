// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: text that other parts of the kernel rewrite or trap on.
 *
 * For registration and the optimizer, under kprobe_mutex.  The kernel's own
 * answers walk all its static keys, and may decode the instruction at each: as
 * long as everything else of a registration, ten times over.  So the places in
 * the kernel itself, which never change, are kept sorted; the kernel is asked
 * only about what is next to one of them.
 */
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <asm/sections.h>

#include "internal.h"

/* No instruction that is patched is longer. */
#define PATCHED_BYTES_MAX	16

/* Places of static keys and static calls, from _stext; NULL: not looked up yet. */
static s32 *places;
static unsigned int nr_places;

static inline bool is_near(unsigned long place, unsigned long start, unsigned long end)
{
	return place <= end && start - place + PATCHED_BYTES_MAX < 2 * PATCHED_BYTES_MAX;
}

#ifdef CONFIG_JUMP_LABEL
static unsigned int nr_jump_labels(void)
{
	return __stop___jump_table - __start___jump_table;
}

static unsigned long jump_label_place(unsigned int i)
{
	return jump_entry_code(&__start___jump_table[i]);
}

static bool near_module_jump_label(const struct module *mod, unsigned long start,
				   unsigned long end)
{
	unsigned int i;

	for (i = 0; i < mod->num_jump_entries; i++)
		if (is_near(jump_entry_code(&mod->jump_entries[i]), start, end))
			return true;
	return false;
}
#else
static unsigned int nr_jump_labels(void) { return 0; }
static unsigned long jump_label_place(unsigned int i) { return 0; }

static bool near_module_jump_label(const struct module *mod, unsigned long start,
				   unsigned long end)
{
	return false;
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static unsigned long site_place(const struct static_call_site *site)
{
	return (unsigned long)&site->addr + site->addr;
}

static unsigned int nr_static_calls(void)
{
	return __stop_static_call_sites - __start_static_call_sites;
}

static unsigned long static_call_place(unsigned int i)
{
	return site_place(&__start_static_call_sites[i]);
}

static bool near_module_static_call(const struct module *mod, unsigned long start,
				    unsigned long end)
{
	int i;

	for (i = 0; i < mod->num_static_call_sites; i++)
		if (is_near(site_place(&mod->static_call_sites[i]), start, end))
			return true;
	return false;
}
#else
static unsigned int nr_static_calls(void) { return 0; }
static unsigned long static_call_place(unsigned int i) { return 0; }

static bool near_module_static_call(const struct module *mod, unsigned long start,
				    unsigned long end)
{
	return false;
}
#endif

static int compare_places(const void *a, const void *b)
{
	s32 x = *(const s32 *)a, y = *(const s32 *)b;

	return x < y ? -1 : x > y;
}

static bool find_places(void)
{
	unsigned int labels = nr_jump_labels(), nr = labels + nr_static_calls(), i;

	if (places)
		return true;
	places = kvmalloc_array(nr + 1, sizeof(*places), GFP_KERNEL);
	if (!places)
		return false;
	for (i = 0; i < nr; i++)
		places[i] = (i < labels ? jump_label_place(i) : static_call_place(i - labels)) -
			    (unsigned long)_stext;
	sort(places, nr, sizeof(*places), compare_places, NULL);
	nr_places = nr;
	return true;
}

static bool near_kernel_place(unsigned long start, unsigned long end)
{
	s32 first = start - (unsigned long)_stext - (PATCHED_BYTES_MAX - 1);
	unsigned int low = 0, high = nr_places;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (places[middle] < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr_places && places[low] + (unsigned long)_stext <= end;
}

static bool near_module_place(unsigned long start, unsigned long end)
{
	struct module *mod;
	bool near;

	/* Against the module's unloading: RCU-sched. */
	preempt_disable();
	mod = __module_text_address(start);
	near = mod && (near_module_jump_label(mod, start, end) ||
		       near_module_static_call(mod, start, end));
	preempt_enable();
	return near;
}

/* Is a static key or a static call so near that the kernel has to be asked? */
static bool near_patched(unsigned long start, unsigned long end)
{
	if (!core_kernel_text(start))
		return near_module_place(start, end);
	return !find_places() || near_kernel_place(start, end);
}

static bool is_jump_label(unsigned long start, unsigned long end)
{
	bool found;

	jump_label_lock();
	found = jump_label_text_reserved((void *)start, (void *)end);
	jump_label_unlock();
	return found;
}

/* The table of bugs is long, and searched from its start: look at the text first. */
static bool is_bug(unsigned long addr)
{
#ifdef CONFIG_GENERIC_BUG
	return is_valid_bugaddr(addr) && find_bug(addr);
#else
	return false;
#endif
}

static int refused(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

/**
 * kprobe_check_reserved() - do other parts of the kernel rewrite or trap on text
 * @start: first byte of an instruction
 * @end: its last byte, or @start if only its first one is to be overwritten
 * @why: set to the reason
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0, or -EINVAL if they do.
 */
int kprobe_check_reserved(unsigned long start, unsigned long end, const char **why)
{
	if (near_patched(start, end)) {
		if (is_jump_label(start, end))
			return refused(why, "a static key (jump label) is patched here");
		if (static_call_text_reserved((void *)start, (void *)end))
			return refused(why, "a static call is patched here");
	}
	if (is_bug(start))
		return refused(why, "a BUG() or WARN() traps here");
	return arch_kprobe_reserved(start, end, why) ? -EINVAL : 0;
}
