#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A module is loaded and unloaded again and again while others put probes on
# it.  Each registration succeeds or says that the place is not there (any more).

. "$(dirname "$0")/lib.sh"

ROUNDS=${KPROBES_ROUNDS:-200}

# churner PLACE OPTIONS: register and unregister until the file stop appears
churner() {
	while [ ! -e "$WORK/stop" ]; do
		ctl churn "$1" 300 $2
		echo "$reply"
	done
}

# loads_against PLACE [OPTIONS]
loads_against() {
	need_modules
	rm -f "$WORK/stop"
	churner "$1" "$2" > "$WORK/outcomes" &
	churning=$!
	busy=0
	round=0
	while [ $round -lt "$ROUNDS" ] && [ $busy -lt $((ROUNDS * 200)) ]; do
		# A registration in progress holds the module for a moment.
		rmmod $MODULE 2>/dev/null || { busy=$((busy + 1)); continue; }
		load $MODULE || { : > "$WORK/stop"; fail "round $round: does not load"; }
		round=$((round + 1))
		# Where this takes long, a sign of life.
		[ $((round % 20)) != 0 ] || say "$round rounds so far"
	done
	: > "$WORK/stop"
	wait $churning
	outcomes=$(tr ' ' '\n' < "$WORK/outcomes" |
		awk -F= '{ n[$1] += $2 } END { for (i in n) printf "%s=%d ", i, n[i] }')
	say "$round rounds, unload refused $busy times; registrations: $outcomes"
	for outcome in $outcomes; do
		case $outcome in
		0=*|ENOENT=*) ;;
		*) fail "unexpected: $outcome" ;;
		esac
	done
	lacks "reasons" "$(refusals | grep " $1+" )" \
		'blacklist|middle|decode|patched|registered|no memory|no reason'
	matches "outcomes" "$outcomes" '(^| )0=[1-9]'
	matches "outcomes" "$outcomes" '(^| )ENOENT=[1-9]'
	is "rounds" $round "$ROUNDS"
	lacks "list" "$(cat $KPROBES/list)" 'kpt_'

	answers 0 add fresh "$1" $2
	call "$3" 10
	is "hits of a fresh probe" "$(field fresh.0 before)" 10
	answers 0 del fresh
}

by_function_tracer() {
	loads_against $MODULE:kpt_plain "" plain
}

by_trap() {
	loads_against $MODULE:kpt_trap post trap
}

return_probe() {
	loads_against $MODULE:kpt_plain ret plain
}

# Probes that nobody takes away die with the module, all of them.
probes_left_behind_every_round() {
	need_modules
	for round in $(seq 20); do
		ctl add "left$round" $MODULE:kpt_trap
		is "round $round" "$reply" 0
		rmmod $MODULE || fail "round $round: does not unload"
		load $MODULE || fail "round $round: does not load"
	done
	is "probes that are gone" "$(grep -c '\[GONE\]' $KPROBES/list)" 20
	call trap 10
	for round in $(seq 20); do
		is "hits of left$round" "$(field "left$round.0" before)" 0
		answers 0 del "left$round"
	done
}

need_root
run_tests by_function_tracer by_trap return_probe probes_left_behind_every_round
