/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: the contract between the generic core and an architecture.
 *
 * For kernel/kprobes/ and arch/<arch>/kernel/kprobes/ only.  Porting kprobes
 * means filling in <asm/kprobes.h> and the arch_kprobe_*() functions declared
 * here; nothing else.  The core keeps the table of probe points, the life of a
 * probe, the hit, slot memory, the blacklist and the debugfs files.
 *
 * <asm/kprobes.h> defines, next to including <asm-generic/kprobes.h>:
 *
 * kprobe_opcode_t
 *	One opcode unit: what a breakpoint overwrites, the unit of alignment of
 *	instructions (u8 on x86, u32 on arm64, u16 on riscv with RVC).
 * KPROBE_BREAKPOINT
 *	The opcode unit that traps.
 * KPROBE_INSN_BYTES_MAX
 *	Bytes of the longest instruction.
 * KPROBE_SLOT_BYTES
 *	Bytes of an out-of-line slot: room for the longest copy with its jump
 *	back, a multiple of the alignment of instructions.
 * KPROBE_IP_OFFSET
 *	A handler sees instruction_pointer(regs) at this many bytes behind the
 *	probed address, whatever way the hit was delivered (x86: 1, the way its
 *	breakpoint trap always reported it; others: 0).
 * KPROBE_TRAP_LEVEL
 *	What the architecture's breakpoint entry has added to preempt_count()'s
 *	level bits (softirq serving, hardirq, NMI) when it calls kprobe_trap().
 *	With it the core knows what the trap interrupted.  On x86 the trap
 *	enters like an NMI: NMI_OFFSET + HARDIRQ_OFFSET.
 * KPROBE_TAIL_CALL_BYTES
 *	Bytes of a call that can take the place of a slot's jump back, to run
 *	post_handlers without a second trap, and of what follows it there: the
 *	return address must be in the slot.  Not defined: there is none.
 * struct arch_kprobe_insn
 *	What arch_kprobe_decode() wants to remember for its simulators.
 * KPROBE_SLOT_REACH
 *	Only where text may be out of reach of the pages that module_alloc() gives:
 *	how far, in bytes, a page of slots may be from a probed address.  What is
 *	farther away gets pages of its own, if arch_kprobe_alloc_slot_page() has some.
 *
 * and, with CONFIG_OPTPROBES (jumps in place of breakpoints):
 *
 * KPROBE_JUMP_BYTES
 *	Bytes of the jump that takes the place of a breakpoint.  Where it is one
 *	opcode unit, the text is changed by one store and no other instruction
 *	is touched; else it replaces all instructions that begin in it.
 * KPROBE_DETOUR_BYTES
 *	Bytes of a detour buffer.
 * KPROBE_DETOUR_ENTRY, KPROBE_DETOUR_BODY
 *	Where in a detour buffer the jump arrives, and where the copies of the
 *	replaced instructions begin.  The body is at 0 if the jump does not lead
 *	to the buffer, but to code that finds out where it came from: that is to
 *	call kprobe_jump_hit().
 * KPROBE_JUMP_BACK_BYTES
 *	Bytes of the jump at the end of a detour buffer, if that is not made like
 *	the one to it: then arch_kprobe_put_jump_back() is the architecture's.
 * KPROBE_RELATIVE_JUMP_TABLES
 *	Defined if compilers make tables (of switch) that do not hold addresses.
 */
#ifndef _LINUX_KPROBES_ARCH_H
#define _LINUX_KPROBES_ARCH_H

#include <linux/context_tracking.h>
#include <linux/kprobes.h>

struct kprobe_insn;

/**
 * enum kprobe_exec - how the original instruction of a probe point is executed
 * @KPROBE_EXEC_SIMULATE: kprobe_insn::simulate does its work on the saved
 *	registers, in the trap
 * @KPROBE_EXEC_BOOST: a copy in a slot is run, and followed by a jump to the
 *	next instruction.  Where a post_handler wants to run, the core replaces
 *	that jump by a call, or its first opcode unit by a breakpoint
 * @KPROBE_EXEC_STEP: a copy in a slot is run, and always followed by a
 *	breakpoint (no jump reaches back, or none without a free register)
 *
 * Whatever runs in a slot runs with the interrupted context's own flags, may
 * be preempted, may fault; no state of the hit is kept meanwhile.
 */
