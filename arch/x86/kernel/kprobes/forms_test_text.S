/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the instructions that forms_test.c runs bare and runs probed.
 *
 * Each form is a function of its own, which holds the instruction:
 *
 *	kprobe_form_<n>:	jump over the next line
 *	back:			jump to kprobe_forms_taken
 *				what must be executed before, if anything
 *	insn:			the instruction
 *	end:			what must be executed after, if anything
 *				jump to kprobe_forms_exit
 *	fwd:			jump to kprobe_forms_taken
 *
 * and has an entry in the table of forms (struct kprobe_form).  "7b" and "8f"
 * in an instruction are its targets backward and forward.
 *
 * What a form finds in the registers (r8 and above in 64 bit mode only):
 *
 *	bx, si, di, bp, r12, r13	pointers into kprobe_forms_data
 *	cx, r14				a small number
 *	sp				the middle of a stack
 *	the others, and the flags	anything
 *
 * It may leave anything in them, but the stack pointer must stay near.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/stringify.h>
#include <asm/asm.h>
#include <asm/cpufeatures.h>
#include <asm/ibt.h>
#include <asm/nops.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>

#include "forms_test.h"

#define AX	%_ASM_AX
#define BX	%_ASM_BX
#define CX	%_ASM_CX
#define DX	%_ASM_DX
#define SI	%_ASM_SI
#define DI	%_ASM_DI
#define BP	%_ASM_BP
#define SP	%_ASM_SP
#define MOV	_ASM_MOV
#define W(n)	((n) * FORMS_WORD)
/* In 32 bit mode a processor may leave the upper half of the word as it was. */
#ifdef CONFIG_X86_64
#define FORM_SEGMENT	0
#else
#define FORM_SEGMENT	FORM_ROOM
#endif
#define V(x)	_ASM_RIP(x)
/* A word of the memory that needs no register, aligned. */
#define MEM	kprobe_forms_data + 64(%rip)
/* Several instructions as one argument of a macro. */
#define Q(x...)	__stringify(x)

	.bss
	.balign	64
SYM_DATA(kprobe_forms_in, .zero W(FORMS_REGS))
	.balign	64
SYM_DATA(kprobe_forms_out, .zero W(FORMS_REGS))
	.balign	64
SYM_DATA(kprobe_forms_data, .zero FORMS_DATA)
SYM_DATA(kprobe_forms_target, .zero FORMS_WORD)
SYM_DATA(kprobe_forms_bad, .zero FORMS_WORD)
SYM_DATA_LOCAL(saved_sp, .zero FORMS_WORD)
SYM_DATA(kprobe_forms_path, .byte 0)

/*
 * Load the registers from kprobe_forms_in, run the function at
 * kprobe_forms_target, store the registers to kprobe_forms_out.  The stack is
 * the form's from the moment the flags are loaded, because they may enable
 * interrupts.
 */
	.text
SYM_FUNC_START(kprobe_forms_run)
	STACK_FRAME_NON_STANDARD kprobe_forms_run
	push	BX
	push	BP
#ifdef CONFIG_X86_64
	push	%r12
	push	%r13
	push	%r14
	push	%r15
#else
	push	SI
	push	DI
#endif
	pushf
	MOV	SP, V(saved_sp)
	MOV	V(kprobe_forms_in + W(FORMS_SP)), SP
#ifdef CONFIG_X86_64
	pushq	kprobe_forms_in + W(FORMS_FLAGS)(%rip)
	popfq
	mov	kprobe_forms_in + W(FORMS_R8)(%rip), %r8
	mov	kprobe_forms_in + W(FORMS_R9)(%rip), %r9
	mov	kprobe_forms_in + W(FORMS_R10)(%rip), %r10
	mov	kprobe_forms_in + W(FORMS_R11)(%rip), %r11
	mov	kprobe_forms_in + W(FORMS_R12)(%rip), %r12
	mov	kprobe_forms_in + W(FORMS_R13)(%rip), %r13
	mov	kprobe_forms_in + W(FORMS_R14)(%rip), %r14
	mov	kprobe_forms_in + W(FORMS_R15)(%rip), %r15
#else
	pushl	kprobe_forms_in + W(FORMS_FLAGS)
	popfl
#endif
	MOV	V(kprobe_forms_in + W(FORMS_AX)), AX
	MOV	V(kprobe_forms_in + W(FORMS_BX)), BX
	MOV	V(kprobe_forms_in + W(FORMS_CX)), CX
	MOV	V(kprobe_forms_in + W(FORMS_DX)), DX
	MOV	V(kprobe_forms_in + W(FORMS_SI)), SI
	MOV	V(kprobe_forms_in + W(FORMS_DI)), DI
	MOV	V(kprobe_forms_in + W(FORMS_BP)), BP
	ANNOTATE_RETPOLINE_SAFE
	jmp	*V(kprobe_forms_target)

SYM_INNER_LABEL(kprobe_forms_taken, SYM_L_GLOBAL)
	ENDBR
	movb	$1, V(kprobe_forms_path)
SYM_INNER_LABEL(kprobe_forms_exit, SYM_L_LOCAL)
	MOV	AX, V(kprobe_forms_out + W(FORMS_AX))
	MOV	BX, V(kprobe_forms_out + W(FORMS_BX))
	MOV	CX, V(kprobe_forms_out + W(FORMS_CX))
	MOV	DX, V(kprobe_forms_out + W(FORMS_DX))
	MOV	SI, V(kprobe_forms_out + W(FORMS_SI))
	MOV	DI, V(kprobe_forms_out + W(FORMS_DI))
	MOV	BP, V(kprobe_forms_out + W(FORMS_BP))
	MOV	SP, V(kprobe_forms_out + W(FORMS_SP))
	MOV	V(saved_sp), SP
	pushf
