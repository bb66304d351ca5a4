#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fail_function: a user of probes that makes functions fail, by a handler that
# sends the task elsewhere.  The debugger refuses to break into excluded code.

. "$(dirname "$0")/lib.sh"

FAIL=$DEBUGFS/fail_function

need_fail_function() {
	[ -d $FAIL ] || skip "needs CONFIG_FAIL_FUNCTION"
	need_module $MODULE
	echo > $FAIL/inject
	echo N > $FAIL/task-filter
	echo 100 > $FAIL/probability
	echo 1 > $FAIL/interval
	echo -1 > $FAIL/times
	echo 0 > $FAIL/space
	echo 0 > $FAIL/verbose
}

function_fails_as_told() {
	need_fail_function
	call inject 10
	is "value before" "$value" 0
	echo kpt_inject > $FAIL/inject || fail "kpt_inject is not accepted"
	# -ENOMEM; the file takes no signs.
	echo 0xfffffffffffffff4 > $FAIL/kpt_inject/retval || fail "no return value can be set"
	call inject 10
	is "value" "$value" -12
	echo 0 > $FAIL/probability
	call inject 10
	is "value with probability 0" "$value" 0
	echo 100 > $FAIL/probability
	echo 3 > $FAIL/times
	call inject 3
	is "value, third of three times" "$value" -12
	call inject 1
	is "value, fourth time" "$value" 0
	echo > $FAIL/inject
	echo -1 > $FAIL/times
	call inject 10
	is "value after" "$value" 0
	lacks "list" "$(cat $KPROBES/list)" 'kpt_inject'
}

# A probe of somebody else at the same place is run, or counted as missed.
other_probe_there_is_accounted_for() {
	need_fail_function
	need_module kprobes_test_ctl
	answers 0 add early $MODULE:kpt_inject
	echo kpt_inject > $FAIL/inject || fail "kpt_inject is not accepted"
	answers 0 add late $MODULE:kpt_inject
	call inject 10
	is "hits of the earlier one" "$(field early.0 before)" 10
	is "hits of the later one" "$(field late.0 before)" 0
	is "misses of the later one" "$(field late.0 missed)" 10
	echo > $FAIL/inject
	call inject 10
	is "hits of the later one, injection over" "$(field late.0 before)" 10
	ctl del early
	ctl del late
}

only_marked_functions_are_accepted() {
	need_fail_function
	! echo kpt_plain > $FAIL/inject 2>/dev/null || fail "kpt_plain is accepted"
	! echo kpt_nothing > $FAIL/inject 2>/dev/null || fail "an unknown name is accepted"
}

stop_injecting() {
	if [ -d $FAIL ]; then
		echo > $FAIL/inject
	fi
} 2>/dev/null

need_root
trap 'stop_injecting; rm -rf "$WORK"' EXIT
run_tests function_fails_as_told other_probe_there_is_accounted_for \
	only_marked_functions_are_accepted