enum kprobe_exec {
	KPROBE_EXEC_SIMULATE,
	KPROBE_EXEC_BOOST,
	KPROBE_EXEC_STEP,
};

/**
 * typedef kprobe_simulate_t - execute an instruction on saved registers
 * @insn: the instruction, as decoded
 * @addr: its address
 * @regs: the registers to work on; on return instruction_pointer(regs) is
 *	that of the instruction executed next
 *
 * Context: the hit: preemption off, maybe NMI; no locks, no allocation, must
 * itself be excluded from probing (__kprobes).
 * Return: true if done.  False if the instruction cannot be completed because
 * it would fault: then the core runs the slot, if the instruction has one, so
 * that the fault is a real one.  On false @regs must be untouched.
 */
typedef bool (*kprobe_simulate_t)(const struct kprobe_insn *insn,
				  unsigned long addr, struct pt_regs *regs);

/**
 * struct kprobe_insn - an instruction, decoded for being probed
 * @bytes: the original instruction and what follows it in memory, without any
 *	probe's breakpoint
 * @avail: how many of @bytes are valid: up to the end of the function
 * @length: bytes of the instruction, from arch_kprobe_decode()
 * @exec: how to execute it, from arch_kprobe_decode()
 * @wants_slot: from arch_kprobe_decode(): for KPROBE_EXEC_SIMULATE, whether a
 *	slot is to be made all the same, for executions that would fault
 * @tail: where in the slot the jump back (KPROBE_EXEC_BOOST) or the breakpoint
 *	(KPROBE_EXEC_STEP) stands, in bytes, from arch_kprobe_build_slot()
 * @tail_jump: first opcode unit of the jump at @tail, from
 *	arch_kprobe_build_slot()
 * @simulate: from arch_kprobe_decode(), for KPROBE_EXEC_SIMULATE
 * @slot: address of the slot or 0; the core's
 * @arch: the architecture's
 */
struct kprobe_insn {
	u8 bytes[KPROBE_INSN_BYTES_MAX];
	u8 avail;
	u8 length;
	u8 exec;
	bool wants_slot;
	u8 tail;
	kprobe_opcode_t tail_jump;
	kprobe_simulate_t simulate;
	unsigned long slot;
	struct arch_kprobe_insn arch;
};

/**
 * struct kprobe_poke - one opcode unit to be written to kernel text
 * @addr: where
 * @opcode: what
 */
struct kprobe_poke {
	kprobe_opcode_t *addr;
	kprobe_opcode_t opcode;
};

/* What the architecture supplies. */

/**
 * arch_kprobe_decode() - decide whether and how an instruction can be probed
 * @insn: @bytes and @avail are filled in; on success the function has set
 *	@length, @exec, @wants_slot, @simulate and @arch
 * @addr: address of the instruction
 * @why: on failure set to a short reason for a human ("far branch")
 *
 * Depends on its arguments alone, so that it can be tested outside a kernel.
 *
 * Context: process context, registration mutex held.
 * Return: 0, -EILSEQ if the bytes are no instruction, -EINVAL if the
 * instruction is one that cannot be probed.
 */
int arch_kprobe_decode(struct kprobe_insn *insn, unsigned long addr,
		       const char **why);

/**
 * arch_kprobe_insn_length() - length of the instruction at the start of a buffer
 * @bytes: original text, free of any probe's breakpoint
 * @avail: how many bytes there are
 *
 * For walking a function from its start to find its instruction boundaries.
 * A breakpoint that is part of the text (padding) has a length like any other
 * instruction.
 *
 * Return: bytes, or -EILSEQ if nothing that can be decoded stands there.
 */
int arch_kprobe_insn_length(const u8 *bytes, size_t avail);

/**
 * arch_kprobe_build_slot() - make the out-of-line copy of an instruction
 * @insn: the decoded instruction; the function sets @tail and @tail_jump
 * @addr: its address
 * @slot: address at which the copy will run
 * @image: KPROBE_SLOT_BYTES bytes to be filled with what shall stand at @slot
 *
 * Return: 0, or -ERANGE if an operand or the jump back does not reach.
 */
