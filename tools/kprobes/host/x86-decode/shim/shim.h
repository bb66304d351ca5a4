/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What decode.c, simulate.c and the kernel's decoder need from kernel headers,
 * on a host.  For flavour.c only; the headers beside it lead here.
 *
 * These are stand-ins for the kernel's own macros, in the plainest form that does.
 *
 * "long" may be a macro for "int" (the 32-bit flavour), so the C library's
 * headers and flavour.h must have been included before.
 */
#ifndef SHIM_H
#define SHIM_H

#include <linux/kconfig.h>

typedef int16_t s16;
typedef int64_t s64;

#define BIT(n)			(1U << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define fallthrough		__attribute__((__fallthrough__))
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define __used			__attribute__((__used__))
#define __section(s)		__attribute__((__section__(s)))
#define min_t(t, a, b)		((t)(a) < (t)(b) ? (t)(a) : (t)(b))

#define EILSEQ			84
#define EINVAL			22
#define ERANGE			34
#define ENODATA			61

#define BUILD_BUG()		__builtin_unreachable()

#define le16_to_cpu(v)		(v)
#define le32_to_cpu(v)		(v)
#define __cpu_to_le32(v)	(v)
#define __le32_to_cpu(v)	(v)
#define __LITTLE_ENDIAN		1234
#define __BYTE_ORDER		1234

#define get_unaligned(p)						\
	({ __typeof__(*(p)) v_; memcpy(&v_, (p), sizeof(v_)); v_; })
static inline u32 get_unaligned_le32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}
static inline void put_unaligned_le32(u32 v, void *p)
{
	memcpy(p, &v, sizeof(v));
}

#ifdef CONFIG_X86_64
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di,
		      orig_ax, ip, cs, flags, sp, ss;
};
#else
struct pt_regs {
	unsigned long bx, cx, dx, si, di, bp, ax, ds, es, fs, gs,
		      orig_ax, ip, cs, flags, sp, ss;
};
#endif

/* Any readable address of the host will do for an operand. */
#define TASK_SIZE_MAX		0x1000UL
#define PAGE_MASK		(~0xfffUL)
#define VSYSCALL_ADDR		(-10UL << 20)

extern u64 shim_percpu_base;
#define this_cpu_off		((unsigned long)shim_percpu_base)
#define raw_cpu_read(v)		(v)

#define ENCODE_FRAME_POINTER	""

/* The host's SIGSEGV handler looks here. */
#define _ASM_EXTABLE(from, to)						\
	".pushsection shim_extable, \"a\"\n"				\
	".quad " #from ", " #to "\n"					\
	".popsection\n"

#endif
