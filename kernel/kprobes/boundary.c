// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: where instructions begin.
 *
 * For registration, under kprobe_mutex.  With instructions of variable length
 * the only way to know that an address is the start of one is to decode the
 * function from its start up to there.  That is done once for a function,
 * whatever number of probes it gets: a small cache keeps a bitmap of the
 * boundaries of the functions decoded last.
 */
#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kgdb.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"

#define BOUNDARY_CACHE_BITS	8

/* Decoded at a time: what most functions do not have. */
#define CHUNK_BYTES		512

/* A function of more than a mebibyte is a symbol that is none. */
#define FUNCTION_BYTES_MAX	SZ_1M

#define UNITS(bytes)		((bytes) / sizeof(kprobe_opcode_t))

/**
 * struct boundaries - the instruction boundaries of one function
 * @start: its first byte
 * @size: its bytes
 * @decoded: bytes up to where decoding got
 * @stuck: and will not get further
 * @targets: a bit for each opcode unit that is jumped to; NULL until somebody
 *	asks
 * @starts: a bit for each opcode unit that is the first of an instruction
 */
struct boundaries {
	unsigned long start;
	unsigned long size;
	unsigned long decoded;
	bool stuck;
	unsigned long *targets;
	unsigned long starts[];
};

static struct boundaries *cache[1 << BOUNDARY_CACHE_BITS];

/* A debugger's breakpoint hides what stands below it. */
static bool is_foreign_breakpoint(const u8 *text, unsigned long addr)
{
#ifdef CONFIG_KGDB
	return *(kprobe_opcode_t *)text == KPROBE_BREAKPOINT &&
	       kgdb_has_hit_break(addr);
#else
	return false;
#endif
}

/* Put what stands below a breakpoint or jump into a copy of the text. */
static void restore_text(const struct kprobe_point *pt, u8 *dst, unsigned long addr,
			 size_t len)
{
	unsigned int bytes;
	const u8 *original = kprobe_original_text(pt, &bytes);
	unsigned long from = max(addr, pt->addr), end = min(addr + len, pt->addr + bytes);

	if (from < end)
		memcpy(dst + (from - addr), original + (from - pt->addr), end - from);
}

/**
 * kprobe_copy_text() - read kernel text as it is without probes
 * @dst: where to
 * @addr: where from
 * @len: bytes
 *
 * Context: process context, kprobe_mutex held.  Takes text_mutex.
 * Return: 0, or -EFAULT if the text is not readable.
 */
int kprobe_copy_text(void *dst, unsigned long addr, size_t len)
{
	struct kprobe_point *pt;
	int ret;

	/* Whoever rewrites text holds text_mutex: no half-written instruction. */
	mutex_lock(&text_mutex);
	ret = copy_from_kernel_nofault(dst, (void *)addr, len);
	mutex_unlock(&text_mutex);
	if (ret)
		return -EFAULT;

	for (pt = kprobe_next_point(addr - KPROBE_REWRITTEN_MAX + 1);
	     pt && pt->addr < addr + len; pt = kprobe_following(pt))
		if (!pt->ftrace)
			restore_text(pt, dst, addr, len);
	return 0;
}

/* Decode up to an offset, or to where a chunk of text ends. */
static void decode_chunk(struct boundaries *b, unsigned long until)
{
	static u8 text[CHUNK_BYTES];	/* under kprobe_mutex */
	unsigned long start = b->start + b->decoded, end, at;
	unsigned long bytes = min3(b->size - b->decoded, sizeof(text),
				   until - b->decoded + KPROBE_INSN_BYTES_MAX);
	int len;

	/* The chunk's end may cut an instruction off, but not the function's. */
	end = b->decoded + bytes == b->size ? bytes : bytes - KPROBE_INSN_BYTES_MAX + 1;
	b->stuck = kprobe_copy_text(text, start, bytes);
	for (at = 0; at < end && !b->stuck; at += len) {
		len = arch_kprobe_insn_length(text + at, bytes - at);
		if (len <= 0 || is_foreign_breakpoint(text + at, start + at)) {
			b->stuck = true;
			break;
		}
		__set_bit(UNITS(b->decoded + at), b->starts);
	}
	b->decoded += at;
}

/* Twice as far as the last time at least: few chunks, however they are asked for. */
static void decode_past(struct boundaries *b, unsigned long offset)
{
	unsigned long until = min(b->size, max(offset + 1, 2 * b->decoded));

	while (b->decoded <= offset && !b->stuck)
		decode_chunk(b, until);
}

static struct boundaries *make_boundaries(unsigned long start, unsigned long size)
{
	struct boundaries *b;

	b = kvzalloc(struct_size(b, starts, BITS_TO_LONGS(UNITS(size) + 1)),
		     GFP_KERNEL);
	if (!b)
		return NULL;
	b->start = start;
	b->size = size;
	return b;
}

static void free_boundaries(struct boundaries *b)
{
	if (b)
		kvfree(b->targets);
	kvfree(b);
}

static struct boundaries *find_boundaries(unsigned long start, unsigned long size)
{
	struct boundaries **slot = &cache[hash_long(start, BOUNDARY_CACHE_BITS)];
	struct boundaries *b = *slot;

