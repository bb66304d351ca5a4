/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library wants its own. */
#include_next <linux/errno.h>
#include "../shim.h"
