/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: commands of the test modules, written to debugfs.
 */
#ifndef _KERNEL_KPROBES_TESTS_WORDS_H
#define _KERNEL_KPROBES_TESTS_WORDS_H

#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

/* The words of what was written, to be given to argv_free(), or an ERR_PTR(). */
static inline char **words_from_user(const char __user *buffer, size_t size, int *words)
{
	char *line, **word;

	if (size > PAGE_SIZE)
		return ERR_PTR(-E2BIG);
	line = memdup_user_nul(buffer, size);
	if (IS_ERR(line))
		return ERR_CAST(line);
	word = argv_split(GFP_KERNEL, line, words);
	kfree(line);
	return word ?: ERR_PTR(-ENOMEM);
}

#endif /* _KERNEL_KPROBES_TESTS_WORDS_H */
