// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: the table of objects by key.
 *
 * For the core: probe points by address, slot pages by page address, and which
 * struct kprobe are registered.  Looking up takes the same time with one entry
 * and with a hundred thousand, needs no lock, and may be done in any context
 * that RCU watches with preemption off (NMIs included).  Changes are made under
 * kprobe_mutex.
 *
 * It is an open-addressed array with linear probing.  An entry is one pointer,
 * the key is in the object: so a reader needs no retry, whatever happens to the
 * entry meanwhile.  Removing leaves a mark behind, which the next insertion
 * may use.  The array is rebuilt, without the marks, when it gets more than half
 * full or mostly empty; readers go on in the old one, which is released after a
 * grace period.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"
#include "table.h"

#define TABLE_MIN_BITS	6

/* What a removed object leaves: an object whose key nothing else has. */
static unsigned long removed = (unsigned long)&removed;

/* What a table begins with, so that no reader has to ask. */
static void *no_entries[2];

struct kprobe_table_array kprobe_table_empty = {
	.entries = no_entries,
	.mask = ARRAY_SIZE(no_entries) - 1,
	.shift = BITS_PER_LONG - 1,
};

/**
 * kprobe_table_lookup() - find the object with a key
 * @table: a table of objects that begin with their key
 * @key: the key, not 0
 *
 * Context: any, with preemption off and RCU watching.
 * Return: the object or NULL.  It stays valid as long as preemption is off.
 */
void __kprobes *kprobe_table_lookup(const struct kprobe_table *table,
				    unsigned long key)
{
	return kprobe_table_find(table, key);
}

static struct kprobe_table_array *table_array(const struct kprobe_table *table)
{
	return rcu_dereference_protected(table->array,
					 lockdep_is_held(&kprobe_mutex));
}

static unsigned long table_key(const struct kprobe_table *table, const void *object)
{
	return table->by_identity ? (unsigned long)object : *(unsigned long *)object;
}

/**
 * kprobe_table_has() - is this object in the table
 * @table: a table of objects by their own address
 * @object: any pointer; it is not followed
 *
 * Context: kprobe_mutex held.
 */
bool kprobe_table_has(const struct kprobe_table *table, const void *object)
{
	struct kprobe_table_array *array = table_array(table);
	unsigned long i = table_start(array, (unsigned long)object);

	while (array->entries[i] && array->entries[i] != object)
		i = (i + 1) & array->mask;
	return object && array->entries[i];
}

static void table_put(struct kprobe_table *table, struct kprobe_table_array *array,
		      void *object)
{
	unsigned long i = table_start(array, table_key(table, object));

	while (array->entries[i] && array->entries[i] != &removed)
		i = (i + 1) & array->mask;
	table->used += !array->entries[i];
	/*
	 * The object is initialized before it can be found.  Pairs with the
	 * address dependency in kprobe_table_find().
	 */
	smp_store_release(&array->entries[i], object);
}

/* Some slack, so that adding and removing in turn does not rebuild each time. */
static unsigned int table_bits_for(unsigned int live)
{
	return max_t(unsigned int, TABLE_MIN_BITS,
		     order_base_2(live + live / 8 + 1) + 1);
}

static void table_free(struct rcu_head *rcu)
{
	struct kprobe_table_array *array = container_of(rcu, struct kprobe_table_array, rcu);

	kvfree(array->entries);
	kfree(array);
}

static int table_rebuild(struct kprobe_table *table, unsigned int bits)
{
	struct kprobe_table_array *old = table_array(table), *array;
	unsigned long i;

	array = kmalloc(sizeof(*array), GFP_KERNEL);
	if (!array)
		return -ENOMEM;
	array->entries = kvcalloc(1UL << bits, sizeof(*array->entries), GFP_KERNEL);
	if (!array->entries) {
		kfree(array);
		return -ENOMEM;
	}
	array->mask = (1UL << bits) - 1;
	array->shift = BITS_PER_LONG - bits;

	table->used = 0;
	for (i = 0; i <= old->mask; i++)
		if (old->entries[i] && old->entries[i] != &removed)
			table_put(table, array, old->entries[i]);

	/* Pairs with rcu_dereference_raw() in kprobe_table_find(). */
	rcu_assign_pointer(table->array, array);
	if (old != &kprobe_table_empty)
		call_rcu(&old->rcu, table_free);
	return 0;
}

/**
 * kprobe_table_reserve() - make sure that insertions cannot fail
 * @table: the table
 * @more: how many objects are going to be inserted
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_table_reserve(struct kprobe_table *table, unsigned int more)
{
	struct kprobe_table_array *array = table_array(table);

	if (array != &kprobe_table_empty && table->used + more <= (array->mask + 1) / 2)
		return 0;
	return table_rebuild(table, table_bits_for(table->live + more));
}

/**
 * kprobe_table_insert() - add an object
 * @table: the table; kprobe_table_reserve() has made room
 * @object: the object; its key is not in the table
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_table_insert(struct kprobe_table *table, void *object)
{
	table_put(table, table_array(table), object);
	table->live++;
}

/**
 * kprobe_table_remove() - take an object out
 * @table: the table
 * @object: an object that is in it
 *
 * Never fails.  Readers may still have the pointer for a grace period.
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_table_remove(struct kprobe_table *table, const void *object)
{
	struct kprobe_table_array *array = table_array(table);
	unsigned long i = table_start(array, table_key(table, object));

	while (array->entries[i] && array->entries[i] != object)
		i = (i + 1) & array->mask;
	if (WARN_ON_ONCE(!array->entries[i]))
		return;
	/* No order to keep: see table_put() for who follows the pointer. */
	WRITE_ONCE(array->entries[i], &removed);
	table->live--;
}

/**
 * kprobe_table_shrink() - give back memory after many removals
 * @table: the table
 *
 * Does its best; without memory the table stays as it is.
 *
 * Context: process context, kprobe_mutex held, may sleep.
 */
void kprobe_table_shrink(struct kprobe_table *table)
{
	struct kprobe_table_array *array = table_array(table);
	unsigned int bits = table_bits_for(table->live);

	if (array != &kprobe_table_empty && array->mask >= 1UL << (bits + 2))
		table_rebuild(table, bits);
}
