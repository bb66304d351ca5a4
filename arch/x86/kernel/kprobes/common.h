/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, x86: what the files of this folder share.
 *
 * Also for arch/x86/kernel/rethook.c, whose trampoline builds its register
 * frame with the two macros at the end.
 */
#ifndef _X86_KERNEL_KPROBES_COMMON_H
#define _X86_KERNEL_KPROBES_COMMON_H

#include <asm/asm.h>
#include <asm/frame.h>
#include <asm/unwind_hints.h>

/* The register frame is needed without probes, too. */
#ifdef CONFIG_KPROBES

#include <linux/kprobes_arch.h>

/*
 * An imaginary bit of EFLAGS: SF differs from OF ("less", for signed numbers).
 * The real bit 31 is reserved and zero.
 */
#define KPROBE_FLAG_LESS	BIT(31)

/* simulate.c: decode.c chooses among these. */
bool kprobe_simulate_jmp(const struct kprobe_insn *insn, unsigned long addr,
			 struct pt_regs *regs);
bool kprobe_simulate_jcc(const struct kprobe_insn *insn, unsigned long addr,
			 struct pt_regs *regs);
bool kprobe_simulate_loop(const struct kprobe_insn *insn, unsigned long addr,
			  struct pt_regs *regs);
bool kprobe_simulate_jcxz(const struct kprobe_insn *insn, unsigned long addr,
			  struct pt_regs *regs);
bool kprobe_simulate_call(const struct kprobe_insn *insn, unsigned long addr,
			  struct pt_regs *regs);
bool kprobe_simulate_ret(const struct kprobe_insn *insn, unsigned long addr,
			 struct pt_regs *regs);
bool kprobe_simulate_jmp_reg(const struct kprobe_insn *insn, unsigned long addr,
			     struct pt_regs *regs);
bool kprobe_simulate_call_reg(const struct kprobe_insn *insn, unsigned long addr,
			      struct pt_regs *regs);
bool kprobe_simulate_jmp_mem(const struct kprobe_insn *insn, unsigned long addr,
			     struct pt_regs *regs);
bool kprobe_simulate_call_mem(const struct kprobe_insn *insn, unsigned long addr,
			      struct pt_regs *regs);

/* tail_entry.S: slots call it; detour_entry.S: detour buffers call it */
extern char kprobe_tail_enter[];
extern char kprobe_detour_enter[];

#endif /* CONFIG_KPROBES */

/* ftrace_64.S: the end of what is copied to make a trampoline. */
extern const char ftrace_caller_end[];
extern const char ftrace_regs_caller_end[];

/*
 * SAVE_REGS_STRING: with pt_regs::ss, sp and flags on the stack already, make
 * the rest of a struct pt_regs below them.  What a trampoline fills in itself
 * (cs, ip, orig_ax and, on 32 bit, gs) is only given room.  A frame pointer
 * becomes the mark of a register frame.
 *
 * RESTORE_REGS_STRING: load the general registers from there; the stack pointer
 * ends at pt_regs::flags.
 *
 * objtool follows the pushes and pops by itself: no unwind hints.
 */
#ifdef CONFIG_X86_64
#define SAVE_REGS_STRING						\
	"sub $(3 * 8), %rsp\n"	/* cs, ip, orig_ax */			\
	"push %rdi; push %rsi; push %rdx; push %rcx; push %rax\n"	\
	"push %r8; push %r9; push %r10; push %r11\n"			\
	"push %rbx; push %rbp\n"					\
	"push %r12; push %r13; push %r14; push %r15\n"			\
	ENCODE_FRAME_POINTER
#define RESTORE_REGS_STRING						\
	"pop %r15; pop %r14; pop %r13; pop %r12\n"			\
	"pop %rbp; pop %rbx\n"						\
	"pop %r11; pop %r10; pop %r9; pop %r8\n"			\
	"pop %rax; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n"		\
	"add $(3 * 8), %rsp\n"	/* orig_ax, ip, cs */
#else
#define SAVE_REGS_STRING						\
	"sub $(4 * 4), %esp\n"	/* cs, ip, orig_ax, gs */		\
	"push %fs; push %es; push %ds\n"				\
	"push %eax; push %ebp; push %edi; push %esi\n"			\
	"push %edx; push %ecx; push %ebx\n"				\
	ENCODE_FRAME_POINTER
#define RESTORE_REGS_STRING						\
	"pop %ebx; pop %ecx; pop %edx\n"				\
	"pop %esi; pop %edi; pop %ebp; pop %eax\n"			\
	"add $(7 * 4), %esp\n"	/* ds, es, fs, gs, orig_ax, ip, cs */
#endif

#endif /* _X86_KERNEL_KPROBES_COMMON_H */
