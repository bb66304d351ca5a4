// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, x86: KUnit tests of where a jump must not be, or not yet.
 *
 * The functions are in jump_test_text.S.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/vmalloc.h>
#include <asm/asm.h>

extern const unsigned long kprobe_jump_site_free, kprobe_jump_site_looped;
extern const unsigned long kprobe_jump_site_entered, kprobe_jump_site_fixed_up;
extern const unsigned long kprobe_jump_site_tabled, kprobe_jump_site_standing;

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(nothing);

/* Does a probe there get a jump? */
static bool gets_jump(struct kunit *test, unsigned long site)
{
	struct kprobe p = { .addr = (void *)site, .pre_handler = nothing };
	bool jump;

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	wait_for_kprobe_optimizer();
	jump = kprobe_optimized(&p);
	unregister_kprobe(&p);
	return jump;
}

static void jump_targets(struct kunit *test)
{
	/* Or the others would mean nothing. */
	KUNIT_EXPECT_TRUE(test, gets_jump(test, kprobe_jump_site_free));

	KUNIT_EXPECT_FALSE(test, gets_jump(test, kprobe_jump_site_looped));
	KUNIT_EXPECT_FALSE(test, gets_jump(test, kprobe_jump_site_entered));
	KUNIT_EXPECT_FALSE(test, gets_jump(test, kprobe_jump_site_fixed_up));
	KUNIT_EXPECT_FALSE(test, gets_jump(test, kprobe_jump_site_tabled));
}

static unsigned int popped;

/* What "ret" would do, with the stack pointer that goes with it. */
static int pop(struct kprobe *p, struct pt_regs *regs)
{
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
	popped++;
	return 1;
}

NOKPROBE_SYMBOL(pop);

/* A handler's change of the stack pointer is honoured, too. */
static void jump_pops(struct kunit *test)
{
	struct kprobe p = { .addr = (void *)kprobe_jump_site_free, .pre_handler = pop };
	unsigned long before, after;

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p));
	popped = 0;
	asm volatile("mov %%" _ASM_SP ", %0\n\t"
		     "call kprobe_jump_free\n\t"
		     "mov %%" _ASM_SP ", %1"
		     : "=&r" (before), "=&r" (after), ASM_CALL_CONSTRAINT);
	KUNIT_EXPECT_EQ(test, before, after);
	KUNIT_EXPECT_EQ(test, popped, 1);
	unregister_kprobe(&p);
}

/* Long enough for a jump that does not wait, under emulation. */
#define STANDING_BYTES	SZ_32M

static u8 *standing_on;
static bool standing, stood;

static int stand(void *unused)
{
	unsigned long from = (unsigned long)standing_on, count = STANDING_BYTES;

	WRITE_ONCE(standing, true);
	asm volatile("call kprobe_jump_standing"
		     : "+S" (from), "+c" (count), ASM_CALL_CONSTRAINT : : "eax", "memory");
	/* Pairs with the load in jump_waits(): behind the function. */
	smp_store_release(&stood, true);
	return from != (unsigned long)standing_on + STANDING_BYTES || count;
}

/* A task stands in the middle of what the jump is to replace. */
static void jump_waits(struct kunit *test)
{
	struct kprobe p = { .addr = (void *)kprobe_jump_site_standing, .pre_handler = nothing };
	struct task_struct *task;
	unsigned int looks = 0;

	standing = false;
	stood = false;
	standing_on = vzalloc(STANDING_BYTES);
	KUNIT_ASSERT_NOT_NULL(test, standing_on);
	task = kthread_create(stand, NULL, "kprobe_standing");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	while (!READ_ONCE(standing))
		usleep_range(100, 200);
	usleep_range(1000, 2000);

	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&p));
	for (;;) {
		bool jump = kprobe_optimized(&p);

		/* Pairs with the store in stand(): looked at while it stood there. */
		if (smp_load_acquire(&stood))
			break;
		KUNIT_EXPECT_FALSE(test, jump);
		if (jump)
			break;
		looks++;
		usleep_range(1000, 2000);
	}
	KUNIT_EXPECT_EQ(test, 0, kthread_stop(task));
	put_task_struct(task);
	kunit_info(test, "%u looks while a task stood there\n", looks);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p));
	unregister_kprobe(&p);
	vfree(standing_on);
}

static struct kunit_case jump_cases[] = {
	KUNIT_CASE(jump_targets),
	KUNIT_CASE(jump_pops),
	KUNIT_CASE(jump_waits),
	{}
};

static struct kunit_suite jump_suite = {
	.name = "kprobes_x86_jump",
	.test_cases = jump_cases,
};

kunit_test_suite(jump_suite);

MODULE_LICENSE("GPL");
