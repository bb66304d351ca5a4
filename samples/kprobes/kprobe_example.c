// SPDX-License-Identifier: GPL-2.0-only
/*
 * Example: one probe with both kinds of handler.
 *
 * Says who comes by at a function, with its first argument where the
 * architecture can tell, and at unload how often that was:
 *
 *	insmod kprobe_example.ko symbol=do_sys_openat2
 *	cat /etc/hostname
 *	rmmod kprobe_example
 *	dmesg
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>

static char symbol[KSYM_NAME_LEN] = "do_sys_openat2";
module_param_string(symbol, symbol, sizeof(symbol), 0444);
MODULE_PARM_DESC(symbol, "function to watch");

static atomic_long_t before = ATOMIC_LONG_INIT(0);
static atomic_long_t after = ATOMIC_LONG_INIT(0);

/*
 * Called each time the function's first instruction is about to be executed,
 * in whatever context the function was called from.  Nothing here may sleep,
 * and a busy function must not flood the log.
 */
static int example_pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&before);
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	pr_info_ratelimited("%s called by %s[%d], first argument 0x%lx\n",
			    p->symbol_name, current->comm, task_pid_nr(current),
			    regs_get_kernel_argument(regs, 0));
#else
	pr_info_ratelimited("%s called by %s[%d]\n", p->symbol_name,
			    current->comm, task_pid_nr(current));
#endif
	/* Go on as if nothing had happened. */
	return 0;
}

/* Called when that one instruction, not the function, has been executed. */
static void example_post_handler(struct kprobe *p, struct pt_regs *regs,
				 unsigned long flags)
{
	atomic_long_inc(&after);
}

static struct kprobe example_probe = {
	.symbol_name = symbol,
	.pre_handler = example_pre_handler,
	.post_handler = example_post_handler,
};

static int __init kprobe_example_init(void)
{
	int err = register_kprobe(&example_probe);

	if (err) {
		pr_err("%s cannot be probed: %d, reason in debugfs kprobes/errors\n",
		       symbol, err);
		return err;
	}
	pr_info("watching %s at %pS\n", symbol, example_probe.addr);
	return 0;
}

static void __exit kprobe_example_exit(void)
{
	/* When this returns, no handler runs and none will. */
	unregister_kprobe(&example_probe);
	pr_info("%s: %ld times before, %ld times after its first instruction, %lu missed\n",
		symbol, atomic_long_read(&before), atomic_long_read(&after),
		example_probe.nmissed);
}

module_init(kprobe_example_init);
module_exit(kprobe_example_exit);
MODULE_DESCRIPTION("Kernel probes example: a pre_handler and a post_handler");
MODULE_LICENSE("GPL");
