// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, arm64: what the core needs from the running kernel.
 *
 * The breakpoint exception (debug-monitors.c), memory for slots, writing to
 * text, and which text is off limits.  Called by debug-monitors.c and by the
 * core.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kasan.h>
#include <linux/kprobes.h>
#include <linux/kprobes_arch.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/cacheflush.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/patching.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include <asm/suspend.h>

#include "a64.h"

/*
 * PSTATE.BTYPE, in the saved registers, says by what kind of branch the
 * breakpoint was reached.  A copy in a slot, or the instruction itself, must
 * find it; what a handler diverts to must not, nor what follows a simulated
 * instruction.
 */
static int __kprobes kprobe_brk(struct pt_regs *regs, unsigned long esr)
{
	unsigned long addr = instruction_pointer(regs);
	u64 btype = regs->pstate & PSR_BTYPE_MASK;
	unsigned long pc;

	regs->pstate &= ~PSR_BTYPE_MASK;
	if (unlikely(!kprobe_trap(regs, addr))) {
		regs->pstate |= btype;
		return DBG_HOOK_ERROR;
	}
	if (unlikely(btype)) {
		pc = instruction_pointer(regs);
		if (pc == addr || is_kprobe_insn_slot(pc))
			regs->pstate |= btype;
	}
	return DBG_HOOK_HANDLED;
}

static struct break_hook kprobe_break_hook = {
	.fn = kprobe_brk,
	.imm = KPROBES_BRK_IMM,
};

/* As early as the core, which takes probes from then on. */
static int __init kprobe_register_brk(void)
{
	register_kernel_break_hook(&kprobe_break_hook);
	return 0;
}
early_initcall(kprobe_register_brk);

static void *alloc_page_between(unsigned long start, unsigned long end)
{
	return kasan_reset_tag(__vmalloc_node_range(PAGE_SIZE, PAGE_SIZE, start, end,
						    GFP_KERNEL | __GFP_NOWARN, PAGE_KERNEL,
						    VM_DEFER_KMEMLEAK, NUMA_NO_NODE,
						    __builtin_return_address(0)));
}

/*
 * Where all text between two addresses can branch to and be branched to from.
 * (Not with module_alloc(): modules may be out of the kernel's reach with KASLR,
 * and their place is not known early in the boot.)
 */
static void *alloc_page_near(unsigned long first, unsigned long last)
{
	return alloc_page_between(max(last - KPROBE_SLOT_REACH, MODULES_VADDR),
				  min(first + KPROBE_SLOT_REACH, VMALLOC_END));
}

/*
 * "rodata=on" leaves the alias in the linear map writable, as for all modules.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
void *arch_kprobe_alloc_slot_page(unsigned long near)
{
	if (near)
		return alloc_page_near(near, near);
	return alloc_page_near((unsigned long)_text, (unsigned long)_end) ?:
	       alloc_page_between(MODULES_VADDR, VMALLOC_END);
}

/*
 * It goes through a mapping that exists for the time of the write.  A CPU comes
 * here by a breakpoint, which is an exception and fetches afresh what follows,
 * or by a jump: see arch_kprobe_poke().
 *
 * Documented in <linux/kprobes_arch.h>.
 */
void arch_kprobe_write_text(void *dst, const void *src, size_t len)
{
	WARN_ON_ONCE(aarch64_insn_copy(dst, src, len));
	caches_clean_inval_pou((unsigned long)dst, (unsigned long)dst + len);
}

#define BRANCH		0x14000000
#define BRANCH_LINK	0x94000000
#define PUSH_LINK	0xf81f0ffe	/* str x30, [sp, #-16]! */
#define POP_LINK	0xf84107fe	/* ldr x30, [sp], #16 */

static bool branch_reaches(long distance)
{
	return distance >= -(long)SZ_128M && distance < (long)SZ_128M;
}

static __le32 make_branch(u32 opcode, long distance)
{
	return cpu_to_le32(opcode | (distance >> 2 & 0x03ffffff));
}

/*
 * Modules may be farther away from the kernel than a branch reaches (KASLR): then
 * the slot ends with a breakpoint.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
int arch_kprobe_put_tail_call(void *image, unsigned long at, unsigned long back)
{
	long call = (unsigned long)kprobe_tail_enter - (at + A64_INSN_BYTES);
	long jump = back - (at + 3 * A64_INSN_BYTES);
	__le32 *words = image;

	if (!branch_reaches(call) || !branch_reaches(jump))
		return -ERANGE;
	words[0] = cpu_to_le32(PUSH_LINK);
	words[1] = make_branch(BRANCH_LINK, call);
	words[2] = cpu_to_le32(POP_LINK);
	words[3] = make_branch(BRANCH, jump);
	return 0;
}

/* The optimizer's, or an original instruction that is one. */
static bool is_jump(const struct kprobe_poke *poke)
{
	return aarch64_insn_is_b(le32_to_cpu((__force __le32)poke->opcode));
}

