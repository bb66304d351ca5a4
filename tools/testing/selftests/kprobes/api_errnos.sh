#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Every refusal of the API has its errno, and its reason in kprobes/errors.

. "$(dirname "$0")/lib.sh"

# refused ERRNO REASON-REGEX PLACE [OPTION...]
refused() {
	errno=$1
	why=$2
	shift 2
	ctl add refused "$@"
	if [ "$reply" = 0 ]; then
		ctl del refused
		fail "$*: accepted, expected $errno"
	fi
	is "$*" "$reply" "$errno"
	last=$(refusals | tail -n 1)
	matches "reason for $*" "$last" "^[0-9]+\.[0-9]{6} .+ -[0-9]+ .*($why)"
}

# The address of a thing that has no symbol.
place() {
	awk -v kind="$1" '$1 == kind { print $2; exit }' $TARGET/places
}

# plus ADDRESS BYTES, both with 0x or decimal
plus() {
	printf '0x%x' $(($1 + $2))
}

unknown_names() {
	need_modules
	refused ENOENT 'no such symbol$' no_such_function_at_all
	refused ENOENT 'no such module or symbol' $MODULE:no_such_function
	refused ENOENT 'no such module or symbol' no_such_module:kpt_plain
	matches "the symbol is named" "$(refusals | tail -n 1)" \
		' no_such_module:kpt_plain\+0x0 -2 '
}

renamed_by_the_compiler() {
	need_modules
	refused ENOENT 'suffix' kpt_part
	refused ENOENT 'no such' no_such_function_at_all.isra
	answers 0 add p kpt_part.isra.0
	call part 10
	is "hits" "$(field p.0 before)" 10
	answers 0 del p
}

ambiguous_names() {
	need_modules
	refused EADDRNOTAVAIL 'several functions' kpt_twin
	refused EADDRNOTAVAIL 'several functions' $MODULE:kpt_twin
	refused EADDRNOTAVAIL 'several functions' $MODULE:kpt_twin ret
	number=0
	for address in $(awk '$3 == "kpt_twin" { print $1 }' /proc/kallsyms); do
		number=$((number + 1))
		answers 0 add "twin$number" "0x$address"
	done
	is "functions named kpt_twin" $number 2
	call twin 10
	call twin2 20
	is "hits of both" "$(($(field twin1.0 before) + $(field twin2.0 before)))" 30
	is "difference" "$(($(field twin1.0 before) - $(field twin2.0 before)))" \
		"$([ "$(field twin1.0 before)" -eq 10 ] && echo -10 || echo 10)"
	answers 0 del twin1
	answers 0 del twin2
}

neither_or_both() {
	need_modules
	refused EINVAL 'neither' -
	refused EINVAL 'both' "kpt_plain@0x$(address kpt_plain)"
}

not_text() {
	need_modules
	refused EINVAL 'not kernel text' 0x1000
	refused EINVAL 'not kernel text' "0x$(address linux_banner)"
	refused EINVAL 'not kernel text' "0x$(address jiffies)"
}

excluded_from_probing() {
	need_modules
	refused EINVAL 'blacklisted' $MODULE:kpt_forbidden
	refused EINVAL 'blacklisted' "0x$(address kpt_forbidden)"
	refused EINVAL 'blacklisted' kprobe_trap
	refused EINVAL 'blacklisted' $MODULE:kpt_forbidden ret
	call forbidden 1
	is "value" "$value" 7
}

middle_of_an_instruction() {
	need_modules
	trap=$(place bug)
	[ -n "$trap" ] || skip "no trap of a WARN() is known"
	refused EILSEQ 'middle of an instruction|not aligned' "$(plus "$trap" 1)"
	answers 0 add p $MODULE:kpt_plain
	ctl where p
	entry=$reply
	if has_flag p.0 ftrace; then
		refused EILSEQ 'middle of' "$(plus "$entry" 1)"
	fi
	answers 0 del p
	# The same question to a function that is probed.
	answers 0 add p $MODULE:kpt_warn
	refused EILSEQ 'middle of an instruction|not aligned' "$(plus "$trap" 1)"
	answers 0 del p
}

