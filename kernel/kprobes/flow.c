// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: who jumps where.
 *
 * For the optimizer.  A jump that replaces several instructions must not
 * replace one that is jumped to.  Jumps into a function come from
 *
 * - the function: seen when it is decoded;
 * - elsewhere: cold parts that the compiler split off, assembler code with
 *   labels across functions; exception handlers; static keys, whose jumps are
 *   not in the text while they are off.  The text is surveyed once, as a whole:
 *   the kernel's, and that of each module with probes;
 * - tables of addresses (switch), if the function jumps indirectly: every word
 *   in read-only data that points into it counts.
 *
 * An address of the function that one of its instructions has as an operand
 * counts too.
 */
#include <linux/bsearch.h>
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <asm/sections.h>

#include "internal.h"

/* Symbols surveyed while the mutex is held. */
#define SURVEY_BATCH	32

/**
 * struct survey - the jumps that enter functions in their middle
 * @list: link in surveys
 * @start: first byte of the text
 * @end: the byte behind it
 * @rodata: first byte of the read-only data that may point into it
 * @rodata_end: the byte behind it
 * @owner: the module, or NULL for the kernel
 * @cancelled: the text goes away
 * @room: how many @targets there is room for
 * @nr: how many there are
 * @targets: offsets from @start, sorted once the survey is complete
 */
struct survey {
	struct list_head list;
	unsigned long start, end;
	unsigned long rodata, rodata_end;
	struct module *owner;
	bool cancelled;
	size_t room, nr;
	u32 *targets;
};

/* Complete surveys, and the one that is being made; kprobe_mutex. */
static LIST_HEAD(surveys);
static struct survey *unfinished;

static struct survey *find_survey(unsigned long addr)
{
	struct survey *s;

	list_for_each_entry(s, &surveys, list)
		if (addr >= s->start && addr < s->end)
			return s;
	return NULL;
}

static int note_target(struct survey *s, unsigned long addr)
{
	u32 *more;

	if (addr < s->start || addr >= s->end)
		return 0;
	if (s->nr == s->room) {
		size_t room = max_t(size_t, 2 * s->room, 256);

		more = kvmalloc_array(room, sizeof(*more), GFP_KERNEL);
		if (!more)
			return -ENOMEM;
		if (s->nr)
			memcpy(more, s->targets, s->nr * sizeof(*more));
		kvfree(s->targets);
		s->targets = more;
		s->room = room;
	}
	s->targets[s->nr++] = addr - s->start;
	return 0;
}

/* A jump to the first byte of a function enters no region: that is its start. */
static bool is_function_start(unsigned long addr)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(addr, &size, &offset) && !offset;
}

/*
 * What follows something that cannot be decoded is not seen: text with data in
 * it is no source of jumps into other functions.
 */
