#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Users of kprobes in the kernel that no other program here covers.

. "$(dirname "$0")/lib.sh"

# The crash test module puts its crash points into functions by kprobes.
lkdtm_plants_a_crash_point() {
	[ -n "$(module_file lkdtm)" ] || skip "there is no module lkdtm"
	unload lkdtm
	# It would go off at a hit in the far future.
	load lkdtm cpoint_name=INT_TASKLET_ENTRY cpoint_type=WARNING cpoint_count=2000000000 ||
		fail "lkdtm does not load"
	matches "list" "$(cat $KPROBES/list)" ' tasklet_action\+0x'
	sleep 1
	unload lkdtm
	lacks "list" "$(cat $KPROBES/list)" ' tasklet_action'
}

need_root
run_tests lkdtm_plants_a_crash_point
