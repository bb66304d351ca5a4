// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the x86 decoder, slot builder and simulators of this repository on a
 * host: verdicts on a list of encodings, the simulators and the slots against
 * the host's own CPU (in 64 bit and in compatibility mode), and, with lines of
 * "ADDRESS BYTES" on standard input, a whole kernel.  Prints KTAP.
 *
 * The CPU executes one instruction at a time like this: a signal handler
 * replaces the interrupted registers by those of the test, with the instruction
 * pointer on the instruction.  Whatever it branches to, or falls into, is a
 * breakpoint, and the handler of that takes the registers out.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <asm/prctl.h>

#include "flavour.h"
#include "../ktap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __weak __attribute__((__weak__))

enum { AX, CX, DX, BX, SP, BP, SI, DI };

#define CF 0x001
#define PF 0x004
#define ZF 0x040
#define SF 0x080
#define OF 0x800
#define ARITHMETIC_FLAGS 0xcd5	/* those, AF and DF */

/* Areas of 64 KiB, all below 2 GiB: 32 bit code reaches them. */
#define AREA		0x10000
#define CODE		0x20000000u
#define SLOTS		0x20400000u
#define STACK		0x20800000u
#define DATA		0x20c00000u
#define UNMAPPED	0x21000000u

u64 shim_percpu_base;

static const char *hex(const u8 *bytes, unsigned int n)
{
	static char text[3 * 64 + 1];
	unsigned int i;

	for (i = 0; i < n; i++)
		sprintf(text + 3 * i, "%02x ", bytes[i]);
	return text;
}

static unsigned int below(unsigned int n)
{
	return (random64() >> 20) % n;
}

/* The CPU */

static const int greg_number[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static struct machine cpu_in, cpu_out;
static unsigned int cpu_bits;
static volatile bool cpu_running, cpu_faulted;
static gregset_t cpu_saved;

static void cpu_take_out(greg_t *g, bool faulted)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		cpu_out.reg[i] = g[greg_number[i]];
	cpu_out.ip = g[REG_RIP] - !faulted;
	cpu_out.flags = g[REG_EFL];
	cpu_faulted = faulted;
	cpu_running = false;
	memcpy(g, cpu_saved, sizeof(cpu_saved));
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned int i;

	if (cpu_running) {
		cpu_take_out(g, false);
		return;
	}
	memcpy(cpu_saved, g, sizeof(cpu_saved));
	for (i = 0; i < 16; i++)
		g[greg_number[i]] = cpu_in.reg[i];
	g[REG_RIP] = cpu_in.ip;
	g[REG_EFL] = (cpu_in.flags & ARITHMETIC_FLAGS) | 0x202;
	if (cpu_bits == 32)
		g[REG_CSGSFS] = (g[REG_CSGSFS] & ~0xffffLL) | 0x23;
	cpu_running = true;
}

extern const u64 __weak __start_shim_extable[];
extern const u64 __weak __stop_shim_extable[];

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	const u64 *e;

	if (cpu_running) {
		cpu_take_out(g, true);
		return;
	}
	for (e = __start_shim_extable; e < __stop_shim_extable; e += 2) {
		if (e[0] == (u64)g[REG_RIP]) {
			g[REG_RIP] = e[1];
			return;
		}
	}
	signal(sig, SIG_DFL);
}

static void cpu_execute(const struct flavour *f, const struct machine *in,
			struct machine *out)
{
	cpu_in = *in;
	cpu_bits = f->bits;
	asm volatile("int3" ::: "memory");
	*out = cpu_out;
}

static void cpu_setup(void)
{
	static const u64 areas[] = { CODE, SLOTS, STACK, DATA };
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_size = 0x40000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		void *area = mmap((void *)areas[i], AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (area != (void *)areas[i]) {
			printf("1..0 # SKIP no memory at %#lx\n", (long)areas[i]);
			exit(0);
		}
		memset(area, 0xcc, AREA);
	}
	/* A 64 bit program has none, and 32 bit code needs them. */
	asm volatile("mov %0, %%ds; mov %0, %%es" : : "r" (0x2b));

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	action.sa_sigaction = on_trap;
	sigaction(SIGTRAP, &action, NULL);
	action.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGILL, &action, NULL);
}

static u64 mask(const struct flavour *f)
{
	return f->bits == 64 ? ~0ULL : 0xffffffffu;
}

static unsigned int nr_regs(const struct flavour *f)
{
	return f->bits == 64 ? 16 : 8;
}

static unsigned int word(const struct flavour *f)
{
	return f->bits / 8;
}

static bool same(const struct flavour *f, const struct machine *a, const struct machine *b)
{
	unsigned int i;

	for (i = 0; i < nr_regs(f); i++)
		if ((a->reg[i] ^ b->reg[i]) & mask(f))
			return false;
	return !((a->ip ^ b->ip) & mask(f)) && !((a->flags ^ b->flags) & ARITHMETIC_FLAGS);
}

static void show_difference(const struct flavour *f, const struct machine *cpu,
			    const struct machine *ours)
{
	unsigned int i;

	for (i = 0; i < nr_regs(f); i++)
		if ((cpu->reg[i] ^ ours->reg[i]) & mask(f))
			complain("  register %u: CPU %#lx, ours %#lx", i, cpu->reg[i],
				 ours->reg[i]);
	if ((cpu->ip ^ ours->ip) & mask(f))
		complain("  ip: CPU %#lx, ours %#lx", cpu->ip, ours->ip);
	if ((cpu->flags ^ ours->flags) & ARITHMETIC_FLAGS)
		complain("  flags: CPU %#lx, ours %#lx", cpu->flags, ours->flags);
}