#ifdef CONFIG_X86_64
	popq	kprobe_forms_out + W(FORMS_FLAGS)(%rip)
	mov	%r8, kprobe_forms_out + W(FORMS_R8)(%rip)
	mov	%r9, kprobe_forms_out + W(FORMS_R9)(%rip)
	mov	%r10, kprobe_forms_out + W(FORMS_R10)(%rip)
	mov	%r11, kprobe_forms_out + W(FORMS_R11)(%rip)
	mov	%r12, kprobe_forms_out + W(FORMS_R12)(%rip)
	mov	%r13, kprobe_forms_out + W(FORMS_R13)(%rip)
	mov	%r14, kprobe_forms_out + W(FORMS_R14)(%rip)
	mov	%r15, kprobe_forms_out + W(FORMS_R15)(%rip)
#else
	popl	kprobe_forms_out + W(FORMS_FLAGS)
#endif
	popf
#ifdef CONFIG_X86_64
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
#else
	pop	DI
	pop	SI
#endif
	pop	BP
	pop	BX
	RET
SYM_FUNC_END(kprobe_forms_run)

	.set	form_feature, 0
	.set	form_fpu, 0

	.pushsection .rodata.kprobe_forms, "a"
	_ASM_ALIGN
SYM_INNER_LABEL(kprobe_forms, SYM_L_GLOBAL)
	.popsection
	.pushsection .rodata.kprobe_fpu_forms, "a"
	_ASM_ALIGN
SYM_INNER_LABEL(kprobe_fpu_forms, SYM_L_GLOBAL)
	.popsection
	.pushsection .rodata.kprobe_refused_forms, "a"
	_ASM_ALIGN
SYM_INNER_LABEL(kprobe_refused_forms, SYM_L_GLOBAL)
	.popsection

/*
 * A form.  STACK_FRAME_NON_STANDARD: what it does to the stack is its own.
 * ANNOTATE_NOENDBR: that the table knows its parts makes them no targets.
 */
.macro form_asm kind, setup, insn, after
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
.Ltext_\@:
	.asciz	"\insn"
	.popsection
	.p2align 4
	.type	kprobe_form_\@, @function
kprobe_form_\@:
	STACK_FRAME_NON_STANDARD kprobe_form_\@
	ENDBR
	jmp	.Lsetup_\@
7:
.Lback_\@:
	ENDBR
	jmp	kprobe_forms_taken
.Lsetup_\@:
	\setup
.Linsn_\@:
	ANNOTATE_NOENDBR
	\insn
.Lend_\@:
	ANNOTATE_NOENDBR
	\after
	jmp	kprobe_forms_exit
8:
.Lfwd_\@:
	ENDBR
	jmp	kprobe_forms_taken
	.size	kprobe_form_\@, . - kprobe_form_\@
	.if	form_fpu
	.pushsection .rodata.kprobe_fpu_forms, "a"
	.else
	.pushsection .rodata.kprobe_forms, "a"
	.endif
	_ASM_PTR kprobe_form_\@, .Linsn_\@, .Lend_\@, .Lfwd_\@, .Lback_\@
	_ASM_PTR .Ltext_\@, form_feature, \kind
	.popsection
.endm

/* The usual form, one of a kind, one after a setup, and with something after. */
.macro FORM insn:vararg
	form_asm 0, "", "\insn", ""
.endm
.macro FORM_K kind:req, insn:vararg
	form_asm \kind, "", "\insn", ""
.endm
.macro FORM_S setup:req, insn:vararg
	form_asm FORM_SETUP, "\setup", "\insn", ""
.endm
.macro FORM_SK kind:req, setup:req, insn:vararg
	form_asm FORM_SETUP | \kind, "\setup", "\insn", ""
.endm
.macro FORM_SA setup:req, after:req, insn:vararg
	form_asm FORM_SETUP | FORM_AFTER, "\setup", "\insn", "\after"
.endm

/* An instruction that must be refused; not the first of its function. */
.macro refused_asm insn:req, before
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
.Ltext_\@:
	.asciz	"\insn"
	.popsection
	.p2align 4
	.type	kprobe_refused_form_\@, @function
kprobe_refused_form_\@:
	STACK_FRAME_NON_STANDARD kprobe_refused_form_\@
	nop
.Linsn_\@:
	ANNOTATE_NOENDBR
	\before
	\insn
	/* Whatever a decoder takes it for, it finds its way again. */
	.fill	16, 1, 0x90
	.size	kprobe_refused_form_\@, . - kprobe_refused_form_\@
	.pushsection .rodata.kprobe_refused_forms, "a"
	_ASM_PTR .Linsn_\@, .Ltext_\@
	.popsection
.endm

.macro REFUSED insn:vararg
	refused_asm "\insn"
.endm

/*
 * Arithmetic with two operands.
 */
.irp op, add, or, adc, sbb, and, sub, xor, cmp
	FORM	\op\()b %al, %dl
	FORM	\op\()b %ch, %ah
	FORM	\op\()w %ax, %dx
	FORM	\op\()l %eax, %edx
	FORM	\op\()b %al, (BX)
	FORM	\op\()w %ax, 2(BX)
	FORM	\op\()l %eax, 0x200(BX)
	FORM	\op\()b 3(SI), %dl
	FORM	\op\()w (DI), %dx
	FORM	\op\()l 0x40(BX,CX,4), %edx
	FORM	\op\()b $0x5a, %al
	FORM	\op\()b $0xa5, %dl
	FORM	\op\()w $0x1234, %ax
	FORM	\op\()l $0x12345678, %eax
	FORM	\op\()w $5, %dx
	FORM	\op\()l $-5, %edx
	FORM	\op\()l $0x76543210, %edx
	FORM	\op\()b $0x77, (BP)
	FORM	\op\()w $0x1234, (BX)
	FORM	\op\()l $0x12345678, (SI)
	FORM	\op\()l $-5, 8(DI)
	FORM	\op\()l %eax, 16(SP)
	FORM	\op\()l kprobe_forms_data + 0x100(,CX,8), %eax
