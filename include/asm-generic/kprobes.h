/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marking code that must not be probed.
 *
 * For every file that holds such code, whatever its architecture.  Two forms
 * exist: NOKPROBE_SYMBOL(f) records the address of f in a section that the
 * blacklist reads at boot (or at module load); __kprobes moves a function to a
 * text section that is excluded as a whole.  nokprobe_inline is for helpers
 * that such functions call: always inlined, they have no address of their own.
 */
#ifndef _ASM_GENERIC_KPROBES_H
#define _ASM_GENERIC_KPROBES_H

#if defined(__KERNEL__) && !defined(__ASSEMBLY__)

#ifdef CONFIG_KPROBES
/* Not every user writes a semicolon behind it. */
#define NOKPROBE_SYMBOL(fn)						\
	static unsigned long __kprobe_excluded_##fn			\
	__used __section("_kprobe_blacklist") = (unsigned long)(fn);
#define __kprobes __section(".kprobes.text")
#define nokprobe_inline __always_inline
#else
#define NOKPROBE_SYMBOL(fn)
#define __kprobes
#define nokprobe_inline inline
#endif

#endif /* __KERNEL__ && !__ASSEMBLY__ */
#endif /* _ASM_GENERIC_KPROBES_H */
