#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Functions that the function tracer redirects for somebody else, as live
# patching does: probes there work, or are refused without leaving a trace.

. "$(dirname "$0")/lib.sh"

# ipmodify on|off
ipmodify() {
	call ipmodify "$1"
}

# A registration that was refused must not be in the way of the next one.
accepted_or_without_trace() {
	ctl add p "$@"
	if [ "$reply" != 0 ]; then
		say "$*: $reply, $(refusals | tail -n 1)"
		lacks "list after the refusal" "$(cat $KPROBES/list)" 'kpt_patched|cmdline_proc_show'
		return 1
	fi
}

probes_on_a_redirected_function() {
	need_modules
	call patched 2
	is "value" "$value" 6
	ipmodify on
	[ "$calls" != -95 ] || skip "the function tracer cannot redirect here"
	is "redirecting" "$calls" 0
	call patched 2
	is "value while redirected" "$value" 501

	for options in post "post nopre" "" ret; do
		if accepted_or_without_trace $MODULE:kpt_patched $options; then
			call patched 10
			is "value with a probe ($options)" "$value" 509
			[ "$options" = "post nopre" ] || is "hits ($options)" "$(field p.0 before)" 10
			[ "${options#post}" = "$options" ] || is "after" "$(field p.0 after)" 10
			answers 0 del p
		elif [ "$options" = "" ] || [ "$options" = ret ]; then
			fail "a plain probe is refused"
		fi
	done
	call patched 2
	is "value, probes gone" "$value" 501

	ipmodify off
	is "no longer redirecting" "$calls" 0
	call patched 2
	is "value" "$value" 6
	answers 0 add p $MODULE:kpt_patched post
	call patched 10
	is "hits afterwards" "$(field p.0 before) $(field p.0 after)" "10 10"
	answers 0 del p
}

redirecting_a_probed_function() {
	need_modules
	answers 0 add p $MODULE:kpt_patched post
	answers 0 add r $MODULE:kpt_patched ret
	ipmodify on
	[ "$calls" != -95 ] || skip "the function tracer cannot redirect here"
	expected=9
	[ "$calls" != 0 ] || expected=509
	say "redirecting a probed function: $calls"
	call patched 10
	is "value" "$value" $expected
	is "hits" "$(field p.0 before) $(field p.0 after) $(field r.0 before)" "10 10 10"
	ipmodify off
	call patched 10
	is "value" "$value" 14
	is "hits" "$(field p.0 before) $(field p.0 after) $(field r.0 before)" "20 20 20"
	answers 0 del p
	answers 0 del r
}

# With an array, the whole array is as if it had not been tried.
array_with_a_redirected_function() {
	need_modules
	ipmodify on
	[ "$calls" = 0 ] || skip "the function tracer cannot redirect here"
	if accepted_or_without_trace $MODULE:kpt_plain,$MODULE:kpt_patched,$MODULE:kpt_trap post; then
		answers 0 del p
	fi
	lacks "list" "$(cat $KPROBES/list)" 'kpt_'
	answers 0 add q $MODULE:kpt_plain,$MODULE:kpt_trap post
	call plain 10
	call trap 10
	is "hits" "$(field q.0 after) $(field q.1 after)" "10 10"
	ipmodify off
}

stop_livepatch() {
	patch=/sys/kernel/livepatch/livepatch_sample
	[ -d $patch ] || return 0
	echo 0 > $patch/enabled
	for second in 1 2 3 4 5 6 7 8 9 10; do
		[ -d $patch ] || break
		sleep 1
	done
	unload livepatch_sample
} 2>/dev/null

probes_on_a_live_patched_function() {
	need_modules
	[ -n "$(module_file livepatch-sample)" ] || skip "there is no module livepatch-sample"
	trap stop_livepatch EXIT
	load livepatch-sample || fail "livepatch-sample does not load"
	matches "/proc/cmdline" "$(cat /proc/cmdline)" 'live patched'
	for options in post "" ret; do
		if accepted_or_without_trace cmdline_proc_show $options; then
			matches "/proc/cmdline" "$(cat /proc/cmdline)" 'live patched'
			is "hits ($options)" "$(field p.0 before)" 1
			answers 0 del p
		elif [ "$options" != post ]; then
			fail "a plain probe is refused"
		fi
	done
	stop_livepatch
	lacks "/proc/cmdline" "$(cat /proc/cmdline)" 'live patched'
	answers 0 add p cmdline_proc_show post
	cat /proc/cmdline > /dev/null
	is "hits afterwards" "$(field p.0 before) $(field p.0 after)" "1 1"
	answers 0 del p
}

need_root
run_tests probes_on_a_redirected_function redirecting_a_probed_function \
	array_with_a_redirected_function probes_on_a_live_patched_function