#ifdef CONFIG_X86_64
	FORM	\op\()q %rax, %rdx
	FORM	\op\()b %sil, %r9b
	FORM	\op\()q %r8, (%rbx)
	FORM	\op\()q -8(%r12), %r9
	FORM	\op\()q 8(%r13,%r14,8), %r15
	FORM	\op\()q $0x12345678, %rax
	FORM	\op\()q $-3, %r10
	FORM	\op\()q $-0x12345678, 8(%r13,%r14,8)
	FORM	\op\()q kprobe_forms_data + 64(%rip), %r11
	FORM	\op\()q %r8, kprobe_forms_data + 64(%rip)
	FORM	\op\()b $0x11, kprobe_forms_data + 65(%rip)
	FORM	\op\()w $0x1122, kprobe_forms_data + 66(%rip)
	FORM	\op\()q $0x12345678, kprobe_forms_data + 72(%rip)
#endif
.endr
.irp op, add, or, adc, sbb, and, sub, xor
	FORM	lock \op\()b %al, (BX)
	FORM	lock \op\()l %eax, 4(SI)
	FORM	lock \op\()l $0x1234, 4(DI)
#ifdef CONFIG_X86_64
	FORM	lock \op\()q $1, kprobe_forms_data + 80(%rip)
#endif
.endr
	FORM	testb %al, %dl
	FORM	testw $0x8001, %ax
	FORM	testl %eax, (BX)
	FORM	testl $0x80000001, (SI)
	FORM	testb $0x40, %al

/*
 * Arithmetic with one operand.
 */
.irp op, not, neg, inc, dec
	FORM	\op\()b %dl
	FORM	\op\()w %dx
	FORM	\op\()l %eax
	FORM	\op\()l %edx
	FORM	\op\()b (BX)
	FORM	\op\()w 6(SI)
	FORM	\op\()l 8(DI)
	FORM	lock \op\()l (BX)
#ifdef CONFIG_X86_64
	FORM	\op\()q %rax
	FORM	\op\()q %r15
	FORM	\op\()q (%r12)
	FORM	\op\()l kprobe_forms_data + 64(%rip)
	FORM	lock \op\()q kprobe_forms_data + 64(%rip)
#endif
.endr

.irp op, rol, ror, rcl, rcr, shl, shr, sar
	FORM	\op\()b %dl
	FORM	\op\()w %dx
	FORM	\op\()l %edx
	FORM	\op\()l (BX)
	FORM	\op\()b $3, %dl
	FORM	\op\()w $5, 2(BX)
	FORM	\op\()l $7, %eax
	FORM_K	FORM_COUNT, \op\()b %cl, %dl
	FORM_K	FORM_COUNT, \op\()w %cl, %ax
	FORM_K	FORM_COUNT, \op\()l %cl, %edx
	FORM_K	FORM_COUNT, \op\()l %cl, 4(SI)
#ifdef CONFIG_X86_64
	FORM	\op\()q %rdx
	FORM	\op\()q $33, %r8
	FORM_K	FORM_COUNT, \op\()q %cl, %r9
	FORM_K	FORM_COUNT, \op\()q %cl, (%rdi)
	FORM	\op\()l $3, kprobe_forms_data + 64(%rip)
#endif
.endr
.irp op, shld, shrd
	FORM	\op\()w $3, %ax, %dx
	FORM	\op\()l $3, %eax, %edx
	FORM	\op\()l $9, %eax, (BX)
	FORM_K	FORM_COUNT, \op\()l %cl, %eax, %edx
#ifdef CONFIG_X86_64
	FORM	\op\()q $33, %rax, %r8
	FORM_K	FORM_COUNT, \op\()q %cl, %r9, (%rbx)
#endif
.endr

.irp op, mul, imul
	FORM	\op\()b %dl
	FORM	\op\()w %dx
	FORM	\op\()l %edx
	FORM	\op\()b (BX)
	FORM	\op\()l 4(SI)
#ifdef CONFIG_X86_64
	FORM	\op\()q %r8
	FORM	\op\()q (%r12)
	FORM	\op\()q kprobe_forms_data + 64(%rip)
#endif
.endr
	FORM	imulw %ax, %dx
	FORM	imull %eax, %edx
	FORM	imull (BX), %edx
	FORM	imull $100, %eax, %edx
	FORM	imull $0x12345, (SI), %eax
#ifdef CONFIG_X86_64
	FORM	imulq %r8, %r9
	FORM	imulq $0x12345, (%r13), %r15
	FORM	imulq $7, kprobe_forms_data + 64(%rip), %rax
#endif
	FORM_S	Q(movzbl %al, %eax; orl $1, %ebp; movl %ebp, %edx), divb %dl
	FORM_S	Q(xorl %edx, %edx; orl $1, (BX)), divw (BX)
	FORM_S	Q(xorl %edx, %edx; orl $1, 4(BX)), divl 4(BX)
	FORM_S	Q(xorl %edx, %edx; orl $0x100, %ebp), divl %ebp
	FORM_S	Q(movl $0x77, %edx; cbtw), idivb %dl
	FORM_S	Q(cltd; movl $0x1234567, 4(BX)), idivl 4(BX)
#ifdef CONFIG_X86_64
	FORM_S	Q(xorl %edx, %edx; orq $1, %r8), divq %r8
	FORM_S	Q(cqto; movl $0x1234567, %r9d), idivq %r9
	FORM_S	Q(xorl %edx, %edx; orl $1, MEM), divq MEM
#endif
	FORM	cbtw
	FORM	cwtl
	FORM	cwtd
	FORM	cltd
#ifdef CONFIG_X86_64
	FORM	cltq
	FORM	cqto
#else
	FORM	daa
	FORM	das
	FORM	aaa
	FORM	aas
	FORM	aam
	FORM	aad
#endif

/*
 * Stack.
 */
.irp reg, AX, BX, CX, DX, SI, DI, BP, SP
	FORM	push \reg
.endr
.irp reg, AX, BX, CX, DX, SI, DI, BP
	FORM	pop \reg
