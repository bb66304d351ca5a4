/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the two object files of kprobes_test_target.ko, for these only.
 */
#ifndef _KPROBES_TEST_TARGET_H
#define _KPROBES_TEST_TARGET_H

/* Global in order to be found by name; only debugfs has them called. */
int kpt_plain(int x);
int kpt_trap(int x);
int kpt_inject(int x);
int kpt_patched(int x);
int kpt_sleeper(int ms);
int kpt_warn(int x);
int kpt_key(int x);

/* Calls the second of two static functions that are both named kpt_twin(). */
int kpt_call_second_twin(int x);

#endif
