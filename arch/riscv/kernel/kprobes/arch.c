// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, RISC-V: what the core needs from the running kernel.
 *
 * The breakpoint exception (traps.c), memory for slots, writing to text, and
 * which text is off limits.  Called by traps.c and by the core.
 */
#include <linux/bug.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/of.h>
#include <linux/uaccess.h>
#include <asm/asm-extable.h>
#include <asm/cacheflush.h>
#include <asm/extable.h>
#include <asm/patch.h>
#include <asm/pgalloc.h>
#include <asm/sections.h>
#include <asm/suspend.h>
#include <asm/tlbflush.h>

#include "common.h"
#include "insn.h"

/*
 * Code was written that other CPUs may still have in another form.  Protected by
 * text_mutex.
 */
static bool slots_unsynced;

/* The idle loop is probed, too, where RCU does not watch: enter like an NMI. */
static noinline bool __kprobes trap_in_the_dark(struct pt_regs *regs)
{
	bool ours;

	ct_nmi_enter();
	ours = kprobe_trap(regs, instruction_pointer(regs));
	ct_nmi_exit();
	return ours;
}

/**
 * kprobe_break_handler() - offer a breakpoint exception to kprobes
 * @regs: registers of the interrupted code
 *
 * Context: the breakpoint exception, interrupts off, for user mode too.
 * Return: true if it was a probe's, false if it is somebody else's.
 */
bool __kprobes kprobe_break_handler(struct pt_regs *regs)
{
	bool ours;

	if (user_mode(regs))
		return false;
	preempt_disable_notrace();
	if (likely(!kprobe_rcu_idle()))
		ours = kprobe_trap(regs, instruction_pointer(regs));
	else
		ours = trap_in_the_dark(regs);
	/* Interrupts are off; the exception's end looks whether to reschedule. */
	preempt_enable_no_resched_notrace();
	return ours;
}

/*
 * The window through which text is written may have a stale translation on
 * another CPU, from an earlier write: stay on this one.
 */
static void write_text(void *dst, const void *src, size_t len)
{
	int err;

	preempt_disable();
	err = patch_insn_write(dst, src, len);
	preempt_enable();
	WARN_ONCE(err, "kprobes: text at %pS could not be written\n", dst);
}

/* Documented in <linux/kprobes_arch.h>. */
void arch_kprobe_write_text(void *dst, const void *src, size_t len)
{
	write_text(dst, src, len);
	/* For arch_kprobe_poke(). */
	slots_unsynced = true;
}

/* One store: copy_to_kernel_nofault() writes an aligned unit at once. */
static void write_units(const struct kprobe_poke *pokes, unsigned int n)
{
	const struct kprobe_poke *poke;

	for (poke = pokes; poke < pokes + n; poke++)
		write_text(poke->addr, &poke->opcode, sizeof(poke->opcode));
}

/*
 * QEMU with a thread for each CPU (7.2 to 10.0 have been looked at) discards its
 * translations of a place before it stores there: another CPU may translate what
 * is being replaced, in between, and keep that for ever, whatever fences it goes
 * through.  Behind the fences nobody is in between any more: a second store
 * discards what came into being so.
 */
static bool keeps_stale_translations(void)
{
	return of_machine_is_compatible("riscv-virtio");
}

/*
 * Returning from an exception does not make a CPU fetch anew what it may have
 * prefetched: slots are made visible before the breakpoints that lead there.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
void arch_kprobe_poke(const struct kprobe_poke *pokes, unsigned int n)
{
	if (slots_unsynced) {
		flush_icache_all();
		slots_unsynced = false;
	}
	write_units(pokes, n);
	flush_icache_all();
	if (keeps_stale_translations())
		write_units(pokes, n);
}

/* Documented in <linux/kprobes_arch.h>. */
unsigned int arch_kprobe_entry_offset(unsigned long entry)
{
	return 0;
}

#ifdef CONFIG_DYNAMIC_FTRACE
static bool is_rewritten_call(unsigned long addr, void (*call)(void))
{
	return addr >= (unsigned long)call && addr < (unsigned long)call + MCOUNT_INSN_SIZE;
}

static bool is_ftrace_code(unsigned long addr)
{
	if (is_rewritten_call(addr, ftrace_call))
		return true;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	if (is_rewritten_call(addr, ftrace_regs_call))
		return true;
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (is_rewritten_call(addr, ftrace_graph_call))
		return true;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	if (is_rewritten_call(addr, ftrace_graph_regs_call))
		return true;
#endif
#endif
	return false;
}
#else
static bool is_ftrace_code(unsigned long addr)
{
	return false;
}
#endif

