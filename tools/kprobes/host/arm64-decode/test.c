// SPDX-License-Identifier: GPL-2.0-only
/*
 * An arm64 program (run by an arm64 CPU, or by qemu-aarch64) that checks the
 * decoder, the simulators, the slots and the detour buffers of this repository.
 *
 *	test			compares these with the CPU; KTAP
 *	test --decode		reads words (hexadecimal, one a line), prints for each
 *				what the decoder says
 *
 * The CPU executes one instruction at a time like this: a signal handler
 * replaces the interrupted registers by those of the test, with the program
 * counter on the instruction.  Whatever it falls into, or branches to, is a
 * breakpoint or not there at all, and the handler of that takes the registers
 * out.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define __KERNEL__ 1
#include "../../../../arch/arm64/kernel/kprobes/decode.c"
#include "../../../../arch/arm64/kernel/kprobes/simulate.c"
#include "../../../../arch/arm64/kernel/kprobes/detour.c"
#include "../ktap.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NZCV		0xf0000000

/* The instruction stands in the middle of the area; all else is breakpoints. */
#define AREA		0x200000UL
#define CODE		0x40000000UL
#define AT		(CODE + AREA / 2)
#define SLOT		(CODE + 0x1000)

/* A detour buffer, where no conditional branch gets by chance, and a stack. */
#define DETOUR_AREA	0x4000UL
#define DETOUR		(CODE + 2 * AREA)
#define STACK		(DETOUR + DETOUR_AREA - 0x1000)

bool shim_has_pauth, shim_has_bti = true;

static unsigned int below(unsigned int n)
{
	return (random64() >> 20) % n;
}

/* The CPU */

static struct pt_regs cpu_in, cpu_out;
static volatile bool cpu_running;
static mcontext_t cpu_saved;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	unsigned int i;

	if (cpu_running) {
		for (i = 0; i < 31; i++)
			cpu_out.regs[i] = m->regs[i];
		cpu_out.sp = m->sp;
		cpu_out.pc = m->pc;
		cpu_out.pstate = m->pstate;
		cpu_running = false;
		*m = cpu_saved;
		m->pc += 4;
		return;
	}
	if (sig != SIGTRAP) {
		signal(sig, SIG_DFL);
		return;
	}
	cpu_saved = *m;
	for (i = 0; i < 31; i++)
		m->regs[i] = cpu_in.regs[i];
	m->sp = cpu_in.sp;
	m->pc = cpu_in.pc;
	m->pstate = (m->pstate & ~(u64)NZCV) | (cpu_in.pstate & NZCV);
	cpu_running = true;
}

static void cpu_execute(const struct pt_regs *in, struct pt_regs *out)
{
	cpu_in = *in;
	asm volatile("brk #1" ::: "memory");
	*out = cpu_out;
}

static void map_breakpoints(unsigned long at, unsigned long bytes)
{
	u32 *words = mmap((void *)at, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	unsigned int i;

	if (words != (void *)at) {
		printf("1..0 # SKIP no memory at %#lx\n", at);
		exit(0);
	}
	for (i = 0; i < bytes / 4; i++)
		words[i] = 0xd4200020;
}

static void cpu_setup(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_size = 0x40000 };

	map_breakpoints(CODE, AREA);
	map_breakpoints(DETOUR, DETOUR_AREA);
	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	action.sa_sigaction = on_signal;
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	shim_has_pauth = getauxval(AT_HWCAP) & (1 << 30);	/* HWCAP_PACA */
}

static void put_word(unsigned long at, u32 word)
{
	*(u32 *)at = word;
	__builtin___clear_cache((char *)at, (char *)at + 4);
}

static bool same(const struct pt_regs *a, const struct pt_regs *b)
{
	return !memcmp(a->regs, b->regs, sizeof(a->regs)) && a->sp == b->sp &&
	       a->pc == b->pc && !((a->pstate ^ b->pstate) & NZCV);
}

