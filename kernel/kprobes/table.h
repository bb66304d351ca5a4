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

/* What a free entry holds: an object whose key nothing else has. */
extern unsigned long kprobe_table_nothing;

/*
 * An array is its entries' address, and in the low bits of it, which are free,
 * the shift that makes a hash an index: so a reader gets both at once, and the
 * only cache lines it needs are the table's, the entry's and the object's.
 */
#define ARRAY_SHIFT_MASK	(BITS_PER_LONG - 1UL)

static __always_inline void **array_entries(unsigned long array)
{
	return (void **)(array & ~ARRAY_SHIFT_MASK);
}

static __always_inline unsigned long array_mask(unsigned long array)
{
	return ~0UL >> (array & ARRAY_SHIFT_MASK);
}

/*
 * Addresses of an array of functions, and slots, come at equal distances, which
 * a multiplication alone may keep together.  Fold the differences in first.
 */
static __always_inline unsigned long array_start(unsigned long array, unsigned long key)
{
	return (key ^ (key >> 7)) * GOLDEN_RATIO_PRIME >> (array & ARRAY_SHIFT_MASK);
}

/**
 * kprobe_table_find() - kprobe_table_lookup() without a call
 * @table: the table
 * @key: the key, not 0
 * @object: set to the object, if found
 *
 * Return: whether it was found; a pointer would be compared once more.
 */
static __always_inline bool kprobe_table_find(const struct kprobe_table *table,
					      unsigned long key, void **object)
{
	/*
	 * Pairs with smp_store_release() in table_rebuild(): a new array is seen
	 * with its content, by the address dependency.
	 */
	unsigned long array = READ_ONCE(table->array);
	unsigned long i = array_start(array, key);

	/* At least half of the entries are free: this ends. */
	for (;;) {
		/* Pairs with smp_store_release() in table_put(). */
		*object = READ_ONCE(array_entries(array)[i]);
		if (likely(*(unsigned long *)*object == key))
			return true;
		if (*object == &kprobe_table_nothing)
			return false;
		/* The mask is computed here, not for all who do not need it. */
		OPTIMIZER_HIDE_VAR(array);
		i = (i + 1) & array_mask(array);
	}
}

#endif /* _KERNEL_KPROBES_TABLE_H */