.endr
	FORM_S	Q(push SP; push AX; push AX), pop AX
	FORM_S	Q(push SP), pop SP
	FORM	push $0x55
	FORM	push $-2
	FORM	push $0x12345678
	FORM	pushw $0x1234
	FORM	pushw %ax
	FORM	popw %dx
	FORM	push (BX)
	FORM	push 8(BP)
	FORM	push (SP)
	FORM	push 16(SP)
	FORM	push -4(SI,CX,2)
	FORM	pushw 2(BX)
	FORM	pop (BX)
	FORM	pop 16(SP)
	FORM	pop (SP)
	FORM	pop 8(DI,CX,4)
	FORM_K	FORM_SEGMENT, push %fs
	FORM_K	FORM_SEGMENT, push %gs
	FORM	pushf
	FORM	pushfw
	FORM_S	Q(pushf; xorl $0xed5, (SP)), popf
	FORM_S	Q(pushfw; xorw $0xcd5, (SP)), popfw
	FORM_S	Q(pushf; orl $0x200, (SP)), popf
	FORM_S	Q(pushf; andl $~0x200, (SP)), popf
	FORM_S	Q(pushf; xorl $0x240000, (SP)), popf
	FORM_S	Q(MOV SP, BP; add $-32, SP), leave
	FORM_K	FORM_ROOM, enter $32, $0
	FORM_K	FORM_ROOM, enter $16, $1
	FORM	enter $0, $3
	FORM_K	FORM_ROOM, add $-32, SP
	FORM_K	FORM_ROOM, sub $32, SP
	FORM_K	FORM_ROOM, lea -16(SP), SP
	FORM	lea 16(SP), SP
	FORM	MOV SP, BP
	FORM_SK	FORM_ROOM, Q(lea -32(SP), AX), MOV AX, SP
	FORM_SK	FORM_ROOM, Q(lea -48(SP), AX), xchg AX, SP
#ifdef CONFIG_X86_64
.irp reg, r8, r9, r10, r11, r12, r13, r14, r15
	FORM	push %\reg
	FORM	pop %\reg
.endr
	FORM	push (%r12)
	FORM	push kprobe_forms_data + 64(%rip)
	FORM	pop kprobe_forms_data + 64(%rip)
	FORM	pop (%r13,%r14,8)
#else
	FORM_K	FORM_SEGMENT, push %ds
	FORM_K	FORM_SEGMENT, push %es
	FORM_K	FORM_SEGMENT, push %ss
	FORM_K	FORM_SEGMENT, push %cs
	FORM_S	Q(push %ds), pop %es
	FORM	pusha
	FORM	pushaw
	FORM_S	Q(pusha; rorl $5, (SP); roll $3, 28(SP)), popa
#endif

/*
 * Moves.
 */
	FORM	movb %al, %dl
	FORM	movb %ah, %dh
	FORM	movw %ax, %dx
	FORM	movl %eax, %edx
	FORM	movb %al, (BX)
	FORM	movw %ax, 2(BX,CX,2)
	FORM	movl %eax, 0x200(SI)
	FORM	movb (BX), %dh
	FORM	movw (DI), %ax
	FORM	movl (BP,CX,8), %eax
	FORM	movl (SP), %eax
	FORM	movl %edx, 8(SP,CX,4)
	FORM	movl kprobe_forms_data + 0x40, %edx
	FORM	movl %edx, kprobe_forms_data + 0x40
	FORM	movb $0x12, %dl
	FORM	movw $0x1234, %dx
	FORM	movl $0x12345678, %edx
	FORM	movb $0x12, (BX)
	FORM	movw $0x1234, (BX)
	FORM	movl $0x12345678, 4(BX,CX,8)
	FORM	.byte 0xc7, 0xc2, 1, 2, 3, 4
	FORM	movl %ds, %eax
	FORM	movw %ss, (BX)
	FORM	movw %gs, %ax
	FORM_S	Q(movl %ds, %eax), movl %eax, %ds
	FORM_S	Q(movl %es, %eax), movl %eax, %es
	FORM	movzbl %al, %edx
	FORM	movzbw (BX), %dx
	FORM	movzwl 2(SI), %eax
	FORM	movsbl %ah, %edx
	FORM	movsbw (BX), %dx
	FORM	movswl 2(SI), %eax
	FORM	lea (BX,CX,4), AX
	FORM	lea 0x1234(DX), AX
	FORM	lea -1(,CX,8), DX
	FORM	leaw 5(BX), %dx
	FORM	xlatb
	FORM	lahf
	FORM	sahf
	FORM	bswapl %edx
	FORM	xchgl %eax, %edx
	FORM	xchgb %al, %ah
	FORM	xchgw %cx, %dx
	FORM	xchgl %eax, (BX)
	FORM	xchgb %dl, 5(SI)
	FORM	xaddb %al, %dl
	FORM	xaddl %eax, %edx
	FORM	xaddl %eax, (BX)
	FORM	lock xaddl %eax, (BX)
	FORM	cmpxchgb %dl, (BX)
	FORM	cmpxchgl %edx, %ecx
	FORM	cmpxchgl %edx, (BX)
	FORM	lock cmpxchgl %edx, (BX)
	FORM_S	Q(movl (BX), %eax), lock cmpxchgl %edx, (BX)
	FORM	cmpxchg8b (SI)
	FORM_S	Q(movl (SI), %eax; movl 4(SI), %edx), lock cmpxchg8b (SI)
	FORM	movnti %eax, (BX)
