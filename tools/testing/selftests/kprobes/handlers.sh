#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Handlers run once for each execution, in the context that is documented,
# whether the hit is delivered by trap or by the function tracer.

. "$(dirname "$0")/lib.sh"

# PLACE FUNCTION: a plain probe sees each call, and only when enabled
sees_each_call() {
	answers 0 add p "$1"
	call "$2" 100
	is "hits after 100 calls" "$(field p.0 before)" 100
	answers 0 disable p
	call "$2" 50
	is "hits while disabled" "$(field p.0 before)" 100
	answers 0 enable p
	call "$2" 10
	is "hits after enabling" "$(field p.0 before)" 110
	is "misses" "$(field p.0 missed)" 0
	answers 0 del p
	call "$2" 10
}

traced_function_sees_each_call() {
	need_modules
	sees_each_call $MODULE:kpt_plain plain
}

untraced_function_sees_each_call() {
	need_modules
	sees_each_call $MODULE:kpt_trap trap
}

static_function_sees_each_call() {
	need_modules
	sees_each_call $MODULE:kpt_static static
}

post_handler_sees_each_call() {
	need_modules
	for function in plain trap; do
		answers 0 add p $MODULE:kpt_$function post
		answers 0 add q $MODULE:kpt_$function post nopre
		call $function 100
		is "$function: before" "$(field p.0 before)" 100
		is "$function: after" "$(field p.0 after)" 100
		is "$function: after, without pre_handler" "$(field q.0 after)" 100
		answers 0 del p
		call $function 10
		is "$function: after, first probe gone" "$(field q.0 after)" 110
		answers 0 del q
	done
}

handlers_see_the_documented_context() {
	need_modules
	# On a busy machine a jump may come before the calls: interrupts stay on then.
	[ ! -e $SYSCTL ] || echo 0 > $SYSCTL
	for function in plain trap; do
		answers 0 add p $MODULE:kpt_$function
		call $function 20
		is "$function: hits" "$(field p.0 before)" 20
		! has_flag p.0 preemptible || fail "$function: preemption was on"
		! has_flag p.0 other-ip || fail "$function: unexpected instruction pointer"
		if ! has_flag p.0 ftrace; then
			has_flag p.0 irqs-off || fail "$function: interrupts were on in a trap"
		fi
		answers 0 del p
	done
}

# A handler that changes the instruction pointer is obeyed, and ends the walk.
diverting_handler_is_obeyed() {
	need_modules
	for function in plain trap; do
		call $function 1
		is "$function: value without a probe" "$value" $([ $function = plain ] && echo 1 || echo 2)
		answers 0 add first $MODULE:kpt_$function divert
		answers 0 add second $MODULE:kpt_$function
		call $function 30
		is "$function: value" "$value" -77
		is "$function: hits of the first" "$(field first.0 before)" 30
		is "$function: hits of the second" "$(field second.0 before)" 0
		is "$function: misses of the second" "$(field second.0 missed)" 30
		answers 0 del first
		call $function 30
		is "$function: hits, the first gone" "$(field second.0 before)" 30
		[ "$value" != -77 ] || fail "$function: still diverted"
		answers 0 del second
	done
}

# A handler that calls the API is refused, and nothing comes of it.
meddling_handler_is_refused() {
	need_modules
	for function in plain trap; do
		answers 0 add p $MODULE:kpt_$function meddle
		answers 0 add q $MODULE:kpt_$function
		call $function 20
		is "$function: hits" "$(field p.0 before) $(field q.0 before)" "20 20"
		is "$function: errno" "$(field p.0 refusal)" -16
		matches "reason" "$(refusals | tail -n 1)" 'from a probe handler'
		answers 0 del p
		answers 0 del q
	done
	lacks "list" "$(cat $KPROBES/list)" "vfs_read|kpt_"
}

# Two probes at an address, one disabled: the other one is not affected.
probes_at_one_address_are_independent() {
	need_modules
	for function in plain trap; do
		answers 0 add p $MODULE:kpt_$function
		answers 0 add q $MODULE:kpt_$function disabled
		call $function 10
		is "$function: enabled one" "$(field p.0 before)" 10
		is "$function: disabled one" "$(field q.0 before)" 0
		answers 0 enable q
		answers 0 disable p
		call $function 10
		is "$function: disabled one" "$(field p.0 before)" 10
		is "$function: enabled one" "$(field q.0 before)" 10
		answers 0 del q
		call $function 10
		is "$function: disabled one, alone" "$(field p.0 before)" 10
		answers 0 enable p
		call $function 10
		is "$function: enabled again, alone" "$(field p.0 before)" 20
		answers 0 del p
	done
}

