// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second static function named kpt_twin(), for target.c: a name that
 * stands for two addresses.
 */
#include <linux/compiler.h>

#include "target.h"

static noinline __noclone int kpt_twin(int x)
{
	barrier();
	return x + 200;
}

int kpt_call_second_twin(int x)
{
	return kpt_twin(x);
}
