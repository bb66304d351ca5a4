/* SPDX-License-Identifier: GPL-2.0-only */
/* Without CONFIG_CONTEXT_TRACKING_IDLE <linux/kprobes_arch.h> needs nothing of it. */
#include "../shim.h"
