# SPDX-License-Identifier: GPL-2.0-only
#
# What the test programs of this folder share; they source it.  POSIX shell,
# busybox's ash is enough.
#
# A test is a function.  It runs in a subshell of its own, passes by returning,
# fails by calling fail (the checks below do) and may call skip.  Modules and
# trace events it leaves behind are removed after it, and a new warning or oops
# of the kernel meanwhile fails it, whatever else it found.
#
# The modules are looked for in $KPROBES_MODULES, /modules, and by modprobe.

DEBUGFS=/sys/kernel/debug
KPROBES=$DEBUGFS/kprobes
SYSCTL=/proc/sys/debug/kprobes_optimization
CTL=$DEBUGFS/kprobes_test_ctl
TARGET=$DEBUGFS/kprobes_test_target
TRACEFS=/sys/kernel/tracing
MODULE=kprobes_test_target

# Bits of /proc/sys/kernel/tainted: bad page (also KASAN's), died, warned.
BAD_TAINTS=$((32 + 128 + 512))

WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT

# ---- results ----

say() {
	echo "# $*"
}

fail() {
	say "$*"
	exit 1
}

skip() {
	echo "$*" > "$WORK/skip"
	exit 4
}

# is WHAT ACTUAL EXPECTED
is() {
	[ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

# matches WHAT TEXT EXTENDED-REGEX: some line does
matches() {
	printf '%s\n' "$2" | grep -Eq -- "$3" || fail "$1: '$2' does not match '$3'"
}

# lacks WHAT TEXT EXTENDED-REGEX: no line does
lacks() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then
		fail "$1: '$2' has '$3'"
	fi
}

bad_taints() {
	echo $(($(cat /proc/sys/kernel/tainted) & BAD_TAINTS))
}

clean_up() {
	if [ -e $TRACEFS/kprobe_events ]; then
		echo 0 > $TRACEFS/events/kprobes/enable
		echo > $TRACEFS/kprobe_events
	fi
	[ ! -e $KPROBES/enabled ] || echo 1 > $KPROBES/enabled
	[ ! -e $SYSCTL ] || echo 1 > $SYSCTL
	unload kprobes_test_ctl
	unload $MODULE
} 2>/dev/null

run_tests() {
	echo "KTAP version 1"
	echo "1..$#"
	number=0
	result=0
	for test; do
		number=$((number + 1))
		rm -f "$WORK/skip"
		before=$(bad_taints)
		# The trap is for the whole program, not for the subshell.
		(trap - EXIT; $test)
		status=$?
		clean_up
		if [ $status -eq 0 ] && [ "$(bad_taints)" != "$before" ] &&
		   [ "$before" -ne $BAD_TAINTS ]; then
			say "the kernel warned or died, see its log"
			status=1
		fi
		case $status in
		0) echo "ok $number $test" ;;
		4) echo "ok $number $test # SKIP $(cat "$WORK/skip")" ;;
		*) echo "not ok $number $test"; result=1 ;;
		esac
	done
	exit $result
}

# Nothing can be tested: all of the program is skipped.
skip_all() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $*"
	exit 4
}

# ---- the kernel ----

need_root() {
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
	[ -d $DEBUGFS/tracing ] || [ -d $KPROBES ] || mount -t debugfs none $DEBUGFS 2>/dev/null
	[ -d $KPROBES ] || skip_all "the kernel has no $KPROBES"
	[ -e $TRACEFS/trace ] || mount -t tracefs none $TRACEFS 2>/dev/null
	# Tests have to see addresses.
	echo 0 > /proc/sys/kernel/kptr_restrict
}

need_tracefs() {
	[ -e $TRACEFS/kprobe_events ] || skip "no kprobe events in this kernel"
}

module_file() {
	for file in "${KPROBES_MODULES:-/modules}/$1.ko" "/modules/$1.ko"; do
		if [ -e "$file" ]; then
			echo "$file"
			return
		fi
	done
}

# load MODULE [PARAMETER...]
load() {
	file=$(module_file "$1")
	if [ -n "$file" ]; then
		shift
		insmod "$file" "$@"
	else
		modprobe "$@"
	fi
}

loaded() {
	grep -q "^$1 " /proc/modules
}

unload() {
	! loaded "$1" || rmmod "$1"
}

# need_module MODULE [PARAMETER...]: have it loaded, or skip
need_module() {
	loaded "$1" || load "$@" 2>/dev/null || skip "module $1 cannot be loaded"
}

need_modules() {
	need_module $MODULE
	need_module kprobes_test_ctl
}

# address SYMBOL [MODULE]: in hex without 0x; empty if there is none
address() {
	if [ $# -eq 2 ]; then
		awk -v s="$1" -v m="[$2]" '$3 == s && $4 == m { print $1; exit }' /proc/kallsyms
	else
		awk -v s="$1" '$3 == s { print $1; exit }' /proc/kallsyms
	fi
}

# ---- the test modules, see kernel/kprobes/tests/ ----

# ctl COMMAND...: the answer is in $reply
ctl() {
	reply=
	exec 7<>$CTL/cmd || fail "cannot open $CTL/cmd"
	echo "$*" >&7 2>/dev/null
	IFS= read -r reply <&7
	exec 7>&-
}

# answers EXPECTED COMMAND...
answers() {
	expected=$1
	shift
	ctl "$@"
	is "$*" "$reply" "$expected"
}

# call FUNCTION COUNT, or FUNCTION for MS: how often and the last value are in
# $calls and $value
call() {
	calls=
	value=
	exec 8<>$TARGET/call || fail "cannot open $TARGET/call"
	echo "$*" >&8 2>/dev/null || { exec 8>&-; fail "cannot call $*"; }
	read -r calls value <&8
	exec 8>&-
}

# field PROBE FIELD: of the status file; PROBE is NAME.INDEX
field() {
	sed -n "s/^$1 .*[ ]$2=\([-0-9]*\).*/\1/p" $CTL/status
}

has_flag() {
	grep "^$1 " $CTL/status | grep -q " $2\( \|$\)"
}

# ---- debugfs kprobes/ ----

# listed PROBE: its lines in the list, by the address the API reported
listed() {
	ctl where "$1"
	grep -i "^0*${reply#0x} " $KPROBES/list
}

refusals() {
	cat $KPROBES/errors
}
