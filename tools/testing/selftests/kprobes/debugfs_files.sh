#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The files in debugfs kprobes/: formats that tools parse, and what writing to
# "enabled" does.

. "$(dirname "$0")/lib.sh"

HEX='[0-9a-f]{8,16}'

# The line of a live probe: address, kind, symbol+offset, module, flags.
line_is() {
	matches "$1" "$2" "^$HEX  $3  [A-Za-z0-9_.]+\+0x[0-9a-f]+  $4 $5$"
	is "$1: lines" "$(echo "$2" | wc -l)" 1
}

list_has_a_line_for_each_probe() {
	need_modules
	is "probes before" "$(wc -l < $KPROBES/list)" 0
	answers 0 add k $MODULE:kpt_plain
	# A jump takes the breakpoint's place sooner or later, or never.
	jump='(\[OPTIMIZED\])?'
	flag="(\[FTRACE\]|$jump)"
	line_is "plain" "$(listed k)" k "$MODULE" "$flag"
	answers 0 del k
	answers 0 add t $MODULE:kpt_trap
	line_is "trapped" "$(listed t)" k "$MODULE" "$jump"
	answers 0 disable t
	line_is "disabled" "$(listed t)" k "$MODULE" '\[DISABLED\]'
	answers 0 del t
	answers 0 add r $MODULE:kpt_trap ret
	line_is "return probe" "$(listed r)" r "$MODULE" "$jump"
	answers 0 del r
	# Of the kernel proper: no module's name, a blank instead.
	answers 0 add v vfs_read
	line_is "of vmlinux" "$(listed v)" k ' ' "$flag"
	answers 0 del v
	is "probes after" "$(wc -l < $KPROBES/list)" 0
}

list_has_all_probes_of_an_address() {
	need_modules
	for number in 1 2 3 4 5; do
		answers 0 add "p$number" $MODULE:kpt_trap
	done
	answers 0 add a $MODULE:kpt_plain,$MODULE:kpt_static,vfs_read,vfs_write
	is "lines" "$(wc -l < $KPROBES/list)" 9
	for number in 1 2 3 4 5; do
		answers 0 del "p$number"
		is "lines" "$(wc -l < $KPROBES/list)" $((9 - number))
	done
}

# A reader holds nothing between two reads: what comes and goes meanwhile neither
# waits for it, nor takes the lines of other probes from it.
list_is_read_in_pieces() {
	need_modules
	for number in 1 2 3 4 5 6 7 8; do
		answers 0 add "p$number" $MODULE:kpt_trap
	done
	functions='vfs_read,vfs_write,vfs_fsync,vfs_open,vfs_create,vfs_mkdir,vfs_rmdir'
	answers 0 add all $functions,vfs_unlink,vfs_link,vfs_rename,vfs_statfs
	is "lines" "$(wc -l < $KPROBES/list)" 19
	# What is behind the symbol may change meanwhile: hits, jumps.
	whole=$(awk '{ print $1, $2, $3 }' $KPROBES/list)
	for file in list stats; do
		is "$file by 10 bytes" \
		   "$(dd if=$KPROBES/$file bs=10 2>/dev/null | awk '{ print $1, $2, $3 }')" "$whole"
	done
	# Of the eight probes at one address not more than four are read before.
	pieces=$(
		exec 3< $KPROBES/list
		dd bs=10 count=20 <&3 2>/dev/null
		ctl del all >&2
		for number in 9 10 11 12; do
			ctl add "p$number" $MODULE:kpt_trap >&2
		done
		cat <&3
	)
	is "lines of the last address" "$(echo "$pieces" | grep -c kpt_trap)" 12
	is "lines twice" "$(echo "$pieces" | grep vfs_ | sort | uniq -d)" ''
	for number in 1 2 3 4 5 6 7 8 9 10 11 12; do
		answers 0 del "p$number"
	done
	is "probes after" "$(wc -l < $KPROBES/list)" 0
}

calls_of_handlers() {
	echo "$(field p.0 before) $(field t.0 before) $(field t.0 after) $(field r.0 before)"
}

