// SPDX-License-Identifier: GPL-2.0-only
/*
 * Example: a return probe that reports calls which failed.
 *
 * An error pointer or a negative errno as the return value makes a line in the
 * log, with the caller:
 *
 *	insmod kretprobe_example.ko symbol=do_sys_openat2
 *	cat /does/not/exist
 *	rmmod kretprobe_example
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>

static char symbol[KSYM_NAME_LEN] = "do_sys_openat2";
module_param_string(symbol, symbol, sizeof(symbol), 0444);
MODULE_PARM_DESC(symbol, "function whose failures are reported");

static atomic_long_t returned = ATOMIC_LONG_INIT(0);
static atomic_long_t failed = ATOMIC_LONG_INIT(0);

/* The function has returned; @regs is what its caller is about to see. */
static int example_return_handler(struct kretprobe_instance *ri,
				  struct pt_regs *regs)
{
	unsigned long value = regs_return_value(regs);

	atomic_long_inc(&returned);
	if (IS_ERR_VALUE(value)) {
		atomic_long_inc(&failed);
		pr_info_ratelimited("%s gave %ld to %s[%d], called from %pS\n",
				    symbol, (long)value, current->comm,
				    task_pid_nr(current),
				    (void *)get_kretprobe_retaddr(ri));
	}
	return 0;
}

/* maxactive is left at 0: however many calls sleep in it, all are followed. */
static struct kretprobe example_probe = {
	.kp.symbol_name = symbol,
	.handler = example_return_handler,
};

static int __init kretprobe_example_init(void)
{
	int err = register_kretprobe(&example_probe);

	if (err) {
		pr_err("returns of %s cannot be probed: %d, reason in debugfs kprobes/errors\n",
		       symbol, err);
		return err;
	}
	pr_info("watching returns of %s at %pS\n", symbol, example_probe.kp.addr);
	return 0;
}

static void __exit kretprobe_example_exit(void)
{
	/* Calls that are still under way return normally, unseen. */
	unregister_kretprobe(&example_probe);
	pr_info("%s: %ld returns, %ld of them failures, %d calls not followed\n",
		symbol, atomic_long_read(&returned), atomic_long_read(&failed),
		example_probe.nmissed);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);
MODULE_DESCRIPTION("Kernel probes example: a return probe");
MODULE_LICENSE("GPL");
