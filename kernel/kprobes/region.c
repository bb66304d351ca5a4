// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: the instructions a jump replaces.
 *
 * For the optimizer, under kprobe_mutex.  A jump that is longer than a
 * breakpoint takes the place of several instructions, the region.  They are
 * copied to the detour buffer.  That can be done if nobody jumps to one of them
 * but the first, if nobody else rewrites or traps on them, and if each does in
 * the buffer what it does in its place.
 *
 * kprobe_detour_to_text() is for unwinders, in any context.
 */
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/string.h>

#include "internal.h"

#define REGION_BYTES_MAX	(KPROBE_JUMP_BYTES - sizeof(kprobe_opcode_t) + \
				 KPROBE_INSN_BYTES_MAX)

/**
 * struct region - a region on its way into a detour buffer
 * @pt: its point
 * @bytes: the text from the probed address on
 * @avail: how many of @bytes there are, up to the end of the function
 * @ended: execution does not come to what follows
 */
struct region {
	struct kprobe_point *pt;
	u8 bytes[REGION_BYTES_MAX];
	unsigned int avail;
	bool ended;
};

/* What must not be in a region, but for its first instruction. */
static const char *refuse_inner(unsigned long addr, unsigned int length)
{
	const char *why = NULL;

	if (kprobe_check_reserved(addr, addr + length - 1, &why))
		return why;
#ifdef CONFIG_DYNAMIC_FTRACE
	if (ftrace_location_range(addr, addr + length - 1))
		return "the function tracer has a site in the way";
#endif
	if (search_exception_tables(addr))
		return "an instruction in the way has an exception handler";
	if (within_kprobe_blacklist(addr))
		return "blacklisted text in the way";
	return NULL;
}

/* Decode the next instruction of a region, and say whether it may be in one. */
static int decode_next(const struct region *r, unsigned int at,
		       struct kprobe_insn *insn, const char **why)
{
	unsigned long addr = r->pt->addr + at;
	int ret;

	memset(insn, 0, sizeof(*insn));
	insn->avail = min_t(unsigned int, r->avail - at, KPROBE_INSN_BYTES_MAX);
	memcpy(insn->bytes, r->bytes + at, insn->avail);
	ret = arch_kprobe_decode(insn, addr, why);
	if (ret || !at)
		return ret;
	*why = refuse_inner(addr, insn->length);
	return *why ? -EINVAL : 0;
}

/* Behind a jump or return: what fills up to the next label can be overwritten. */
static int skip_filler(const struct region *r, unsigned int at, const char **why)
{
	struct kprobe_flow flow;

	if (arch_kprobe_flow(r->bytes + at, r->avail - at, r->pt->addr + at, &flow) ||
	    !flow.filler) {
		*why = "other code follows a jump or return";
		return -EINVAL;
	}
	return flow.length;
}

/* Copy one instruction; it is noted in @detour. */
static int copy_next(struct region *r, struct kprobe_detour *detour, u8 *image,
		     const char **why)
{
	unsigned int at = detour->length, to = detour->end;
	/* The jump back has to fit behind it. */
	unsigned int room = KPROBE_DETOUR_BYTES - KPROBE_JUMP_BACK_BYTES - to;
	unsigned long addr = r->pt->addr + at;
	struct kprobe_insn insn;
	struct kprobe_flow flow;
	int ret;

	ret = decode_next(r, at, &insn, why);
	if (ret)
		return ret;
	if (arch_kprobe_flow(r->bytes + at, r->avail - at, addr, &flow)) {
		*why = "not an instruction";
		return -EILSEQ;
	}
	if (arch_kprobe_calls(&insn) && at + insn.length < KPROBE_JUMP_BYTES) {
		*why = "a call returns to what the jump would replace";
		return -EINVAL;
	}

	ret = arch_kprobe_relocate(&insn, addr, detour->addr + to, image + to, room, why);
	if (ret < 0)
		return ret;
	detour->from[detour->nr] = at;
	detour->copy[detour->nr++] = to;
	detour->end += ret;
	r->ended = flow.ends;
	return insn.length;
}

