#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Several shells register, unregister, enable and disable at the same places
# while these are executed.  Afterwards the text is what it was.

. "$(dirname "$0")/lib.sh"

MS=${KPROBES_STRESS_MS:-3000}

# Every outcome a shell saw is success.
all_well() {
	while read -r outcomes; do
		is "outcomes" "$(echo "$outcomes" | sed 's/=[0-9]*//')" 0
	done < "$WORK/outcomes"
	is "shells that reported" "$(wc -l < "$WORK/outcomes")" "$1"
}

text() {
	cat $TARGET/text
}

begin() {
	need_modules
	text > "$WORK/text"
	: > "$WORK/outcomes"
}

# Wait for all, and see that nothing is left.
end() {
	wait
	lacks "list" "$(cat $KPROBES/list)" 'kpt_'
	is "text" "$(text)" "$(cat "$WORK/text")"
}

churn() {
	(ctl churn "$1" "$MS" $2; echo "$reply" >> "$WORK/outcomes") &
}

caller() {
	(call "$1" for "$MS"
	 (is "$1" "$value" $(((calls - 1) % 256 + $2))) || echo wrong >> "$WORK/outcomes") &
}

same_function() {
	begin
	churn "$MODULE:kpt_$1" ""
	churn "$MODULE:kpt_$1" post
	caller "$1" "$2"
	end
	all_well 2
}

same_traced_function() {
	same_function plain 1
}

same_untraced_function() {
	same_function trap 2
}

probes_and_return_probes() {
	begin
	churn $MODULE:kpt_plain ret
	churn $MODULE:kpt_plain post
	caller plain 1
	end
	all_well 2
}

arrays_that_overlap() {
	begin
	churn $MODULE:kpt_plain,$MODULE:kpt_trap,$MODULE:kpt_static ""
	churn $MODULE:kpt_static,$MODULE:kpt_trap,$MODULE:kpt_plain post
	caller trap 2
	end
	all_well 2
}

enabling_one_probe_from_two_sides() {
	begin
	for function in plain trap; do
		answers 0 add "$function" "$MODULE:kpt_$function"
		(ctl flip "$function" "$MS"; echo "$reply" >> "$WORK/outcomes") &
	done
	(ctl flip plain "$MS"; echo "$reply" >> "$WORK/outcomes") &
	caller plain 1
	caller trap 2
	wait
	all_well 3
	for function in plain trap; do
		answers 0 enable "$function"
		before=$(field $function.0 before)
		call "$function" 100
		is "$function: hits of 100 calls" $(($(field $function.0 before) - before)) 100
		answers 0 del "$function"
	done
	end
}

all_off_and_on_meanwhile() {
	begin
	churn $MODULE:kpt_plain ""
	churn $MODULE:kpt_trap post
	caller plain 1
	(end=$(($(date +%s) + MS / 1000))
	 while [ "$(date +%s)" -lt $end ]; do
		echo 0 > $KPROBES/enabled
		echo 1 > $KPROBES/enabled
	 done) &
	end
	all_well 2
	is "enabled" "$(cat $KPROBES/enabled)" 1
}

cpu_goes_and_comes_meanwhile() {
	cpu=/sys/devices/system/cpu/cpu1/online
	[ -e $cpu ] || skip "no second CPU that can be switched off"
	begin
	churn $MODULE:kpt_plain ret
	churn $MODULE:kpt_trap post
	for round in 1 2 3 4 5; do
		echo 0 > $cpu || fail "round $round: the CPU does not go"
		echo 1 > $cpu || fail "round $round: the CPU does not come back"
	done
	end
	all_well 2
}

need_root
run_tests same_traced_function same_untraced_function probes_and_return_probes \
	arrays_that_overlap enabling_one_probe_from_two_sides all_off_and_on_meanwhile \
	cpu_goes_and_comes_meanwhile