enabled_switches_all() {
	need_modules
	is "enabled" "$(cat $KPROBES/enabled)" 1
	answers 0 add p $MODULE:kpt_plain
	answers 0 add t $MODULE:kpt_trap post
	answers 0 add r $MODULE:kpt_plain ret
	answers 0 add off $MODULE:kpt_trap disabled
	for off in 0 n N; do
		echo $off > $KPROBES/enabled || fail "'$off' is not accepted"
		is "enabled" "$(cat $KPROBES/enabled)" 0
		before=$(calls_of_handlers)
		call plain 10
		call trap 10
		is "hits while off" "$(calls_of_handlers)" "$before"
		case $off in 0) on=1 ;; n) on=y ;; *) on=Y ;; esac
		echo $on > $KPROBES/enabled || fail "'$on' is not accepted"
		is "enabled" "$(cat $KPROBES/enabled)" 1
		before=$(field p.0 before)
		call plain 10
		call trap 10
		is "hits when on again" $(($(field p.0 before) - before)) 10
	done
	is "pre_handler" "$(field t.0 before)" 30
	is "post_handler" "$(field t.0 after)" 30
	is "returns" "$(field r.0 before)" 30
	is "disabled one" "$(field off.0 before)" 0
}

# What is registered while all is off fires when it is on.
registering_while_off() {
	need_modules
	echo 0 > $KPROBES/enabled
	answers 0 add p $MODULE:kpt_plain
	answers 0 add t $MODULE:kpt_trap
	answers 0 add gone $MODULE:kpt_static
	call plain 10
	call trap 10
	is "hits while off" "$(field p.0 before)$(field t.0 before)" 00
	answers 0 disable t
	answers 0 enable t
	call trap 10
	is "hits while off" "$(field t.0 before)" 0
	answers 0 del gone
	echo 1 > $KPROBES/enabled
	call plain 10
	call trap 10
	is "hits when on" "$(field p.0 before) $(field t.0 before)" "10 10"
}

enabled_refuses_rubbish() {
	for rubbish in 2 x -1 maybe ''; do
		! printf '%s\n' "$rubbish" > $KPROBES/enabled 2>/dev/null ||
			fail "'$rubbish' is accepted"
		is "enabled" "$(cat $KPROBES/enabled)" 1
	done
}

blacklist_has_ranges() {
	cat $KPROBES/blacklist > "$WORK/blacklist"
	[ "$(wc -l < "$WORK/blacklist")" -gt 10 ] || fail "hardly anything is excluded"
	tab=$(printf '\t')
	range="^0x$HEX-0x$HEX$tab[^ ]+( \[[^ ]+\])?$"
	bad=$(grep -Ev "$range" "$WORK/blacklist" | head -n 1)
	is "line that is not a range" "$bad" ""
	# The hit path itself is in it.
	matches "blacklist" "$(cat "$WORK/blacklist")" "kprobe_trap$"
	# Ends lie behind starts.  Both have as many digits, so text compares.
	awk -F'[-\t]' '$2 "" <= $1 "" { bad = 1; print "# " $0 } END { exit bad }' \
		"$WORK/blacklist" ||
		fail "ranges that end before they begin"
}

# stat PROBE KEY: of the line of the stats with the same address
stat() {
	ctl where "$1"
	grep -i "^0*${reply#0x} " $KPROBES/stats | sed -n "s/.*[ ]$2=\([0-9]*\).*/\1/p"
}

stats_count_hits_and_misses() {
	need_modules
	answers 0 add p $MODULE:kpt_plain
	answers 0 add t $MODULE:kpt_trap
	call plain 123
	call trap 45
	is "kpt_plain" "$(stat p hits) $(stat p missed)" "123 0"
	is "kpt_trap" "$(stat t hits) $(stat t missed)" "45 0"
	matches "format" "$(cat $KPROBES/stats)" \
		"^$HEX  k  kpt_trap\+0x[0-9a-f]+  $MODULE (trap,(boosted|stepped|simulated)|jump) hits=45 missed=0( [a-z]+=0)+( no-jump=\"[^\"]+\")?$"
	answers 0 del p
	answers 0 del t
}

