// SPDX-License-Identifier: GPL-2.0-only
/*
 * Example: how long a function takes, as a histogram.
 *
 * entry_handler and handler share the instance's private data, here the time
 * of entry.  Unloading prints one line for each power of two that occurred:
 *
 *	insmod kretprobe_latency.ko symbol=vfs_read
 *	rmmod kretprobe_latency
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

/* The last bucket takes whatever lasts longer: 2^39 ns is nine minutes. */
#define BUCKETS 40

static char symbol[KSYM_NAME_LEN] = "do_sys_openat2";
module_param_string(symbol, symbol, sizeof(symbol), 0444);
MODULE_PARM_DESC(symbol, "function to time");

/* Handlers run on all CPUs at once; counting per CPU keeps them apart. */
struct histogram {
	unsigned long bucket[BUCKETS];
};

static DEFINE_PER_CPU(struct histogram, histogram);

struct call {
	u64 entered;
};

static int latency_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	/* An idle thread or a kernel worker is none of our business. */
	if (current->flags & PF_KTHREAD)
		return 1;
	call->entered = ktime_get_mono_fast_ns();
	return 0;
}

static int latency_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	u64 spent = ktime_get_mono_fast_ns() - call->entered;
	unsigned int which = spent ? ilog2(spent) : 0;

	this_cpu_inc(histogram.bucket[min_t(unsigned int, which, BUCKETS - 1)]);
	return 0;
}

static struct kretprobe latency_probe = {
	.kp.symbol_name = symbol,
	.entry_handler = latency_entry,
	.handler = latency_return,
	.data_size = sizeof(struct call),
};

static int __init kretprobe_latency_init(void)
{
	int err = register_kretprobe(&latency_probe);

	if (err) {
		pr_err("%s cannot be timed: %d, reason in debugfs kprobes/errors\n",
		       symbol, err);
		return err;
	}
	pr_info("timing %s\n", symbol);
	return 0;
}

static void __exit kretprobe_latency_exit(void)
{
	unsigned long sum, total = 0;
	int i, cpu;

	unregister_kretprobe(&latency_probe);
	for (i = 0; i < BUCKETS; i++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += per_cpu(histogram.bucket[i], cpu);
		if (sum)
			pr_info("%s: from %llu ns: %lu\n", symbol, 1ULL << i, sum);
		total += sum;
	}
	pr_info("%s: %lu calls timed, %d missed\n", symbol, total,
		latency_probe.nmissed);
}

module_init(kretprobe_latency_init);
module_exit(kretprobe_latency_exit);
MODULE_DESCRIPTION("Kernel probes example: a latency histogram");
MODULE_LICENSE("GPL");