static int survey_function(struct survey *s, unsigned long start, unsigned long size)
{
	unsigned long at = 0;
	struct kprobe_flow flow;
	u8 *text;
	int ret;

	text = kvmalloc(size, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	ret = kprobe_copy_text(text, start, size);
	while (!ret && at < size &&
	       !arch_kprobe_flow(text + at, size - at, start + at, &flow)) {
		unsigned int i;

		for (i = 0; i < ARRAY_SIZE(flow.target) && !ret; i++) {
			unsigned long target = flow.target[i];

			if (target >= s->start && target < s->end &&
			    target - start >= size && !is_function_start(target))
				ret = note_target(s, target);
		}
		at += flow.length;
	}
	kvfree(text);
	return ret;
}

/* Survey the next functions; *@addr goes on. */
static int survey_some(struct survey *s, unsigned long *addr)
{
	unsigned long size, offset;
	unsigned int i;
	int ret = 0;

	mutex_lock(&kprobe_mutex);
	if (s->cancelled)
		ret = -ENOENT;
	for (i = 0; i < SURVEY_BATCH && *addr < s->end && !ret; i++) {
		if (!kallsyms_lookup_size_offset(*addr, &size, &offset) || offset >= size) {
			/* Between symbols: padding. */
			*addr += sizeof(kprobe_opcode_t);
			continue;
		}
		size = min(size, s->end - (*addr - offset));
		ret = survey_function(s, *addr - offset, size);
		*addr += size - offset;
	}
	mutex_unlock(&kprobe_mutex);
	cond_resched();
	return ret;
}

static unsigned long fixup_address(const struct exception_table_entry *entry)
{
#ifdef ARCH_HAS_RELATIVE_EXTABLE
	return (unsigned long)&entry->fixup + entry->fixup;
#else
	return entry->fixup;
#endif
}

static int survey_handlers(struct survey *s)
{
	const struct exception_table_entry *ex = __start___ex_table;
	const struct exception_table_entry *end = __stop___ex_table;
	int ret = 0;

	if (s->owner) {
		ex = s->owner->extable;
		end = ex + s->owner->num_exentries;
	}
	for (; ex < end && !ret; ex++)
		ret = note_target(s, fixup_address(ex));
	return ret;
}

static int survey_keys(struct survey *s)
{
	int ret = 0;
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *key = __start___jump_table, *end = __stop___jump_table;

	if (s->owner) {
		key = s->owner->jump_entries;
		end = key + s->owner->num_jump_entries;
	}
	for (; key < end && !ret; key++)
		ret = note_target(s, jump_entry_target(key));
#endif
	return ret;
}

static int compare_targets(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void free_survey(struct survey *s)
{
	if (!s)
		return;
	kvfree(s->targets);
	kfree(s);
}

static int set_bounds(struct survey *s, unsigned long addr)
{
	const struct module_layout *layout;

	if (core_kernel_text(addr)) {
		s->start = (unsigned long)_stext;
		s->end = (unsigned long)_etext;
		s->rodata = (unsigned long)__start_rodata;
		s->rodata_end = (unsigned long)__end_rodata;
		return addr >= s->start && addr < s->end ? 0 : -EINVAL;
	}

	preempt_disable();
	s->owner = __module_text_address(addr);
	preempt_enable();
	if (!s->owner)
		return -ENOENT;
	layout = &s->owner->core_layout;
	s->start = (unsigned long)layout->base;
	s->end = s->start + layout->text_size;
	s->rodata = s->end;
	s->rodata_end = s->start + layout->ro_after_init_size;
	/* Not the module's init text. */
	return addr >= s->start && addr < s->end ? 0 : -EINVAL;
}

/**
 * kprobe_flow_survey_begin() - get to know the jumps in the text of an address
 * @addr: an address in kernel text that is not going away
 *
 * kprobe_flow_survey_finish() has to follow, without the mutex.
 *
 * Context: process context, kprobe_mutex held.
 * Return: 0; -ENOMEM; -ENOENT if there is no such text; -EINVAL for text that
 * is not surveyed (init text).
 */
int kprobe_flow_survey_begin(unsigned long addr)
{
	struct survey *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int ret;

	if (!s)
		return -ENOMEM;
	ret = set_bounds(s, addr);
	if (!ret)
		ret = survey_handlers(s);
	if (!ret)
		ret = survey_keys(s);
	if (ret)
		free_survey(s);
	else
		unfinished = s;
	return ret;
}

/**
 * kprobe_flow_survey_finish() - the long part
 *
 * Takes long for the kernel's text; it is needed once.  A module is not pinned
 * meanwhile: kprobe_flow_forget() cancels its survey.
 *
 * Context: process context, may sleep, takes kprobe_mutex.
 * Return: 0; -ENOMEM; -ENOENT if the text went away.
 */
int kprobe_flow_survey_finish(void)
{
	struct survey *s = unfinished;
	unsigned long at = s->start;
	int ret = 0;

	while (!ret && at < s->end)
		ret = survey_some(s, &at);
	if (!ret)
		sort(s->targets, s->nr, sizeof(*s->targets), compare_targets, NULL);

	mutex_lock(&kprobe_mutex);
	unfinished = NULL;
	if (!ret && s->cancelled)
		ret = -ENOENT;
	if (!ret)
		list_add(&s->list, &surveys);
	else
		free_survey(s);
	mutex_unlock(&kprobe_mutex);
	return ret;
}

/**
 * kprobe_flow_surveyed() - are the jumps in the text of an address known
 * @addr: an address in kernel text
 *
 * Context: process context, kprobe_mutex held.
 */
bool kprobe_flow_surveyed(unsigned long addr)
{
	return KPROBE_JUMP_UNITS == 1 || find_survey(addr);
}

/**
 * kprobe_flow_forget() - text goes away
 * @start: its first byte
 * @end: the byte behind it
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_flow_forget(unsigned long start, unsigned long end)
{
	struct survey *s, *next;

	if (unfinished && unfinished->owner && unfinished->start < end &&
	    start < unfinished->end)
		unfinished->cancelled = true;
	list_for_each_entry_safe(s, next, &surveys, list) {
		if (!s->owner || s->start >= end || s->end <= start)
			continue;
		list_del(&s->list);
		free_survey(s);
	}
}

/**
 * struct function - a function whose jump targets are being collected
 * @start: its first byte
 * @size: its bytes
 * @targets: a bit for each opcode unit
 */
struct function {
	unsigned long start;
	unsigned long size;
	unsigned long *targets;
};

static void mark(const struct function *f, unsigned long target)
{
	unsigned long offset = target - f->start;

	if (offset < f->size)
		__set_bit(offset / sizeof(kprobe_opcode_t), f->targets);
}

#ifdef KPROBE_RELATIVE_JUMP_TABLES
/* Nothing tells a jump table from other data: any instruction may be in one. */
static void mark_table_entries(const struct function *f, const struct survey *s,
			       const u8 *text)
{
	unsigned long at;
	int length;

	for (at = 0; at < f->size; at += length) {
		length = arch_kprobe_insn_length(text + at, f->size - at);
		if (length <= 0)
			break;
		mark(f, f->start + at);
	}
}
#else
/* Words of read-only data that point into the function: jump tables. */
static __no_sanitize_address void mark_table_entries(const struct function *f,
						     const struct survey *s,
						     const u8 *text)
{
	const unsigned long *word = (unsigned long *)ALIGN(s->rodata, sizeof(*word));
	const unsigned long *end = (unsigned long *)s->rodata_end;

	for (; word + 1 <= end; word++)
		mark(f, *word);
}
#endif

static void mark_surveyed(const struct function *f, const struct survey *s)
{
	size_t low = 0, high = s->nr;
	u32 first = f->start - s->start;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->targets[mid] < first)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < s->nr && s->targets[low] - first < f->size; low++)
		mark(f, s->start + s->targets[low]);
}

/**
 * kprobe_flow_targets() - where a function is jumped to
 * @start: its first byte
 * @size: its bytes
 * @text: its text
 * @targets: a bit for each opcode unit, all clear; those jumped to are set
 *
 * Context: process context, kprobe_mutex held.
 * Return: 0; -EILSEQ if the function cannot be decoded to its end; -EAGAIN if
 * its text is not surveyed.
 */
int kprobe_flow_targets(unsigned long start, unsigned long size, const u8 *text,
			unsigned long *targets)
{
	struct function f = { .start = start, .size = size, .targets = targets };
	const struct survey *s = find_survey(start);
	bool indirect = false;
	struct kprobe_flow flow;
	unsigned long at;

	if (!s)
		return -EAGAIN;
	for (at = 0; at < size; at += flow.length) {
		if (arch_kprobe_flow(text + at, size - at, start + at, &flow))
			return -EILSEQ;
		mark(&f, flow.target[0]);
		mark(&f, flow.target[1]);
		indirect |= flow.indirect;
	}
	if (indirect)
		mark_table_entries(&f, s, text);
	mark_surveyed(&f, s);
	return 0;
}
