#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# For minutes ($KPROBES_MINUTES, default 5): a probe on each instruction of the
# kernel, region by region, under a workload; the races of the other programs
# for longer, and with a processor that goes and comes; and each allocation of
# a registration fails once.

. "$(dirname "$0")/lib.sh"

here=$(dirname "$0")
SECONDS_ALL=$((${KPROBES_MINUTES:-5} * 60))
SWEEP=kprobes_test_sweep
SWEEP_BYTES=16384
# A prime: all regions have their turn.
SWEEP_STRIDE=317

now() {
	cut -d. -f1 /proc/uptime
}

# ---- a workload ----

# A bit of everything: processes, pipes, files, mounts, signals, timers.
work() {
	mkdir -p "$WORK/mnt"
	while [ ! -e "$WORK/stop" ]; do
		cat /proc/meminfo /proc/self/maps /proc/interrupts | sort | wc -l
		dd if=/dev/zero of="$WORK/file.$1" bs=4k count=64
		mv "$WORK/file.$1" "$WORK/moved.$1"
		rm "$WORK/moved.$1"
		ls -lR /proc/self /sys/module
		mkdir -p "$WORK/mnt/$1"
		mount -t tmpfs none "$WORK/mnt/$1" && umount "$WORK/mnt/$1"
		sleep 1 &
		kill $!
		wait $!
	done >/dev/null 2>&1
}

work_begins() {
	rm -f "$WORK/stop"
	work 1 &
	work 2 &
}

work_ends() {
	: > "$WORK/stop"
	wait
}

# ---- every instruction ----

text_begin() {
	awk '$3 == "_stext" { print $1 }' /proc/kallsyms
}

# In the shell's numbers a kernel address is negative: only differences count.
text_bytes() {
	awk '$3 == "_stext" || $3 == "_etext" { print $1 }' /proc/kallsyms |
		sed 's/^f*/0x0/' | sort | { read -r first; read -r last; echo $((last - first)); }
}

value() {
	echo "$2" | sed "s/.*\b$1=\([-0-9]*\).*/\1/"
}

# sweep OFFSET MS [post]: adds to the sums
sweep() {
	echo "$start $1 $SWEEP_BYTES $2 $3" > $DEBUGFS/$SWEEP/run || broken="offset $1: refused"
	line=$(cat $DEBUGFS/$SWEEP/run)
	[ "$(value err "$line")" = 0 ] && [ "$(value changed "$line")" = 0 ] ||
		broken="offset $1: $line"
	probes=$((probes + $(value probes "$line")))
	refused=$((refused + $(value refused "$line")))
	fired=$((fired + $(value fired "$line")))
	jumps=$((jumps + $(value jumps "$line")))
	hits=$((hits + $(value hits "$line")))
	missed=$((missed + $(value missed "$line")))
	arm_us=$((arm_us + $(value arm_us "$line")))
	remove_us=$((remove_us + $(value remove_us "$line")))
}

tell() {
	said=$(now)
	say "$done of $regions regions"
}

# sweeps SECONDS [post]: regions far from each other one after the other, so
# that what is seen before the time is over is spread over the text.
sweeps() {
	need_module $SWEEP
	start=$(text_begin)
	regions=$(($(text_bytes) / SWEEP_BYTES))
	probes=0 refused=0 fired=0 jumps=0 hits=0 missed=0 arm_us=0 remove_us=0 broken=
	end=$(($(now) + $1))
	said=$(now)
	done=0
	while [ $done -lt $regions ] && [ "$(now)" -lt $end ] && [ -z "$broken" ]; do
		sweep $((done * SWEEP_STRIDE % regions * SWEEP_BYTES)) 1000 $2
		done=$((done + 1))
		[ $(($(now) - said)) -lt 30 ] || tell
	done
	tell
	say "$SWEEP_BYTES bytes each; $probes probes, $refused places refused"
	say "$fired probes fired, $hits hits, $missed missed; $jumps got a jump in time"
	say "armed in $((arm_us / 1000)) ms, removed in $((remove_us / 1000)) ms"
}

every_instruction() {
	work_begins
	sweeps $((SECONDS_ALL * 4 / 10)) "$1"
	work_ends
	[ -z "$broken" ] || fail "$broken"
	[ $fired -gt 0 ] || fail "no probe fired"
	unload $SWEEP
}