int arch_kprobe_build_slot(struct kprobe_insn *insn, unsigned long addr,
			   unsigned long slot, void *image);

#ifdef KPROBE_TAIL_CALL_BYTES
/**
 * arch_kprobe_put_tail_call() - make the call behind the copy in a slot
 * @image: KPROBE_TAIL_CALL_BYTES bytes to be filled in
 * @at: address at which the call will run; its return address still is in the slot
 * @back: where to go on: behind the probed instruction
 *
 * What is called makes a register frame and calls kprobe_tail_hit().
 *
 * Return: 0, or -ERANGE if the architecture's code is out of reach; then @image is
 * as it was.
 */
int arch_kprobe_put_tail_call(void *image, unsigned long at, unsigned long back);
#endif

#ifdef KPROBE_SLOT_REACH
/**
 * arch_kprobe_alloc_slot_page() - get a page for slots
 * @near: a probed address that is out of reach of the pages there are, or 0
 *
 * Context: process context, may sleep.
 * Return: PAGE_SIZE bytes of vmalloc(), page aligned, writable, or NULL: within
 * KPROBE_SLOT_REACH of @near, or of all of the kernel's text, if there is room.  The
 * core makes them executable, and not writable under any alias.
 */
void *arch_kprobe_alloc_slot_page(unsigned long near);
#endif

/**
 * arch_kprobe_write_text() - fill out-of-line memory that no CPU executes yet
 * @dst: where, in a page of slots
 * @src: what
 * @len: bytes, a multiple of the opcode unit; no page boundary is crossed
 *
 * The core calls it once for all the slots of a batch that are next to each
 * other.  On return, any CPU that comes there by way of a breakpoint or jump that
 * arch_kprobe_poke() writes later executes what was written.
 *
 * Context: process context, text_mutex held.
 */
void arch_kprobe_write_text(void *dst, const void *src, size_t len);

/**
 * arch_kprobe_poke() - replace opcode units of running code
 * @pokes: what to write where
 * @n: how many
 *
 * Each location is one at which a breakpoint replaces the first opcode unit of
 * an instruction, or the other way round, or where a jump replaces a breakpoint,
 * or the other way round.  Jumps that replace breakpoints come in calls of their
 * own.  On return every CPU executes what was written, @n being paid for with one
 * synchronisation.
 *
 * Context: process context, text_mutex held.
 */
void arch_kprobe_poke(const struct kprobe_poke *pokes, unsigned int n);

/**
 * arch_kprobe_entry_offset() - where a function's probe point really is
 * @entry: address of the function's symbol
 *
 * Return: bytes from @entry to the first instruction that may be probed: 0, or
 * the size of a landing pad that must stay in place (ENDBR, BTI), or of the
 * global entry code.
 */
unsigned int arch_kprobe_entry_offset(unsigned long entry);

/**
 * arch_kprobe_reserved() - text that belongs to somebody who rewrites it
 * @start: first byte
 * @end: last byte
 * @why: set to a short reason when the answer is true
 *
 * For what only the architecture knows of; static keys, static calls, BUG
 * tables and ftrace sites are checked by the core.
 *
 * Context: process context, registration mutex held.
 */
bool arch_kprobe_reserved(unsigned long start, unsigned long end,
			  const char **why);

/**
 * struct kprobe_area - text that must not be probed
 * @start: first byte
 * @end: the byte behind it; it may be @start
 */
struct kprobe_area {
	unsigned long start;
	unsigned long end;
};

/*
 * What the architecture excludes from probing, entry code mostly; ends with an
 * element of zeros.  The core itself excludes .kprobes.text, .noinstr.text, the
 * idle loop's innermost part, and what is marked by NOKPROBE_SYMBOL().
 */
extern const struct kprobe_area arch_kprobe_areas[];

#ifdef CONFIG_OPTPROBES
/*
 * A detour buffer:
 *
 *	KPROBE_DETOUR_ENTRY	saves the registers, calls kprobe_detour_hit()
 *	KPROBE_DETOUR_BODY	copies of the instructions the jump replaces
 *				a jump back, behind the last one
 *
 * The core decides which instructions a jump may replace, puts the buffer
 * together from the pieces below, and never lets a jump into text that a task
 * may stand in.
 */