#ifdef CONFIG_X86_64
	FORM	movabsq $0x123456789abcdef0, %rdx
	FORM	movabsq $-0x123456789abcdef, %r15
	FORM	movq $-5, %r9
	FORM	movq %rax, %r8
	FORM	movq %r8, (%rbx)
	FORM	movq (%r13,%r14,8), %r15
	FORM	movq 0x100(%r12), %rax
	FORM	movb %r8b, 3(%r12)
	FORM	movq $0x12345678, (%r12)
	FORM	movabsb %al, kprobe_forms_data + 9
	FORM	movabsl kprobe_forms_data + 12, %eax
	FORM	movabsq %rax, kprobe_forms_data + 16
	FORM	movabsq kprobe_forms_data + 24, %rax
	FORM	movslq %eax, %rdx
	FORM	movslq (%rbx), %r8
	FORM	movzbq %al, %r9
	FORM	movsbq 3(%rsi), %r9
	FORM	movzwq (%rdi), %rdx
	FORM	movswq %ax, %r10
	FORM	bswapq %r9
	FORM	xchgq %rax, %r8
	FORM	xchgq %r9, (%r12)
	FORM	lock xaddq %r8, (%r12)
	FORM	lock cmpxchgq %r9, (%r13)
	FORM	cmpxchg16b kprobe_forms_data + 64(%rip)
	FORM	movq kprobe_forms_data + 64(%rip), %rax
	FORM	movl kprobe_forms_data + 64(%rip), %r8d
	FORM	movq %r15, kprobe_forms_data + 64(%rip)
	FORM	movb $0x12, kprobe_forms_data + 64(%rip)
	FORM	movw $0x1234, kprobe_forms_data + 64(%rip)
	FORM	movl $0x12345678, kprobe_forms_data + 64(%rip)
	FORM	movq $0x12345678, kprobe_forms_data + 64(%rip)
	FORM	movzbl kprobe_forms_data + 64(%rip), %eax
	FORM	lea kprobe_forms_data + 64(%rip), %r8
	FORM	lea kprobe_forms_run(%rip), %rax
	FORM	leal kprobe_forms_data(%rip), %eax
	FORM	xchgl %eax, kprobe_forms_data + 64(%rip)
	FORM	lock cmpxchgl %edx, kprobe_forms_data + 64(%rip)
	FORM	lock xaddq %r8, kprobe_forms_data + 64(%rip)
	FORM	sete kprobe_forms_data + 64(%rip)
	FORM	testl $0x1234, kprobe_forms_data + 64(%rip)
	FORM	testb $0x12, kprobe_forms_data + 64(%rip)
	FORM	cmovcq kprobe_forms_data + 64(%rip), %rdx
#else
	FORM	movb %al, kprobe_forms_data + 9
	FORM	movb kprobe_forms_data + 9, %al
	FORM	movl kprobe_forms_data + 12, %eax
	FORM	movl %eax, kprobe_forms_data + 16
#endif

.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	FORM	set\cc %dl
	FORM	set\cc 5(BX)
	FORM	cmov\cc\()l %eax, %edx
	FORM	cmov\cc\()w (BX), %dx
#ifdef CONFIG_X86_64
	FORM	cmov\cc\()q 8(%r12), %r9
#endif
.endr

/*
 * Bits.
 */
.irp op, bt, bts, btr, btc
	FORM_K	FORM_FLAGS, \op\()w %ax, %dx
	FORM_K	FORM_FLAGS, \op\()l %eax, %edx
	FORM_K	FORM_FLAGS, \op\()l $9, %edx
	FORM_K	FORM_FLAGS, \op\()l $9, (BX)
	FORM_SK	FORM_FLAGS, Q(andl $0x3ff, %eax), \op\()l %eax, (BX)
#ifdef CONFIG_X86_64
	FORM_K	FORM_FLAGS, \op\()q %rax, %r8
	FORM_K	FORM_FLAGS, \op\()q $44, (%r12)
	FORM_K	FORM_FLAGS, \op\()l $4, kprobe_forms_data + 64(%rip)
#endif
.endr
.irp op, bts, btr, btc
	FORM_K	FORM_FLAGS, lock \op\()l $17, (BX)
	FORM_SK	FORM_FLAGS, Q(andl $0x3ff, %edx), lock \op\()l %edx, (SI)
.endr
.irp op, bsf, bsr
	FORM	\op\()w %ax, %dx
	FORM	\op\()l %eax, %edx
	FORM	\op\()l (BX), %edx
	FORM_S	Q(xorl %eax, %eax), \op\()l %eax, %edx
#ifdef CONFIG_X86_64
	FORM	\op\()q %r8, %r9
	FORM	\op\()q kprobe_forms_data + 64(%rip), %r9
#endif
.endr
	.set	form_feature, X86_FEATURE_POPCNT
	FORM	popcntl %eax, %edx
	FORM	popcntl (BX), %edx
	.set	form_feature, X86_FEATURE_XMM4_2
	FORM	crc32b %al, %edx
	FORM	crc32l (BX), %edx
	.set	form_feature, X86_FEATURE_MOVBE
	FORM	movbel (BX), %eax
	FORM	movbel %eax, (BX)
	.set	form_feature, X86_FEATURE_ABM
	FORM	lzcntl %eax, %edx
	.set	form_feature, X86_FEATURE_BMI1
	FORM	tzcntl %eax, %edx
	FORM	andnl %eax, %edx, %ecx
	FORM	andnl (BX), %edx, %eax
	FORM	blsrl %eax, %edx
#ifdef CONFIG_X86_64
	FORM	andnq kprobe_forms_data + 64(%rip), %r8, %r9
#endif
	.set	form_feature, X86_FEATURE_BMI2
	FORM	shlxl %eax, (BX), %edx
	FORM	rorxl $7, %eax, %edx
	FORM	mulxl (BX), %eax, %ecx
	FORM	pdepl %eax, %edx, %ecx
#ifdef CONFIG_X86_64
	FORM	rorxq $7, kprobe_forms_data + 64(%rip), %r9
#endif
	.set	form_feature, 0

/*
 * Strings, in both directions.
 */
.macro FORM_STRING dir, prefix, op, size
	FORM_S	Q(\dir), \prefix \op\size
.endm
.irp dir, cld, std
.irp size, b, w, l
.irp op, movs, stos, lods, cmps, scas
	FORM_STRING \dir, , \op, \size
.endr
.irp op, movs, stos, lods
	FORM_STRING \dir, rep, \op, \size
.endr
.irp op, cmps, scas
	FORM_STRING \dir, repe, \op, \size
	FORM_STRING \dir, repne, \op, \size
.endr
.endr
#ifdef CONFIG_X86_64
	FORM_S	Q(\dir), movsq
	FORM_S	Q(\dir), rep movsq
	FORM_S	Q(\dir), rep stosq
	FORM_S	Q(\dir), lodsq
	FORM_S	Q(\dir), repe cmpsq
	FORM_S	Q(\dir), repne scasq
