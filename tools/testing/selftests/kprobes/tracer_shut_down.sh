#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The function tracer shuts itself down when it finds something wrong with
# itself.  Probes it delivered may fall silent; all others go on, and whatever
# is done with those is harmless.
#
# Not one of the programs that "run_tests" runs: the tracer stays down until
# the next boot.

. "$(dirname "$0")/lib.sh"

before_and_after_the_shutdown() {
	need_modules
	answers 0 add silent $MODULE:kpt_plain
	has_flag silent.0 ftrace || fail "not delivered by the function tracer"
	answers 0 add returns $MODULE:kpt_static ret
	answers 0 add trapped $MODULE:kpt_warn post
	call plain 3
	is "hits" "$(field silent.0 before)" 3

	answers 0 add killer $MODULE:kpt_trap divert=ftrace_kill
	call trap 1
	answers 0 del killer
	! echo 1 2>/dev/null > /proc/sys/kernel/ftrace_enabled ||
		fail "the function tracer is not down"

	# New ones at the tracer's sites are refused, with the reason.
	answers ENODEV add late $MODULE:kpt_part.isra.0
	matches "reason" "$(refusals | tail -n 1)" 'function tracer refused'
	lacks "list" "$(cat $KPROBES/list)" 'kpt_part'

	# Breakpoints need no tracer.
	answers 0 add after $MODULE:kpt_trap post
	call trap 5
	is "hits by breakpoint" "$(field after.0 before) $(field after.0 after)" "5 5"

	# Callers of the silent ones are not disturbed.
	call plain 5
	is "value" "$value" 5
	call static 5
	is "value" "$value" 7

	rmmod $MODULE || fail "a probed module cannot be unloaded"
	for probe in silent returns trapped after; do
		has_flag $probe.0 gone || fail "$probe is not gone"
		answers EINVAL enable $probe
		answers 0 del $probe
	done
	lacks "list" "$(cat $KPROBES/list)" 'kpt_'

	need_module $MODULE
	answers ENODEV add again $MODULE:kpt_plain
	answers 0 add again $MODULE:kpt_trap
	call trap 5
	is "hits, module loaded again" "$(field again.0 before)" 5
	answers 0 del again
}

# Disabling and unregistering without the module going first.
unregister_after_the_shutdown() {
	need_modules
	answers ENODEV add p $MODULE:kpt_plain
	# Registered all the same as long as it is not to be armed.
	answers 0 add p $MODULE:kpt_plain disabled
	answers ENODEV enable p
	answers 0 disable p
	answers 0 del p
	ctl add r $MODULE:kpt_plain ret
	is "return probe" "$reply" ENODEV
}

# Where all probes are breakpoints, the tracer does not matter to them.
breakpoints_go_on() {
	need_modules
	answers 0 add plain $MODULE:kpt_plain post
	! has_flag plain.0 ftrace || fail "delivered by the function tracer"
	answers 0 add returns $MODULE:kpt_static ret
	answers 0 add killer $MODULE:kpt_trap divert=ftrace_kill
	call trap 1
	answers 0 del killer
	! echo 1 2>/dev/null > /proc/sys/kernel/ftrace_enabled ||
		fail "the function tracer is not down"

	call plain 5
	is "hits" "$(field plain.0 before) $(field plain.0 after)" "5 5"
	call static 5
	is "returns" "$(field returns.0 before)" 5
	answers 0 disable plain
	answers 0 enable plain
	call plain 5
	is "hits, enabled again" "$(field plain.0 before)" 10
	answers 0 add late $MODULE:kpt_plain
	call plain 5
	is "hits of a new one" "$(field late.0 before)" 5
	for probe in plain returns late; do
		answers 0 del $probe
	done
}

need_root
[ -e /proc/sys/kernel/ftrace_enabled ] ||
	skip_all "no function tracer in this kernel"
if grep -q ' kprobe_ftrace_hit$' /proc/kallsyms; then
	run_tests before_and_after_the_shutdown unregister_after_the_shutdown
else
	run_tests breakpoints_go_on
fi