	if (b && b->start == start && b->size == size)
		return b;
	b = make_boundaries(start, size);
	if (b) {
		free_boundaries(*slot);
		*slot = b;
	}
	return b;
}

/**
 * kprobe_check_boundary() - is this the first byte of an instruction
 * @addr: an address in kernel text
 * @fn: the function it is in
 * @why: set to the reason of a failure
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0; -EILSEQ if @addr is in the middle of an instruction, or behind
 * something that is none; -EINVAL if it belongs to no function; -ENOMEM.
 */
int kprobe_check_boundary(unsigned long addr, const struct kprobe_function *fn,
			  const char **why)
{
	unsigned long offset = addr - fn->start;
	struct boundaries *b;

	if (addr % sizeof(kprobe_opcode_t)) {
		*why = "not aligned like an instruction";
		return -EILSEQ;
	}
	if (offset >= fn->size) {
		*why = "not in a function";
		return -EINVAL;
	}
	/* The entry, also behind what stays in place there: nothing to decode. */
	if (!offset || addr == fn->entry)
		return 0;
	if (fn->size > FUNCTION_BYTES_MAX) {
		*why = "not in a function: the symbol is too large to be one";
		return -EINVAL;
	}

	b = find_boundaries(fn->start, fn->size);
	if (!b) {
		*why = "no memory for decoding the function";
		return -ENOMEM;
	}
	decode_past(b, offset);
	if (offset >= b->decoded) {
		*why = "behind something in the function that cannot be decoded";
		return -EILSEQ;
	}
	if (!test_bit(UNITS(offset), b->starts)) {
		*why = "in the middle of an instruction";
		return -EILSEQ;
	}
	return 0;
}

#ifdef CONFIG_OPTPROBES
static int find_targets(struct boundaries *b, const char **why)
{
	unsigned long *targets = NULL;
	u8 *text;
	int ret = -ENOMEM;

	*why = "no memory for decoding the function";
	text = kvmalloc(b->size, GFP_KERNEL);
	targets = kvcalloc(BITS_TO_LONGS(UNITS(b->size) + 1), sizeof(long), GFP_KERNEL);
	if (text && targets)
		ret = kprobe_copy_text(text, b->start, b->size);
	if (!ret) {
		ret = kprobe_flow_targets(b->start, b->size, text, targets);
		*why = ret == -EAGAIN ? "not looked at yet" :
					"the function cannot be decoded to its end";
	}
	kvfree(text);
	if (ret)
		kvfree(targets);
	else
		b->targets = targets;
	return ret;
}

/**
 * kprobe_check_targets() - can instructions be replaced as a whole
 * @addr: address of the first one
 * @len: bytes
 * @why: set to the reason of a failure
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0 if nobody jumps to one of the others; -EBUSY if somebody does;
 * -EILSEQ if the function cannot be decoded to its end; -EAGAIN if its text is
 * not surveyed; -EINVAL if it belongs to no function; -ENOMEM.
 */
int kprobe_check_targets(unsigned long addr, unsigned int len, const char **why)
{
	unsigned long size, offset;
	struct boundaries *b;
	int ret;

	if (len == sizeof(kprobe_opcode_t))
		return 0;
	if (!kallsyms_lookup_size_offset(addr, &size, &offset) ||
	    offset + len > size || size > FUNCTION_BYTES_MAX) {
		*why = "not in a function";
		return -EINVAL;
	}
	b = find_boundaries(addr - offset, size);
	if (!b) {
		*why = "no memory for decoding the function";
		return -ENOMEM;
	}
	ret = b->targets ? 0 : find_targets(b, why);
	if (ret)
		return ret;
	if (find_next_bit(b->targets, UNITS(offset + len), UNITS(offset) + 1) <
	    UNITS(offset + len)) {
		*why = "somebody jumps to what the jump would replace";
		return -EBUSY;
	}
	return 0;
}
#endif /* CONFIG_OPTPROBES */

/**
 * kprobe_forget_boundaries() - text went away
 * @start: its first byte
 * @end: the byte behind it
 *
 * Context: process context, kprobe_mutex held.
 */
void kprobe_forget_boundaries(unsigned long start, unsigned long end)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cache); i++) {
		struct boundaries *b = cache[i];

		if (b && b->start < end && start < b->start + b->size) {
			cache[i] = NULL;
			free_boundaries(b);
		}
	}
}

#if IS_ENABLED(CONFIG_KPROBES_TEST_MODULES)
/**
 * kprobe_is_instruction() - for the test modules: does an instruction begin here
 * @addr: an address in kernel text
 *
 * Context: process context, may sleep.
 * Return: true if so, false if not or if that cannot be told.
 */
bool kprobe_is_instruction(unsigned long addr)
{
	struct kprobe_function fn;
	const char *why;
	bool is;

	kprobe_find_function(addr, &fn);
	mutex_lock(&kprobe_mutex);
	is = !kprobe_check_boundary(addr, &fn, &why);
	mutex_unlock(&kprobe_mutex);
	return is;
}
EXPORT_SYMBOL_GPL(kprobe_is_instruction);
#endif