stats_count_diverted_executions() {
	need_modules
	# A probe behind one that sends the task elsewhere.
	answers 0 add d $MODULE:kpt_trap divert
	answers 0 add behind $MODULE:kpt_trap
	call trap 12
	is "missed" "$(stat behind missed | tr '\n' ' ')" "0 12 "
	is "diverted" "$(stat behind diverted | tr '\n' ' ')" "0 12 "
	is "recursion" "$(stat behind recursion | tr '\n' ' ')" "0 0 "
}

stats_count_an_empty_pool() {
	need_modules
	# More calls at once than a return probe may follow.
	answers 0 add r $MODULE:kpt_sleeper ret maxactive=1
	for sleeper in 1 2 3 4; do
		(call sleeper 20) &
	done
	wait
	missed=$(field r.0 missed)
	[ "$missed" -gt 0 ] || fail "4 tasks at once, 1 to be followed, none missed"
	is "missed, and empty pool" "$(stat r missed) $(stat r pool)" "$missed $missed"
	is "calls" $(($(stat r hits) + missed)) 80
	is "calls, as the handler sees it" $(($(field r.0 before) + missed)) 80
}

stats_say_how_a_probe_is_delivered() {
	need_modules
	# With a post_handler it stays a breakpoint.
	answers 0 add t $MODULE:kpt_trap post
	matches "trap" "$(cat $KPROBES/stats)" "$MODULE trap,"
	case $(uname -m) in
	x86_64|i?86|aarch64)
		# A slot that was made for it needs no second trap; another one does, and
		# on arm64 one from where a branch does not reach the kernel (KASLR).
		way=boosted
		[ "$(uname -m)" != aarch64 ] || way="(boosted|stepped)"
		matches "post first" "$(cat $KPROBES/stats)" "$MODULE trap,$way "
		answers 0 del t
		answers 0 add first $MODULE:kpt_trap
		answers 0 add t $MODULE:kpt_trap post
		matches "post later" "$(cat $KPROBES/stats)" "$MODULE trap,stepped "
		answers 0 del first
		;;
	esac
	answers 0 disable t
	matches "disabled" "$(cat $KPROBES/stats)" "$MODULE disarmed "
	answers 0 del t
	answers 0 add p $MODULE:kpt_plain
	if has_flag p.0 ftrace; then
		matches "function tracer" "$(cat $KPROBES/stats)" "$MODULE ftrace "
	fi
}

errors_are_kept_in_order() {
	need_modules
	for number in 1 2 3; do
		ctl add e "no_such_function_$number+$number"
	done
	refusals | tail -n 3 > "$WORK/errors"
	number=0
	while read -r line; do
		number=$((number + 1))
		matches "refusal" "$line" \
			"^[0-9]+\.[0-9]{6} .+ 0+ no_such_function_$number\+0x$number -2 no such symbol$"
	done < "$WORK/errors"
	is "refusals" $number 3
	# Many are no problem; the file stays readable and bounded.
	for number in $(seq 200); do
		ctl add e "no_such_function_$number"
	done
	lines=$(refusals | wc -l)
	[ "$lines" -ge 16 ] && [ "$lines" -le 1000 ] || fail "$lines lines after 200 refusals"
	matches "last" "$(refusals | tail -n 1)" 'no_such_function_200'
}

files_are_for_root_only() {
	for file in list enabled blacklist stats errors; do
		matches "$file" "$(ls -l $KPROBES/$file)" '^-r[w-]-------'
	done
}

need_root
run_tests list_has_a_line_for_each_probe list_has_all_probes_of_an_address \
	list_is_read_in_pieces \
	enabled_switches_all registering_while_off enabled_refuses_rubbish \
	blacklist_has_ranges stats_count_hits_and_misses \
	stats_count_diverted_executions stats_count_an_empty_pool \
	stats_say_how_a_probe_is_delivered errors_are_kept_in_order \
	files_are_for_root_only