/* Text around @addr, as far as it is readable. */
static bool is_in_lrsc(unsigned long addr)
{
	const size_t units = KPROBE_LRSC_BYTES / sizeof(u16);
	u16 text[2 * KPROBE_LRSC_BYTES / sizeof(u16)];
	size_t before = 0, after = 0;

	while (before < units &&
	       !copy_from_kernel_nofault(&text[units - before - 1],
					 (u16 *)addr - before - 1, sizeof(u16)))
		before++;
	while (after < units &&
	       !copy_from_kernel_nofault(&text[units + after],
					 (u16 *)addr + after, sizeof(u16)))
		after++;
	return kprobe_in_lrsc(&text[units], before, after);
}

/*
 * Alternatives are chosen at boot, or while a module is loaded: before anybody
 * can probe them.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
bool arch_kprobe_reserved(unsigned long start, unsigned long end, const char **why)
{
	if (is_ftrace_code(start)) {
		*why = "patch site of the function tracer";
		return true;
	}
	if (is_in_lrsc(start)) {
		*why = "between lr and sc, whose reservation an exception takes away";
		return true;
	}
	return false;
}

#ifdef CONFIG_CPU_PM
/* Runs where the CPU comes back without address translation. */
NOKPROBE_SYMBOL(__cpu_resume_enter);
#endif

#ifdef CONFIG_OPTPROBES
bool kprobe_jump_page_mapped __ro_after_init;

/*
 * Before the first process: all page tables have it.  Reading there still
 * faults: error codes in the place of pointers are addresses of this page.
 */
static int __init map_jump_page(void)
{
	const pgprot_t prot = __pgprot(_PAGE_PRESENT | _PAGE_ACCESSED | _PAGE_DIRTY |
				       _PAGE_GLOBAL | _PAGE_EXEC);
	unsigned long addr = -PAGE_SIZE;
	p4d_t *p4d = p4d_alloc(&init_mm, pgd_offset_k(addr), addr);
	pud_t *pud = p4d ? pud_alloc(&init_mm, p4d, addr) : NULL;
	pmd_t *pmd = pud ? pmd_alloc(&init_mm, pud, addr) : NULL;
	pte_t *pte = pmd ? pte_alloc_kernel(pmd, addr) : NULL;

	if (!pte)
		return -ENOMEM;
	if (!pte_none(*pte))
		return -EBUSY;
	set_pte(pte, pfn_pte(PHYS_PFN(__pa_symbol(kprobe_jump_page)), prot));
	flush_tlb_all();
	kprobe_jump_page_mapped = true;
	return 0;
}
early_initcall(map_jump_page);

/**
 * kprobe_text_kind() - what its encoding does not say of an instruction
 * @addr: its address
 * @word: the instruction
 * @elsewhere: set for KPROBE_TEXT_FAULTS: where execution goes on
 *
 * Context: process context, kprobe_mutex held.
 */
enum kprobe_text kprobe_text_kind(unsigned long addr, u32 word, unsigned long *elsewhere)
{
	const struct exception_table_entry *ex;
	const char *why;

	if (word == INSN_EBREAK) {
#ifdef CONFIG_GENERIC_BUG
		struct bug_entry *bug = find_bug(addr);

		if (bug && !(bug->flags & BUGFLAG_WARNING))
			return KPROBE_TEXT_ENDS;
#endif
		return KPROBE_TEXT_PLAIN;
	}
	if (word == INSN_NOP || opcode_of(word) == OP_JAL)
		return kprobe_check_reserved(addr, addr + 3, &why) ? KPROBE_TEXT_CHANGES :
								     KPROBE_TEXT_PLAIN;
	ex = search_exception_tables(addr);
	if (!ex)
		return KPROBE_TEXT_PLAIN;
	if (ex->type == EX_TYPE_BPF)
		return KPROBE_TEXT_CHANGES;
	*elsewhere = (unsigned long)&ex->fixup + ex->fixup;
	return KPROBE_TEXT_FAULTS;
}
#endif

/* Where the kernel's own state (stack, current task) is not set up. */
const struct kprobe_area arch_kprobe_areas[] = {
	{ (unsigned long)__entry_text_start, (unsigned long)__entry_text_end },
	{ }
};
