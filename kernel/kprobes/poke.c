// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: writing to text, many places at a time.
 *
 * For the core and the optimizer.  A round of writes costs one synchronisation
 * of all CPUs, whatever number of places it has, as long as there is memory to
 * note the places.  Without memory it is several rounds: it cannot fail.
 */
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * kprobe_pokes_begin() - prepare for writes
 * @pokes: to be set up; kprobe_pokes_end() has to follow
 * @n: so many places are to be expected
 *
 * Context: process context, may sleep.
 */
void kprobe_pokes_begin(struct kprobe_pokes *pokes, unsigned int n)
{
	pokes->at = NULL;
	pokes->n = 0;
	pokes->room = n;
	if (n > ARRAY_SIZE(pokes->few))
		pokes->at = kvmalloc_array(n, sizeof(*pokes->at), GFP_KERNEL);
	if (!pokes->at) {
		pokes->at = pokes->few;
		pokes->room = ARRAY_SIZE(pokes->few);
	}
}

/**
 * kprobe_pokes_write() - write what was added
 * @pokes: the places; none afterwards
 *
 * On return all CPUs execute what was written.
 *
 * Context: process context, text_mutex held.
 */
void kprobe_pokes_write(struct kprobe_pokes *pokes)
{
	const struct kprobe_poke *poke;

	lockdep_assert_held(&text_mutex);
	/* Before they are written: the text still is what it was. */
	for (poke = pokes->at; poke < pokes->at + pokes->n; poke++)
		perf_event_text_poke(poke->addr, poke->addr, sizeof(poke->opcode),
				     &poke->opcode, sizeof(poke->opcode));
	if (pokes->n)
		arch_kprobe_poke(pokes->at, pokes->n);
	pokes->n = 0;
}

/**
 * kprobe_pokes_add() - one more place to be written
 * @pokes: where to note it
 * @addr: the place
 * @opcode: what is to stand there
 *
 * It may be written at once, with those added before.
 *
 * Context: process context, text_mutex held.
 */
void kprobe_pokes_add(struct kprobe_pokes *pokes, unsigned long addr,
		      kprobe_opcode_t opcode)
{
	if (pokes->n == pokes->room)
		kprobe_pokes_write(pokes);
	pokes->at[pokes->n].addr = (kprobe_opcode_t *)addr;
	pokes->at[pokes->n++].opcode = opcode;
}

/**
 * kprobe_pokes_end() - release what kprobe_pokes_begin() got
 * @pokes: the places
 */
void kprobe_pokes_end(struct kprobe_pokes *pokes)
{
	if (pokes->at != pokes->few)
		kvfree(pokes->at);
}