/* Random registers: a good stack, the rest anything. */
static void random_machine(const struct flavour *f, struct machine *m)
{
	unsigned int i;

	memset(m, 0, sizeof(*m));
	for (i = 0; i < nr_regs(f); i++)
		m->reg[i] = random64() & mask(f);
	m->reg[SP] = STACK + AREA / 2 + 16 * below(256);
	m->flags = random64() & ARITHMETIC_FLAGS;
}

/* A place to jump to: a breakpoint, not in the way of an instruction at CODE + 0x8000. */
static u64 random_landing(void)
{
	return CODE + 0x100 + below(0x7000);
}

#define AT (CODE + 0x8000u)

static u8 snapshot[2][2 * AREA];

static void save_memory(u8 *to)
{
	memcpy(to, (void *)(uintptr_t)STACK, AREA);
	memcpy(to + AREA, (void *)(uintptr_t)DATA, AREA);
}

static void load_memory(const u8 *from)
{
	memcpy((void *)(uintptr_t)STACK, from, AREA);
	memcpy((void *)(uintptr_t)DATA, from + AREA, AREA);
}

/* Run the simulator and the CPU on the same registers and memory. */
static void compare_simulated(const struct flavour *f, const u8 *bytes,
			      unsigned int length, const char *simulator, struct machine *in)
{
	static u8 before[2 * AREA];
	struct machine cpu, ours = *in;
	struct decoded d;
	bool done;

	f->decode(&d, bytes, length, AT);
	if (d.err || d.how != SIMULATED || d.length != length ||
	    !d.simulator || strcmp(d.simulator, simulator)) {
		complain("%s: not decoded as %s (%d, %s)", hex(bytes, length), simulator,
			 d.err, d.why ?: d.simulator ?: "?");
		return;
	}

	save_memory(before);
	memcpy((void *)(uintptr_t)AT, bytes, length);
	in->ip = AT;
	cpu_execute(f, in, &cpu);
	memset((void *)(uintptr_t)AT, 0xcc, length);
	save_memory(snapshot[0]);

	load_memory(before);
	ours.ip = AT + 1;	/* as the breakpoint leaves it */
	done = f->simulate(&d, &ours);
	save_memory(snapshot[1]);
	load_memory(before);

	if (!done || cpu_faulted) {
		if (done == cpu_faulted)
			complain("%s: the CPU %s, ours %s", hex(bytes, length),
				 cpu_faulted ? "faults" : "does not fault",
				 done ? "does not" : "does");
		else if (ours.ip != AT + 1)
			complain("%s: registers touched although it failed", hex(bytes, length));
		return;
	}
	if (!same(f, &cpu, &ours)) {
		complain("%s: flags %#lx, cx %#lx", hex(bytes, length), in->flags, in->reg[CX]);
		show_difference(f, &cpu, &ours);
	}
	if (memcmp(snapshot[0], snapshot[1], sizeof(snapshot[0])))
		complain("%s: memory differs", hex(bytes, length));
}

/* The simulators, one test each */

static void one_jcc(const struct flavour *f, unsigned int cc, bool wide, u8 prefix,
		    unsigned int combination)
{
	static const unsigned int flags[] = { CF, PF, ZF, SF, OF };
	unsigned int n = 0, bit;
	struct machine m;
	u8 b[16];
	s32 disp;

	if (prefix)
		b[n++] = prefix;
	if (wide) {
		b[n++] = 0x0f;
		b[n++] = 0x80 + cc;
		disp = random_landing() - (AT + n + 4);
		memcpy(b + n, &disp, 4);
		n += 4;
	} else {
		b[n++] = 0x70 + cc;
		b[n++] = combination & 1 ? 16 + below(100) : -20 - below(100);
	}
	random_machine(f, &m);
	m.flags &= ~(CF | PF | ZF | SF | OF);
	for (bit = 0; bit < 5; bit++)
		if (combination & 1 << bit)
			m.flags |= flags[bit];
	compare_simulated(f, b, n, "jcc", &m);
}

static void test_jcc(const struct flavour *f)
{
	static const u8 prefixes[] = { 0, 0x2e, 0x3e, 0xf2 };
	unsigned int i;

	/* 16 conditions, 32 combinations of flags, two widths, four prefixes */
	for (i = 0; i < 16 * 32 * 2 * 4; i++)
		one_jcc(f, i % 16, i / 512 % 2, prefixes[i / 1024], i / 16 % 32);
	result("%u bit: jcc, all conditions with all flags", f->bits);
}

static void one_loop(const struct flavour *f, u8 op, bool prefix, bool zf,
		     const u64 *count)
{
	u8 b[] = { 0x67, op, zf ? -30 : 30 };
	struct machine m;

	random_machine(f, &m);
	m.flags = (m.flags & ~ZF) | (zf ? ZF : 0);
	if (count)
		m.reg[CX] = *count & mask(f);
	compare_simulated(f, b + !prefix, 2 + prefix, op == 0xe3 ? "jcxz" : "loop", &m);
}