# The same while several are enabled, which is walked differently.
disabled_one_among_several() {
	need_modules
	for function in plain trap; do
		answers 0 add p $MODULE:kpt_$function post
		answers 0 add q $MODULE:kpt_$function post
		answers 0 add off $MODULE:kpt_$function post disabled
		call $function 10
		is "$function: enabled ones" "$(field p.0 before) $(field q.0 before)" "10 10"
		is "$function: disabled one" "$(field off.0 before) $(field off.0 after)" "0 0"
		for probe in p q off; do
			answers 0 del $probe
		done
	done
}

array_registers_all() {
	need_modules
	answers 0 add a \
		$MODULE:kpt_plain,$MODULE:kpt_trap,$MODULE:kpt_static,$MODULE:kpt_plain post
	call plain 10
	call trap 20
	call static 30
	is "kpt_plain" "$(field a.0 before)" 10
	is "kpt_trap" "$(field a.1 before)" 20
	is "kpt_static" "$(field a.2 before)" 30
	is "kpt_plain, second probe" "$(field a.3 before)" 10
	answers 0 del a
	is "probes left" "$(grep -c "\[$MODULE\]" $KPROBES/list)" 0
}

return_probe_sees_each_return() {
	need_modules
	for function in plain trap; do
		answers 0 add r $MODULE:kpt_$function ret entry data=64
		call $function 100
		is "$function: entries" "$(field r.0 entries)" 100
		is "$function: returns" "$(field r.0 before)" 100
		is "$function: misses" "$(field r.0 missed)" 0
		answers 0 disable r
		call $function 10
		is "$function: entries while disabled" "$(field r.0 entries)" 100
		answers 0 enable r
		call $function 10
		is "$function: returns after enabling" "$(field r.0 before)" 110
		answers 0 del r
	done
}

array_of_return_probes() {
	need_modules
	answers 0 add r $MODULE:kpt_plain,$MODULE:kpt_trap ret
	call plain 10
	call trap 20
	is "kpt_plain" "$(field r.0 before)" 10
	is "kpt_trap" "$(field r.1 before)" 20
	answers 0 del r
}

# Threads that sleep in the function use up a pool of the size asked for, but
# none whose size was left to the kernel.
unbounded_return_probe_misses_nothing() {
	need_modules
	answers 0 add r $MODULE:kpt_sleeper ret
	for sleeper in 1 2 3 4 5 6 7 8; do
		(call sleeper 8) &
	done
	wait
	# 8 tasks, 8 calls each: all returned, whoever slept meanwhile.
	is "returns" "$(field r.0 before)" 64
	is "misses" "$(field r.0 missed)" 0
	answers 0 del r
}

bounded_return_probe_counts_misses() {
	need_modules
	answers 0 add r $MODULE:kpt_sleeper ret maxactive=2
	for sleeper in 1 2 3 4 5 6 7 8; do
		(call sleeper 30) &
	done
	wait
	returns=$(field r.0 before)
	missed=$(field r.0 missed)
	is "returns and misses" $((returns + missed)) 240
	[ "$missed" -gt 0 ] || fail "8 tasks at once, 2 to be followed, none missed"
	[ "$returns" -gt 0 ] || fail "none followed"
	answers 0 del r
}

# Unregistering does not wait for those who sleep in the function; they return
# all the same.
unregister_while_tasks_sleep() {
	need_modules
	answers 0 add r $MODULE:kpt_sleeper ret
	(call sleeper 60; is "calls" "$calls" 60; is "value" "$value" 59) &
	sleeper=$!
	sleep 1
	[ "$(field r.0 before)" -gt 0 ] || fail "no return was seen"
	answers 0 del r
	kill -0 $sleeper 2>/dev/null || fail "the sleeper was through too early"
	wait $sleeper || fail "the sleeper did not return well"
}

need_root
run_tests traced_function_sees_each_call untraced_function_sees_each_call \
	static_function_sees_each_call post_handler_sees_each_call \
	handlers_see_the_documented_context diverting_handler_is_obeyed \
	meddling_handler_is_refused \
	probes_at_one_address_are_independent disabled_one_among_several array_registers_all \
	return_probe_sees_each_return array_of_return_probes \
	unbounded_return_probe_misses_nothing bounded_return_probe_counts_misses \
	unregister_while_tasks_sleep