static void show_difference(u32 word, const struct pt_regs *cpu, const struct pt_regs *ours)
{
	unsigned int i;

	complain("%08x", word);
	for (i = 0; i < 31; i++)
		if (cpu->regs[i] != ours->regs[i])
			complain("  x%u: CPU %#lx, ours %#lx", i, cpu->regs[i], ours->regs[i]);
	if (cpu->sp != ours->sp)
		complain("  sp: CPU %#lx, ours %#lx", cpu->sp, ours->sp);
	if (cpu->pc != ours->pc)
		complain("  pc: CPU %#lx, ours %#lx", cpu->pc, ours->pc);
	if ((cpu->pstate ^ ours->pstate) & NZCV)
		complain("  flags: CPU %#lx, ours %#lx", cpu->pstate, ours->pstate);
}

/* Addresses in registers are such that nothing is there. */
static void random_regs(struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < 31; i++) {
		regs->regs[i] = random64();
		if (!below(4))
			regs->regs[i] &= 0xffffffff00000000;
		if (!below(8))
			regs->regs[i] = 0;
	}
	regs->sp = STACK + 16 * below(0x80);
	regs->pc = AT;
	regs->pstate = random64() & NZCV;
}

static bool decode_at(struct kprobe_insn *insn, u32 word)
{
	const char *why = NULL;

	memset(insn, 0, sizeof(*insn));
	memcpy(insn->bytes, &word, sizeof(word));
	insn->avail = sizeof(word);
	if (!arch_kprobe_decode(insn, AT, &why))
		return true;
	complain("%08x is refused: %s", word, why);
	return false;
}

/* In the place of the kernel's: what it saves and restores was not changed. */
asm(".globl	kprobe_detour_enter\n"
    "kprobe_detour_enter:\n"
    "	hint	#34\n"
    "	ret\n");

/* Returns what arch_kprobe_relocate() does. */
static int build_detour(const struct kprobe_insn *insn, const char **why)
{
	u8 *image = (u8 *)DETOUR, *body = image + KPROBE_DETOUR_BODY;
	unsigned int room = KPROBE_DETOUR_BYTES - KPROBE_DETOUR_BODY - KPROBE_JUMP_BYTES;
	unsigned long back;
	int bytes;

	memset(image, 0, KPROBE_DETOUR_BYTES);
	arch_kprobe_put_entry(image, DETOUR, (struct kprobe_point *)AT);
	bytes = arch_kprobe_relocate(insn, AT, (unsigned long)body, body, room, why);
	if (bytes < 0)
		return bytes;
	back = (unsigned long)body + bytes;
	if (arch_kprobe_put_jump(body + bytes, back, AT + 4))
		complain("the jump back does not reach");
	__builtin___clear_cache((char *)image, (char *)image + KPROBE_DETOUR_BYTES);
	return bytes;
}

/* The farthest operands are not reached from the buffer any more. */
static bool is_near_the_end(const struct a64_insn *a64)
{
	s64 reach = a64->kind == A64_ADRP ? 1L << 32 : 1L << 27;

	return a64->offset < -reach + (s64)AREA * 2 || a64->offset >= reach - (s64)AREA * 2;
}

/* Execute @word by way of a detour buffer; @cpu is what it does at AT. */
static void compare_detour(u32 word, const struct pt_regs *regs, const struct pt_regs *cpu)
{
	struct pt_regs in = *regs, out;
	struct kprobe_insn insn;
	const char *why = NULL;
	int ret;

	if (!decode_at(&insn, word))
		return;
	shim_has_bti = false;
	ret = build_detour(&insn, &why);
	shim_has_bti = true;
	if (ret == -ERANGE && is_near_the_end(&insn.arch.a64))
		return;
	if (ret == -EINVAL && refuse_call(&insn.arch.a64) && insn.arch.a64.kind == A64_BLR)
		return;
	if (ret < 0) {
		complain("%08x: no detour: %s", word, why);
		return;
	}
	in.pc = DETOUR + KPROBE_DETOUR_ENTRY;
	cpu_execute(&in, &out);
	if (!same(cpu, &out)) {
		complain("by way of a detour buffer:");
		show_difference(word, cpu, &out);
	}
}

