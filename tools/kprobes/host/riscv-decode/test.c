// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the RISC-V decoder, slots, simulators and detour buffers of this
 * repository against a CPU, as a RISC-V program: on hardware, or under QEMU.  Prints KTAP.
 *
 *	test --verdicts FILE	what becomes of the encodings in FILE
 *	test --compressed	every encoding of 16 bits
 *	test --random		random ones of 32 bits
 *	test --kernel		the instructions of a kernel, as lines on standard
 *				input: "ADDRESS BYTES-IN-HEX MNEMONIC"
 *
 * The CPU executes one instruction at a time like this: the handler of a
 * breakpoint replaces the interrupted registers by those of the test, with the
 * pc on the instruction.  Whatever it branches to, or falls into, is a
 * breakpoint, and the handler of that takes the registers out.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define __KERNEL__ 1
#include "../../../../arch/riscv/kernel/kprobes/decode.c"
#include "../../../../arch/riscv/kernel/kprobes/simulate.c"
#include "../../../../arch/riscv/kernel/kprobes/registers.c"
#include "../../../../arch/riscv/kernel/kprobes/detour.c"
#include "../ktap.h"

/* All of the first is breakpoints: as far as jal reaches, and more. */
#define TEXT		0x20000000UL
#define TEXT_BYTES	0x400000UL
#define SLOTS		0x30000000UL
#define SLOTS_BYTES	0x1000UL
#define DETOUR		(SLOTS + 0x800)
#define DATA		0x38000000UL
#define DATA_BYTES	0x10000UL

#define ADDR		(TEXT + TEXT_BYTES / 2)

/* The CPU */

static struct pt_regs cpu_in, cpu_out;
static int cpu_signal;
static volatile bool cpu_running;
static ucontext_t cpu_saved;
unsigned long cpu_tp;

/* The handler's C part; gp and tp are those of the program again. */
void on_signal(int sig, siginfo_t *info, void *context)
{
	unsigned long *r = (unsigned long *)((ucontext_t *)context)->uc_mcontext.__gregs;

	if (cpu_running) {
		memcpy(&cpu_out, r, sizeof(cpu_out));
		cpu_signal = sig;
		cpu_running = false;
		memcpy(r, cpu_saved.uc_mcontext.__gregs, sizeof(cpu_out));
		return;
	}
	if (sig != SIGTRAP) {
		printf("Bail out! signal %d at %lx\n", sig, r[0]);
		_Exit(1);
	}
	r[0] += 4;
	memcpy(cpu_saved.uc_mcontext.__gregs, r, sizeof(cpu_out));
	memcpy(r, &cpu_in, sizeof(cpu_out));
	cpu_running = true;
}

void signal_entry(int sig, siginfo_t *info, void *context);

asm(".pushsection .text\n"
    ".globl signal_entry\n"
    "signal_entry:\n"
    ".option push\n"
    ".option norelax\n"
    "	la	gp, __global_pointer$\n"
    ".option pop\n"
    "	la	t0, cpu_tp\n"
    "	ld	tp, 0(t0)\n"
    "	tail	on_signal\n"
    ".popsection\n");

