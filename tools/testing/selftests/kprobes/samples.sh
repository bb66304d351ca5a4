#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The modules of samples/kprobes load, say something when what they watch
# happens, and leave nothing behind.

. "$(dirname "$0")/lib.sh"

# The kernel log from the line on that this program wrote last.
log_since_mark() {
	dmesg | awk -v mark="$mark" 'index($0, mark) { text = "" } { text = text $0 "\n" }
		END { printf "%s", text }'
}

# sample MODULE [PARAMETER...]
start_sample() {
	sample=$1
	mark="kprobes selftest, $sample, $$"
	echo "$mark" > /dev/kmsg
	load "$@" 2>/dev/null || {
		[ -n "$(module_file "$sample")" ] || skip "there is no module $sample"
		fail "$sample does not load"
	}
	trap 'unload $sample' EXIT
}

stop_sample() {
	rmmod "$sample" || fail "$sample does not unload"
	trap - EXIT
	lacks "list" "$(cat $KPROBES/list)" "do_sys_openat2|vfs_read|vfs_write"
}

open_something() {
	for round in 1 2 3 4 5 6 7; do
		cat /proc/version > /dev/null
	done
}

kprobe_example() {
	start_sample kprobe_example
	open_something
	matches "log" "$(log_since_mark)" 'do_sys_openat2 called by '
	stop_sample
	matches "last words" "$(log_since_mark)" \
		'do_sys_openat2: [1-9][0-9]* times before, [1-9][0-9]* times after .* 0 missed'
}

kprobe_example_at_another_function() {
	start_sample kprobe_example symbol=vfs_read
	open_something
	matches "log" "$(log_since_mark)" 'vfs_read called by '
	stop_sample
}

kprobe_example_at_no_function() {
	[ -n "$(module_file kprobe_example)" ] || skip "there is no module kprobe_example"
	! load kprobe_example symbol=no_such_function 2>/dev/null || {
		rmmod kprobe_example
		fail "loads without a function to watch"
	}
	matches "errors" "$(refusals | tail -n 1)" 'no_such_function\+0x0 -2 '
}

kretprobe_example() {
	start_sample kretprobe_example
	cat /proc/there-is-no-such-file 2>/dev/null
	matches "log" "$(log_since_mark)" 'do_sys_openat2 gave -2 to '
	stop_sample
	matches "last words" "$(log_since_mark)" \
		'do_sys_openat2: [1-9][0-9]* returns, [1-9][0-9]* of them failures, 0 calls not'
}

kprobe_batch_example() {
	start_sample kprobe_batch_example
	open_something
	matches "log" "$(log_since_mark)" 'do_sys_openat2: first call, by '
	stop_sample
	matches "last words" "$(log_since_mark)" 'vfs_read: [1-9][0-9]* calls, 0 missed'
	matches "last words" "$(log_since_mark)" 'do_sys_openat2: [1-9][0-9]* calls, 0 missed'
}

kretprobe_latency() {
	start_sample kretprobe_latency
	open_something
	stop_sample
	matches "histogram" "$(log_since_mark)" 'do_sys_openat2: from [0-9]+ ns: [1-9][0-9]*'
	matches "last words" "$(log_since_mark)" \
		'do_sys_openat2: [1-9][0-9]* calls timed, 0 missed'
}

need_root
run_tests kprobe_example kprobe_example_at_another_function kprobe_example_at_no_function \
	kretprobe_example kprobe_batch_example kretprobe_latency