/* Execute @word at AT all ways; @regs as they are before. */
static void compare(u32 word, const struct pt_regs *regs)
{
	struct pt_regs cpu, ours = *regs;
	struct kprobe_insn insn;

	if (!decode_at(&insn, word))
		return;
	if (insn.exec != KPROBE_EXEC_SIMULATE || !insn.simulate) {
		complain("%08x is not simulated", word);
		return;
	}
	put_word(AT, word);
	cpu_execute(regs, &cpu);
	if (!insn.simulate(&insn, AT, &ours))
		complain("%08x: the simulator gives up", word);
	else if (!same(&cpu, &ours))
		show_difference(word, &cpu, &ours);
	put_word(AT, 0xd4200020);
	compare_detour(word, regs, &cpu);
}

static u32 operand(unsigned int lsb, unsigned int width)
{
	return (random64() >> 8 & ((1UL << width) - 1)) << lsb;
}

#define ROUNDS 400

static void test_address_only(void)
{
	/* Those that do not read memory at their target. */
	static const struct {
		const char *name;
		u32 word;
		u8 lsb, width;
		u8 reg_width;
		bool has_bit;
	} forms[] = {
		{ "b", 0x14000000, 0, 26 },
		{ "bl", 0x94000000, 0, 26 },
		{ "cbz, 32 bits", 0x34000000, 5, 19, 5 },
		{ "cbnz, 32 bits", 0x35000000, 5, 19, 5 },
		{ "cbz, 64 bits", 0xb4000000, 5, 19, 5 },
		{ "cbnz, 64 bits", 0xb5000000, 5, 19, 5 },
		{ "tbz, low bits", 0x36000000, 5, 14, 5, true },
		{ "tbnz, low bits", 0x37000000, 5, 14, 5, true },
		{ "tbz, high bits", 0xb6000000, 5, 14, 5, true },
		{ "tbnz, high bits", 0xb7000000, 5, 14, 5, true },
		{ "b.cond", 0x54000000, 5, 19, 4 },
	};
	struct pt_regs regs;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		for (n = 0; n < ROUNDS; n++) {
			u32 word = forms[i].word | operand(forms[i].lsb, forms[i].width) |
				   operand(0, forms[i].reg_width);

			/* To itself: for ever. */
			if (!(word & ((1U << forms[i].width) - 1) << forms[i].lsb))
				continue;
			if (forms[i].has_bit)
				word |= operand(19, 5);
			random_regs(&regs);
			compare(word, &regs);
		}
		result(forms[i].name);
	}
}

static void test_conditions(void)
{
	struct pt_regs regs;
	unsigned int condition, flags;

	for (condition = 0; condition < 16; condition++) {
		for (flags = 0; flags < 16; flags++) {
			random_regs(&regs);
			regs.pstate = (u64)flags << 28;
			compare(0x54000100 | condition, &regs);
		}
	}
	result("every condition with all flags");
}

static void test_adr(void)
{
	struct pt_regs regs;
	unsigned int n;

	for (n = 0; n < ROUNDS; n++) {
		random_regs(&regs);
		compare(0x10000000 | operand(0, 24) | operand(29, 2), &regs);
	}
	result("adr");
	for (n = 0; n < ROUNDS; n++) {
		random_regs(&regs);
		compare(0x90000000 | operand(0, 24) | operand(29, 2), &regs);
	}
	result("adrp");
}

static void test_literals(void)
{
	static const char * const names[] = {
		"ldr of 32 bits", "ldr of 64 bits", "ldrsw", "prfm",
	};
	struct pt_regs regs;
	unsigned int kind, n;

	for (kind = 0; kind < 4; kind++) {
		for (n = 0; n < ROUNDS; n++) {
			long offset = ((long)below(0x20000) - 0x10000) * 8;
			u32 imm = offset / 4 & 0x7ffff;

			if (!offset)
				continue;
			random_regs(&regs);
			*(u64 *)(AT + offset) = random64();
			compare(0x18000000 | kind << 30 | imm << 5 | operand(0, 5), &regs);
			put_word(AT + offset, 0xd4200020);
			put_word(AT + offset + 4, 0xd4200020);
		}
		result(names[kind]);
	}
}

/* str qN, [x9] */
#define STORE_VECTOR(number, to)						\
do {										\
	register u64 *pointer asm("x9") = (to);					\
										\
	asm volatile(".inst 0x3d800000 | 9 << 5 | " #number			\
		     : : "r" (pointer) : "memory");				\
} while (0)