every_instruction_post() {
	every_instruction post
}

every_instruction_while_a_cpu_comes_and_goes() {
	cpu=/sys/devices/system/cpu/cpu1/online
	[ -e $cpu ] || skip "no second CPU that can be switched off"
	rounds=0
	work_begins
	while [ ! -e "$WORK/stop" ]; do
		{ echo 0 > $cpu && echo 1 > $cpu; } || : > "$WORK/hotplug-failed"
		sleep 0.1
	done 2>/dev/null &
	sweeps $((SECONDS_ALL / 10))
	work_ends
	[ -z "$broken" ] || fail "$broken"
	[ ! -e "$WORK/hotplug-failed" ] || fail "a CPU did not go, or not come back"
	is "CPU" "$(cat $cpu)" 1
}

# ---- races ----

# longer PROGRAM VARIABLE=VALUE: all its cases pass
longer() {
	work_begins
	env "$2" "$here/$1" > "$WORK/output" 2>&1
	status=$?
	work_ends
	grep -v '^TAP\|^KTAP\|^1\.\.' "$WORK/output" | while read -r line; do say "$line"; done
	is "$1: exit status" $status 0
}

registrations_race() {
	longer register_races.sh KPROBES_STRESS_MS=$((SECONDS_ALL * 1000 / 60))
}

modules_come_and_go() {
	longer module_races.sh KPROBES_ROUNDS=$((SECONDS_ALL / 3))
}

pid_namespaces_come_and_go() {
	longer perf_attach KPROBES_ROUNDS=$((SECONDS_ALL * 10))
}

# ---- allocations ----

# Of the calls this shell makes, also those that may wait for memory.
failures_begin() {
	for fault in failslab fail_page_alloc; do
		folder=$DEBUGFS/$fault
		[ -d $folder ] || skip "no fault injection in this kernel"
		echo 0 > $folder/verbose
		echo N > $folder/ignore-gfp-wait
	done
	[ ! -e $DEBUGFS/fail_page_alloc/min-order ] || echo 0 > $DEBUGFS/fail_page_alloc/min-order
}

# failing_add PLACE [OPTION...]: the 1st, 2nd ... allocation fails, until the
# registration needs no further one.  Only the write to the control file is
# between setting the counter and reading it.
failing_add() {
	number=0 failed=0 tolerated=0
	left=0
	while [ "$left" = 0 ]; do
		number=$((number + 1))
		[ $number -lt 500 ] || fail "$*: no end of allocations"
		exec 7<>$CTL/cmd 6<>/proc/self/fail-nth 5</proc/self/fail-nth
		{
			echo $number >&6
			echo "add f $*" >&7
			read -r left <&5
			echo 0 >&6
		} 2>/dev/null
		IFS= read -r reply <&7
		exec 7>&- 6>&- 5<&-
		case $reply in
		0)	[ "$left" != 0 ] || tolerated=$((tolerated + 1))
			answers 0 del f ;;
		ENOMEM|"") failed=$((failed + 1)) ;;
		*)	fail "$*: allocation $number fails: $reply" ;;
		esac
		lacks "$*: list after allocation $number failed" "$(cat $KPROBES/list)" 'kpt_'
	done
	say "$*: $((number - 1)) allocations failed, $failed refused, $tolerated did not matter"
	[ $failed -gt 0 ] || fail "$*: no allocation failed"
}

allocations_fail() {
	need_modules
	[ -e /proc/self/fail-nth ] || skip "no fault injection in this kernel"
	failures_begin
	cat $TARGET/text > "$WORK/text"
	for options in "" post "ret" "ret data=64 maxactive=20" disabled; do
		failing_add $MODULE:kpt_plain $options
		failing_add $MODULE:kpt_trap $options
		failing_add $MODULE:kpt_plain,$MODULE:kpt_trap,$MODULE:kpt_static $options
	done
	is "text" "$(cat $TARGET/text)" "$(cat "$WORK/text")"
	answers 0 add fresh $MODULE:kpt_trap
	call trap 10
	is "hits of a fresh probe" "$(field fresh.0 before)" 10
	answers 0 del fresh
}

need_root
run_tests allocations_fail registrations_race modules_come_and_go \
	pid_namespaces_come_and_go every_instruction \
	every_instruction_post every_instruction_while_a_cpu_comes_and_goes
