// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, arm64: the simulators, and what the core asks about an
 * instruction.
 *
 * Called by the core: at registration arch_kprobe_decode() chooses the
 * simulator, by the hit through kprobe_insn::simulate.  Parameters, context and
 * result of these are those of kprobe_simulate_t.
 *
 * PSTATE.BTYPE: a branch to an address in a register tells its target what kind
 * of branch it was.  Any other instruction clears it: kprobe_brk() has done so.
 */
#include <linux/kprobes.h>
#include <linux/kprobes_arch.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/debug-monitors.h>

#include "a64.h"
#include "simulate.h"

#define SIMULATOR(name, what)							\
static bool __kprobes simulate_##name(const struct kprobe_insn *insn,		\
				      unsigned long addr, struct pt_regs *regs)	\
{										\
	const struct a64_insn *a64 = &insn->arch.a64;				\
										\
	what;									\
	return true;								\
}

SIMULATOR(b_cond, a64_b_cond(a64, addr, regs))
SIMULATOR(cbz, a64_cbz(a64, addr, regs))
SIMULATOR(cbz_w, a64_cbz_w(a64, addr, regs))
SIMULATOR(tbz, a64_tbz(a64, addr, regs))
SIMULATOR(adr, a64_adr(a64, addr, regs))
SIMULATOR(adrp, a64_adrp(a64, addr, regs))

static bool __kprobes simulate_nop(const struct kprobe_insn *insn, unsigned long addr,
				   struct pt_regs *regs)
{
	a64_next(addr, regs);
	return true;
}

static bool __kprobes simulate_b(const struct kprobe_insn *insn, unsigned long addr,
				 struct pt_regs *regs)
{
	a64_branch_if(true, &insn->arch.a64, addr, regs);
	return true;
}

static bool __kprobes simulate_bl(const struct kprobe_insn *insn, unsigned long addr,
				  struct pt_regs *regs)
{
	a64_link(addr, regs);
	a64_branch_if(true, &insn->arch.a64, addr, regs);
	return true;
}

static __always_inline void set_btype(struct pt_regs *regs, u64 btype)
{
	if (IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && system_supports_bti())
		regs->pstate = (regs->pstate & ~PSR_BTYPE_MASK) | btype;
}

/*
 * Without the feature the instruction does not exist, and the copy in the slot
 * tells the kernel so.
 */
static __always_inline bool can_authenticate(const struct a64_insn *a64)
{
	return a64->auth == A64_AUTH_NONE || system_supports_address_auth();
}

/* The two registers that PLTs and veneers go through may jump to functions. */
static bool __kprobes simulate_br(const struct kprobe_insn *insn, unsigned long addr,
				  struct pt_regs *regs)
{
	const struct a64_insn *a64 = &insn->arch.a64;

	if (!can_authenticate(a64))
		return false;
	regs->pc = a64_register_target(a64, regs);
	set_btype(regs, a64->reg == 16 || a64->reg == 17 ? PSR_BTYPE_JC : PSR_BTYPE_J);
	return true;
}

/* The target may be in the link register: read it first. */
static bool __kprobes simulate_blr(const struct kprobe_insn *insn, unsigned long addr,
				   struct pt_regs *regs)
{
	const struct a64_insn *a64 = &insn->arch.a64;

	if (!can_authenticate(a64))
		return false;
	regs->pc = a64_register_target(a64, regs);
	a64_link(addr, regs);
	set_btype(regs, PSR_BTYPE_C);
	return true;
}

static bool __kprobes simulate_ret(const struct kprobe_insn *insn, unsigned long addr,
				   struct pt_regs *regs)
{
	const struct a64_insn *a64 = &insn->arch.a64;

	if (!can_authenticate(a64))
		return false;
	regs->pc = a64_register_target(a64, regs);
	return true;
}

/*
 * Literals are the kernel's own, next to the code: if they cannot be read, then
 * the kernel has lost its way, and it is as well to say so here.
 */
#define LITERAL(name, type)							\
static bool __kprobes simulate_##name(const struct kprobe_insn *insn,		\
				      unsigned long addr, struct pt_regs *regs)	\
{										\
	const struct a64_insn *a64 = &insn->arch.a64;				\
	const type *literal = (const type *)(addr + a64->offset);		\
										\
	pt_regs_write_reg(regs, a64->reg, READ_ONCE(*literal));			\
	a64_next(addr, regs);							\
	return true;								\
}

LITERAL(ldr, u64)
LITERAL(ldr_w, u32)
LITERAL(ldrsw, s32)

/*
 * Load vector register @number from the 16 bytes at @from.  ("ldr qN, [@from]",
 * which the assembler does not know here; each behind "bti j".)
 */