/**
 * struct kprobe_flow - where execution can go from an instruction
 * @length: bytes of the instruction
 * @ends: execution does not go on behind it (jump, return)
 * @indirect: it jumps to an address that is not part of it, within the function
 *	perhaps (a jump table)
 * @filler: no effect: what stands between functions and in front of loops
 * @target: addresses it branches to or has as an operand; 0 for none
 */
struct kprobe_flow {
	u8 length;
	bool ends;
	bool indirect;
	bool filler;
	unsigned long target[2];
};

/**
 * arch_kprobe_flow() - where can execution go from an instruction
 * @bytes: original text
 * @avail: how many bytes there are
 * @addr: their address
 * @flow: to be filled in
 *
 * Used only where KPROBE_JUMP_BYTES is more than one opcode unit.
 *
 * Context: process context.
 * Return: 0, or -EILSEQ if nothing that can be decoded stands there.
 */
int arch_kprobe_flow(const u8 *bytes, size_t avail, unsigned long addr,
		     struct kprobe_flow *flow);

/**
 * arch_kprobe_relocate() - make a copy of an instruction for a detour buffer
 * @insn: the instruction, decoded by arch_kprobe_decode()
 * @from: its address
 * @to: address at which the copy will run
 * @image: where to write the copy
 * @room: bytes there
 * @why: on failure set to a short reason
 *
 * The copy must have all effects of the original, with the addresses the
 * original would have used.  A call leaves the true return address, since its
 * callee may sleep longer than the buffer exists: the core makes sure that the
 * address behind the call is not in what the jump replaces.
 *
 * Context: process context, kprobe_mutex held.
 * Return: bytes of the copy (0 if there is nothing to do), or a negative errno.
 */
int arch_kprobe_relocate(const struct kprobe_insn *insn, unsigned long from,
			 unsigned long to, u8 *image, unsigned int room,
			 const char **why);

/**
 * arch_kprobe_calls() - does an instruction note a return address
 * @insn: the instruction, decoded by arch_kprobe_decode()
 */
bool arch_kprobe_calls(const struct kprobe_insn *insn);

/**
 * arch_kprobe_put_jump() - make a jump
 * @image: where to write it: KPROBE_JUMP_BYTES
 * @from: address at which it will run
 * @to: where it goes
 *
 * Context: process context, kprobe_mutex held.
 * Return: 0, -ERANGE if it does not reach, or -EBUSY if it would need a register
 * and all are in use at @from.
 */
int arch_kprobe_put_jump(void *image, unsigned long from, unsigned long to);

/**
 * arch_kprobe_put_jump_back() - make the jump at the end of a detour buffer
 * @image: where to write it: KPROBE_JUMP_BACK_BYTES
 * @from: address at which it will run
 * @to: where it goes
 *
 * Context: process context, kprobe_mutex held.
 * Return: 0, -ERANGE, or -EBUSY if all registers are in use at @to.
 */
#ifdef KPROBE_JUMP_BACK_BYTES
int arch_kprobe_put_jump_back(void *image, unsigned long from, unsigned long to);
#else
#define KPROBE_JUMP_BACK_BYTES		KPROBE_JUMP_BYTES
#define arch_kprobe_put_jump_back	arch_kprobe_put_jump
#endif

/**
 * arch_kprobe_put_entry() - make the start of a detour buffer
 * @image: KPROBE_DETOUR_BODY bytes to be filled in
 * @detour: address of the buffer
 * @pt: what is to be passed to kprobe_detour_hit(); its first word is the probed
 *	address
 *
 * Return: 0, or -ERANGE if the architecture's code is out of reach.
 */
int arch_kprobe_put_entry(void *image, unsigned long detour,
			  struct kprobe_point *pt);
#endif /* CONFIG_OPTPROBES */