#endif
.endr
	FORM_S	Q(cld; lea 1(SI), DI), rep movsb
	FORM_S	Q(cld; xorl %ecx, %ecx), rep movsb
	FORM_S	Q(cld; lea (DI), SI; movl (DI), %eax; movl %eax, 4(DI)), repe cmpsl

/*
 * Flags.
 */
.irp op, clc, stc, cmc, cld, std, cli, sti
	FORM	\op
.endr
	FORM_S	Q(cli), sti
	FORM_S	Q(sti), cli
	FORM_S	Q(cli), pushf
	FORM_S	Q(sti), pushf
	.set	form_feature, X86_FEATURE_SMAP
	FORM	stac
	FORM	clac
	.set	form_feature, 0

/*
 * The processor.
 */
	FORM_S	Q(xorl %eax, %eax), cpuid
	FORM_S	Q(movl $1, %eax), cpuid
	FORM_S	Q(movl $0x80000000, %eax), cpuid
	FORM_K	FORM_CLOCK, rdtsc
	FORM_S	Q(movl $0x1b, %ecx), rdmsr
	FORM	MOV %cr0, AX
	FORM_K	FORM_CLOCK, MOV %cr2, DX
	FORM	MOV %cr4, AX
	FORM	MOV %db7, AX
	FORM	sidt (BX)
	FORM	sgdt (SI)
	FORM	sldt %ax
	FORM	str (BX)
	FORM	smsw %ax
	FORM	lfence
	FORM	mfence
	FORM	sfence
	FORM	prefetchnta (BX)
	FORM	clflush (BX)
	FORM	invlpg (BX)
	FORM	pause
	FORM	outb %al, $0x80
	FORM	inb $0x80, %al
	FORM_S	Q(movl $0x80, %edx), outb %al, %dx
	FORM_S	Q(movl $0x80, %edx), outl %eax, %dx
	FORM_S	Q(movl $0x80, %edx), inb %dx, %al
	FORM_S	Q(cld; movl $0x80, %edx), outsb
	FORM_S	Q(cld; movl $0x80, %edx), rep outsb
	.set	form_feature, X86_FEATURE_OSXSAVE
	FORM_S	Q(xorl %ecx, %ecx), xgetbv
	.set	form_feature, 0
#ifdef CONFIG_X86_64
	FORM	movq %cr8, %rax
	FORM_K	FORM_CLOCK, movq %cr3, %rax
	FORM	prefetcht0 kprobe_forms_data + 64(%rip)
	FORM	clflush kprobe_forms_data + 64(%rip)
#endif

	FORM	.byte BYTES_NOP1
	FORM	.byte BYTES_NOP2
	FORM	.byte BYTES_NOP3
	FORM	.byte BYTES_NOP4
	FORM	.byte BYTES_NOP5
	FORM	.byte BYTES_NOP6
	FORM	.byte BYTES_NOP7
	FORM	.byte BYTES_NOP8
	FORM	.byte 0x66, 0x66, 0x90
	FORM	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00
	FORM	.byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	FORM	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
#ifndef CONFIG_X86_KERNEL_IBT
	FORM	.byte 0xf3, 0x0f, 0x1e, 0xfa
	FORM	.byte 0xf3, 0x0f, 0x1e, 0xfb
#endif

/*
 * Per-CPU variables: segment overrides.
 */
#define PCPU	PER_CPU_VAR(kprobe_forms_percpu)
#define PCPU_AT(off, reg) PER_CPU_VAR(kprobe_forms_percpu + off)(reg)
	FORM	MOV PCPU, AX
	FORM	MOV AX, PCPU
	FORM	movl $0x1234567, PCPU
	FORM	addl $5, PCPU
	FORM	incl PCPU
	FORM	xaddl %eax, PCPU
	FORM	cmpxchgl %edx, PCPU
	FORM	push PCPU
	FORM	pop PCPU
	FORM	MOV PCPU_AT(8, CX), DX
	FORM	movl PER_CPU_VAR(this_cpu_off), %eax
#if defined(CONFIG_X86_64) && !defined(MODULE)
	/* Only the kernel proper is within reach of the variables' offsets. */
	FORM	movq PER_CPU_VAR(kprobe_forms_percpu)(%rip), %rax
	FORM	addq $1, PER_CPU_VAR(kprobe_forms_percpu)(%rip)
	FORM	decl PER_CPU_VAR(kprobe_forms_percpu)(%rip)
#endif

/*
 * Branches.
 */
.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	FORM	j\cc 8f
	FORM_K	FORM_BACK, j\cc 7b
	FORM_K	FORM_FAR, j\cc kprobe_forms_taken
.endr
	FORM	je,pt 8f
	FORM	jmp 8f
	FORM_K	FORM_BACK, jmp 7b
	FORM_K	FORM_FAR, jmp kprobe_forms_taken
.irp op, loop, loope, loopne
	FORM	\op 8f
	FORM_K	FORM_BACK, \op 7b
	FORM_S	Q(movl $1, %ecx), \op 8f
	FORM_S	Q(xorl %ecx, %ecx), \op 8f
.endr
	FORM	jecxz 8f
	FORM_S	Q(xorl %ecx, %ecx), jecxz 8f
#ifdef CONFIG_X86_64
	FORM	jrcxz 8f
	FORM_SK	FORM_BACK, Q(xorl %ecx, %ecx), jrcxz 7b
	FORM_S	Q(movabsq $0x100000000, %rcx), jrcxz 8f
	FORM_S	Q(movabsq $0x100000000, %rcx), jecxz 8f
	FORM_S	Q(movabsq $0x100000001, %rcx), loop 8f
	FORM_S	Q(movabsq $0x100000001, %rcx), addr32 loop 8f
	FORM_S	Q(movabsq $0x700000000, %rcx), addr32 loop 8f
#else
	FORM_S	Q(movl $0x10000, %ecx), jcxz 8f
	FORM_S	Q(movl $0x10000, %ecx), jecxz 8f
	FORM_S	Q(movl $0x10001, %ecx), addr16 loop 8f
	FORM_S	Q(movl $0x10001, %ecx), loop 8f
