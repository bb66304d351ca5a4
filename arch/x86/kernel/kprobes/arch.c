// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, x86: what the core needs from the running kernel.
 *
 * The breakpoint exception (traps.c), memory for slots, writing to text, and
 * which text is off limits.  Called by traps.c and by the core.
 */
#include <linux/acpi.h>
#include <linux/cpumask.h>
#include <linux/kexec.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/desc.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/processor.h>
#include <asm/realmode.h>
#include <asm/sections.h>
#include <asm/setup.h>
#include <asm/special_insns.h>
#include <asm/text-patching.h>
#include <asm/unaligned.h>

#include "../acpi/sleep.h"
#include "common.h"

/**
 * kprobe_int3_handler() - offer a breakpoint exception to kprobes
 * @regs: registers of the interrupted code
 *
 * Context: the #BP exception, for user mode too.
 * Return: 1 if it was a probe's, 0 if it is somebody else's.
 */
int __kprobes kprobe_int3_handler(struct pt_regs *regs)
{
	if (user_mode(regs))
		return 0;
	return kprobe_trap(regs, regs->ip - INT3_INSN_SIZE);
}

/*
 * Through a mapping of its own that no other CPU has.
 *
 * No synchronisation: a CPU comes here only after it took a breakpoint that is
 * written later, by arch_kprobe_poke(), and that returns with IRET.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
void arch_kprobe_write_text(void *dst, const void *src, size_t len)
{
	text_poke(dst, src, len);
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_put_tail_call(void *image, unsigned long at, unsigned long back)
{
	long distance = (unsigned long)kprobe_tail_enter - (at + CALL_INSN_SIZE);

	if ((s32)distance != distance)
		return -ERANGE;
	*(u8 *)image = CALL_INSN_OPCODE;
	put_unaligned_le32(distance, image + 1);
	return 0;
}

static bool same_page(const void *a, const void *b)
{
	return ((unsigned long)a & PAGE_MASK) == ((unsigned long)b & PAGE_MASK);
}

/* For text_poke_by(): @dst is the start of the page that all pokes are in. */
static void write_pokes(void *dst, const void *src, size_t n)
{
	const struct kprobe_poke *poke = src, *end = poke + n;

	for (; poke < end; poke++)
		WRITE_ONCE(*(u8 *)(dst + offset_in_page(poke->addr)), poke->opcode);
}

/* Write the pokes at the start of an array that are in one page. */
static unsigned int poke_page(const struct kprobe_poke *pokes, unsigned int n)
{
	void *page = (void *)((unsigned long)pokes->addr & PAGE_MASK);
	unsigned int i = 1;

	while (i < n && same_page(pokes[i].addr, page))
		i++;
	text_poke_by(write_pokes, page, pokes, i);
	return i;
}

/*
 * A mapping is expensive: one for the pokes that follow each other in a page,
 * which most do, since batches are in order of addresses.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
void arch_kprobe_poke(const struct kprobe_poke *pokes, unsigned int n)
{
	unsigned int done;

	for (done = 0; done < n; )
		done += poke_page(pokes + done, n - done);
	text_poke_sync();
}

/* Documented in <linux/kprobes_arch.h>. */
unsigned int arch_kprobe_entry_offset(unsigned long entry)
{
	u32 first;

	if (copy_from_kernel_nofault(&first, (void *)entry, sizeof(first)))
		return 0;
	return is_endbr(first) ? ENDBR_INSN_SIZE : 0;
}

/*
 * A kernel that was patched for one CPU has %ds prefixes where a lock prefix
 * belongs, and turns them back when a second CPU comes up.  Else this prefix is
 * found only on branches, as a hint or as "notrack".
 */
static bool is_dormant_lock(const u8 *text)
{
	u8 op = text[1];

	if (!IS_ENABLED(CONFIG_SMP) || num_possible_cpus() == 1)
		return false;
	if (text[0] != 0x3e)
		return false;

	if (IS_ENABLED(CONFIG_X86_64) && (op & 0xf0) == 0x40) {
		text++;			/* REX */
		op = text[1];
	}
	switch (op) {
	case 0x0f:			/* jcc rel32 */
		return (text[2] & 0xf0) != 0x80;
	case 0x8d:			/* lea: the long nops of 32 bit, never locked */
		return false;
	case 0x70 ... 0x7f:		/* jcc rel8 */
	case 0xe8 ... 0xe9:		/* call, jmp */
	case 0xeb:
		return false;
	case 0xff:			/* inc and dec; else indirect branches */
		return (text[2] & 0x38) < 0x10;
	}
	return true;
}

