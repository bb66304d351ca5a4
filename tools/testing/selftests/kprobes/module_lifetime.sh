#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Modules that go: the probed one, and the one whose handlers run.

. "$(dirname "$0")/lib.sh"

probes_of_an_unloaded_module_are_gone() {
	need_modules
	answers 0 add traced $MODULE:kpt_plain
	answers 0 add trapped $MODULE:kpt_trap post
	answers 0 add off $MODULE:kpt_static disabled
	answers 0 add returns $MODULE:kpt_plain ret
	call plain 10
	rmmod $MODULE || fail "a probed module cannot be unloaded"
	for probe in traced trapped off returns; do
		has_flag $probe.0 gone || fail "$probe is not gone"
		matches "$probe in the list" "$(listed $probe)" '\[GONE\]'
		answers EINVAL enable $probe
		answers 0 disable $probe
		answers EINVAL enable $probe
	done
	is "hits before" "$(field traced.0 before)" 10

	# Another module may be at these addresses now, or the same once more.
	need_module $MODULE
	call plain 10
	call trap 10
	call static 10
	is "hits, module loaded again" "$(field traced.0 before)" 10
	is "returns, module loaded again" "$(field returns.0 before)" 10
	is "hits, module loaded again" "$(field trapped.0 before)" 0
	has_flag traced.0 gone || fail "it came back"

	answers 0 add fresh $MODULE:kpt_plain
	answers 0 add freshtrap $MODULE:kpt_trap
	call plain 10
	call trap 10
	is "hits of a fresh probe" "$(field fresh.0 before)" 10
	is "hits of a fresh probe" "$(field freshtrap.0 before)" 10
	for probe in traced trapped off returns fresh freshtrap; do
		answers 0 del $probe
	done
	call plain 10
	call trap 10
	lacks "list" "$(cat $KPROBES/list)" "GONE|kpt_"
}

unregister_after_the_module_went() {
	need_modules
	answers 0 add a $MODULE:kpt_plain,$MODULE:kpt_trap,$MODULE:kpt_static post
	answers 0 add r $MODULE:kpt_plain,$MODULE:kpt_trap ret
	rmmod $MODULE || fail "a probed module cannot be unloaded"
	answers 0 del a
	answers 0 del r
	lacks "list" "$(cat $KPROBES/list)" "GONE"
}

# The text of __init functions goes when the module is up.
init_text_is_probed_while_it_lasts() {
	need_module kprobes_test_ctl
	answers 0 add init $MODULE:kpt_init oncoming=$MODULE
	answers 0 add stays $MODULE:kpt_plain oncoming=$MODULE
	answers 0 add returns $MODULE:kpt_init ret oncoming=$MODULE
	need_module $MODULE
	is "registered" "$(field init.0 err)$(field stays.0 err)$(field returns.0 err)" 000
	is "hits in __init" "$(field init.0 before)" 1
	is "returns in __init" "$(field returns.0 before)" 1

	# Freed from a work item.
	for second in 1 2 3 4 5; do
		has_flag init.0 gone && break
		sleep 1
	done
	has_flag init.0 gone || fail "the probe on __init text is not gone"
	matches "in the list" "$(listed init)" '\[GONE\]'
	answers EINVAL enable init
	answers 0 disable init

	! has_flag stays.0 gone || fail "a probe on text that stays is gone"
	call plain 5
	is "hits of the one that stays" "$(field stays.0 before)" 5

	answers ENOENT add late $MODULE:kpt_init
	ctl where init
	freed=$reply
	ctl add late "$freed"
	[ "$reply" != 0 ] || fail "freed text at $freed can be probed"
	answers 0 del init
	answers 0 del stays
	answers 0 del returns
}

# Handlers go with their module, however busy they are.
handlers_owner_unloads_under_load() {
	need_modules
	for round in 1 2 3 4 5; do
		need_module kprobes_test_ctl
		answers 0 add p $MODULE:kpt_plain
		answers 0 add q $MODULE:kpt_trap post
		answers 0 add r $MODULE:kpt_plain ret entry data=32
		answers 0 add s $MODULE:kpt_sleeper ret
		(call plain for 1500; is "value" "$value" $(((calls - 1) % 256 + 1))) &
		one=$!
		(call trap for 1500; is "value" "$value" $(((calls - 1) % 256 + 2))) &
		two=$!
		(call sleeper 40; is "value" "$value" 39) &
		three=$!
		sleep 1
		for probe in p q r s; do
			[ "$(field $probe.0 before)" -gt 0 ] || fail "$probe was not hit"
		done
		rmmod kprobes_test_ctl || fail "the handlers' module cannot be unloaded"
		for job in $one $two $three; do
			wait $job || fail "a caller came to grief"
		done
		lacks "list" "$(cat $KPROBES/list)" "kpt_"
	done
}

# What a module excludes from probing is excluded as long as it is there.
blacklist_follows_the_module() {
	need_modules
	range=$(grep -E 'kpt_forbidden( |$)' $KPROBES/blacklist | cut -f 1)
	matches "range" "$range" '^0x'
	answers EINVAL add p $MODULE:kpt_forbidden
	rmmod $MODULE
	# By address: the name is unknown now.
	lacks "blacklist" "$(cat $KPROBES/blacklist)" "$range|kpt_forbidden"
}

need_root
run_tests probes_of_an_unloaded_module_are_gone unregister_after_the_module_went \
	init_text_is_probed_while_it_lasts handlers_owner_unloads_under_load \
	blacklist_follows_the_module
