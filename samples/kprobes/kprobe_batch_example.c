// SPDX-License-Identifier: GPL-2.0-only
/*
 * Example: many probes, registered and unregistered in one go.
 *
 * The array calls patch all places together and wait once, so watching
 * thousands of functions takes hardly longer than watching one.  Either all
 * probes are registered or none is:
 *
 *	insmod kprobe_batch_example.ko symbol=vfs_read,vfs_write,do_sys_openat2
 *	rmmod kprobe_batch_example
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define MOST_SYMBOLS 64

static char *symbol[MOST_SYMBOLS] = { "vfs_read", "vfs_write", "do_sys_openat2" };
static int given;
module_param_array(symbol, charp, &given, 0444);
MODULE_PARM_DESC(symbol, "functions to watch, separated by commas");

/* The struct kprobe inside lets the handler find what belongs to the probe. */
struct watched {
	struct kprobe kp;
	atomic_long_t calls;
};

static struct watched *watched;
static struct kprobe **probes;
static int count;

static int batch_pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct watched *w = container_of(p, struct watched, kp);

	/* Only the first call of each function is worth a line. */
	if (atomic_long_inc_return(&w->calls) == 1)
		pr_info_ratelimited("%s: first call, by %s[%d]\n", p->symbol_name,
				    current->comm, task_pid_nr(current));
	return 0;
}

static int __init kprobe_batch_example_init(void)
{
	int i, err;

	while (count < MOST_SYMBOLS && symbol[count] && (!given || count < given))
		count++;

	watched = kcalloc(count, sizeof(*watched), GFP_KERNEL);
	probes = kcalloc(count, sizeof(*probes), GFP_KERNEL);
	if (!watched || !probes) {
		err = -ENOMEM;
		goto free;
	}
	for (i = 0; i < count; i++) {
		watched[i].kp.symbol_name = symbol[i];
		watched[i].kp.pre_handler = batch_pre_handler;
		probes[i] = &watched[i].kp;
	}

	err = register_kprobes(probes, count);
	if (err) {
		pr_err("none of %d functions is probed: %d, reason in debugfs kprobes/errors\n",
		       count, err);
		goto free;
	}
	pr_info("watching %d functions\n", count);
	return 0;

free:
	kfree(probes);
	kfree(watched);
	return err;
}

static void __exit kprobe_batch_example_exit(void)
{
	int i;

	unregister_kprobes(probes, count);
	for (i = 0; i < count; i++)
		pr_info("%s: %ld calls, %lu missed\n", symbol[i],
			atomic_long_read(&watched[i].calls), watched[i].kp.nmissed);
	kfree(probes);
	kfree(watched);
}

module_init(kprobe_batch_example_init);
module_exit(kprobe_batch_example_exit);
MODULE_DESCRIPTION("Kernel probes example: an array of probes");
MODULE_LICENSE("GPL");