/* The trampoline of a static call is rewritten.  objtool knows it by this, too. */
static bool is_static_call_trampoline(const u8 *text)
{
	static const u8 ud1_behind_it[] = { 0x0f, 0xb9, 0xcc };

	return !memcmp(text + 5, ud1_behind_it, sizeof(ud1_behind_it));
}

#ifdef CONFIG_DYNAMIC_FTRACE
static bool is_ftrace_code(unsigned long addr)
{
#ifdef CONFIG_X86_64
	/* Copied, to make trampolines: a breakpoint would be copied along. */
	if (addr >= (unsigned long)ftrace_caller &&
	    addr < (unsigned long)ftrace_caller_end)
		return true;
	return addr >= (unsigned long)ftrace_regs_caller &&
	       addr < (unsigned long)ftrace_regs_caller_end;
#else
	/* These two are rewritten. */
	return addr == (unsigned long)ftrace_call ||
	       addr == (unsigned long)ftrace_regs_call;
#endif
}
#else
static bool is_ftrace_code(unsigned long addr)
{
	return false;
}
#endif

#ifdef CONFIG_KEXEC_CORE
/* Copied to a page of its own, which has no exception table at all. */
static bool is_kexec_code(unsigned long addr)
{
	unsigned long start = (unsigned long)relocate_kernel;

	return addr >= start && addr < start + KEXEC_CONTROL_CODE_MAX_SIZE;
}
#else
static bool is_kexec_code(unsigned long addr)
{
	return false;
}
#endif

/*
 * Alternatives, paravirt calls, retpolines and returns are rewritten at boot,
 * or while a module is loaded: before anybody can probe them.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
bool arch_kprobe_reserved(unsigned long start, unsigned long end, const char **why)
{
	u8 text[8];

	if (is_ftrace_code(start)) {
		*why = "template or patch site of the function tracer";
		return true;
	}
	if (is_kexec_code(start)) {
		*why = "copied and run elsewhere by kexec";
		return true;
	}
	if (copy_from_kernel_nofault(text, (void *)start, sizeof(text)))
		return false;
	if (is_dormant_lock(text)) {
		*why = "its lock prefix comes back with a second CPU";
		return true;
	}
	if (is_static_call_trampoline(text)) {
		*why = "trampoline of a static call";
		return true;
	}
	return false;
}

/*
 * These run while a CPU comes up or comes back and has no IDT yet that could
 * take a breakpoint.  (What is local to its file is marked there.)
 */
#ifdef CONFIG_SMP
NOKPROBE_SYMBOL(cr4_init);
NOKPROBE_SYMBOL(native_write_cr4);
NOKPROBE_SYMBOL(cpu_init_secondary);
NOKPROBE_SYMBOL(cpu_init_exception_handling);
NOKPROBE_SYMBOL(load_current_idt);
#ifdef CONFIG_X86_64
NOKPROBE_SYMBOL(secondary_startup_64);
NOKPROBE_SYMBOL(secondary_startup_64_no_verify);
NOKPROBE_SYMBOL(early_setup_idt);
#else
NOKPROBE_SYMBOL(startup_32_smp);
#endif
#endif
#if defined(CONFIG_ACPI_SLEEP) && defined(CONFIG_X86_64)
NOKPROBE_SYMBOL(wakeup_long64);
#endif

/*
 * Where RCU is not watching or the kernel's own state (stack, per-CPU base,
 * address space) is not set up, and what the handling of the exception itself
 * runs through.
 */
const struct kprobe_area arch_kprobe_areas[] = {
	/*
	 * Entry code.  The linker script has the SRSO thunks next to it, on both
	 * sides; every return of the hit path may go through them.
	 */
	{ (unsigned long)__kprobes_text_end, (unsigned long)__softirqentry_text_start },
#ifdef CONFIG_RETPOLINE
	/* The same for the other return thunks and for the retpolines. */
	{ (unsigned long)__indirect_thunk_start, (unsigned long)__indirect_thunk_end },
#endif
	{ }
};