static void cpu_init(void)
{
	static u8 stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_sigaction = signal_entry,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	asm volatile("mv %0, tp" : "=r" (cpu_tp));
	sigaltstack(&alternate, NULL);
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

static void map(unsigned long at, size_t bytes)
{
	if (mmap((void *)at, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)at) {
		printf("Bail out! no memory at %lx\n", at);
		exit(1);
	}
}

static void write_text(unsigned long at, const void *bytes, size_t n)
{
	memcpy((void *)at, bytes, n);
	__builtin___clear_cache((char *)at, (char *)at + n);
}

/* Execute what is at cpu_in.epc. */
static void cpu_run(void)
{
	asm volatile(".option push\n"
		     ".option norvc\n"
		     "	ebreak\n"
		     ".option pop\n" : : : "memory");
}

/* Random values, among them those that are special. */
static void random_regs(struct pt_regs *regs)
{
	static const u64 special[] = {
		0, 1, -1ul, 1ul << 63, ~0ul >> 1, 1ul << 31, 0x7fffffff, -0x80000000l,
	};
	unsigned int i;

	for (i = 0; i < 31; i++) {
		u64 r = random64();

		switch (r >> 61) {
		case 0:
			regs->x1_to_x31[i] = special[(r >> 20) % 8];
			break;
		case 1:
			regs->x1_to_x31[i] = (s32)r;
			break;
		case 2:		/* equal ones, for branches */
			regs->x1_to_x31[i] = i ? regs->x1_to_x31[i - 1] : 0;
			break;
		case 3:		/* a target, or a number near zero */
			regs->x1_to_x31[i] = TEXT + r % TEXT_BYTES;
			break;
		default:
			regs->x1_to_x31[i] = random64();
		}
	}
	regs->epc = ADDR;
}

/* Registers that point to memory, so that accesses do not fault. */
static void memory_regs(struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		regs->x1_to_x31[i] = DATA + DATA_BYTES / 2 + (random64() % 256) * 16;
	regs->epc = ADDR;
}

static void random_memory(void)
{
	u64 *word;

	for (word = (void *)DATA; word < (u64 *)(DATA + DATA_BYTES); word++)
		*word = random64();
}

static int decode(struct kprobe_insn *insn, u32 word, unsigned int avail, const char **why)
{
	memset(insn, 0xa5, sizeof(*insn));	/* the function is to set it all */
	memcpy(insn->bytes, &word, 4);
	insn->avail = avail;
	return arch_kprobe_decode(insn, ADDR, why);
}

static void compare(const char *what, u32 word, const struct pt_regs *want,
		    const struct pt_regs *got)
{
	const unsigned long *w = (const void *)want, *g = (const void *)got;
	unsigned int i;

	for (i = 0; i < 32; i++)
		if (w[i] != g[i]) {
			complain("%s %08x: x%u (0: pc) is %lx, the CPU's is %lx",
				 what, word, i, g[i], w[i]);
			return;
		}
}

/* Executions that could not be compared. */
static unsigned int nr_into_itself;

static bool is_bad_fetch(unsigned long pc)
{
	return pc < TEXT || pc >= TEXT + TEXT_BYTES - 4;
}

/* Does the simulator do what the CPU does?  @rounds sets of registers. */
static void check_simulator(const struct kprobe_insn *insn, u32 word, unsigned int rounds)
{
	static const u64 breakpoints = 0x9002900290029002;
	struct pt_regs regs;

	write_text(ADDR, insn->bytes, insn->length);
	while (rounds--) {
		random_regs(&cpu_in);
		regs = cpu_in;
		if (!insn->simulate(insn, ADDR, &regs))
			complain("%08x: not done", word);
		/* To itself, or into its middle: no breakpoint would end that. */
		if (regs.epc >= ADDR && regs.epc < ADDR + insn->length) {
			nr_into_itself++;
			continue;
		}
		cpu_run();
		if (cpu_signal != SIGTRAP && !is_bad_fetch(cpu_out.epc)) {
			complain("%08x: the CPU says signal %d at %lx", word, cpu_signal,
				 cpu_out.epc);
			break;
		}
		/* Where no memory is, QEMU may report the page, not the address. */
		if (is_bad_fetch(cpu_out.epc) && is_bad_fetch(regs.epc))
			cpu_out.epc = regs.epc;
		compare("simulated", word, &cpu_out, &regs);
	}
	write_text(ADDR, &breakpoints, 4);
}

/* In the slot it must do what it does at its place, and end at the tail. */
static void check_slot(struct kprobe_insn *insn, u32 word)
{
	static const u64 breakpoints = 0x9002900290029002;
	static u8 before[DATA_BYTES], after[DATA_BYTES];
	struct pt_regs in_place, start;
	u8 image[KPROBE_SLOT_BYTES];
	int signal;

	if (arch_kprobe_build_slot(insn, ADDR, SLOTS, image)) {
		complain("%08x: no slot", word);
		return;
	}
	if (insn->tail != insn->length)
		complain("%08x: tail at %u", word, insn->tail);
	memory_regs(&start);
	memcpy(before, (void *)DATA, DATA_BYTES);

	write_text(ADDR, insn->bytes, insn->length);
	cpu_in = start;
	cpu_run();
	write_text(ADDR, &breakpoints, 4);
	signal = cpu_signal;
	in_place = cpu_out;
	memcpy(after, (void *)DATA, DATA_BYTES);
	memcpy((void *)DATA, before, DATA_BYTES);

	write_text(SLOTS, image, sizeof(image));
	cpu_in = start;
	cpu_in.epc = SLOTS;
	cpu_run();

	if (signal == SIGTRAP && in_place.epc != ADDR + insn->length)
		complain("%08x: depends on its address, goes to %lx", word, in_place.epc);
	if (signal != cpu_signal)
		complain("%08x: signal %d in the slot, %d at its place", word, cpu_signal, signal);
	in_place.epc += SLOTS - ADDR;
	compare("stepped", word, &in_place, &cpu_out);
	if (memcmp(after, (void *)DATA, DATA_BYTES))
		complain("%08x: writes to memory differ", word);
}

/* Detours */

bool kprobe_jump_page_mapped = true;

/* Text without a gap: its units of 16 bits, and where instructions start. */
static struct {
	unsigned long start;
	size_t units;
	u16 text[1 << 23];
	bool starts[1 << 23];
	bool targets[1 << 23];
} flow;

enum kprobe_text kprobe_text_kind(unsigned long addr, u32 word, unsigned long *elsewhere)
{
	return KPROBE_TEXT_PLAIN;
}

int kprobe_check_reserved(unsigned long start, unsigned long end, const char **why)
{
	return 0;
}

/* Text of a kernel; around what is tested, returns. */
int kprobe_copy_text(void *dst, unsigned long addr, size_t len)
{
	const u16 ret = 0x8082;
	size_t at = (addr - flow.start) / 2, i;

	if (addr >= flow.start && at + len / 2 <= flow.units) {
		memcpy(dst, &flow.text[at], len);
		return 0;
	}
	for (i = 0; i < len; i += 2)
		memcpy(dst + i, &ret, 2);
	return 0;
}

/* Which register the detours of tests take: the first that is free at a return. */
#define FREE	28

static unsigned int nr_detours;

/* By way of a detour buffer it must do what it does at its place. */
static void check_detour(const struct kprobe_insn *insn, u32 word)
{
	static const u64 breakpoints = 0x9002900290029002;
	struct pt_regs in_place, start;
	u8 image[KPROBE_DETOUR_BYTES];
	const char *why = "?";
	int len, signal;

	len = arch_kprobe_relocate(insn, ADDR, DETOUR, image,
				   sizeof(image) - KPROBE_JUMP_BACK_BYTES, &why);
	if (len < 0) {
		u32 w = kprobe_insn_word(insn);

		if (!links_elsewhere(w) && !(len == -ERANGE && opcode_of(w) == OP_AUIPC))
			complain("%08x: no detour: %s", word, why);
		return;
	}
	if (arch_kprobe_put_jump_back(image + len, DETOUR + len, ADDR + insn->length)) {
		complain("%08x: no jump back", word);
		return;
	}
	random_regs(&start);
	in_place = start;
	insn->simulate(insn, ADDR, &in_place);
	/* To itself: no breakpoint would end that. */
	if (in_place.epc >= ADDR && in_place.epc < ADDR + insn->length)
		return;
	write_text(ADDR, insn->bytes, insn->length);
	cpu_in = start;
	cpu_run();
	write_text(ADDR, &breakpoints, 4);
	signal = cpu_signal;
	in_place = cpu_out;

	write_text(DETOUR, image, sizeof(image));
	cpu_in = start;
	cpu_in.epc = DETOUR;
	cpu_run();
	nr_detours++;
	/* What the jumps go through; t1, at calls. */
	cpu_out.x1_to_x31[FREE - 1] = in_place.x1_to_x31[FREE - 1];
	if (arch_kprobe_calls(insn))
		cpu_out.x1_to_x31[X_T1 - 1] = in_place.x1_to_x31[X_T1 - 1];
	/* Where no memory is, QEMU may report the page, not the address. */
	if (is_bad_fetch(in_place.epc) && is_bad_fetch(cpu_out.epc))
		cpu_out.epc = in_place.epc;
	if (signal != cpu_signal)
		complain("%08x: signal %d by way of a detour, %d at its place", word, cpu_signal,
			 signal);
	compare("by way of a detour", word, &in_place, &cpu_out);
}

/* Verdicts */

static const struct {
	kprobe_simulate_t function;
	const char *name;
} simulators[] = {
#define SIMULATOR_NAME(name) { kprobe_simulate_##name, #name },
	KPROBE_SIMULATORS(SIMULATOR_NAME)
};

static const char *verdict(u32 word, unsigned int avail)
{
	static char text[200];
	struct kprobe_insn insn;
	const char *why = "?";
	unsigned int i;
	int err = decode(&insn, word, avail, &why);

	if (err == -EILSEQ)
		return "bad";
	if (err) {
		snprintf(text, sizeof(text), "refuse %s", why);
		return text;
	}
	if (insn.exec == KPROBE_EXEC_STEP)
		return insn.wants_slot ? "step" : "step, without a slot";
	for (i = 0; i < sizeof(simulators) / sizeof(simulators[0]); i++)
		if (insn.simulate == simulators[i].function) {
			snprintf(text, sizeof(text), "sim %s", simulators[i].name);
			return text;
		}
	return "sim?";
}

/* Lines of "BYTES|TEXT|VERDICT"; a refusal is given by a part of its reason. */
static void check_verdicts(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[300], text[100], want[100];
	unsigned int n = 0;
	u32 word;

	while (file && fgets(line, sizeof(line), file)) {
		unsigned int bytes;
		const char *got;
		bool same;

		if (line[0] == '#')
			continue;
		if (sscanf(line, "%x|%99[^|]|%99[^\n]", &word, text, want) != 3) {
			complain("cannot read %s", line);
			continue;
		}
		n++;
		bytes = (word & 3) == 3 ? 4 : 2;
		got = verdict(word, bytes);
		same = !strncmp(want, "refuse ", 7) ?
		       !strncmp(got, "refuse ", 7) && strstr(got, want + 7) : !strcmp(want, got);
		if (!same)
			complain("%s (%08x): want %s, got %s", text, word, want, got);
		if (strcmp(verdict(word, bytes - 1), "bad"))
			complain("%s: without its last byte it is no instruction", text);
	}
	if (n < 50)
		complain("only %u lines", n);
	result("verdicts on %u encodings", n);
}

/* Every encoding of 16 bits. */
static void check_compressed(void)
{
	unsigned int simulated = 0, stepped = 0, bad = 0;
	struct kprobe_insn insn;
	const char *why;
	u32 c;

	random_memory();
	for (c = 0; c < 0x10000; c++) {
		if ((c & 3) == 3)
			continue;
		if (decode(&insn, c, 2, &why)) {
			if (c == INSN_C_EBREAK)
				continue;
			/* What is refused as no instruction must be none. */
			bad++;
			write_text(ADDR, &c, 2);
			memory_regs(&cpu_in);
			cpu_run();
			if (cpu_signal != SIGILL)
				complain("%04x: taken for no instruction", c);
		} else if (insn.simulate) {
			simulated++;
			check_simulator(&insn, c, 2);
			check_detour(&insn, c);
		} else {
			stepped++;
			check_slot(&insn, c);
		}
	}
	result("16 bits: %u simulated, %u stepped, %u are no instructions, %u jumps to itself",
	       simulated, stepped, bad, nr_into_itself);
}

/* Random operands for every opcode that may be simulated. */
static void check_random(void)
{
	static const u8 opcodes[] = {
		OP_LUI, OP_AUIPC, OP_JAL, OP_JALR, OP_BRANCH, OP_OP_IMM, OP_OP_IMM_32,
		OP_OP, OP_OP_32,
	};
	unsigned int i, simulated = 0;
	struct kprobe_insn insn;
	const char *why;

	for (i = 0; i < 60000; i++) {
		u32 word = (u32)random64() & ~0x7f;

		word |= opcodes[i % sizeof(opcodes)];
		/* Else hardly any of these would be one. */
		if ((word & 0x57) == 0x13 && (i / sizeof(opcodes)) % 4)
			word &= opcode_of(word) == OP_OP_IMM ? 0x43ffffff : 0x41ffffff;
		if (decode(&insn, word, 4, &why) || !insn.simulate)
			continue;
		simulated++;
		check_simulator(&insn, word, 3);
		check_detour(&insn, word);
	}
	if (simulated < 20000)
		complain("few of them are simulated");
	result("32 bits: %u random instructions simulated", simulated);
	if (nr_detours < 10000)
		complain("few of them have detours");
	result("32 bits: %u of them by way of a detour", nr_detours);
}

/* The same for those that are run in a slot, on registers that point to memory. */
static void check_random_stepped(void)
{
	static const u8 opcodes[] = {
		OP_LOAD, OP_STORE, OP_AMO, OP_OP, OP_OP_32, OP_LOAD_FP, OP_STORE_FP, OP_OP_FP,
		OP_MADD, OP_NMSUB,
	};
	unsigned int i, stepped = 0;
	struct kprobe_insn insn;
	const char *why;

	random_memory();
	for (i = 0; i < 30000; i++) {
		u32 word = (u32)random64() & ~0x7f;

		word |= opcodes[i % sizeof(opcodes)];
		/* Multiplications and divisions. */
		if (opcode_of(word) == OP_OP || opcode_of(word) == OP_OP_32)
			word = (word & 0x01ffffff) | 0x02000000;
		if (decode(&insn, word, 4, &why) || insn.simulate)
			continue;
		stepped++;
		check_slot(&insn, word);
	}
	if (stepped < 20000)
		complain("few of them are stepped");
	result("32 bits: %u random instructions in a slot", stepped);
}

/* Kernels */

#define NR_REASONS 32

static struct {
	const char *why;
	unsigned long n;
	char example[80];
} reasons[NR_REASONS];

static void count_reason(const char *why, const char *line)
{
	unsigned int i;

	for (i = 0; i < NR_REASONS; i++) {
		if (!reasons[i].why) {
			reasons[i].why = why;
			snprintf(reasons[i].example, sizeof(reasons[i].example), "%.70s",
				 line ? line : "(of the sample, no jump)\n");
		}
		if (reasons[i].why == why) {
			reasons[i].n++;
			return;
		}
	}
}

/* Has this word been checked before? */
static bool seen_before(u32 word)
{
	static u32 seen[1 << 20];
	u32 *at = &seen[(word * 2654435761u) >> 12];

	if (*at == word)
		return true;
	*at = word;
	return false;
}

static unsigned long nr_in_lrsc;

static u32 flow_word(size_t at)
{
	return flow.text[at] | (u32)flow.text[at + 1] << 16;
}

/* Why an instruction of a kernel has no jump, as far as can be told from here. */
static const char *why_no_jump(size_t at)
{
	unsigned long addr = flow.start + 2 * at;
	u8 image[KPROBE_DETOUR_BYTES];
	unsigned int length = 0, to = 0;
	const char *why = "no register is free for the jump";
	struct kprobe_insn insn;
	struct kprobe_flow f = { };
	int ret;

	if (arch_kprobe_put_jump(image, addr, 0))
		return why;
	while (length < KPROBE_JUMP_BYTES) {
		if (at + 2 >= flow.units)
			return "the text ends";
		if (f.ends)
			return "other code follows a jump or return";
		if (length && flow.targets[at])
			return "somebody jumps to what the jump would replace";
		memset(&insn, 0, sizeof(insn));
		memcpy(insn.bytes, &flow.text[at], 4);
		insn.avail = 4;
		if (arch_kprobe_decode(&insn, addr + length, &why) ||
		    arch_kprobe_flow(insn.bytes, 4, addr + length, &f))
			return why;
		if (arch_kprobe_calls(&insn) && length + insn.length < KPROBE_JUMP_BYTES)
			return "a call returns to what the jump would replace";
		/* As if the buffer were here: how far it is does not matter. */
		ret = arch_kprobe_relocate(&insn, addr + length, addr, image,
					   sizeof(image) - KPROBE_JUMP_BACK_BYTES - to, &why);
		if (ret < 0)
			return why;
		to += ret;
		length += insn.length;
		at += insn.length / 2;
	}
	if (!f.ends && arch_kprobe_put_jump_back(image, addr, addr + length))
		return "no register is free for the jump back";
	return NULL;
}

static void count_reason(const char *why, const char *line);

static unsigned long nr_with_jump, nr_without_jump;

static void mark_target(unsigned long target)
{
	size_t at = (target - flow.start) / 2;

	if (target >= flow.start && at < flow.units)
		flow.targets[at] = true;
}

static void check_jumps(void)
{
	struct kprobe_flow f;
	const char *why;
	size_t at;

	memset(flow.targets, 0, sizeof(flow.targets));
	for (at = 0; at + 4 < flow.units; at++) {
		unsigned long addr = flow.start + 2 * at;

		if (flow.starts[at] &&
		    !arch_kprobe_flow((u8 *)&flow.text[at], 8, addr, &f)) {
			mark_target(f.target[0]);
			mark_target(f.target[1]);
		}
	}
	for (at = 0; at + 1 < flow.units; at++) {
		/* A sample: each takes a search. */
		if (!flow.starts[at] || at % 7)
			continue;
		why = why_no_jump(at);
		nr_with_jump += !why;
		nr_without_jump += !!why;
		if (why)
			count_reason(why, NULL);
	}
}

/* What is between lr and sc, known from the boundaries of instructions? */
static void check_flow(void)
{
	size_t at, until = 0, ahead;

	check_jumps();
	for (at = 0; at + 1 < flow.units; at++) {
		bool want = at < until;

		if (!flow.starts[at])
			continue;
		if (is_lr(flow_word(at)))
			for (ahead = at + 2; ahead < at + 32 && ahead + 1 < flow.units; ahead++)
				if (flow.starts[ahead] && is_sc(flow_word(ahead))) {
					until = ahead + 1;
					break;
				}
		nr_in_lrsc += want;
		if (kprobe_in_lrsc(&flow.text[at], at, flow.units - at) != want)
			complain("%lx: is %sbetween lr and sc", flow.start + 2 * at,
				 want ? "" : "not ");
	}
	flow.units = 0;
}

static void append_text(unsigned long addr, u32 word, unsigned int length)
{
	if (addr != flow.start + 2 * flow.units ||
	    flow.units + 2 > sizeof(flow.text) / sizeof(flow.text[0])) {
		check_flow();
		flow.start = addr;
	}
	flow.starts[flow.units] = true;
	flow.text[flow.units++] = word;
	if (length == 4) {
		flow.starts[flow.units] = false;
		flow.text[flow.units++] = word >> 16;
	}
}

static void check_kernel(void)
{
	unsigned long addr, n = 0, data = 0, refused = 0, simulated = 0, distinct = 0;
	char line[300], mnemonic[64], hex[16];
	struct kprobe_insn insn;
	const char *why;
	unsigned int i;

	random_memory();
	while (fgets(line, sizeof(line), stdin)) {
		unsigned int length;
		u32 word;
		int err;

		if (sscanf(line, "%lx %15s %63s", &addr, hex, mnemonic) != 3)
			continue;
		length = strlen(hex) / 2;
		word = strtoul(hex, NULL, 16);
		if (mnemonic[0] == '.' || strstr(mnemonic, "unimp")) {
			data++;
			continue;
		}
		n++;
		append_text(addr, word, length);
		err = decode(&insn, word, 4, &why);
		if (err == -EILSEQ || insn.length != length)
			complain("not decoded: %s", line);
		if (err) {
			refused++;
			count_reason(why, line);
			continue;
		}
		simulated += !!insn.simulate;
		if (seen_before(word))
			continue;
		distinct++;
		if (insn.simulate)
			check_simulator(&insn, word, 1);
	}
	check_flow();
	refused += nr_in_lrsc;
	printf("# %lu refused: between lr and sc\n", nr_in_lrsc);
	for (i = 0; i < NR_REASONS && reasons[i].why; i++)
		printf("# %lu refused: %s; e.g. %s\n", reasons[i].n, reasons[i].why,
		       reasons[i].example);
	if (n < 1000)
		complain("only %lu instructions", n);
	if (refused * 100 > n)
		complain("%lu of %lu are refused", refused, n);
	/* Static keys, bugs, and what is jumped to by tables, are not known here. */
	if (nr_with_jump * 100 < 60 * (nr_with_jump + nr_without_jump))
		complain("few can have a jump");
	result("%lu of %lu may be reached by a jump", nr_with_jump,
	       nr_with_jump + nr_without_jump);
	result("%lu instructions (%lu simulated, %lu distinct run on the CPU), %lu refused, %lu data",
	       n, simulated, distinct, refused, data);
}

/* LR/SC: by the text around a place, for every place of a made-up text. */
static void check_lrsc(void)
{
	static const u16 text[] = {
		0x0001, 0x0001,
		0x272f, 0x1005,		/* 2: lr.w a4, (a0) */
		0x1363, 0x00b7,		/* 4: bne a4, a1, 10 */
		0x272f, 0x18c5,		/* 6: sc.w a4, a2, (a0) */
		0xff65,			/* 8: c.bnez a4, 2 */
		0x0001, 0x0001,
		0x372f, 0x1405,		/* 11: lr.d.aq */
		0x0001, 0x0001, 0x0001,	/* 13: no sc follows */
	};
	const size_t n = sizeof(text) / sizeof(text[0]);
	size_t at, from;

	for (from = 0; from < 3; from++)
		for (at = from; at < n; at++) {
			bool got = kprobe_in_lrsc(text + at, at - from, n - at);
			/* Only what begins behind lr, up to sc. */
			bool want = at > 2 && at <= 6 && at != 3;

			if (at != 3 && at != 5 && at != 7 && got != want)
				complain("unit %zu: %d", at, got);
		}
	result("between lr and sc");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const u16 breakpoint = 0x9002;
	unsigned long at;

	map(TEXT, TEXT_BYTES);
	map(SLOTS, SLOTS_BYTES);
	map(DATA, DATA_BYTES);
	for (at = TEXT; at < TEXT + TEXT_BYTES; at += 2)
		memcpy((void *)at, &breakpoint, 2);
	cpu_init();

	if (!strcmp(what, "--verdicts") && argc > 2) {
		check_verdicts(argv[2]);
		check_lrsc();
	} else if (!strcmp(what, "--compressed")) {
		check_compressed();
	} else if (!strcmp(what, "--random")) {
		check_random();
		check_random_stepped();
	} else if (!strcmp(what, "--kernel")) {
		check_kernel();
	}
	printf("1..%u\n", nr_tests);
	return !nr_tests || nr_bad;
}
