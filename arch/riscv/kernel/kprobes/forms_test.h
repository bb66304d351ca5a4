/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: what forms_test.c and forms_test_text.S share.
 */
#ifndef _RISCV_KPROBES_FORMS_TEST_H
#define _RISCV_KPROBES_FORMS_TEST_H

/* An image: x0 to x31 by their numbers, and the words the stack pointer shows. */
#define FORMS_STACK	32
#define FORMS_WORDS	36

#ifndef __ASSEMBLY__
/**
 * struct kprobe_form - an instruction with what is around it
 * @start: where to begin
 * @insn: the instruction that is probed
 * @text: in words
 */
struct kprobe_form {
	unsigned long start;
	unsigned long insn;
	const char *text;
};

extern const struct kprobe_form kprobe_forms[], kprobe_forms_end[];
extern const struct kprobe_form kprobe_forms_refused[], kprobe_forms_refused_end[];

/* Runs the code at @start with the registers of @image, which it replaces. */
void kprobe_form_run(unsigned long *image, unsigned long start);
#endif

#endif /* _RISCV_KPROBES_FORMS_TEST_H */
