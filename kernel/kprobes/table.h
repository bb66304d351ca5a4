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

struct kprobe_table_entry {
	unsigned long key;
	void *value;
};

struct kprobe_table_array {
	struct rcu_head rcu;
	unsigned int bits;
	struct kprobe_table_entry entries[];
};

/*
 * Addresses of an array of functions, and slots, come at equal distances, which
 * a multiplication alone may keep together.  Fold the differences in first.
 */
static __always_inline unsigned int table_hash(unsigned long key, unsigned int bits)
{
	return hash_long(key ^ (key >> 7), bits);
}

static __always_inline
struct kprobe_table_entry *table_start(struct kprobe_table_array *array,
				       unsigned long key, unsigned int *index)
{
	*index = table_hash(key, array->bits);
	return &array->entries[*index];
}

static __always_inline
struct kprobe_table_entry *table_next(struct kprobe_table_array *array,
				      unsigned int *index)
{
	*index = (*index + 1) & ((1U << array->bits) - 1);
	return &array->entries[*index];
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
	struct kprobe_table_entry *entry;
	unsigned int index;

	if (unlikely(!array))
		return NULL;

	/* At least half of the entries are free: this ends. */
	for (entry = table_start(array, key, &index);; entry = table_next(array, &index)) {
		/*
		 * Pairs with smp_store_release() in table_put(): who sees the
		 * key sees the pointer that was stored before it.
		 */
		unsigned long found = smp_load_acquire(&entry->key);

		if (found == key)
			return READ_ONCE(entry->value);
		if (!found)
			return NULL;
	}
}

#endif /* _KERNEL_KPROBES_TABLE_H */