/*
 * Nothing between the simulator and the look at the register uses vector
 * registers: the program is compiled like the kernel.
 */
#define TEST_VECTOR(number, word, bytes)					\
do {										\
	u64 literal[2] = { random64(), random64() }, want[2] = { }, got[2];	\
	struct kprobe_insn insn;						\
	struct pt_regs regs;							\
										\
	memcpy((void *)(AT + 32), literal, sizeof(literal));			\
	memcpy(want, literal, bytes);						\
	random_regs(&regs);							\
	if (!decode_at(&insn, word))						\
		break;								\
	insn.simulate(&insn, AT, &regs);					\
	STORE_VECTOR(number, got);						\
	if (memcmp(got, want, sizeof(got)) || regs.pc != AT + 4)		\
		complain("%08x: got %#lx %#lx", word, got[0], got[1]);		\
} while (0)

static void test_vector_literals(void)
{
	TEST_VECTOR(0, 0x9c000100, 16);
	TEST_VECTOR(5, 0x1c000105, 4);
	TEST_VECTOR(17, 0x5c000111, 8);
	TEST_VECTOR(30, 0x5c00011e, 8);
	TEST_VECTOR(31, 0x9c00011f, 16);
	result("ldr of vector registers");
}

/* A register branch goes where nothing is, within what a user can name. */
static u64 random_target(void)
{
	return 0x5000000000 + (random64() & 0xfffffffc);
}

static void test_register_branches(void)
{
	static const char * const names[] = { "br", "blr", "ret" };
	static const u64 btype[] = { PSR_BTYPE_J, PSR_BTYPE_C, 0 };
	unsigned int opc, reg;
	struct kprobe_insn insn;
	struct pt_regs regs;
	u64 want;

	for (opc = 0; opc < 3; opc++) {
		for (reg = 0; reg < 31; reg++) {
			u32 word = 0xd61f0000 | opc << 21 | reg << 5;

			random_regs(&regs);
			regs.regs[reg] = random_target();
			compare(word, &regs);

			/* In user mode only a guarded page would show it. */
			want = btype[opc];
			if (!opc && (reg == 16 || reg == 17))
				want = PSR_BTYPE_JC;
			if (!decode_at(&insn, word))
				continue;
			insn.simulate(&insn, AT, &regs);
			if ((regs.pstate & PSR_BTYPE_MASK) != want)
				complain("%08x: BTYPE %#lx", word, regs.pstate & PSR_BTYPE_MASK);
		}
		result(names[opc]);
	}
}

static u64 sign(u64 address, u64 with, bool key_b)
{
	register u64 modifier asm("x16") = with;
	register u64 value asm("x17") = address;

	if (key_b)
		asm volatile("hint #10" : "+r" (value) : "r" (modifier));
	else
		asm volatile("hint #8" : "+r" (value) : "r" (modifier));
	return value;
}

static void test_signed_branch(const char *name, u32 word, bool zero, int fixed_reg)
{
	unsigned int n;

	for (n = 0; n < ROUNDS; n++) {
		unsigned int key_b = below(2), reg = below(31), with = below(32);
		struct pt_regs regs;
		u32 w = word | key_b << 10;
		u64 modifier;

		if (reg == with)
			continue;
		random_regs(&regs);
		modifier = with == 31 ? regs.sp : regs.regs[with];
		if (fixed_reg >= 0) {
			reg = fixed_reg;
			modifier = regs.sp;
		} else if (zero) {
			w |= reg << 5 | 31;
			modifier = 0;
		} else {
			w |= reg << 5 | with;
		}
		regs.regs[reg] = sign(random_target(), modifier, key_b);
		compare(w, &regs);
	}
	result(name);
}

static void test_signed_branches(void)
{
	if (!shim_has_pauth) {
		result("signed branches # SKIP the CPU has no pointer authentication");
		return;
	}
	test_signed_branch("braa, brab", 0xd71f0800, false, -1);
	test_signed_branch("blraa, blrab", 0xd73f0800, false, -1);
	test_signed_branch("braaz, brabz", 0xd61f0800, true, -1);
	test_signed_branch("blraaz, blrabz", 0xd63f0800, true, -1);
	test_signed_branch("retaa, retab", 0xd65f0bff, false, 30);
}