static __always_inline void load_vector(unsigned int number, const u64 *from)
{
	register const u64 *pointer asm("x16") = from;
	unsigned long entry;

	asm volatile("	adr	%[entry], 1f\n"
		     "	add	%[entry], %[entry], %[number], lsl #4\n"
		     "	br	%[entry]\n"
		     "1:\n"
		     "	.set	.Lvector, 0\n"
		     "	.rept	32\n"
		     "	hint	#36\n"
		     "	.inst	0x3dc00000 | 16 << 5 | .Lvector\n"
		     "	b	2f\n"
		     "	nop\n"
		     "	.set	.Lvector, .Lvector + 1\n"
		     "	.endr\n"
		     "2:\n"
		     : [entry] "=&r" (entry)
		     : [number] "r" ((unsigned long)number), "r" (pointer)
		     : "memory");
}

/*
 * The kernel does not use vector registers but where it says so, and handlers
 * run with those of the code that was interrupted.  A shorter load clears the
 * rest of the register.
 */
static bool __kprobes simulate_ldr_vector(const struct kprobe_insn *insn,
					  unsigned long addr, struct pt_regs *regs)
{
	const struct a64_insn *a64 = &insn->arch.a64;
	const void *literal = (const void *)(addr + a64->offset);
	u64 value[2] = { };

	switch (a64->arg) {
	case 4:
		value[0] = READ_ONCE(*(const u32 *)literal);
		break;
	case 8:
		value[0] = READ_ONCE(*(const u64 *)literal);
		break;
	case 16:
		value[0] = READ_ONCE(((const u64 *)literal)[0]);
		value[1] = READ_ONCE(((const u64 *)literal)[1]);
		break;
	}
	load_vector(a64->reg, value);
	a64_next(addr, regs);
	return true;
}

static const kprobe_simulate_t simulators[] = {
	[A64_NOP] = simulate_nop,
	[A64_B] = simulate_b,
	[A64_BL] = simulate_bl,
	[A64_B_COND] = simulate_b_cond,
	[A64_CBZ] = simulate_cbz,
	[A64_CBZ_W] = simulate_cbz_w,
	[A64_TBZ] = simulate_tbz,
	[A64_BR] = simulate_br,
	[A64_BLR] = simulate_blr,
	[A64_RET] = simulate_ret,
	[A64_ADR] = simulate_adr,
	[A64_ADRP] = simulate_adrp,
	[A64_LDR] = simulate_ldr,
	[A64_LDR_W] = simulate_ldr_w,
	[A64_LDRSW] = simulate_ldrsw,
	[A64_LDR_VECTOR] = simulate_ldr_vector,
};

static u32 word_at(const u8 *bytes)
{
	__le32 word;

	memcpy(&word, bytes, sizeof(word));
	return le32_to_cpu(word);
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_decode(struct kprobe_insn *insn, unsigned long addr, const char **why)
{
	struct a64_insn *a64 = &insn->arch.a64;
	int ret;

	if (insn->avail < A64_INSN_BYTES) {
		*why = "not an instruction";
		return -EILSEQ;
	}
	ret = a64_decode(word_at(insn->bytes), a64, why);
	if (ret)
		return ret;

	insn->length = A64_INSN_BYTES;
	insn->exec = a64->kind == A64_COPY ? KPROBE_EXEC_BOOST : KPROBE_EXEC_SIMULATE;
	insn->simulate = simulators[a64->kind];
	insn->wants_slot = a64->kind == A64_COPY || a64->auth != A64_AUTH_NONE;
	return 0;
}

/* Documented in <linux/kprobes_arch.h>. */
int arch_kprobe_insn_length(const u8 *bytes, size_t avail)
{
	return avail < A64_INSN_BYTES ? -EILSEQ : A64_INSN_BYTES;
}

#define BRANCH_OPCODE	0x14000000
#define BRANCH_REACH	((long)SZ_128M)

/*
 * Modules, and slots with them, may be farther away from the kernel than a
 * branch reaches (KASLR).  Then the slot ends with a breakpoint.
 *
 * Documented in <linux/kprobes_arch.h>.
 */
int arch_kprobe_build_slot(struct kprobe_insn *insn, unsigned long addr,
			   unsigned long slot, void *image)
{
	long back = addr - slot;
	u32 jump = BRK64_OPCODE_KPROBES;
	__le32 *words = image;
	unsigned int i;

	if (back >= -BRANCH_REACH && back < BRANCH_REACH)
		jump = BRANCH_OPCODE | (back >> 2 & 0x03ffffff);
	else if (insn->exec == KPROBE_EXEC_BOOST)
		insn->exec = KPROBE_EXEC_STEP;

	memcpy(&words[0], insn->bytes, A64_INSN_BYTES);
	words[1] = cpu_to_le32(jump);
	for (i = 2; i < KPROBE_SLOT_BYTES / A64_INSN_BYTES; i++)
		words[i] = cpu_to_le32(BRK64_OPCODE_KPROBES);
	insn->tail = A64_INSN_BYTES;
	insn->tail_jump = (__force u32)words[1];
	return 0;
}