#ifdef CONFIG_KRETPROBES
/*
 * <asm/kretprobe.h> defines, as inline functions:
 *
 * void arch_kretprobe_prepare(struct kretprobe_instance *ri, struct pt_regs *regs)
 *	Note where a call returns to, @regs being those at the function's entry:
 *	@ri->ret_addr is to be set to what the function would return to now, and
 *	@ri->fp to what tells this call from others.  It must be what the
 *	trampoline passes to kretprobe_return(), and what an unwinder passes to
 *	kretprobe_find_ret_addr() when it comes across the trampoline's address.
 *
 * void arch_kretprobe_hijack(struct pt_regs *regs)
 *	Make this call return to __kretprobe_trampoline.
 *
 * void arch_kretprobe_fixup(struct pt_regs *regs, void *fp, unsigned long ret_addr)
 *	Write the true return address where the trampoline, and an unwinder that
 *	passes through it, will find it.  @regs and @fp are what the trampoline
 *	passed to kretprobe_return().
 *
 * They are part of the hit: any context, preemption off.
 */
#include <asm/kretprobe.h>
#endif

/* What the core offers to the architecture. */

/*
 * Must RCU be told that this CPU is about to read (ct_nmi_enter())?  It may be idle.
 * For code of the hit that nobody has told RCU of, with preemption off.
 */
static __always_inline bool kprobe_rcu_idle(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	/* rcu_dynticks_curr_cpu_in_eqs(), without the address of the counter. */
	return !(raw_cpu_read(context_tracking.state.counter) & RCU_DYNTICKS_IDX);
#else
	return false;
#endif
}

/**
 * kprobe_trap() - a breakpoint was hit in kernel text
 * @regs: registers of the interrupted code
 * @addr: address of the breakpoint
 *
 * To be called by the architecture's breakpoint exception for every breakpoint
 * in kernel mode that could be a probe's, with KPROBE_TRAP_LEVEL on
 * preempt_count(), RCU watching, preemption off.
 *
 * Return: true if it was a probe's (@regs are set up for going on), false if
 * it is somebody else's.
 */
bool kprobe_trap(struct pt_regs *regs, unsigned long addr);

#ifdef KPROBE_TAIL_CALL_BYTES
/**
 * kprobe_tail_hit() - the copy in a slot was executed, the call behind it taken
 * @regs: registers then; the instruction pointer may still be in the slot
 * @addr: an address in the slot
 *
 * Runs the post_handlers.  They may change all of @regs.
 *
 * Context: any the probed code runs in.  On return @regs say where to go on.
 */
void kprobe_tail_hit(struct pt_regs *regs, unsigned long addr);
#endif

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_detour_hit() - a probe was reached by its jump
 * @pt: what arch_kprobe_put_entry() was given
 * @regs: registers of the code that reached it, instruction pointer at the
 *	probed address plus KPROBE_IP_OFFSET
 *
 * Runs the handlers.  They may change all of @regs.
 *
 * Context: any the probed code runs in.
 * Return: 0 to go on in the body of the detour buffer; else a handler has set up
 * @regs to go on elsewhere.
 */
int kprobe_detour_hit(struct kprobe_point *pt, struct pt_regs *regs);

/**
 * kprobe_jump_hit() - a probe was reached by its jump, and only its address is known
 * @addr: the probed address
 * @regs: as for kprobe_detour_hit()
 *
 * In place of kprobe_detour_hit(), where KPROBE_DETOUR_BODY is 0.
 *
 * Return: the address to go on at.
 */
unsigned long kprobe_jump_hit(unsigned long addr, struct pt_regs *regs);
#endif

/*
 * For architectures that look at the text around a probe, too.  Documented in
 * kernel/kprobes/boundary.c and reserved.c.
 */
int kprobe_copy_text(void *dst, unsigned long addr, size_t len);
int kprobe_check_reserved(unsigned long start, unsigned long end, const char **why);

#ifdef CONFIG_KRETPROBES
/**
 * kretprobe_return() - a followed function has returned to the trampoline
 * @regs: the trampoline's register frame: the registers at the return
 * @fp: kretprobe_instance::fp of the calls that return here
 *
 * Runs the handlers, gives the instances back, calls arch_kretprobe_fixup().
 *
 * Context: any the probed function returns in; the trampoline calls it with
 * nothing changed but the registers saved.
 * Return: the true return address.
 */
unsigned long kretprobe_return(struct pt_regs *regs, void *fp);
#endif

#endif /* _LINUX_KPROBES_ARCH_H */