#endif

	FORM	call 8f
	FORM_K	FORM_BACK, call 7b
	FORM_K	FORM_FAR, call kprobe_forms_taken

#define SAFE	ANNOTATE_RETPOLINE_SAFE

/* The target in a register, ... */
.macro FORM_BRANCH reg
	FORM_S	Q(lea V(8f), \reg; SAFE), call *\reg
	FORM_S	Q(lea V(8f), \reg; SAFE), jmp *\reg
.endm
.irp reg, AX, BX, CX, DX, SI, DI, BP
	FORM_BRANCH \reg
.endr
#ifdef CONFIG_X86_64
.irp reg, r8, r9, r10, r11, r12, r13, r14, r15
	FORM_BRANCH %\reg
.endr
#endif

/* ... and in memory. */
.macro FORM_BRANCH_MEM mem:vararg
	FORM_S	Q(lea V(8f), AX; MOV AX, \mem; SAFE), call *\mem
	FORM_S	Q(lea V(8f), AX; MOV AX, \mem; SAFE), jmp *\mem
.endm
	FORM_BRANCH_MEM (BX)
	FORM_BRANCH_MEM (CX,SI)
	FORM_BRANCH_MEM 8(BX)
	FORM_BRANCH_MEM -8(SI)
	FORM_BRANCH_MEM 0x200(DI)
	FORM_BRANCH_MEM -0x200(DI)
	FORM_BRANCH_MEM (BP)
	FORM_BRANCH_MEM 16(BP)
	FORM_BRANCH_MEM (SP)
	FORM_BRANCH_MEM 8(SP)
	FORM_BRANCH_MEM 0x100(SP)
	FORM_BRANCH_MEM (SP,CX,8)
	FORM_BRANCH_MEM 24(SP,CX,4)
	FORM_BRANCH_MEM (BX,CX)
	FORM_BRANCH_MEM (BX,CX,2)
	FORM_BRANCH_MEM (BX,CX,4)
	FORM_BRANCH_MEM (BX,CX,8)
	FORM_BRANCH_MEM 8(BP,CX,8)
	FORM_BRANCH_MEM 0x180(SI,CX,8)
	FORM_BRANCH_MEM kprobe_forms_data + 0x100(,CX,8)
	FORM_BRANCH_MEM kprobe_forms_data + 0x140
	FORM_BRANCH_MEM PCPU
	FORM_BRANCH_MEM PCPU_AT(8, CX)
	FORM_S	Q(lea V(8f), AX; MOV AX, (BX); MOV BX, AX; SAFE), jmp *(AX)
	FORM_S	Q(lea V(8f), AX; MOV AX, (BX); MOV BX, DX; SAFE), call *(DX)
	FORM_S	Q(lea V(8f), AX; MOV AX, -24(BX); neg CX; MOV AX, (BX,CX,8); SAFE), jmp *(BX,CX,8)
#ifdef CONFIG_X86_64
	FORM_BRANCH_MEM (%r12)
	FORM_BRANCH_MEM 8(%r12)
	FORM_BRANCH_MEM (%r13)
	FORM_BRANCH_MEM 8(%r13,%r14,8)
	FORM_BRANCH_MEM (%r12,%r14,4)
	FORM_BRANCH_MEM -0x80(%r13,%rcx,2)
	FORM_BRANCH_MEM kprobe_forms_data + 64(%rip)
	FORM_S	Q(lea 8f(%rip), %rax; mov %rax, (%rbx); mov %rbx, %r8; SAFE), jmp *(%r8)
	FORM_S	Q(lea V(8f), AX; mov AX, (BX,%r14,8); mov BX, %r9; SAFE), call *(%r9,%r14,8)
#if !defined(MODULE)
	FORM_BRANCH_MEM PER_CPU_VAR(kprobe_forms_percpu)(%rip)
#endif
#endif

	FORM_S	Q(lea V(8f), AX; push AX; SAFE), ret
	FORM_S	Q(lea V(8f), AX; push AX; SAFE), ret $16
	FORM_S	Q(lea V(8f), AX; push AX; SAFE), ret $0
	FORM_S	Q(lea V(8f), AX; push AX; SAFE), rep ret
	FORM_SK	FORM_BACK, Q(lea V(7b), AX; push AX; SAFE), ret

/*
 * Faults, fixed up through the exception table.
 */
.macro FORM_FAULTS setup:req, insn:vararg
	form_asm FORM_SETUP | FORM_FAULT, "\setup", "6: \insn", ""
	_ASM_EXTABLE(6b, 8b)
.endm
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI), movl (SI), %eax
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI), movb %al, (SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI), addl $5, (SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI), movl $5, 0x10(SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI), push (SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI), pop (SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI), lock incl (SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI; SAFE), call *(SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI; SAFE), jmp *8(SI)
	FORM_FAULTS Q(MOV V(kprobe_forms_bad), SI; SAFE), call *(SI,CX,8)
	FORM_FAULTS Q(cld; MOV V(kprobe_forms_bad), SI; movl $9, %ecx), rep movsb
	FORM_FAULTS Q(cld; MOV V(kprobe_forms_bad), SI; sub $4, SI; movl $9, %ecx), rep movsb
	FORM_FAULTS Q(cld; MOV V(kprobe_forms_bad), DI; sub $8, DI; movl $9, %ecx), rep movsb
	FORM_FAULTS Q(cld; MOV V(kprobe_forms_bad), DI; sub $8, DI; movl $9, %ecx), rep stosl
	FORM_FAULTS Q(xorl %edx, %edx; xorl %ecx, %ecx), divl %ecx
	FORM_FAULTS Q(movl $0xfff8, %eax), movl %eax, %es
#ifdef CONFIG_X86_64
	FORM_FAULTS Q(movabsq $0x8000000000000000, %r8), movq (%r8), %rax
	FORM_FAULTS Q(movabsq $0x8000000000000000, %r8; SAFE), call *(%r8)
