// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: per-CPU counters, many of them.
 *
 * For registration.  The per-CPU allocator searches longer the more small
 * pieces it has given away.  So it is asked for blocks of counters, and these
 * are given to probes from a bitmap.
 */
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "internal.h"

#define BLOCK_COUNTERS	64
#define BLOCK_BYTES	(BLOCK_COUNTERS * sizeof(unsigned long))

/**
 * struct counter_block - counters that were allocated together
 * @spare: link in spare_blocks while a counter is free
 * @counters: the counters; aligned to their size, so that the address of each
 *	tells the block
 * @used: which of them are in use
 */
struct counter_block {
	struct list_head spare;
	unsigned long __percpu *counters;
	DECLARE_BITMAP(used, BLOCK_COUNTERS);
};

/* All blocks, by the address of their counters; what follows is under the lock. */
static DEFINE_XARRAY(blocks);
static LIST_HEAD(spare_blocks);
/* The one that got a counter back last: the next is of the same, mostly. */
static struct counter_block *recent_block;
static DEFINE_MUTEX(counter_mutex);

static unsigned long block_key(const unsigned long __percpu *counter)
{
	return (__force unsigned long)counter / BLOCK_BYTES;
}

static unsigned int counter_index(const unsigned long __percpu *counter)
{
	return (__force unsigned long)counter % BLOCK_BYTES / sizeof(unsigned long);
}

static struct counter_block *add_block(void)
{
	struct counter_block *block = kzalloc(sizeof(*block), GFP_KERNEL);

	if (!block)
		return NULL;
	block->counters = __alloc_percpu(BLOCK_BYTES, BLOCK_BYTES);
	if (!block->counters || WARN_ON_ONCE(counter_index(block->counters)))
		goto fail;
	if (xa_err(xa_store(&blocks, block_key(block->counters), block, GFP_KERNEL)))
		goto fail;
	list_add(&block->spare, &spare_blocks);
	return block;

fail:
	free_percpu(block->counters);
	kfree(block);
	return NULL;
}

/**
 * kprobe_counter_get() - get a per-CPU counter
 *
 * Context: process context, may sleep.
 * Return: the counter, 0 on all CPUs, or NULL.
 */
unsigned long __percpu *kprobe_counter_get(void)
{
	unsigned long __percpu *counter = NULL;
	struct counter_block *block;
	unsigned int index, cpu;

	mutex_lock(&counter_mutex);
	block = list_first_entry_or_null(&spare_blocks, struct counter_block, spare);
	if (!block)
		block = add_block();
	if (block) {
		index = find_first_zero_bit(block->used, BLOCK_COUNTERS);
		__set_bit(index, block->used);
		if (bitmap_full(block->used, BLOCK_COUNTERS))
			list_del_init(&block->spare);
		counter = block->counters + index;
	}
	mutex_unlock(&counter_mutex);

	if (!counter)
		return NULL;
	for_each_possible_cpu(cpu)
		WRITE_ONCE(*per_cpu_ptr(counter, cpu), 0);
	return counter;
}

static struct counter_block *block_of(const unsigned long __percpu *counter)
{
	if (!recent_block || block_key(recent_block->counters) != block_key(counter))
		recent_block = xa_load(&blocks, block_key(counter));
	return recent_block;
}

/**
 * kprobe_counter_put() - give back what kprobe_counter_get() got
 * @counter: the counter, or NULL
 *
 * Context: process context, may sleep.
 */
void kprobe_counter_put(unsigned long __percpu *counter)
{
	struct counter_block *block;

	if (!counter)
		return;
	mutex_lock(&counter_mutex);
	block = block_of(counter);
	if (list_empty(&block->spare))
		list_add(&block->spare, &spare_blocks);
	__clear_bit(counter_index(counter), block->used);
	/* One block stays, for those who probe again and again. */
	if (bitmap_empty(block->used, BLOCK_COUNTERS) && !list_is_singular(&spare_blocks)) {
		recent_block = NULL;
		list_del(&block->spare);
		xa_erase(&blocks, block_key(counter));
		free_percpu(block->counters);
		kfree(block);
	}
	mutex_unlock(&counter_mutex);
}