/*
 * An aligned word is fetched as a whole: a CPU executes what stood there, or
 * what stands there now.  It may have fetched what stood there before, up to the
 * next exception or ISB: which the interrupt of kick_all_cpus_sync() is.
 *
 * A jump, which comes with nothing but jumps, leads to its detour buffer without
 * an exception: nobody may have fetched what was there before
 * arch_kprobe_write_text() filled it.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
void arch_kprobe_poke(const struct kprobe_poke *pokes, unsigned int n)
{
	const struct kprobe_poke *poke;

	if (IS_ENABLED(CONFIG_OPTPROBES) && is_jump(pokes))
		kick_all_cpus_sync();
	for (poke = pokes; poke < pokes + n; poke++) {
		__le32 opcode = (__force __le32)poke->opcode;

		WARN_ON_ONCE(aarch64_insn_patch_text_nosync(poke->addr,
							    le32_to_cpu(opcode)));
	}
	kick_all_cpus_sync();
}

/*
 * No landing pad needs to be left alone: a branch may go to BRK, whatever kind
 * of branch it is.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
unsigned int arch_kprobe_entry_offset(unsigned long entry)
{
	return 0;
}

#ifdef CONFIG_DYNAMIC_FTRACE
/* These are rewritten when the tracer's function changes. */
static bool is_ftrace_call(unsigned long addr)
{
#if defined(CONFIG_FUNCTION_GRAPH_TRACER) && !defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
	if (addr == (unsigned long)ftrace_graph_call)
		return true;
#endif
	return addr == (unsigned long)ftrace_call;
}
#else
static bool is_ftrace_call(unsigned long addr)
{
	return false;
}
#endif

/* How far apart the two ends of a load-exclusive, store-exclusive loop may be. */
#define EXCLUSIVE_WORDS	32

static unsigned int read_words(u32 *words, unsigned long addr, unsigned int n)
{
	unsigned int i;

	/* At once, but where the text ends or begins in between. */
	if (!copy_from_kernel_nofault(words, (void *)addr, n * A64_INSN_BYTES)) {
		for (i = 0; i < n; i++)
			words[i] = le32_to_cpu((__force __le32)words[i]);
		return n;
	}
	for (i = 0; i < n; i++)
		if (aarch64_insn_read((void *)(addr + i * A64_INSN_BYTES), &words[i]))
			break;
	return i;
}

/*
 * Other probes do not get in the way: the two ends themselves are refused by
 * the decoder, so that no breakpoint hides them.
 */
static bool in_exclusive_loop(unsigned long addr)
{
	u32 before[EXCLUSIVE_WORDS], after[EXCLUSIVE_WORDS];
	unsigned long from = addr - sizeof(before);
	unsigned int nr_after;

	if (read_words(before, from, EXCLUSIVE_WORDS) < EXCLUSIVE_WORDS)
		return false;
	nr_after = read_words(after, addr + A64_INSN_BYTES, EXCLUSIVE_WORDS);
	return a64_between_exclusives(before, EXCLUSIVE_WORDS, after, nr_after);
}

/*
 * Alternatives are rewritten at boot, or while a module is loaded: before
 * anybody can probe them.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
bool arch_kprobe_reserved(unsigned long start, unsigned long end, const char **why)
{
	if (is_ftrace_call(start)) {
		*why = "patch site of the function tracer";
		return true;
	}
	if (in_exclusive_loop(start)) {
		*why = "between a load-exclusive and its store, which would fail for ever";
		return true;
	}
	return false;
}

/*
 * These run while a CPU comes up or comes back and has no per-CPU offset, or
 * none of the vectors that could take a breakpoint.
 */
NOKPROBE_SYMBOL(secondary_start_kernel);
#ifdef CONFIG_CPU_PM
NOKPROBE_SYMBOL(_cpu_resume);
NOKPROBE_SYMBOL(__cpu_suspend_exit);
#endif

/*
 * Vectors and entry code; what runs with the MMU off, or at EL2 in another
 * address space (there may be none, without KVM).
 */
const struct kprobe_area arch_kprobe_areas[] = {
	{ (unsigned long)__entry_text_start, (unsigned long)__entry_text_end },
	{ (unsigned long)__idmap_text_start, (unsigned long)__idmap_text_end },
	{ (unsigned long)__hyp_idmap_text_start, (unsigned long)__hyp_text_end },
	{ }
};