#endif

#ifndef CONFIG_X86_64
	FORM_S	Q(MOV BX, (SI); movw %ds, 4(SI)), lds (SI), %edx
	FORM_S	Q(MOV BX, (SI); movw %ds, 4(SI)), les (SI), %edx
#endif

/*
 * The vector unit: run between kernel_fpu_begin() and kernel_fpu_end().
 */
	.set	form_fpu, 1
	.set	form_feature, X86_FEATURE_XMM2
#define ALIGNED	Q(and $~15, BX)
#define SAVE(n)	vmovdqu %ymm##n, 32(BX); vzeroupper
	FORM	movups (BX), %xmm0
	FORM	movups %xmm1, 3(SI)
	FORM_S	ALIGNED, movaps (BX), %xmm2
	FORM_S	ALIGNED, movdqa %xmm3, 16(BX)
	FORM	movdqu 8(BX,CX,8), %xmm1
	FORM	movd %eax, %xmm0
	FORM	movd %xmm1, %edx
	FORM	movq (BX), %xmm2
	FORM	movntps %xmm1, kprobe_forms_data + 64
	FORM	pxor %xmm0, %xmm1
	FORM	paddd %xmm2, %xmm3
	FORM	pshufd $0x1b, %xmm1, %xmm0
	FORM	pmovmskb %xmm1, %eax
	FORM	cvtsi2sdl %eax, %xmm0
	FORM	ucomisd (BX), %xmm1
	FORM	stmxcsr (BX)
	FORM	fnstcw (BX)
	FORM	fnstsw %ax
	FORM_S	Q(fnstcw (BX)), fldcw (BX)
#ifdef CONFIG_X86_64
	FORM	movups kprobe_forms_data + 64(%rip), %xmm9
	FORM	movups %xmm8, kprobe_forms_data + 64(%rip)
	FORM	movq %r8, %xmm10
	FORM	cvtsi2sdq kprobe_forms_data + 64(%rip), %xmm0
	FORM	pshufd $0x1b, kprobe_forms_data + 64(%rip), %xmm0
#endif
	.set	form_feature, X86_FEATURE_SSSE3
	FORM	palignr $3, %xmm1, %xmm0
	.set	form_feature, X86_FEATURE_AVX
	FORM_SA	Q(vmovdqu (BX), %ymm0), Q(SAVE(0)), vmovdqu (SI), %ymm0
	FORM_SA	Q(vmovdqu (BX), %ymm0), Q(vzeroupper), vmovdqu %ymm0, 7(DI)
	FORM_SA	Q(vmovdqu (BX), %ymm1), Q(SAVE(1)), vxorps (SI), %ymm1, %ymm1
#ifdef CONFIG_X86_64
	FORM_SA	Q(vmovdqu (BX), %ymm9), Q(SAVE(9)), vmovdqu MEM, %ymm9
	FORM_SA	Q(vmovdqu (BX), %ymm9), Q(SAVE(9)), vpermilps $0x1b, MEM, %ymm9
#endif
	FORM_SA	Q(vmovdqu (BX), %ymm1), Q(vmovdqu %ymm1, 32(BX)), vzeroupper
	.set	form_feature, 0
	.set	form_fpu, 0

/*
 * What must be refused: traps on purpose, leaving the kernel, branches that
 * change more than the instruction pointer, starting a transaction, and what
 * counts on nothing coming between it and its neighbour.
 */
	REFUSED	int3
	REFUSED	.byte 0xcd, 0x03
	REFUSED	int $0x80
	REFUSED	.byte 0xf1
	REFUSED	ud2
	REFUSED	.byte 0x0f, 0xb9, 0xc0
	REFUSED	.byte 0x0f, 0xff, 0xc0
	REFUSED	iretl
	REFUSED	lretl
	REFUSED	lretl $8
	REFUSED	ljmp *(BX)
	refused_asm Q(lcall *(BX)), ANNOTATE_RETPOLINE_SAFE
	REFUSED	syscall
	REFUSED	.byte 0x0f, 0x07
	REFUSED	sysenter
	REFUSED	.byte 0x0f, 0x35
	REFUSED	.byte 0xc7, 0xf8, 0, 0, 0, 0
	REFUSED	.byte 0x0f, 0xaa
	REFUSED	.byte 0x66, 0xe9, 0, 0, 0, 0
	REFUSED	.byte 0x66, 0x0f, 0x84, 0, 0, 0, 0
	REFUSED	hlt
	refused_asm "sti; hlt"
	REFUSED	movl %eax, %ss
	REFUSED	lss (BX), %eax
	REFUSED	.byte 0x0f, 0x01, 0xc2
	REFUSED	.byte 0x0f, 0x01, 0xc3
	REFUSED	.byte 0x0f, 0x01, 0xc9
	REFUSED	.byte 0x0f, 0x01, 0xd8
	REFUSED	.byte 0x0f, 0x37
#ifdef CONFIG_X86_KERNEL_IBT
	REFUSED	.byte 0xf3, 0x0f, 0x1e, 0xfa
#endif
#ifdef CONFIG_X86_64
	REFUSED	iretq
	refused_asm "sti; iretq"
	REFUSED	swapgs
	REFUSED	lretq
	REFUSED	.byte 0x06
	REFUSED	.byte 0xd6
#else
	REFUSED	into
	REFUSED	pop %ss
	refused_asm "sti; sysexit"
	REFUSED	ljmp $0x10, $0
	REFUSED	lcall $0x10, $0
	REFUSED	bound %eax, (BX)
#endif

	.pushsection .rodata.kprobe_forms, "a"
SYM_INNER_LABEL(kprobe_forms_end, SYM_L_GLOBAL)
	.popsection
	.pushsection .rodata.kprobe_fpu_forms, "a"
SYM_INNER_LABEL(kprobe_fpu_forms_end, SYM_L_GLOBAL)
	.popsection
	.pushsection .rodata.kprobe_refused_forms, "a"
SYM_INNER_LABEL(kprobe_refused_forms_end, SYM_L_GLOBAL)
	.popsection
