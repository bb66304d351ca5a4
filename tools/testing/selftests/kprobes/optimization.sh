#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Jumps in place of breakpoints: debug.kprobes_optimization, and what a user sees
# of them.

. "$(dirname "$0")/lib.sh"

OTHER_NAME=/proc/sys/debug/kprobes-optimization

# until SECONDS COMMAND...: try it until it succeeds
until_true() {
	tries=$(($1 * 10))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

line_of_trap() {
	grep -E "  kpt_trap\+" $KPROBES/list
}

is_optimized() {
	line_of_trap | grep -q "\[OPTIMIZED\]"
}

becomes_optimized() {
	until_true 20 is_optimized || fail "no jump: $(grep kpt_trap $KPROBES/stats)"
}

both_names_read_and_write() {
	is "default" "$(cat $SYSCTL) $(cat $OTHER_NAME)" "1 1"
	echo 0 > $SYSCTL
	is "after 0" "$(cat $SYSCTL) $(cat $OTHER_NAME)" "0 0"
	echo 1 > $OTHER_NAME
	is "after 1" "$(cat $SYSCTL) $(cat $OTHER_NAME)" "1 1"
}

rubbish_is_refused() {
	for value in 2 -1 10 on x 4294967296; do
		if (echo "$value" > $SYSCTL) 2>/dev/null; then
			fail "$value was accepted"
		fi
		is "after $value" "$(cat $SYSCTL)" 1
	done
}

the_switch_takes_jumps_away_and_back() {
	need_modules
	answers 0 add t $MODULE:kpt_trap
	becomes_optimized
	matches "stats" "$(cat $KPROBES/stats)" "$MODULE jump hits="
	call trap 10
	echo 0 > $SYSCTL
	lacks "off" "$(line_of_trap)" "OPTIMIZED"
	matches "stats" "$(cat $KPROBES/stats)" "$MODULE trap,.* no-jump=\"switched off"
	call trap 10
	echo 1 > $SYSCTL
	matches "on" "$(line_of_trap)" "OPTIMIZED"
	call trap 10
	is "hits" "$(field t.0 before)" 30
	answers 0 del t
}

no_hit_is_lost_while_it_is_switched() {
	need_modules
	answers 0 add t $MODULE:kpt_trap
	becomes_optimized
	(while echo 0 > $SYSCTL; do echo 1 > $SYSCTL; done) &
	switcher=$!
	all=0
	for round in 1 2 3 4 5; do
		call trap for 300
		all=$((all + calls))
	done
	kill $switcher
	wait $switcher 2>/dev/null
	echo 1 > $SYSCTL
	is "hits" "$(field t.0 before)" $all
	answers 0 del t
}

a_diverting_handler_diverts_from_a_jump() {
	need_modules
	answers 0 add d $MODULE:kpt_trap
	becomes_optimized
	call trap 1
	plain=$value
	answers 0 del d
	answers 0 add d $MODULE:kpt_trap divert
	becomes_optimized
	call trap 1
	[ "$value" != "$plain" ] || fail "the handler was ignored"
	answers 0 del d
}

a_post_handler_gets_its_breakpoint() {
	need_modules
	answers 0 add a $MODULE:kpt_trap
	becomes_optimized
	answers 0 add b $MODULE:kpt_trap post
	lacks "with a post_handler" "$(line_of_trap)" "OPTIMIZED"
	call trap 7
	is "post_handler" "$(field b.0 after)" 7
	answers 0 del b
	becomes_optimized
	answers 0 del a
}

# While the optimizer waits for a task that does not leave the kernel, everybody
# else goes on: what is done here is done before that task is.
the_wait_delays_nobody() {
	need_modules
	cpu=/sys/devices/system/cpu/cpu1/online
	event=$TRACEFS/events/sched/sched_switch/enable
	{ call plain for 8000; : > "$WORK/left"; } &
	spinner=$!
	sleep 0.2
	answers 0 add t $MODULE:kpt_trap
	sleep 1
	optimized=no
	is_optimized && optimized=yes
	answers 0 add n $MODULE:kpt_static
	matches "list" "$(cat $KPROBES/list)" "kpt_static"
	answers 0 del n
	if [ -e $event ]; then
		# A tracepoint's static key.
		echo 1 > $event
		echo 0 > $event
	fi
	if [ -e $cpu ]; then
		echo 0 > $cpu || fail "the CPU does not go"
		echo 1 > $cpu || fail "the CPU does not come"
	fi
	[ ! -e "$WORK/left" ] || fail "it took as long as the task in the kernel"
	say "with a jump while a task was in the kernel: $optimized"
	wait $spinner
	becomes_optimized
	answers 0 del t
}

the_module_goes_with_a_jump_in_it() {
	need_modules
	answers 0 add t $MODULE:kpt_trap
	becomes_optimized
	unload $MODULE
	matches "list" "$(cat $KPROBES/list)" "\[GONE\]"
	lacks "list" "$(cat $KPROBES/list)" "OPTIMIZED"
	answers 0 del t
	need_module $MODULE
	call trap 3
}

enabled_switches_jumps_as_well() {
	need_modules
	answers 0 add t $MODULE:kpt_trap
	becomes_optimized
	echo 0 > $KPROBES/enabled
	lacks "off" "$(line_of_trap)" "OPTIMIZED"
	call trap 5
	is "hits" "$(field t.0 before)" 0
	echo 1 > $KPROBES/enabled
	becomes_optimized
	call trap 5
	is "hits" "$(field t.0 before)" 5
	answers 0 del t
}

need_root
[ -e $SYSCTL ] || skip_all "no jump optimization in this kernel"
run_tests both_names_read_and_write rubbish_is_refused \
	the_switch_takes_jumps_away_and_back no_hit_is_lost_while_it_is_switched \
	a_diverting_handler_diverts_from_a_jump a_post_handler_gets_its_breakpoint \
	the_wait_delays_nobody the_module_goes_with_a_jump_in_it enabled_switches_jumps_as_well