static void test_loops(const struct flavour *f)
{
	static const u64 counts[] = {
		0, 1, 2, 0xffff, 0x10000, 0x10001, 0xffffffff, 0x100000000, 0x100000001,
		0xffffffff00000000, 0xffffffffffffffff, 0x8000000000000000,
	};
	unsigned int i, c;

	/* four opcodes, two counters, both states of ZF */
	for (i = 0; i < 4 * 2 * 2; i++) {
		for (c = 0; c < ARRAY_SIZE(counts); c++)
			one_loop(f, 0xe0 + i % 4, i & 4, i & 8, &counts[c]);
		for (c = 0; c < 20; c++)
			one_loop(f, 0xe0 + i % 4, i & 4, i & 8, NULL);
	}
	result("%u bit: loop, loope, loopne, jcxz with both counters", f->bits);
}

static void test_relative(const struct flavour *f)
{
	unsigned int i;

	for (i = 0; i < 400; i++) {
		u8 b[8];
		unsigned int n = 0;
		struct machine m;
		s32 disp;

		random_machine(f, &m);
		if (i & 1)
			b[n++] = i & 2 ? 0xf2 : 0x2e;
		b[n++] = i & 4 ? 0xe8 : 0xe9;
		disp = random_landing() - (AT + n + 4);
		memcpy(b + n, &disp, 4);
		compare_simulated(f, b, n + 4, i & 4 ? "call" : "jmp", &m);

		b[0] = 0xeb;
		b[1] = 20 + below(100);
		random_machine(f, &m);
		compare_simulated(f, b, 2, "jmp", &m);
	}
	result("%u bit: call and jmp, relative", f->bits);
}

static void store_word(const struct flavour *f, u64 at, u64 value)
{
	memcpy((void *)(uintptr_t)at, &value, word(f));
}

static void test_ret(const struct flavour *f)
{
	unsigned int i;

	for (i = 0; i < 400; i++) {
		static const u16 pops[] = { 0, 8, 4, 0x7fff, 0x8000, 0xfff8, 0xffff };
		u16 pop = i & 4 ? pops[below(7)] : random64();
		u8 b[4];
		unsigned int n = 0;
		struct machine m;

		random_machine(f, &m);
		store_word(f, m.reg[SP], random_landing());
		if (i & 1)
			b[n++] = i & 2 ? 0xf3 : 0xf2;
		b[n++] = i & 8 ? 0xc3 : 0xc2;
		if (!(i & 8)) {
			memcpy(b + n, &pop, 2);
			n += 2;
		}
		compare_simulated(f, b, n, "ret", &m);
	}
	result("%u bit: ret and ret imm16", f->bits);
}

static void one_through_register(const struct flavour *f, unsigned int reg, bool call,
				 u8 prefix, bool rex, bool rex_w)
{
	unsigned int n = 0;
	struct machine m;
	u8 b[4];

	if (prefix)
		b[n++] = prefix;
	if (reg >= 8 || (f->bits == 64 && rex))
		b[n++] = 0x40 | (reg >= 8) | (rex_w ? 8 : 0);
	b[n++] = 0xff;
	b[n++] = 0xc0 | (call ? 2 : 4) << 3 | (reg & 7);

	random_machine(f, &m);
	if (reg != SP)
		m.reg[reg] = random_landing();
	else	/* onto the stack: make that a breakpoint */
		memset((void *)(uintptr_t)m.reg[SP], 0xcc, 16);
	compare_simulated(f, b, n, call ? "call_reg" : "jmp_reg", &m);
}

static void test_through_register(const struct flavour *f)
{
	static const u8 prefixes[] = { 0, 0x2e, 0x3e, 0xf2 };
	unsigned int reg, i;

	for (reg = 0; reg < nr_regs(f); reg++)
		for (i = 0; i < 32; i++)
			one_through_register(f, reg, i & 16, prefixes[i % 4], i & 8, i & 4);
	result("%u bit: call and jmp through every register", f->bits);
}

/*
 * Encode a branch through memory with random parts, and choose registers so that
 * the operand is in @area.  Returns the length; *operand is where the CPU will
 * look, without the base of a segment.
 */
static unsigned int random_operand(const struct flavour *f, u8 *b, bool call,
				   u64 area, struct machine *m, u64 *operand)
{
	bool use_sib = below(2), no_index = below(3) == 0;
	unsigned int base = below(nr_regs(f)), index = below(nr_regs(f));
	unsigned int scale = below(4), mod = below(3), n = 0;
	bool absolute = mod == 0 && (base & 7) == 5;
	s32 disp = 0;
	u64 at = area + 0x1000 + below(0x4000);

	if ((base & 7) == 4 && !use_sib)
		use_sib = true;
	if (!use_sib || no_index)
		index = 4;
	if (use_sib && index == base && base != 4)
		index = 4;

	if (mod == 1)
		disp = (s8)random64();
	if (mod == 2)
		disp = (s32)below(0x1000000) - 0x800000;

	if (f->bits == 64 && (base >= 8 || index >= 8 || below(4) == 0))
		b[n++] = 0x40 | (base >= 8 ? 1 : 0) | (index >= 8 ? 2 : 0) | (below(2) ? 8 : 0);
	b[n++] = 0xff;
	b[n++] = mod << 6 | (call ? 2 : 4) << 3 | (use_sib ? 4 : base & 7);
	if (use_sib)
		b[n++] = scale << 6 | (index & 7) << 3 | (base & 7);

	random_machine(f, m);
	if (index != 4)
		m->reg[index] = index == SP ? m->reg[index] : below(0x100);
	if (absolute) {
		u64 rest = at - (index != 4 ? m->reg[index] << scale : 0);

		if (f->bits == 64 && !use_sib)
			rest -= AT + n + 4;
		disp = rest;
	} else if (base == SP) {
		/* Where it is: the stack pointer must stay good. */
		if (mod == 2)
			disp = (s32)below(0x1000) - 0x800;
		if (area != STACK && area != DATA)
			at = 0;
		at = m->reg[SP] + disp + (index != 4 ? m->reg[index] << scale : 0);
	} else {
		m->reg[base] = (at - disp - (index != 4 ? m->reg[index] << scale : 0)) & mask(f);
	}
	if (mod == 1) {
		b[n++] = disp;
	} else if (mod == 2 || absolute) {
		memcpy(b + n, &disp, 4);
		n += 4;
	}
	*operand = at;
	return n;
}