/* Without the feature the copy in the slot has to raise the exception. */
static void test_no_pauth(void)
{
	static const u32 words[] = { 0xd71f0822, 0xd73f0822, 0xd65f0bff };
	bool has_pauth = shim_has_pauth;
	struct pt_regs regs, before;
	struct kprobe_insn insn;
	unsigned int i;

	shim_has_pauth = false;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		random_regs(&regs);
		before = regs;
		if (!decode_at(&insn, words[i]))
			continue;
		if (insn.simulate(&insn, AT, &regs) || !insn.wants_slot)
			complain("%08x is simulated", words[i]);
		if (memcmp(&regs, &before, sizeof(regs)))
			complain("%08x: registers changed", words[i]);
	}
	shim_has_pauth = has_pauth;
	result("signed branches on a CPU without them");
}

/* A copy, executed in a slot, ends up behind the original with the same result. */
static void test_slots(void)
{
	static const u32 words[] = {
		0x8b020020,	/* add x0, x1, x2 */
		0xeb0a013f,	/* cmp x9, x10 */
		0xd10083ff,	/* sub sp, sp, #32 */
		0x9b037c41,	/* mul x1, x2, x3 */
		0xd2800540,	/* mov x0, #42 */
		0xd503245f,	/* bti c */
		0xd503233f,	/* paciasp */
		0xd5033fdf,	/* isb */
		0xd53bd044,	/* mrs x4, tpidr_el0 */
		0x9ac30c41,	/* sdiv x1, x2, x3 */
	};
	struct pt_regs regs, original, copy;
	struct kprobe_insn insn;
	unsigned int i, n;
	u32 image[KPROBE_SLOT_BYTES / 4];

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!decode_at(&insn, words[i]))
			continue;
		if (insn.exec != KPROBE_EXEC_BOOST || !insn.wants_slot)
			complain("%08x is not copied", words[i]);
		if (arch_kprobe_build_slot(&insn, AT, SLOT, image) ||
		    insn.tail != 4 || insn.tail_jump != image[1])
			complain("%08x: bad slot", words[i]);
		put_word(SLOT, image[0]);
		put_word(SLOT + 4, image[1]);
		for (n = 0; n < 20; n++) {
			random_regs(&regs);
			put_word(AT, words[i]);
			cpu_execute(&regs, &original);
			put_word(AT, 0xd4200020);
			compare_detour(words[i], &regs, &original);
			regs.pc = SLOT;
			cpu_execute(&regs, &copy);
			if (!same(&original, &copy))
				show_difference(words[i], &original, &copy);
		}
	}
	result("copies in slots and detour buffers");
}

static void test_slot_reach(void)
{
	static const struct {
		long distance;		/* from the instruction to the slot */
		bool jumps;
	} cases[] = {
		{ 0x1000, true },
		{ -0x1000, true },
		{ 0x8000000, true },
		{ 0x8000004, false },
		{ -0x7fffffc, true },
		{ -0x8000000, false },
		{ 0x100000000, false },
	};
	struct kprobe_insn insn;
	unsigned int i;
	u32 image[KPROBE_SLOT_BYTES / 4];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned long slot = AT + cases[i].distance;
		struct a64_insn back;
		const char *why;

		if (!decode_at(&insn, 0x8b020020))
			continue;
		if (arch_kprobe_build_slot(&insn, AT, slot, image)) {
			complain("%#lx: refused", cases[i].distance);
			continue;
		}
		if (insn.exec != (cases[i].jumps ? KPROBE_EXEC_BOOST : KPROBE_EXEC_STEP))
			complain("%#lx: executed as %u", cases[i].distance, insn.exec);
		if (!cases[i].jumps) {
			if (image[1] != BRK64_OPCODE_KPROBES)
				complain("%#lx: ends with %08x", cases[i].distance, image[1]);
		} else if (a64_decode(image[1], &back, &why) || back.kind != A64_B ||
			   slot + 4 + back.offset != AT + 4) {
			complain("%#lx: ends with %08x", cases[i].distance, image[1]);
		}
	}
	result("slots near and far");
}

