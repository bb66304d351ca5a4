#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Kprobe events: the tracer's way of making probes from text.

. "$(dirname "$0")/lib.sh"

EVENTS=$TRACEFS/kprobe_events
PROFILE=$TRACEFS/kprobe_profile

event() {
	echo "$*" >> $EVENTS 2>/dev/null
}

# enable EVENT 0|1
enable() {
	echo "$2" > "$TRACEFS/events/kprobes/$1/enable" || fail "cannot switch event $1"
}

traced() {
	grep -c " $1: " $TRACEFS/trace
}

begin() {
	need_tracefs
	need_module $MODULE
	echo 1 > $TRACEFS/tracing_on
	echo > $TRACEFS/trace
}

# The offset of an instruction of kpt_plain() that is reached by trap; the tracer
# accepts no probe on the entry of a function that it cannot trace.  To be asked
# while nothing else is on kpt_plain().
trapped_offset() {
	for offset in $(seq 24); do
		event "p:try $MODULE:kpt_plain+$offset" || continue
		if grep -q 'kpt_plain.*FTRACE' $KPROBES/list; then
			event "-:try"
			continue
		fi
		event "-:try"
		echo "$offset"
		return
	done
}

# event_sees_each_call PLACE
event_sees_each_call() {
	event "p:ev $1" || fail "no event on $1"
	matches "list" "$(cat $KPROBES/list)" "kpt_plain.*\[DISABLED\]"
	call plain 10
	is "$1: traced while off" "$(traced ev)" 0
	enable ev 1
	lacks "list" "$(cat $KPROBES/list)" "kpt_plain.*\[DISABLED\]"
	call plain 10
	is "$1: traced" "$(traced ev)" 10
	enable ev 0
	call plain 10
	is "$1: traced after" "$(traced ev)" 10
	event "-:ev" || fail "the event cannot be removed"
	lacks "list" "$(cat $KPROBES/list)" "kpt_"
}

event_of_a_module_symbol() {
	begin
	event_sees_each_call $MODULE:kpt_plain
}

event_in_the_middle() {
	begin
	offset=$(trapped_offset)
	[ -n "$offset" ] || fail "no instruction of kpt_plain() can be probed"
	event_sees_each_call "$MODULE:kpt_plain+$offset"
}

event_of_vmlinux() {
	begin
	event "p:opened do_sys_openat2" || fail "no event on do_sys_openat2"
	enable opened 1
	for round in 1 2 3; do
		cat /proc/version > /dev/null
	done
	enable opened 0
	[ "$(traced opened)" -ge 3 ] || fail "opening 3 files was traced $(traced opened) times"
	event "-:opened" || fail "the event cannot be removed"
}

return_event_has_the_value() {
	begin
	event "r:ret $MODULE:kpt_plain value=\$retval:s32" || fail "no return event"
	enable ret 1
	call plain 3
	enable ret 0
	is "values" "$(sed -n 's/.* ret: .* value=\([-0-9]*\).*/\1/p' $TRACEFS/trace |
		tr '\n' ' ')" "1 2 3 "
	event "-:ret" || fail "the event cannot be removed"
}

argument_is_fetched() {
	begin
	event "p:arg $MODULE:kpt_plain x=\$arg1:s32" || skip "no function arguments here"
	enable arg 1
	call plain 4
	enable arg 0
	is "arguments" "$(sed -n 's/.* arg: .* x=\([-0-9]*\).*/\1/p' $TRACEFS/trace |
		tr '\n' ' ')" "0 1 2 3 "
}

event_of_a_module_that_comes_later() {
	begin
	rmmod $MODULE
	event "p:later $MODULE:kpt_plain" || fail "an event on a module to come is refused"
	event "p:atinit $MODULE:kpt_init" || fail "an event on init text to come is refused"
	echo 1 > $TRACEFS/events/kprobes/later/enable 2>/dev/null
	echo 1 > $TRACEFS/events/kprobes/atinit/enable 2>/dev/null
	need_module $MODULE
	echo 1 > $TRACEFS/events/kprobes/later/enable
	call plain 10
	is "traced" "$(traced later)" 10
	# As often as the module was initialised: once.
	is "traced in __init" "$(traced atinit)" 1

	rmmod $MODULE || fail "a module with events does not unload"
	need_module $MODULE
	call plain 5
	is "traced, module loaded again" "$(traced later)" 15
	is "traced in __init, loaded again" "$(traced atinit)" 2
}

profile_agrees_with_stats() {
	begin
	offset=$(trapped_offset)
	event "p:one $MODULE:kpt_plain"
	event "p:two $MODULE:kpt_plain+$offset"
	event "r:three $MODULE:kpt_static"
	for name in one two three; do
		enable $name 1
	done
	call plain 17
	enable one 0
	call plain 6
	call static 31
	for triple in one:17:plain two:23:plain three:31:static; do
		name=${triple%%:*}
		count=${triple#*:}
		count=${count%:*}
		matches "profile" "$(cat $PROFILE)" "^ +$name +$count +0$"
		matches "stats" "$(cat $KPROBES/stats)" \
			"kpt_${triple##*:}\+.* hits=$count missed=0 "
	done
}

probes_that_share_an_event() {
	begin
	event "p:both $MODULE:kpt_plain"
	event "p:both $MODULE:kpt_static" || skip "one probe per event in this kernel"
	enable both 1
	call plain 3
	call static 4
	is "traced" "$(traced both)" 7
}

refused_events_leave_nothing() {
	begin
	for definition in "p:bad no_such_function_at_all" "p:bad $MODULE:kpt_forbidden" \
			  "p:bad kpt_twin" "p:bad linux_banner"; do
		! event "$definition" || fail "'$definition' is accepted"
		lacks "events" "$(cat $EVENTS)" "bad"
		lacks "list" "$(cat $KPROBES/list)" "kpt_|vfs_"
	done
}

events_and_probes_share_a_function() {
	begin
	need_module kprobes_test_ctl
	answers 0 add p $MODULE:kpt_plain
	event "p:ev $MODULE:kpt_plain"
	enable ev 1
	call plain 10
	is "traced" "$(traced ev)" 10
	is "hits" "$(field p.0 before)" 10
	enable ev 0
	call plain 10
	is "traced" "$(traced ev)" 10
	is "hits" "$(field p.0 before)" 20
	answers 0 del p
}

need_root
run_tests event_of_a_module_symbol event_in_the_middle event_of_vmlinux return_event_has_the_value \
	argument_is_fetched event_of_a_module_that_comes_later profile_agrees_with_stats \
	probes_that_share_an_event refused_events_leave_nothing \
	events_and_probes_share_a_function