static void test_through_memory(const struct flavour *f)
{
	unsigned int i, n;

	for (i = 0; i < 4000; i++) {
		bool call = i & 1;
		u64 operand;
		struct machine m;
		u8 b[16];

		n = random_operand(f, b, call, DATA, &m, &operand);
		store_word(f, operand, random_landing());
		compare_simulated(f, b, n, call ? "call_mem" : "jmp_mem", &m);
	}
	result("%u bit: call and jmp through memory", f->bits);
}

static void test_percpu_operand(const struct flavour *f)
{
	unsigned int i;

	/* Only the 64 bit mode of a host lets a program set the base. */
	syscall(SYS_arch_prctl, ARCH_SET_GS, (unsigned long)DATA);
	shim_percpu_base = DATA;
	for (i = 0; i < 200; i++) {
		u32 offset = below(0x4000);
		u8 b[] = { 0x65, 0xff, i & 1 ? 0x14 : 0x24, 0x25, 0, 0, 0, 0 };
		struct machine m;

		random_machine(f, &m);
		memcpy(b + 4, &offset, 4);
		store_word(f, DATA + offset, random_landing());
		compare_simulated(f, b, sizeof(b), i & 1 ? "call_mem" : "jmp_mem", &m);
	}
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0UL);
	shim_percpu_base = 0;
	result("%u bit: call and jmp through per-CPU memory", f->bits);
}

/* An operand that cannot be read: ours gives up, and the slot faults alike. */
static void test_unreadable_operand(const struct flavour *f)
{
	unsigned int i, n, tail, tail_jump, tried = 0;

	for (i = 0; i < 1000; i++) {
		bool call = i & 1;
		struct machine m, cpu;
		u8 b[16], image[SLOT_BYTES];
		u64 operand, slot = SLOTS + SLOT_BYTES * below(AREA / SLOT_BYTES);
		struct decoded d;

		n = random_operand(f, b, call, UNMAPPED, &m, &operand);
		if (operand < UNMAPPED)
			continue;	/* relative to the stack */
		tried++;
		compare_simulated(f, b, n, call ? "call_mem" : "jmp_mem", &m);

		f->decode(&d, b, n, AT);
		if (!d.wants_slot || f->build_slot(&d, slot, image, &tail, &tail_jump)) {
			complain("%s: no slot", hex(b, n));
			continue;
		}
		memcpy((void *)(uintptr_t)slot, image, SLOT_BYTES);
		m.ip = slot;
		cpu_execute(f, &m, &cpu);
		if (!cpu_faulted || !same(f, &m, &cpu)) {
			complain("%s: in its slot %s", hex(b, n),
				 cpu_faulted ? "changes registers" : "does not fault");
			show_difference(f, &cpu, &m);
		}
	}
	if (tried < 100)
		complain("only %u tried", tried);
	result("%u bit: branch through unreadable memory", f->bits);
}

/* The operand became readable: the slot goes back to the branch, all unchanged. */
static void test_retried_operand(const struct flavour *f)
{
	unsigned int i, n, tail, tail_jump;

	for (i = 0; i < 1000; i++) {
		struct machine m, cpu, expected;
		u8 b[16], image[SLOT_BYTES];
		u64 operand, slot = SLOTS + SLOT_BYTES * below(AREA / SLOT_BYTES);
		struct decoded d;

		n = random_operand(f, b, i & 1, DATA, &m, &operand);
		f->decode(&d, b, n, AT);
		if (f->build_slot(&d, slot, image, &tail, &tail_jump)) {
			complain("%s: no slot", hex(b, n));
			continue;
		}
		if (tail_jump != 0xe9 || image[tail] != 0xe9 || tail + 5 > SLOT_BYTES)
			complain("%s: tail at %u", hex(b, n), tail);
		memcpy((void *)(uintptr_t)slot, image, SLOT_BYTES);
		m.ip = slot;
		cpu_execute(f, &m, &cpu);
		expected = m;
		expected.ip = AT;
		if (cpu_faulted || !same(f, &expected, &cpu)) {
			complain("%s: slot is not neutral", hex(b, n));
			show_difference(f, &cpu, &expected);
		}
	}
	result("%u bit: branch through memory that became readable", f->bits);
}

