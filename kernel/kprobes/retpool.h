/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Return probes: where instances come from, see retpool.c.
 *
 * For retprobe.c (the hit), and for the tests (the counters).
 */
#ifndef _KERNEL_KPROBES_RETPOOL_H
#define _KERNEL_KPROBES_RETPOOL_H

#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/llist.h>

struct kretprobe_class;
struct kretprobe_pool;

/*
 * A CPU's stock is kept on several shelves: one that is being accessed by the
 * code an interrupt or NMI interrupted is passed by.  Task, softirq, hardirq,
 * NMI, and one more for an exception in an NMI.
 */
#define KRETPROBE_SHELVES	5

/**
 * struct kretprobe_shelf - a stack of free instances
 * @first: the top
 * @count: how many
 * @low: at that number or below, more are to be fetched
 * @high: at that number or above, some are to be given back
 * @busy: an access is under way
 */
struct kretprobe_shelf {
	struct llist_node *first;
	unsigned int count;
	unsigned int low;
	unsigned int high;
	bool busy;
};

/**
 * struct kretprobe_stock - free instances of one size on one CPU
 * @shelf: the instances.  Only the CPU itself touches them, with preemption off
 * @class: the size
 * @restock: brings every shelf back between its marks
 */
struct kretprobe_stock {
	struct kretprobe_shelf shelf[KRETPROBE_SHELVES];
	struct kretprobe_class *class;
	struct irq_work restock;
} ____cacheline_aligned;

int kretprobe_stock_get(size_t data_size, struct kretprobe_stock __percpu **stock);
void kretprobe_stock_put(struct kretprobe_stock __percpu *stock);
struct kretprobe_instance *kretprobe_take_spare(struct kretprobe_stock *stock);
void kretprobe_give_spare(struct kretprobe_stock *stock,
			  struct kretprobe_instance *ri);
void kretprobe_orphan_home(struct kretprobe_stock *stock);
bool kretprobe_all_home(const struct kretprobe_pool *pool);
void kretprobe_retire(struct list_head *retired);
long kretprobe_instances_existing(void);

/**
 * kretprobe_take() - take a free instance
 * @stock: this CPU's stock
 *
 * An access is a handful of plain instructions.  Whatever interrupts it on
 * this CPU sees the shelf busy, uses the next one, and is through before the
 * access goes on; so no atomic operation is needed, and an instance that
 * leaves and comes back meanwhile does no harm.
 *
 * Context: preemption off, any level.
 * Return: an instance, or NULL if it is not that simple: the first shelf is
 * low, or is being accessed.  Then kretprobe_take_spare() does it.
 */
static __always_inline
struct kretprobe_instance *kretprobe_take(struct kretprobe_stock *stock)
{
	struct kretprobe_shelf *shelf = stock->shelf;
	struct llist_node *node;

	if (unlikely(READ_ONCE(shelf->busy)))
		return NULL;
	WRITE_ONCE(shelf->busy, true);
	/* Against an interrupt on this CPU: claim before access. */
	barrier();
	/* Empty shelves are low, even if the mark is 0. */
	if (unlikely(shelf->count <= shelf->low)) {
		WRITE_ONCE(shelf->busy, false);
		return NULL;
	}
	node = shelf->first;
	shelf->first = node->next;
	shelf->count--;
	/* The access ends before the claim. */
	barrier();
	WRITE_ONCE(shelf->busy, false);
	return container_of(node, struct kretprobe_instance, node);
}

/**
 * kretprobe_give() - give an instance back
 * @stock: this CPU's stock, whichever CPU the instance was taken from
 * @ri: the instance
 *
 * Context: preemption off, any level.
 */
static __always_inline
void kretprobe_give(struct kretprobe_stock *stock, struct kretprobe_instance *ri)
{
	struct kretprobe_shelf *shelf = stock->shelf;

	if (unlikely(READ_ONCE(shelf->busy) || shelf->count >= shelf->high)) {
		kretprobe_give_spare(stock, ri);
		return;
	}
	WRITE_ONCE(shelf->busy, true);
	/* As in kretprobe_take(). */
	barrier();
	ri->node.next = shelf->first;
	shelf->first = &ri->node;
	shelf->count++;
	/* As in kretprobe_take(). */
	barrier();
	WRITE_ONCE(shelf->busy, false);
}

/**
 * struct kretprobe_account - a return probe's calls, as one CPU sees them
 * @inside: entries minus returns.  Only the sum over all CPUs means something
 * @permits: calls that may still be followed, for a probe with a bound
 */
struct kretprobe_account {
	long inside;
	atomic_t permits;
};

/**
 * struct kretprobe_pool - what joins a return probe and its instances
 * @rp: the probe.  NULL when it is not registered any more; then its instances
 *	come home without a call of the handler
 * @stock: where instances are taken from and given back to
 * @account: who is inside
 * @bounded: kretprobe::maxactive is a bound
 * @retired: link in the list of pools that wait for their last instance
 *
 * Lives until the probe is unregistered and the last call it follows is over.
 */
struct kretprobe_pool {
	struct kretprobe *rp;
	struct kretprobe_stock __percpu *stock;
	struct kretprobe_account __percpu *account;
	bool bounded;
	struct list_head retired;
};

#endif /* _KERNEL_KPROBES_RETPOOL_H */
