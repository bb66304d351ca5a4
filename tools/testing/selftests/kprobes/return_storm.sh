#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Return probes on what every process does, while processes come and go: at any
# rest, entries less returns is the number of tasks that are inside.

. "$(dirname "$0")/lib.sh"

# Processes that read, write, fork, exec, wait, are killed and exit.
storm() {
	end=$(($(date +%s) + $1))
	while [ "$(date +%s)" -lt $end ]; do
		seq 1 200 | cat | tr 1 2 | wc -l > /dev/null
		sh -c 'exit 3'
		sh -c 'kill -9 $$'
		(sleep 0 & sleep 0 & wait)
	done 2>/dev/null
}

# snapshot FUNCTION: its probe's $entries and $returns, read at one time, and
# the number of tasks $inside
snapshot() {
	grep "^$1\.0 " $CTL/status > "$WORK/line"
	cat /proc/[0-9]*/stack > "$WORK/stacks" 2>/dev/null
	inside=$(grep -c " $1+0x" "$WORK/stacks")
	entries=$(sed 's/.* entries=\([0-9]*\).*/\1/' "$WORK/line")
	returns=$(sed 's/.* before=\([0-9]*\).*/\1/' "$WORK/line")
	matches "$1: missed" "$(cat "$WORK/line")" ' missed=0 '
}

# At rest the numbers agree; reading them is itself done by new processes.
agrees() {
	for attempt in 1 2 3 4 5; do
		snapshot $1
		[ $((entries - returns)) -ne $inside ] || return 0
		sleep 1
	done
	fail "$1: $entries entries, $returns returns, $inside inside"
}

entries_less_returns_are_inside() {
	need_module kprobes_test_ctl
	[ -r /proc/self/stack ] || skip "no /proc/PID/stack"
	balanced="kernel_clone do_sys_openat2 bprm_execve pipe_write fifo_open"
	others="do_wait pipe_read do_group_exit schedule_timeout"
	for function in $balanced $others; do
		answers 0 add $function $function ret entry data=16
	done
	mkfifo "$WORK/fifo"
	sleepers=0
	for round in 1 2 3; do
		for i in 1 2 3 4 5; do
			cat "$WORK/fifo" > /dev/null &
			sleepers=$((sleepers + 1))
		done
		storm 2 &
		one=$!
		storm 2 &
		wait $one $!
		for function in $balanced; do
			agrees $function
			[ $entries -ge $sleepers ] || fail "$function: only $entries calls"
		done
		agrees fifo_open
		is "sleepers" $inside $sleepers
		snapshot do_group_exit
		is "returns of who never returns" $returns 0
		[ $entries -gt 20 ] || fail "only $entries exited"
	done
	# A writer lets all of them return.
	echo > "$WORK/fifo"
	sleep 1
	agrees fifo_open
	is "inside, at the end" $inside 0
	for function in $balanced $others; do
		snapshot $function
		answers 0 del $function
	done
}

# Probes go while tasks are inside, who wake up and return after that.
probes_go_while_tasks_are_inside() {
	need_module kprobes_test_ctl
	mkfifo "$WORK/fifo"
	for round in 1 2 3 4 5 6 7 8 9 10; do
		answers 0 add opens fifo_open ret
		answers 0 add waits do_wait ret entry
		cat "$WORK/fifo" > "$WORK/out" &
		reader=$!
		sh -c 'sleep 1; exit 7' &
		child=$!
		sleep 1
		answers 0 del opens
		answers 0 del waits
		echo "round $round" > "$WORK/fifo"
		wait $reader || fail "the reader died"
		is "what was read" "$(cat "$WORK/out")" "round $round"
		wait $child
		is "the child's status" $? 7
	done
	lacks "list" "$(cat $KPROBES/list)" 'fifo_open|do_wait'
}

need_root
run_tests entries_less_returns_are_inside probes_go_while_tasks_are_inside