/* What has no copy; the second half because of landing pads. */
static void test_no_detour(void)
{
	static const struct {
		u32 word;
		bool because_of_bti;
	} cases[] = {
		{ 0x9c000100 },				/* ldr q0, literal */
		{ 0xd63f03c0 },				/* blr x30 */
		{ 0xd73f081e },				/* blraa x0, x30 */
		{ 0xd503245f, true },			/* bti c */
		{ 0xd503233f, true },			/* paciasp */
		{ 0xd63f0000, true },			/* blr x0 */
	};
	struct kprobe_insn insn;
	unsigned int i, bti;
	const char *why;
	int ret;

	for (bti = 0; bti < 2; bti++) {
		shim_has_bti = bti;
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			if (!decode_at(&insn, cases[i].word))
				continue;
			why = NULL;
			ret = build_detour(&insn, &why);
			if (bti || !cases[i].because_of_bti ? ret != -EINVAL || !why : ret < 0)
				complain("%08x, BTI %u: %d", cases[i].word, bti, ret);
		}
		if (!decode_at(&insn, 0xd63f0200) || build_detour(&insn, &why) < 0)
			complain("blr x16, BTI %u", bti);
	}
	result("instructions without a detour");
}

static void test_exclusives(void)
{
	enum { LDXR = 0xc85f7c20, STXR = 0xc8027c20, LDAXP = 0x887f8420, STLXP = 0x88248420,
	       CAS = 0xc8a07c41, CASP = 0x48207c82, LDAR = 0xc8dffc20, ADD = 0x8b020020 };
	static const struct {
		u32 before[3], after[3];
		bool inside;
	} cases[] = {
		{ { ADD, LDXR, ADD }, { ADD, STXR, ADD }, true },
		{ { ADD, ADD, LDAXP }, { STLXP, ADD, ADD }, true },
		{ { LDXR, ADD, STXR }, { ADD, ADD, STXR }, false },
		{ { LDXR, ADD, ADD }, { ADD, ADD, ADD }, false },
		{ { LDXR, ADD, ADD }, { ADD, LDXR, STXR }, false },
		{ { ADD, ADD, ADD }, { LDXR, ADD, STXR }, false },
		{ { ADD, LDXR, CAS }, { CASP, LDAR, STXR }, true },
		{ { ADD, LDAR, CAS }, { CASP, LDAR, STXR }, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (a64_between_exclusives(cases[i].before, 3, cases[i].after, 3) !=
		    cases[i].inside)
			complain("case %u", i);
	result("between a load-exclusive and its store");
}

/* Why there is no detour buffer for a word that is accepted, or "". */
static const char *why_no_detour(u32 word)
{
	struct kprobe_insn insn;
	const char *why = NULL;

	shim_has_bti = false;
	return decode_at(&insn, word) && build_detour(&insn, &why) >= 0 ? "" : why;
}

/*
 * A line for each word: refusal and its reason, or kind, offset, and why there is
 * no detour buffer.
 */
static int decode_words(void)
{
	struct a64_insn insn;
	const char *why;
	char line[64];

	map_breakpoints(DETOUR, DETOUR_AREA);
	while (fgets(line, sizeof(line), stdin)) {
		u32 word = strtoul(line, NULL, 16);
		int ret = a64_decode(word, &insn, &why);

		if (ret)
			printf("%s %s\n", ret == -EILSEQ ? "invalid" : "refused", why);
		else
			printf("%s %u %ld %s\n", insn.kind == A64_COPY ? "copy" : "simulate",
			       insn.kind, (long)insn.offset, why_no_detour(word));
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return decode_words();

	cpu_setup();
	printf("KTAP version 1\n");
	test_address_only();
	test_conditions();
	test_adr();
	test_literals();
	test_vector_literals();
	test_register_branches();
	test_signed_branches();
	test_no_pauth();
	test_slots();
	test_slot_reach();
	test_no_detour();
	test_exclusives();
	printf("1..%u\n", nr_tests);
	return nr_bad > 0;
}