text_of_others() {
	need_modules
	trap=$(place bug)
	[ -z "$trap" ] || refused EINVAL 'BUG' "$trap"
	jump=$(place jump_label)
	[ -z "$jump" ] || refused EINVAL 'static key' "$jump"
	[ -n "$trap$jump" ] || skip "no such text in this configuration"
}

registered_already() {
	need_modules
	answers 0 add p $MODULE:kpt_plain
	answers EINVAL again p
	matches "reason" "$(refusals | tail -n 1)" 'registered already'
	call plain 10
	is "hits" "$(field p.0 before)" 10
	answers 0 del p
	answers 0 add r $MODULE:kpt_plain ret
	answers EINVAL again r
	call plain 10
	is "returns" "$(field r.0 before)" 10
	answers 0 del r
}

not_registered() {
	need_modules
	for what in enable disable enable-return disable-return; do
		answers EINVAL misuse $what
		matches "reason" "$(refusals | tail -n 1)" 'not registered'
	done
	answers 0 misuse unregister
	answers 0 misuse unregister-return
}

arrays_of_nothing() {
	need_modules
	for what in register-none register-negative register-returns-none; do
		answers EINVAL misuse $what
	done
	answers 0 misuse unregister-none
}

# One that is refused, and none of the array is registered.
array_is_all_or_nothing() {
	need_modules
	for bad in no_such_function_at_all $MODULE:kpt_forbidden kpt_twin 0x1000; do
		ctl add a "$MODULE:kpt_plain,$MODULE:kpt_trap,$bad,$MODULE:kpt_static" post
		[ "$reply" != 0 ] || fail "accepted with $bad in it"
		lacks "list, after an array with $bad" "$(cat $KPROBES/list)" 'kpt_'
		ctl add a "$MODULE:kpt_plain,$bad,$MODULE:kpt_trap" ret
		[ "$reply" != 0 ] || fail "accepted with $bad in it"
		lacks "list, after an array with $bad" "$(cat $KPROBES/list)" 'kpt_'
	done
	call plain 10
	call trap 10
}

return_probes() {
	need_modules
	refused EINVAL 'entry' $MODULE:kpt_plain+1000 ret
	answers 0 add p $MODULE:kpt_plain
	answers 0 add r $MODULE:kpt_plain ret data=4096
	answers 0 del r
	refused E2BIG '' $MODULE:kpt_plain ret data=4097
	answers 0 del p
}

# A function is named by its symbol or by where its first instruction that can
# be probed is: one address, the same everywhere.
one_address_for_an_entry() {
	need_modules
	for function in kpt_plain kpt_trap; do
		symbol=0x$(address $function)
		answers 0 add p $MODULE:$function
		ctl where p
		where=$reply
		offset=$((where - symbol))
		answers 0 add q "$symbol"
		answers 0 add r "$where"
		answers 0 add s "$MODULE:$function+$offset"
		for probe in q r s; do
			ctl where $probe
			is "address of $function" "$reply" "$where"
		done
		listed p > "$WORK/listed"
		is "lines of the list with it" "$(wc -l < "$WORK/listed")" 4
		call "${function#kpt_}" 10
		for probe in p q r s; do
			is "hits" "$(field $probe.0 before)" 10
			! has_flag $probe.0 other-ip || fail "handlers see another address"
			answers 0 del $probe
		done
	done
}

need_root
run_tests unknown_names renamed_by_the_compiler ambiguous_names neither_or_both \
	not_text excluded_from_probing middle_of_an_instruction text_of_others \
	registered_already not_registered arrays_of_nothing array_is_all_or_nothing \
	return_probes one_address_for_an_entry
