// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: functions that their names may exclude from probing.
 *
 * For registration.  To find the name of an address takes as long as a quarter
 * of all else, and few names matter.  So the functions of the kernel itself
 * whose names do are listed, once there is a first probe, in the background;
 * until then, and for modules, names are looked at one by one.
 */
#include <linux/atomic.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <linux/workqueue.h>
#include <asm/sections.h>

#include "internal.h"

/**
 * struct name_list - functions of the kernel whose names matter
 * @offsets: where they start, from _stext, sorted
 * @nr: how many there are
 * @room: how many there is room for
 */
struct name_list {
	u32 *offsets;
	unsigned int nr;
	unsigned int room;
};

static struct name_list names;
static bool names_known;
static atomic_t names_wanted;

static bool in_kernel(unsigned long addr)
{
	return addr >= (unsigned long)_stext && addr < (unsigned long)_etext;
}

static int note_name(void *data, const char *name, struct module *mod, unsigned long addr)
{
	struct name_list *list = data;
	unsigned int room;
	u32 *more;

	if (!in_kernel(addr) || !kprobe_name_matters(name))
		return 0;
	if (list->nr == list->room) {
		room = max(2 * list->room, 256U);
		more = kvrealloc(list->offsets, list->room * sizeof(*more),
				 room * sizeof(*more), GFP_KERNEL);
		if (!more)
			return -ENOMEM;
		list->offsets = more;
		list->room = room;
	}
	list->offsets[list->nr++] = addr - (unsigned long)_stext;
	return 0;
}

static int compare_offsets(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void list_names(struct work_struct *work)
{
	/* Without memory everything goes on as before, slower. */
	if (kallsyms_on_each_symbol(note_name, &names)) {
		kvfree(names.offsets);
		return;
	}
	sort(names.offsets, names.nr, sizeof(*names.offsets), compare_offsets, NULL);
	/* Pairs with kprobe_names_known(). */
	smp_store_release(&names_known, true);
}

static DECLARE_WORK(names_work, list_names);

/**
 * kprobe_names_known() - is it known whose names matter
 * @addr: any address
 *
 * If not, it will be some time later.
 *
 * Context: process context.
 * Return: true for text of the kernel itself, once it is known.
 */
bool kprobe_names_known(unsigned long addr)
{
	if (!in_kernel(addr))
		return false;
	/* Pairs with list_names(). */
	if (smp_load_acquire(&names_known))
		return true;
	if (!atomic_xchg(&names_wanted, 1))
		queue_work(system_unbound_wq, &names_work);
	return false;
}

/**
 * kprobe_name_listed() - may a function be excluded because of its name
 * @start: its first byte, for which kprobe_names_known() was true
 *
 * Context: process context.
 */
bool kprobe_name_listed(unsigned long start)
{
	u32 wanted = start - (unsigned long)_stext;
	unsigned int low = 0, high = names.nr;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (names.offsets[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low < names.nr && names.offsets[low] == wanted;
}
