/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The x86 decoder and simulators of this repository, built for 64 bit and for
 * 32 bit into one program of the host.
 */
#ifndef FLAVOUR_H
#define FLAVOUR_H

#include <stdbool.h>
#include <stdint.h>

#define INSN_BYTES	15
#define SLOT_BYTES	32

/* Numbered like the CPU numbers its registers. */
struct machine {
	uint64_t reg[16];
	uint64_t ip;
	uint64_t flags;
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
	uint8_t bytes[INSN_BYTES];
	unsigned int avail;
	uint64_t addr;
};

struct flavour {
	unsigned int bits;
	void (*decode)(struct decoded *d, const uint8_t *bytes, unsigned int avail,
		       uint64_t addr);
	int (*length)(const uint8_t *bytes, unsigned int avail);
	bool (*simulate)(const struct decoded *d, struct machine *m);
	int (*build_slot)(const struct decoded *d, uint64_t slot, uint8_t *image,
			  unsigned int *tail, unsigned int *tail_jump);
};

extern const struct flavour flavour64, flavour32;
extern uint64_t shim_percpu_base;

#endif