static void test_nops(const struct flavour *f)
{
	static const struct { u8 n, b[11]; } nops[] = {
		{ 1, { 0x90 } }, { 2, { 0x66, 0x90 } }, { 3, { 0x0f, 0x1f, 0x00 } },
		{ 4, { 0x0f, 0x1f, 0x40, 0x00 } }, { 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
		{ 6, { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
		{ 7, { 0x0f, 0x1f, 0x80, 0, 0, 0, 0 } }, { 8, { 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } },
		{ 10, { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nops); i++) {
		struct machine m;

		random_machine(f, &m);
		compare_simulated(f, nops[i].b, nops[i].n, "jmp", &m);
	}
	result("%u bit: nops", f->bits);
}

/* Slots of ordinary instructions: the same effect, and back behind the original. */

struct ordinary {
	unsigned int bits;		/* 0: both */
	u8 n;
	s8 disp_at;			/* relative to %rip, patched to point to DATA */
	u8 b[15];
};

static const struct ordinary ordinary[] = {
	{ 0, 1, 0, { 0x50 } },				/* push ax */
	{ 0, 1, 0, { 0x54 } },				/* push sp */
	{ 0, 1, 0, { 0x5b } },				/* pop bx */
	{ 0, 1, 0, { 0x9c } },				/* pushf */
	{ 0, 2, 0, { 0x01, 0xd8 } },			/* add */
	{ 0, 2, 0, { 0x11, 0xd8 } },			/* adc: uses a flag */
	{ 0, 3, 0, { 0x0f, 0x44, 0xc1 } },		/* cmov */
	{ 0, 3, 0, { 0x0f, 0x94, 0xc0 } },		/* sete */
	{ 0, 3, 0, { 0xc1, 0xe0, 0x05 } },		/* shl */
	{ 0, 2, 0, { 0xf7, 0xe1 } },			/* mul */
	{ 0, 4, 0, { 0x8d, 0x44, 0x8b, 0x10 } },	/* lea */
	{ 0, 3, 0, { 0x8b, 0x04, 0x24 } },		/* mov (sp), ax */
	{ 0, 4, 0, { 0xff, 0x74, 0x24, 0x08 } },	/* push 8(sp) */
	{ 0, 3, 0, { 0x01, 0x04, 0x24 } },		/* add ax, (sp) */
	{ 0, 5, 0, { 0x68, 1, 2, 3, 4 } },		/* push imm */
	{ 0, 4, 0, { 0xc8, 0x20, 0x00, 0x00 } },	/* enter */
	{ 0, 1, 0, { 0xfd } },				/* std */
	{ 0, 2, 0, { 0x0f, 0xc8 } },			/* bswap */
	{ 64, 2, 0, { 0x41, 0x57 } },			/* push r15 */
	{ 64, 7, 3, { 0x48, 0x8b, 0x05 } },		/* mov x(rip), rax */
	{ 64, 7, 3, { 0x4c, 0x89, 0x3d } },		/* mov r15, x(rip) */
	{ 64, 7, 3, { 0x48, 0x8d, 0x0d } },		/* lea x(rip), rcx */
	{ 64, 8, 3, { 0x48, 0x83, 0x05, 0, 0, 0, 0, 0x7f } },	/* addq imm8 */
	{ 64, 11, 3, { 0x48, 0x81, 0x35, 0, 0, 0, 0, 1, 2, 3, 4 } },	/* xorq imm32 */
	{ 64, 9, 3, { 0x66, 0xc7, 0x05, 0, 0, 0, 0, 0x34, 0x12 } },	/* movw imm16 */
	{ 64, 7, 2, { 0x80, 0x3d, 0, 0, 0, 0, 0x55 } },	/* cmpb imm8 */
	{ 64, 6, 2, { 0xff, 0x35 } },			/* push x(rip) */
	{ 64, 6, 2, { 0x8f, 0x05 } },			/* pop x(rip) */
	{ 64, 6, 2, { 0xff, 0x05 } },			/* incl x(rip) */
	{ 64, 8, 4, { 0xf0, 0x48, 0x01, 0x05 } },	/* lock add rax */
	{ 64, 9, 5, { 0xf0, 0x48, 0x0f, 0xb1, 0x0d } },	/* lock cmpxchg */
	{ 64, 9, 5, { 0xf0, 0x48, 0x0f, 0xc1, 0x05 } },	/* lock xadd */
	{ 64, 8, 4, { 0x48, 0x0f, 0xaf, 0x05 } },	/* imul x(rip), rax */
	{ 64, 11, 3, { 0x48, 0x69, 0x05, 0, 0, 0, 0, 9, 8, 7, 6 } },	/* imul imm32 */
	{ 64, 8, 4, { 0x48, 0x0f, 0xb6, 0x05 } },	/* movzx */
	{ 64, 9, 4, { 0x48, 0x0f, 0xba, 0x2d, 0, 0, 0, 0, 5 } },	/* btsq imm8 */
	{ 64, 7, 3, { 0x48, 0xf7, 0x1d } },		/* neg x(rip) */
	{ 64, 11, 3, { 0x48, 0xf7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0 } },	/* test imm32 */
	{ 64, 8, 3, { 0x48, 0xc1, 0x05, 0, 0, 0, 0, 3 } },	/* rol imm8 */
	{ 64, 10, 6, { 0xf2, 0x48, 0x0f, 0x38, 0xf1, 0x05 } },	/* crc32 x(rip), rax */
	{ 64, 8, 4, { 0xf3, 0x0f, 0xb8, 0x05 } },	/* popcnt x(rip), eax */
	{ 64, 8, 4, { 0x67, 0x48, 0x8b, 0x05 } },	/* mov x(eip), rax */
};

static void one_ordinary(const struct flavour *f, const struct ordinary *o)
{
	static u8 before[2 * AREA];
	u64 slot = SLOTS + SLOT_BYTES * below(AREA / SLOT_BYTES);
	u8 b[INSN_BYTES], image[SLOT_BYTES];
	struct machine m, original, copy;
	unsigned int tail, tail_jump;
	struct decoded d;

	memcpy(b, o->b, sizeof(b));
	if (o->disp_at) {
		s32 disp = DATA + 0x100 + below(0x8000) - (AT + o->n);

		memcpy(b + o->disp_at, &disp, 4);
	}
	f->decode(&d, b, o->n, AT);
	if (d.err || d.how != BOOSTED || d.length != o->n || !d.wants_slot ||
	    f->build_slot(&d, slot, image, &tail, &tail_jump)) {
		complain("%s: not boosted", hex(b, o->n));
		return;
	}
	if (tail != o->n || tail_jump != 0xe9 || image[tail] != 0xe9)
		complain("%s: tail at %u", hex(b, o->n), tail);

	random_machine(f, &m);
	save_memory(before);
	memcpy((void *)(uintptr_t)AT, b, o->n);
	m.ip = AT;
	cpu_execute(f, &m, &original);
	memset((void *)(uintptr_t)AT, 0xcc, o->n);
	save_memory(snapshot[0]);
	if (cpu_faulted || original.ip != AT + o->n)
		complain("%s: faults", hex(b, o->n));

	load_memory(before);
	memcpy((void *)(uintptr_t)slot, image, SLOT_BYTES);
	m.ip = slot;
	cpu_execute(f, &m, &copy);
	save_memory(snapshot[1]);
	load_memory(before);

	if (!same(f, &original, &copy)) {
		complain("%s: the copy does something else", hex(b, o->n));
		show_difference(f, &original, &copy);
	}
	if (memcmp(snapshot[0], snapshot[1], sizeof(snapshot[0])))
		complain("%s: the copy leaves other memory", hex(b, o->n));
}

static void test_ordinary(const struct flavour *f)
{
	unsigned int i, round;

	for (i = 0; i < ARRAY_SIZE(ordinary); i++)
		for (round = 0; round < 10; round++)
			if (!ordinary[i].bits || ordinary[i].bits == f->bits)
				one_ordinary(f, &ordinary[i]);
	result("%u bit: copies of ordinary instructions in slots", f->bits);
}

/* Distances at the edge of what 32 bits hold, at addresses of a real kernel. */
static void test_reach(void)
{
	static const struct { u64 addr, slot, target; bool fits; } samples[] = {
		{ 0xffffffff81000000, 0xffffffffc0000000, 0xffffffff82000000, true },
		{ 0xffffffffc0100000, 0xffffffffc0000000, 0xffffffff82000000, true },
		/* per-CPU, relative to %rip: around the end of the address space */
		{ 0xffffffff81000000, 0xffffffffc0000000, 0x000000000001f000, true },
		{ 0xffffffff81000000, 0xffffffffa0000000, 0x000000000001f000, true },
		/* too far: the operand */
		{ 0xffffffffc0000000, 0xffffffff80000000, 0x0000000000001000, false },
		{ 0xffffffff81000000, 0xffffffffc0000000, 0xffffffff3f000000, false },
		/* too far: the way back */
		{ 0xffffffff81000000, 0xffff888000000000, 0xffffffff82000000, false },
		{ 0xffffffff81000000, 0x0000000081000000, 0x0000000081000000, false },
	};
	unsigned int i, tail, tail_jump;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		u8 b[] = { 0x48, 0x8b, 0x05, 0, 0, 0, 0 }, image[SLOT_BYTES];
		s32 disp = samples[i].target - (samples[i].addr + sizeof(b)), jump;
		struct decoded d;
		int err;

		memcpy(b + 3, &disp, 4);
		flavour64.decode(&d, b, sizeof(b), samples[i].addr);
		err = flavour64.build_slot(&d, samples[i].slot, image, &tail, &tail_jump);
		if (samples[i].fits ? err : err != -ERANGE) {
			complain("case %u: %d", i, err);
			continue;
		}
		if (err)
			continue;
		memcpy(&disp, image + 3, 4);
		memcpy(&jump, image + tail + 1, 4);
		if (samples[i].slot + sizeof(b) + disp != samples[i].target)
			complain("case %u: operand missed", i);
		if (samples[i].slot + tail + 5 + jump != samples[i].addr + sizeof(b))
			complain("case %u: way back missed", i);
	}
	result("64 bit: reach of operands and of the jump back");
}

/* Encodings whose operand the kernel's decoder has to find: AVX, EVEX. */
static void test_vector_operands(void)
{
	static const struct { u8 n, disp_at, b[15]; } samples[] = {
		{ 8, 4, { 0xc5, 0xf9, 0x6f, 0x05, 1, 2, 3, 4 } },
		{ 9, 5, { 0xc4, 0xe2, 0x7d, 0x18, 0x05, 1, 2, 3, 4 } },
		{ 10, 5, { 0xc4, 0xe3, 0x7d, 0x06, 0x05, 1, 2, 3, 4, 1 } },
		{ 10, 6, { 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x05, 1, 2, 3, 4 } },
		{ 11, 6, { 0x62, 0xf3, 0xfd, 0x48, 0x23, 0x05, 1, 2, 3, 4, 0 } },
		{ 8, 4, { 0xf3, 0x0f, 0x6f, 0x05, 1, 2, 3, 4 } },
		{ 10, 5, { 0x66, 0x0f, 0x3a, 0x0f, 0x05, 1, 2, 3, 4, 4 } },
	};
	unsigned int i, tail, tail_jump;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		u8 image[SLOT_BYTES], expected[15];
		s32 disp;
		struct decoded d;

		flavour64.decode(&d, samples[i].b, samples[i].n, AT);
		if (d.err || d.length != samples[i].n || d.how != BOOSTED ||
		    flavour64.build_slot(&d, SLOTS, image, &tail, &tail_jump)) {
			complain("%s: not boosted", hex(samples[i].b, samples[i].n));
			continue;
		}
		memcpy(expected, samples[i].b, sizeof(expected));
		disp = 0x04030201 + (s32)(AT - SLOTS);
		memcpy(expected + samples[i].disp_at, &disp, 4);
		if (memcmp(image, expected, samples[i].n))
			complain("%s: copied wrongly", hex(samples[i].b, samples[i].n));
	}
	result("64 bit: vector operands relative to the instruction pointer");
}

/* With IBT a landing pad must stay what it is; its relatives may be probed. */
static void test_landing_pads(void)
{
	static const struct { u8 n, b[4]; bool pad; } samples[] = {
		{ 4, { 0xf3, 0x0f, 0x1e, 0xfa }, true },
		{ 4, { 0xf3, 0x0f, 0x1e, 0xfb }, true },
		{ 4, { 0xf3, 0x0f, 0x1e, 0xc8 }, false },
		{ 3, { 0x0f, 0x1e, 0xfa }, false },
		{ 4, { 0x66, 0x0f, 0x1f, 0x00 }, false },	/* a sealed one */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		struct decoded d;

		flavour64_ibt.decode(&d, samples[i].b, samples[i].n, AT);
		if (samples[i].pad ? d.err != -EINVAL : d.err)
			complain("%s: %d with IBT", hex(samples[i].b, samples[i].n), d.err);
		flavour64.decode(&d, samples[i].b, samples[i].n, AT);
		if (d.err)
			complain("%s: %d without IBT", hex(samples[i].b, samples[i].n), d.err);
	}
	result("64 bit: landing pads of indirect branches");
}

/* The list of encodings */

static bool check_verdict(const struct flavour *f, const u8 *bytes, unsigned int length,
			  unsigned int avail, char *verdict, const char *line)
{
	struct decoded d;
	bool good;

	f->decode(&d, bytes, avail, 0xffffffff81000000 & mask(f));
	if (!strcmp(verdict, "bad"))
		good = d.err == -EILSEQ && d.why;
	else if (!strcmp(verdict, "boost"))
		good = !d.err && d.how == BOOSTED && d.wants_slot && d.length == length;
	else if (!strncmp(verdict, "sim ", 4))
		good = !d.err && d.how == SIMULATED && d.length == length && d.simulator &&
		       !strcmp(d.simulator, verdict + 4) &&
		       d.wants_slot == !!strstr(d.simulator, "_mem");
	else if (!strncmp(verdict, "refuse ", 7))
		good = d.err == -EINVAL && d.why && strstr(d.why, verdict + 7);
	else
		good = false;
	if (!good)
		complain("%u bit, %s: %d, %s, length %u", f->bits, line, d.err,
			 d.why ?: d.simulator ?: "boost", d.length);
	return good;
}

static void test_encodings(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned int nr = 0, nr_refused = 0;
	char line[256];

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		result("verdicts on encodings");
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		unsigned int bits = 0, n = 0, length = 0;
		u8 bytes[32] = { 0 };
		char *p = line, *verdict;

		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (*p != '*')
			bits = atoi(p);
		p += strcspn(p, " ");
		for (;;) {
			p += strspn(p, " \t");
			if (*p == '|') {
				length = n;
				p++;
			} else if (isxdigit(p[0]) && isxdigit(p[1]) && !isalpha(p[2])) {
				bytes[n++] = strtoul(p, &p, 16);
			} else {
				break;
			}
		}
		verdict = p;
		if (!length)
			length = n;
		nr++;
		nr_refused += *verdict == 'r';
		for (unsigned int i = 0; i < 2; i++) {
			const struct flavour *f = i ? &flavour32 : &flavour64;
			struct decoded d;

			if (bits && bits != f->bits)
				continue;
			check_verdict(f, bytes, length, n, verdict, line);
			if (strcmp(verdict, "bad") && *verdict != 'r') {
				if (f->length(bytes, n) != (int)length)
					complain("%u bit, %s: length %d", f->bits, line,
						 f->length(bytes, n));
				f->decode(&d, bytes, length - 1, 0);
				if (d.err != -EILSEQ)
					complain("%u bit, %s: one byte less is accepted", f->bits,
						 line);
			}
		}
	}
	fclose(file);
	if (nr < 200 || nr_refused < 50)
		complain("only %u encodings", nr);
	result("verdicts on %u encodings", nr);
}

/* Groups by ModRM, all 256 values each, against the rule of the manual. */
static void test_groups(const struct flavour *f)
{
	unsigned int modrm, i;

	for (modrm = 0; modrm < 256; modrm++) {
		u8 ff[15] = { 0xff, modrm }, mov[15] = { 0x8e, modrm };
		u8 c7[15] = { 0xc7, modrm }, system[15] = { 0x0f, 0x01, modrm };
		static const char refused[] = "\xc2\xc3\xc9\xfb\xd7\xd8\xde\xf8";
		unsigned int reg = modrm >> 3 & 7;
		bool memory = modrm < 0xc0;
		struct decoded d;

		f->decode(&d, ff, 15, AT);
		if (reg == 3 || reg == 5 ? d.err != -EINVAL :
		    reg == 2 || reg == 4 ? d.err || d.how != SIMULATED ||
					   !d.simulator || d.wants_slot != memory ||
					   !strstr(d.simulator, reg == 2 ? "call" : "jmp") :
		    reg == 7 ? d.err == 0 && d.how != BOOSTED : d.err || d.how != BOOSTED)
			complain("ff %02x: %d %s", modrm, d.err, d.why ?: d.simulator);

		f->decode(&d, mov, 15, AT);
		if (reg == 2 ? d.err != -EINVAL : d.err != 0)
			complain("8e %02x: %d", modrm, d.err);

		f->decode(&d, c7, 15, AT);
		if (modrm == 0xf8 ? d.err != -EINVAL : reg == 0 && d.err)
			complain("c7 %02x: %d", modrm, d.err);

		f->decode(&d, system, 15, AT);
		if (!memory && memchr(refused, modrm, sizeof(refused) - 1) ? d.err != -EINVAL :
		    d.err == -EINVAL)
			complain("0f 01 %02x: %d", modrm, d.err);
	}
	/* Nothing crashes, and no verdict is without a reason. */
	for (i = 0; i < 2000000; i++) {
		u64 random[2] = { random64(), random64() };
		struct decoded d;

		f->decode(&d, (void *)random, 1 + below(15), AT);
		if (d.err ? !d.why || (d.err != -EILSEQ && d.err != -EINVAL) :
		    d.how > BOOSTED || d.length > 15 || !d.simulator != !!d.how)
			complain("%s: %d", hex((void *)random, 15), d.err);
	}
	result("%u bit: groups of opcodes, random bytes", f->bits);
}

/* A kernel: "ADDRESS BYTES..." of every instruction, as objdump sees them. */

static int check_kernel(const struct flavour *f)
{
	static struct { const char *why; unsigned long nr; } reasons[64];
	unsigned long nr = 0, accepted = 0, simulated = 0, padding = 0, pads = 0;
	unsigned long wrong = 0, big = 0;
	char line[512];
	unsigned int i;

	while (fgets(line, sizeof(line), stdin)) {
		u8 bytes[32] = { 0 }, image[SLOT_BYTES];
		unsigned int n = 0, tail, tail_jump;
		struct decoded d;
		u64 addr;
		char *p = line;

		addr = strtoull(p, &p, 16);
		while (n < 16 && isxdigit(p[strspn(p, " ")]))
			bytes[n++] = strtoul(p, &p, 16);
		if (!n)
			continue;
		if (n == 1 && bytes[0] == 0xcc) {
			padding++;
			continue;
		}
		nr++;
		/* The bytes behind it are not known here: not wrong, but "sti" is let in. */
		f->decode(&d, bytes, n, addr);
		if (f->length(bytes, n) != (int)n) {
			if (++wrong <= 10)
				printf("# length of %s at %lx: %d\n", hex(bytes, n), addr,
				       f->length(bytes, n));
		}
		if (n == 4 && !memcmp(bytes, "\xf3\x0f\x1e\xfa", 4)) {
			pads++;
			continue;
		}
		if (d.err) {
			for (i = 0; i < 63 && reasons[i].why; i++)
				if (!strcmp(reasons[i].why, d.why))
					break;
			reasons[i].why = d.why;
			reasons[i].nr++;
			continue;
		}
		accepted++;
		simulated += d.how == SIMULATED;
		if (d.wants_slot &&
		    f->build_slot(&d, f->bits == 64 ? 0xffffffffc0000000 : 0xf8000000, image,
				  &tail, &tail_jump))
			big++;
	}
	printf("# %lu instructions, %lu landing pads and %lu bytes of padding left aside\n",
	       nr - pads, pads, padding);
	printf("# accepted %.3f%%: simulated %.1f%%, boosted %.1f%%\n",
	       100.0 * accepted / (nr - pads), 100.0 * simulated / (nr - pads),
	       100.0 * (accepted - simulated) / (nr - pads));
	for (i = 0; i < 64 && reasons[i].why; i++)
		printf("# refused %lu: %s\n", reasons[i].nr, reasons[i].why);
	if (nr < 10000)
		complain("only %lu instructions", nr);
	if (wrong > nr / 10000)
		complain("%lu lengths are not objdump's", wrong);
	if (big)
		complain("%lu slots out of reach", big);
	if (accepted < 0.99 * (nr - pads))
		complain("less than 99%% accepted");
	result("%u bit: every instruction of a kernel", f->bits);
	return nr_bad != 0;
}

/* Does this host run 32 bit code? */
static bool cpu_runs(const struct flavour *f)
{
	struct machine m, out;

	random_machine(f, &m);
	m.ip = AT;
	cpu_execute(f, &m, &out);
	return !cpu_faulted && out.ip == AT;
}

static void test_flavour(const struct flavour *f)
{
	test_groups(f);
	if (!cpu_runs(f)) {
		printf("ok %u # SKIP this host does not run %u bit code\n", ++nr_tests, f->bits);
		return;
	}
	test_jcc(f);
	test_loops(f);
	test_relative(f);
	test_ret(f);
	test_through_register(f);
	test_through_memory(f);
	if (f->bits == 64)
		test_percpu_operand(f);
	test_unreadable_operand(f);
	test_retried_operand(f);
	test_nops(f);
	test_ordinary(f);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--kernel"))
		return check_kernel(atoi(argv[2]) == 32 ? &flavour32 : &flavour64);
	if (argc != 2) {
		fprintf(stderr, "usage: %s ENCODINGS | --kernel 64|32 < LISTING\n", argv[0]);
		return 2;
	}

	cpu_setup();
	printf("KTAP version 1\n");
	test_encodings(argv[1]);
	test_reach();
	test_vector_operands();
	test_landing_pads();
	test_flavour(&flavour64);
	test_flavour(&flavour32);
	printf("1..%u\n", nr_tests);
	return nr_bad != 0;
}
