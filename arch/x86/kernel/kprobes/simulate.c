// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, x86: instructions that depend on their own address, executed
 * on saved registers.
 *
 * Called by the core's hit code through kprobe_insn::simulate, which decode.c
 * has set to the function that fits: a hit does not look at opcodes again.
 * Each documented by the instruction it is named after; parameters, context
 * and result are those of kprobe_simulate_t.
 *
 * The interrupted stack can be pushed to: the breakpoint exception leaves a gap
 * below it (asm_exc_int3 on 64 bit, FIXUP_FRAME and IRET_FRAME on 32 bit), and
 * its first words are known to be there because the exception frame was just
 * pushed on the same stack.
 *
 * Kernel IBT does not see a simulated indirect branch: its target is not asked
 * for an ENDBR.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <asm/asm.h>
#include <asm/processor.h>
#include <asm/vsyscall.h>

#include "common.h"

static __always_inline unsigned long reg_value(const struct pt_regs *regs, u8 offset)
{
	return *(const unsigned long *)((const u8 *)regs + offset);
}

static __always_inline void push_value(struct pt_regs *regs, unsigned long value)
{
	regs->sp -= sizeof(long);
	*(unsigned long *)regs->sp = value;
}

/*
 * The one place where a condition is evaluated.  "Signed less" is put next to
 * the flags the CPU has, so that every condition is "any of these", or "none
 * of these".
 */
static __always_inline bool condition_holds(const struct arch_kprobe_insn *arch,
					    unsigned long eflags)
{
	u32 sf_xor_of = (eflags >> X86_EFLAGS_SF_BIT) ^ (eflags >> X86_EFLAGS_OF_BIT);
	u32 flags = (u32)eflags | sf_xor_of << 31;

	return !!(flags & arch->flags) != arch->inverted;
}

static __always_inline void branch_if(bool taken, const struct kprobe_insn *insn,
				      unsigned long addr, struct pt_regs *regs)
{
	regs->ip = taken ? insn->arch.target : addr + insn->length;
}

/*
 * Read a word for a branch through memory.  What is not the kernel's memory is
 * left to the real instruction: a fault on it may be one that the page fault
 * handler does not let the exception tables fix up (SMAP, vsyscall page).
 */
static __always_inline bool read_word(unsigned long addr, unsigned long *value)
{
	bool failed = true;

	if (addr < TASK_SIZE_MAX || addr > -sizeof(long))
		return false;
#ifdef CONFIG_X86_VSYSCALL_EMULATION
	if (((addr + sizeof(long) - 1) & PAGE_MASK) == VSYSCALL_ADDR ||
	    (addr & PAGE_MASK) == VSYSCALL_ADDR)
		return false;
#endif
	asm volatile("1:	mov	%[word], %[value]\n"
		     "	movb	$0, %[failed]\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : [value] "=&r" (*value), [failed] "+qm" (failed)
		     : [word] "m" (*(unsigned long *)addr));
	return !failed;
}

static __always_inline bool read_operand(const struct arch_kprobe_insn *arch,
					 const struct pt_regs *regs,
					 unsigned long *value)
{
	unsigned long addr = arch->target;

	if (arch->base != KPROBE_NO_REG)
		addr += reg_value(regs, arch->base);
	if (arch->index != KPROBE_NO_REG)
		addr += reg_value(regs, arch->index) << arch->scale;
#ifdef CONFIG_SMP
	/* The base of %gs (%fs on 32 bit) is the offset of this CPU's area. */
	if (arch->percpu)
		addr += raw_cpu_read(this_cpu_off);
#endif
	return read_word(addr, value);
}

/* jmp rel; nop as well, a jump to what follows it */
bool __kprobes kprobe_simulate_jmp(const struct kprobe_insn *insn,
				   unsigned long addr, struct pt_regs *regs)
{
	regs->ip = insn->arch.target;
	return true;
}

/* jo ... jg rel */
bool __kprobes kprobe_simulate_jcc(const struct kprobe_insn *insn,
				   unsigned long addr, struct pt_regs *regs)
{
	branch_if(condition_holds(&insn->arch, regs->flags), insn, addr, regs);
	return true;
}

/* loop, loope, loopne rel8 */
bool __kprobes kprobe_simulate_loop(const struct kprobe_insn *insn,
				    unsigned long addr, struct pt_regs *regs)
{
	unsigned long left = regs->cx - 1;

	if (insn->arch.counter_bytes == 4)
		left = (u32)left;	/* writing %ecx clears the rest of %rcx */
	if (insn->arch.counter_bytes == 2)
		left = (regs->cx & ~0xffffUL) | (u16)left;
	regs->cx = left;
	if (insn->arch.counter_bytes == 2)
		left = (u16)left;

	branch_if(left && condition_holds(&insn->arch, regs->flags), insn, addr, regs);
	return true;
}

/* jcxz, jecxz, jrcxz rel8 */
bool __kprobes kprobe_simulate_jcxz(const struct kprobe_insn *insn,
				    unsigned long addr, struct pt_regs *regs)
{
	unsigned long count = regs->cx;

	if (insn->arch.counter_bytes == 4)
		count = (u32)count;
	if (insn->arch.counter_bytes == 2)
		count = (u16)count;

	branch_if(!count, insn, addr, regs);
	return true;
}

/* call rel32 */
bool __kprobes kprobe_simulate_call(const struct kprobe_insn *insn,
				    unsigned long addr, struct pt_regs *regs)
{
	push_value(regs, addr + insn->length);
	regs->ip = insn->arch.target;
	return true;
}

/* ret; ret imm16 */
bool __kprobes kprobe_simulate_ret(const struct kprobe_insn *insn,
				   unsigned long addr, struct pt_regs *regs)
{
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long) + insn->arch.pop_bytes;
	return true;
}

/* jmp *%reg */
bool __kprobes kprobe_simulate_jmp_reg(const struct kprobe_insn *insn,
				       unsigned long addr, struct pt_regs *regs)
{
	regs->ip = reg_value(regs, insn->arch.reg);
	return true;
}

/* call *%reg; the register may be the stack pointer: read it first */
bool __kprobes kprobe_simulate_call_reg(const struct kprobe_insn *insn,
					unsigned long addr, struct pt_regs *regs)
{
	unsigned long target = reg_value(regs, insn->arch.reg);

	push_value(regs, addr + insn->length);
	regs->ip = target;
	return true;
}

/* jmp *mem */
bool __kprobes kprobe_simulate_jmp_mem(const struct kprobe_insn *insn,
				       unsigned long addr, struct pt_regs *regs)
{
	unsigned long target;

	if (!read_operand(&insn->arch, regs, &target))
		return false;
	regs->ip = target;
	return true;
}

/* call *mem; the address may depend on the stack pointer: read first */
bool __kprobes kprobe_simulate_call_mem(const struct kprobe_insn *insn,
					unsigned long addr, struct pt_regs *regs)
{
	unsigned long target;

	if (!read_operand(&insn->arch, regs, &target))
		return false;
	push_value(regs, addr + insn->length);
	regs->ip = target;
	return true;
}
