/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: what forms_test_text.S (the instructions) and forms_test.c (the tests that
 * run them with and without probes) share.  For these two files only.
 */
#ifndef _X86_KPROBES_FORMS_TEST_H
#define _X86_KPROBES_FORMS_TEST_H

#ifdef CONFIG_X86_64
#define FORMS_WORD	8
#else
#define FORMS_WORD	4
#endif

/* Places in a register image, counted in words. */
#define FORMS_AX	0
#define FORMS_BX	1
#define FORMS_CX	2
#define FORMS_DX	3
#define FORMS_SI	4
#define FORMS_DI	5
#define FORMS_BP	6
#define FORMS_SP	7
#ifdef CONFIG_X86_64
#define FORMS_R8	8
#define FORMS_R9	9
#define FORMS_R10	10
#define FORMS_R11	11
#define FORMS_R12	12
#define FORMS_R13	13
#define FORMS_R14	14
#define FORMS_R15	15
#define FORMS_FLAGS	16
#else
#define FORMS_FLAGS	8
#endif
#define FORMS_REGS	(FORMS_FLAGS + 1)

/* Bytes of the memory that the forms work on. */
#define FORMS_DATA	4096
/* A per-CPU variable of so many words. */
#define FORMS_PERCPU	16

/* What is special about a form. */
#define FORM_BACK	0x01	/* branches backward to form::back, if at all */
#define FORM_FAR	0x02	/* branches to kprobe_forms_taken, if at all */
#define FORM_FAULT	0x04	/* faults, form::fwd is the fixup */
#define FORM_CLOCK	0x08	/* leaves something new in eax and edx */
#define FORM_COUNT	0x10	/* ecx may be anything */
#define FORM_ROOM	0x80	/* leaves something undefined on the stack */
#define FORM_SETUP	0x20	/* something is executed before the instruction */
#define FORM_AFTER	0x40	/* something is executed after it */
#define FORM_FLAGS	0x100	/* leaves OF, SF, AF and PF undefined */

#ifndef __ASSEMBLY__

#include <linux/linkage.h>
#include <linux/percpu-defs.h>

/**
 * struct kprobe_form - one instruction to be run
 * @start: address of the function that holds it
 * @insn: its address
 * @end: end of the instruction
 * @fwd: where a branch forward ends up
 * @back: where a branch backward ends up
 * @text: how it is written
 * @feature: X86_FEATURE_* it needs, or 0
 * @kind: FORM_*
 */
struct kprobe_form {
	unsigned long start;
	unsigned long insn;
	unsigned long end;
	unsigned long fwd;
	unsigned long back;
	const char *text;
	unsigned long feature;
	unsigned long kind;
};

/**
 * struct kprobe_refused_form - an instruction that must not be probed
 * @insn: its address
 * @text: how it is written
 */
struct kprobe_refused_form {
	unsigned long insn;
	const char *text;
};

extern const struct kprobe_form kprobe_forms[], kprobe_forms_end[];
extern const struct kprobe_form kprobe_fpu_forms[], kprobe_fpu_forms_end[];
extern const struct kprobe_refused_form kprobe_refused_forms[];
extern const struct kprobe_refused_form kprobe_refused_forms_end[];

extern unsigned long kprobe_forms_in[FORMS_REGS];
extern unsigned long kprobe_forms_out[FORMS_REGS];
extern unsigned long kprobe_forms_target;
extern unsigned long kprobe_forms_bad;
extern unsigned char kprobe_forms_path;
extern unsigned char kprobe_forms_data[FORMS_DATA];
extern char kprobe_forms_taken[];
DECLARE_PER_CPU(unsigned long [FORMS_PERCPU], kprobe_forms_percpu);

asmlinkage void kprobe_forms_run(void);

#endif /* !__ASSEMBLY__ */
#endif /* _X86_KPROBES_FORMS_TEST_H */
