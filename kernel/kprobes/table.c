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

unsigned long kprobe_table_nothing = (unsigned long)&kprobe_table_nothing;

/* What a removed object leaves, likewise. */
static unsigned long removed = (unsigned long)&removed;

/* What a table begins with, so that no reader has to ask. */
void *kprobe_table_empty[2] __aligned(BITS_PER_LONG) = {
	&kprobe_table_nothing, &kprobe_table_nothing
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
	void *object;

	return kprobe_table_find(table, key, &object) ? object : NULL;
}

static bool is_free(const void *entry)
{
	return entry == &kprobe_table_nothing;
}

static bool is_object(const void *entry)
{
	return !is_free(entry) && entry != &removed;
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
	void **entries = array_entries(table->array);
	unsigned long i = array_start(table->array, (unsigned long)object);

	lockdep_assert_held(&kprobe_mutex);
	while (!is_free(entries[i]) && entries[i] != object)
		i = (i + 1) & array_mask(table->array);
	return !is_free(entries[i]);
}

static void table_put(struct kprobe_table *table, unsigned long array, void *object)
{
	void **entries = array_entries(array);
	unsigned long i = array_start(array, table_key(table, object));

	while (is_object(entries[i]))
		i = (i + 1) & array_mask(array);
	table->used += is_free(entries[i]);
	/*
	 * The object is initialized before it can be found.  Pairs with the
	 * address dependency in kprobe_table_find().
	 */
	smp_store_release(&entries[i], object);
}

/* Some slack, so that adding and removing in turn does not rebuild each time. */
static unsigned int table_bits_for(unsigned int live)
{
	return max_t(unsigned int, TABLE_MIN_BITS,
		     order_base_2(live + live / 8 + 1) + 1);
}

/**
 * struct old_array - an array that is not used any more, but for readers
 * @rcu: for the deferred release
 * @entries: its memory
 */
struct old_array {
	struct rcu_head rcu;
	void **entries;
};

static void free_old_array(struct rcu_head *rcu)
{
	struct old_array *old = container_of(rcu, struct old_array, rcu);

	kvfree(old->entries);
	kfree(old);
}

static void table_copy(struct kprobe_table *table, unsigned long to)
{
	void **entries = array_entries(table->array);
	unsigned long i;

	for (i = 0; i <= array_mask(to); i++)
		array_entries(to)[i] = &kprobe_table_nothing;
	table->used = 0;
	for (i = 0; i <= array_mask(table->array); i++)
		if (is_object(entries[i]))
			table_put(table, to, entries[i]);
}

static int table_rebuild(struct kprobe_table *table, unsigned int bits)
{
	struct old_array *old = kmalloc(sizeof(*old), GFP_KERNEL);
	void **entries = kvmalloc_array(1UL << bits, sizeof(*entries), GFP_KERNEL);
	unsigned long array = (unsigned long)entries + BITS_PER_LONG - bits;

	/* Memory whose size is a power of two is aligned to that. */
	if (!old || !entries || WARN_ON_ONCE(array_entries(array) != entries)) {
		kvfree(entries);
		kfree(old);
		return -ENOMEM;
	}

	table_copy(table, array);
	old->entries = array_entries(table->array);
	/* Pairs with the dependency in kprobe_table_find(). */
	smp_store_release(&table->array, array);
	if (old->entries != kprobe_table_empty)
		call_rcu(&old->rcu, free_old_array);
	else
		kfree(old);
	return 0;
}

static bool is_empty_array(const struct kprobe_table *table)
{
	return array_entries(table->array) == kprobe_table_empty;
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
	lockdep_assert_held(&kprobe_mutex);
	if (!is_empty_array(table) &&
	    table->used + more <= (array_mask(table->array) + 1) / 2)
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
	lockdep_assert_held(&kprobe_mutex);
	table_put(table, table->array, object);
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
	void **entries = array_entries(table->array);
	unsigned long i = array_start(table->array, table_key(table, object));

	lockdep_assert_held(&kprobe_mutex);
	while (!is_free(entries[i]) && entries[i] != object)
		i = (i + 1) & array_mask(table->array);
	if (WARN_ON_ONCE(is_free(entries[i])))
		return;
	/* No order to keep: see table_put() for who follows the pointer. */
	WRITE_ONCE(entries[i], &removed);
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
	unsigned int bits = table_bits_for(table->live);

	lockdep_assert_held(&kprobe_mutex);
	if (!is_empty_array(table) && array_mask(table->array) >= 1UL << (bits + 2))
		table_rebuild(table, bits);
}
