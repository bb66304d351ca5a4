/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: looking up in the table, inlined.
 *
 * For table.c, where the table is explained, and for the hit.
 */
#ifndef _KERNEL_KPROBES_TABLE_H
#define _KERNEL_KPROBES_TABLE_H

#include <linux/hash.h>
#include <linux/rcupdate.h>

#include "internal.h"

/**
 * struct kprobe_table_array - the content of a table, at a time
 * @entries: the objects, NULL, or what removed ones left
 * @mask: their number, a power of two, less one
 * @shift: makes a hash an index
 * @rcu: for the deferred release
 */
struct kprobe_table_array {
	void **entries;
	unsigned long mask;
	unsigned int shift;
	struct rcu_head rcu;
};

/*
 * Addresses of an array of functions, and slots, come at equal distances, which
 * a multiplication alone may keep together.  Fold the differences in first.
 */
static __always_inline
unsigned long table_start(const struct kprobe_table_array *array, unsigned long key)
{
	return (key ^ (key >> 7)) * GOLDEN_RATIO_PRIME >> array->shift;
}

/* kprobe_table_lookup() without a call. */
static __always_inline
void *kprobe_table_find(const struct kprobe_table *table, unsigned long key)
{
	/*
	 * Pairs with rcu_assign_pointer() in table_rebuild(): a new array is
	 * seen with its content.  The raw form does not call into lockdep,
	 * which may be probed itself.
	 */
	struct kprobe_table_array *array = rcu_dereference_raw(table->array);
	unsigned long i = table_start(array, key);

	/* At least half of the entries are free: this ends. */
	for (;; i = (i + 1) & array->mask) {
		/* Pairs with smp_store_release() in table_put(). */
		void *object = rcu_dereference_raw(array->entries[i]);

		if (!object || *(unsigned long *)object == key)
			return object;
	}
}

#endif /* _KERNEL_KPROBES_TABLE_H */
