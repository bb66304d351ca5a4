/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The x86 decoder and simulators of this repository, built for kernels of 64 bit,
 * of 64 bit with IBT, and of 32 bit into one program of the host.
 */
#ifndef FLAVOUR_H
#define FLAVOUR_H

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;

#define INSN_BYTES	15
#define SLOT_BYTES	32

/* Numbered like the CPU numbers its registers. */
struct machine {
	u64 reg[16];
	u64 ip;
	u64 flags;
};

enum how { SIMULATED, BOOSTED, STEPPED };

struct decoded {
	int err;			/* 0, -EILSEQ, -EINVAL */
	const char *why;
	unsigned int length;
	enum how how;
	const char *simulator;		/* "jmp", "call_mem", ... */
	bool wants_slot;
	/* for simulate() and build_slot() */
	u8 bytes[INSN_BYTES];
	unsigned int avail;
	u64 addr;
};

struct flavour {
	unsigned int bits;
	void (*decode)(struct decoded *d, const u8 *bytes, unsigned int avail,
		       u64 addr);
	int (*length)(const u8 *bytes, unsigned int avail);
	bool (*simulate)(const struct decoded *d, struct machine *m);
	int (*build_slot)(const struct decoded *d, u64 slot, u8 *image,
			  unsigned int *tail, unsigned int *tail_jump);
};

extern const struct flavour flavour64, flavour64_ibt, flavour32;
extern u64 shim_percpu_base;

#endif
