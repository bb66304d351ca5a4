/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of arch/riscv/kernel/kprobes that test.c includes need from kernel
 * headers, in a program.  For test.c only; the headers beside it lead here.
 *
 * These are stand-ins for the kernel's own macros, in the plainest form that does.
 */
#ifndef SHIM_H
#define SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;

#define EILSEQ			84
#define EINVAL			22
#define EBUSY			16
#define ENOSPC			28
#define ERANGE			34

#define BITS_PER_LONG		64
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BIT(n)			(1u << (n))
#define GENMASK(high, low)	((~0u << (low)) & (~0u >> (31 - (high))))
#define IS_ENABLED(option)	(option)
#define likely(x)		(x)
#define unlikely(x)		(x)
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define __used			__attribute__((__used__))
#define __section(s)		__attribute__((__section__(s)))

/* The first 32 words of the kernel's are all that simulators touch. */
struct pt_regs {
	unsigned long epc;
	unsigned long x1_to_x31[31];
};

static inline unsigned long instruction_pointer(struct pt_regs *regs)
{
	return regs->epc;
}

static inline void instruction_pointer_set(struct pt_regs *regs, unsigned long value)
{
	regs->epc = value;
}

#endif
