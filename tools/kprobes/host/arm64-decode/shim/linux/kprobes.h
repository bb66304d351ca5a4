/* SPDX-License-Identifier: GPL-2.0-only */
/* In the place of the public API: what <linux/kprobes_arch.h> needs of it. */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H
#include "../shim.h"
#include <asm/kprobes.h>
struct kprobe_point;
#endif
