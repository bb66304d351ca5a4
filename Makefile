# SPDX-License-Identifier: GPL-2.0-only
# Kprobes for Linux 6.1: build, boot, test.  "make help" lists what there is.

tools := tools/kprobes
export ARCH VARIANT ONLY INIT MINUTES


.PHONY: help run check stress bench tree build boot series check-series check-docs menuconfig clean distclean

help:
	@echo 'make run                     boot a kernel with our kprobes, load the samples, show what they print'
	@echo 'make check                   all tests; the last line counts them'
	@echo 'make bench                   measure ours against the base'\''s own: tables, JSON, a plot [ARCH=arm64|riscv64] [ONLY="base ours"]'
	@echo
	@echo 'make tree                    unpack the base and integrate our files'
	@echo 'make build VARIANT=x86_64    integrate, configure, compile'
	@echo 'make boot VARIANT=x86_64 [INIT=script]'
	@echo '                             boot it; runs the shell script in the guest; prints the console log path'
	@echo 'make check VARIANT=x86_64 [ONLY="kunit selftest ftrace samples modules tracer-down host"]'
	@echo '                             the tests of one variant, or a part of them'
	@echo 'make series                  our files as patches for "git am" against the base'
	@echo 'make check-series            the series applies, is the integrated tree, each step builds and is clean'
	@echo 'make stress [VARIANT=x86_64] [MINUTES=5]'
	@echo '                             a probe on every instruction, races, failing allocations'
	@echo 'make check-docs              the manual builds without warnings, kernel-doc comments are right'
	@echo 'make menuconfig VARIANT=x86_64'
	@echo '                             change a configuration; later builds keep the change'
	@echo 'make clean                   remove the built kernels; make distclean: the whole cache'
	@echo
	@echo 'ARCH=x86_64 or ARCH="x86_64 i386" selects architectures, VARIANT= single variants (several: a,b).'
	@echo 'Variants: $(patsubst $(tools)/variants/%.variant,%,$(wildcard $(tools)/variants/*.variant))'
	@echo 'Cache: $${KPROBES_CACHE:-~/.cache/kprobes}'

run check bench tree build boot series check-series check-docs: bootstrap
	@$(tools)/$@

stress: bootstrap
	@ONLY=stress VARIANT=$${VARIANT:-x86_64} $(tools)/check

.PHONY: bootstrap
bootstrap:
	@$(tools)/bootstrap

menuconfig: bootstrap
	@$(tools)/build --menuconfig

clean:
	rm -rf "$${KPROBES_CACHE:-$$HOME/.cache/kprobes}/build"

distclean:
	rm -rf "$${KPROBES_CACHE:-$$HOME/.cache/kprobes}"
