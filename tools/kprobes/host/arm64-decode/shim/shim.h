/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What decode.c, simulate.c and detour.c need from kernel headers, in an arm64 program.
 * For test.c only; the headers beside it lead here.
 *
 * These are stand-ins for the kernel's own macros, in the plainest form that does.
 */
#ifndef SHIM_H
#define SHIM_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef u32 __le32;

#define BIT(n)			(1UL << (n))
#define __force
#define fallthrough		__attribute__((__fallthrough__))
#define likely(x)		(x)
#define unlikely(x)		(x)
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define __used			__attribute__((__used__))
#define __section(s)		__attribute__((__section__(s)))
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define IS_ENABLED(option)	option
#define cpu_to_le32(v)		(v)
#define le32_to_cpu(v)		(v)

static inline s64 sign_extend64(u64 value, int index)
{
	u8 shift = 63 - index;

	return (s64)(value << shift) >> shift;
}

struct pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
};

static inline unsigned long pt_regs_read_reg(const struct pt_regs *regs, int r)
{
	return r == 31 ? 0 : regs->regs[r];
}

static inline void pt_regs_write_reg(struct pt_regs *regs, int r, unsigned long value)
{
	if (r != 31)
		regs->regs[r] = value;
}

#define PSR_N_BIT		0x80000000
#define PSR_Z_BIT		0x40000000
#define PSR_C_BIT		0x20000000
#define PSR_V_BIT		0x10000000
#define PSR_BTYPE_MASK		0x00000c00
#define PSR_BTYPE_JC		0x00000400
#define PSR_BTYPE_C		0x00000800
#define PSR_BTYPE_J		0x00000c00

#define BRK64_OPCODE_KPROBES	0xd4200080
#define SZ_128M			0x08000000

/* A kernel with BTI: what is set can be looked at.  Jump optimization as well. */
#define CONFIG_KPROBES		1
#define CONFIG_ARM64_BTI_KERNEL	1
#define CONFIG_OPTPROBES	1
#define system_supports_bti()	shim_has_bti
#define system_supports_address_auth()	shim_has_pauth
extern bool shim_has_pauth, shim_has_bti;

#endif