static int copy_region(struct region *r, struct kprobe_detour *detour, u8 *image,
		       const char **why)
{
	int ret;

	while (detour->length < KPROBE_JUMP_BYTES) {
		if (detour->length >= r->avail) {
			*why = "the function ends too soon";
			return -EINVAL;
		}
		ret = r->ended ? skip_filler(r, detour->length, why) :
				 copy_next(r, detour, image, why);
		if (ret < 0)
			return ret;
		detour->length += ret;
	}
	if (detour->length > r->avail) {
		*why = "the function ends too soon";
		return -EINVAL;
	}
	return kprobe_check_targets(r->pt->addr, detour->length, why);
}

static int read_region(struct region *r, const char **why)
{
	struct kprobe_function fn;
	int ret;

	kprobe_find_function(r->pt->addr, &fn);
	ret = kprobe_check_boundary(r->pt->addr, &fn, why);
	if (ret)
		return ret;
	r->avail = min_t(unsigned long, fn.start + fn.size - r->pt->addr, sizeof(r->bytes));
	if (kprobe_copy_text(r->bytes, r->pt->addr, r->avail)) {
		*why = "the text is not readable";
		return -EFAULT;
	}
	return 0;
}

/**
 * kprobe_detour_build() - make a jump and its detour buffer
 * @pt: the point
 * @detour: @addr is set; the function fills in the rest
 * @image: KPROBE_DETOUR_BYTES bytes to be filled with the buffer's content
 * @why: set to the reason of a failure
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0; -ENOMEM; another errno if the code around the probed address does
 * not allow for a jump, which will not change.
 */
int kprobe_detour_build(struct kprobe_point *pt, struct kprobe_detour *detour,
			void *image, const char **why)
{
	struct region r = { .pt = pt };
	unsigned int i;
	int ret;

	for (i = 0; i < KPROBE_DETOUR_BYTES / sizeof(kprobe_opcode_t); i++)
		((kprobe_opcode_t *)image)[i] = KPROBE_BREAKPOINT;
	detour->length = 0;
	detour->nr = 0;
	detour->end = KPROBE_DETOUR_BODY;

	ret = read_region(&r, why);
	if (!ret)
		ret = copy_region(&r, detour, image, why);
	if (ret)
		return ret;

	memcpy(detour->replaced, r.bytes, KPROBE_JUMP_BYTES);
	ret = arch_kprobe_put_jump(detour->jump, pt->addr, detour->addr + KPROBE_DETOUR_ENTRY);
	if (!ret)
		ret = arch_kprobe_put_entry(image, detour->addr, pt);
	if (!ret && !r.ended)
		ret = arch_kprobe_put_jump_back(image + detour->end, detour->addr + detour->end,
						pt->addr + detour->length);
	*why = ret == -EBUSY ? "no register is free for the jump" :
			       "the detour buffer is out of reach";
	return ret;
}

/**
 * kprobe_detour_to_text() - what an address in a detour buffer stands for
 * @pt: the buffer's point
 * @ip: the address
 *
 * Context: any, with preemption off and RCU watching.
 * Return: the address of the original of a copy; that behind the region for the
 * jump back; the probed address for what comes before the copies.
 */
unsigned long __kprobes kprobe_detour_to_text(const struct kprobe_point *pt,
					      unsigned long ip)
{
	const struct kprobe_detour *detour = READ_ONCE(pt->detour);
	unsigned int at, i;

	if (!detour)
		return ip;
	at = ip - detour->addr;
	if (at >= detour->end)
		return pt->addr + detour->length;
	for (i = detour->nr; i > 1; i--)
		if (at >= detour->copy[i - 1])
			break;
	return pt->addr + detour->from[i - 1];
}
