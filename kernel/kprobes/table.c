// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: the table from addresses to pointers.
 *
 * For the core: probe points by address, slot pages by page address.  Looking
 * up takes the same time with one entry and with a hundred thousand, needs no
 * lock, and may be done in any context that RCU watches with preemption off
 * (NMIs included).  Changes are made under kprobe_mutex.
 *
 * It is an open-addressed array with linear probing.  Within one array an
 * entry's key is written once and never changes; removing clears the pointer
 * and leaves the key behind.  So a reader needs no retry: it sees a key and
 * then the pointer that belongs to it, or NULL.  The array is rebuilt, without
 * the remains, when it gets more than half full or mostly empty; readers go on
 * in the old one, which is released after a grace period.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"
#include "table.h"

#define TABLE_MIN_BITS	6

/**
 * kprobe_table_lookup() - find what was inserted under a key
 * @table: the table
 * @key: the key, not 0
 *
 * Context: any, with preemption off and RCU watching.
 * Return: the pointer or NULL.  It stays valid as long as preemption is off.
 */
void __kprobes *kprobe_table_lookup(const struct kprobe_table *table,
				    unsigned long key)
{
	return kprobe_table_find(table, key);
}

/* Store a pointer.  Returns the one it replaces, or NULL. */
static void *table_put(struct kprobe_table_array *array, unsigned long key,
		       void *value, unsigned int *used)
{
	struct kprobe_table_entry *entry;
	unsigned int index;
	void *old;

	entry = table_start(array, key, &index);
	while (entry->key && entry->key != key)
		entry = table_next(array, &index);
	old = entry->value;

	/* What @value points to is initialized before it can be found. */
	smp_wmb(); /* pairs with the address dependency of the reader */
	WRITE_ONCE(entry->value, value);
	if (!entry->key) {
		(*used)++;
		/* Pairs with smp_load_acquire() in kprobe_table_find(). */
		smp_store_release(&entry->key, key);
	}
	return old;
}

static struct kprobe_table_array *table_array(struct kprobe_table *table)
{
	return rcu_dereference_protected(table->array,
					 lockdep_is_held(&kprobe_mutex));
}

/* Some slack, so that adding and removing in turn does not rebuild each time. */
static unsigned int table_bits_for(unsigned int live)
{
	return max_t(unsigned int, TABLE_MIN_BITS,
		     order_base_2(live + live / 8 + 1) + 1);
}

static int table_rebuild(struct kprobe_table *table, unsigned int bits)
{
	struct kprobe_table_array *old = table_array(table), *array;
	unsigned int i, used = 0;

	array = kvzalloc(struct_size(array, entries, 1UL << bits), GFP_KERNEL);
	if (!array)
		return -ENOMEM;
	array->bits = bits;

	for (i = 0; old && i < 1U << old->bits; i++)
		if (old->entries[i].value)
			table_put(array, old->entries[i].key,
				  old->entries[i].value, &used);

	table->used = used;
	/* Pairs with rcu_dereference_raw() in kprobe_table_find(). */
	rcu_assign_pointer(table->array, array);
	if (old)
		kvfree_rcu(old, rcu);
	return 0;
}

/**
 * kprobe_table_reserve() - make sure that insertions cannot fail
 * @table: the table
 * @more: how many new keys are going to be inserted
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_table_reserve(struct kprobe_table *table, unsigned int more)
{
	struct kprobe_table_array *array = table_array(table);

	if (array && (table->used + more) <= (1U << array->bits) / 2)
		return 0;
	return table_rebuild(table, table_bits_for(table->live + more));
}

/**
 * kprobe_table_insert() - add a key, or give a key a new pointer
 * @table: the table; kprobe_table_reserve() has made room
 * @key: the key, not 0
 * @value: the pointer, not NULL
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_table_insert(struct kprobe_table *table, unsigned long key,
			 void *value)
{
	struct kprobe_table_array *array = table_array(table);

	if (!table_put(array, key, value, &table->used))
		table->live++;
}

/**
 * kprobe_table_remove() - take a key out
 * @table: the table
 * @key: a key that is in it
 *
 * Never fails.  Readers may still have the pointer for a grace period.
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_table_remove(struct kprobe_table *table, unsigned long key)
{
	struct kprobe_table_array *array = table_array(table);
	struct kprobe_table_entry *entry;
	unsigned int index;

	entry = table_start(array, key, &index);
	while (entry->key && entry->key != key)
		entry = table_next(array, &index);
	if (WARN_ON_ONCE(!entry->key || !entry->value))
		return;
	WRITE_ONCE(entry->value, NULL);
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

	if (array && array->bits > table_bits_for(table->live) + 2)
		table_rebuild(table, table_bits_for(table->live));
}
