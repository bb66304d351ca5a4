// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: the other function named kprobe_test_twin, for the KUnit tests.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>

#include "kprobe_test.h"

static noinline __noclone __used int kprobe_test_twin(int x)
{
	asm volatile("" : "+r" (x) : : "memory");
	return x + 2;
}

unsigned long kprobe_test_twin_there(void)
{
	return kprobe_test_text(kprobe_test_twin);
}
