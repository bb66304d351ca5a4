// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes, the benchmark: its commands.
 *
 * A line written to debugfs, kprobes-bench, is a command; results go to the
 * kernel's log, a line each, for tools/kprobes/bench to read:
 *
 *	hits, jump			cost of being hit
 *	contend N			the same on N CPUs at once
 *	fill|rfill SITE N		register an array of probes, return probes
 *	drain, rdrain			unregister it
 *	single SITE N			register and unregister N one by one
 *	start, stop NAME		what happens between them
 *	write PATH VALUE		write a value to a file
 *	wait MS				let things settle
 *	memory				what is free
 *
 * SITE is plain, middle or traced.
 */
#define pr_fmt(fmt) "kp-bench: " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bench.h"

#define LINE_MAX_LEN	128

const char * const bench_site_names[BENCH_SITES] = {
	[BENCH_PLAIN] = "plain",
	[BENCH_MIDDLE] = "middle",
	[BENCH_TRACED] = "traced",
};

static DEFINE_MUTEX(bench_mutex);

/* For what user space does: files of debugfs cannot be read from here. */
static u64 started;

static int bench_start(void)
{
	started = bench_clock();
	return 0;
}

static int bench_stop(const char *name)
{
	pr_notice("lap name=%s clock=%llu\n", name, bench_clock() - started);
	return 0;
}

static int bench_write(const char *path, const char *value)
{
	struct file *file = filp_open(path, O_WRONLY, 0);
	loff_t pos = 0;
	ssize_t ret;
	u64 begin;

	if (IS_ERR(file))
		return PTR_ERR(file);
	begin = bench_clock();
	ret = kernel_write(file, value, strlen(value), &pos);
	pr_notice("write path=%s value=%s clock=%llu\n", path, value, bench_clock() - begin);
	filp_close(file, NULL);
	return ret < 0 ? ret : 0;
}

static int site_of(const char *name)
{
	return match_string(bench_site_names, BENCH_SITES, name);
}

static int with_number(const char *verb, const char *first, const char *second)
{
	unsigned int n = 0, ms;
	int site;

	if (!strcmp(verb, "contend"))
		return kstrtouint(first, 0, &n) ?: bench_contend(n);
	if (!strcmp(verb, "wait")) {
		if (kstrtouint(first, 0, &ms))
			return -EINVAL;
		msleep(ms);
		return 0;
	}

	site = site_of(first);
	if (site < 0 || (site == BENCH_TRACED && !BENCH_HAS_TRACED) ||
	    kstrtouint(second, 0, &n))
		return -EINVAL;
	if (!strcmp(verb, "fill"))
		return bench_fill(site, n);
	if (!strcmp(verb, "rfill"))
		return bench_fill_returns(site, n);
	if (!strcmp(verb, "single"))
		return bench_singles(site, n);
	return -EINVAL;
}

static int run_line(char *line)
{
	char verb[16] = "", first[80] = "", second[16] = "";

	if (sscanf(line, "%15s %79s %15s", verb, first, second) < 1)
		return -EINVAL;
	if (!strcmp(verb, "hits"))
		return bench_hits();
	if (!strcmp(verb, "jump"))
		return bench_jump();
	if (!strcmp(verb, "memory"))
		return bench_memory();
	if (!strcmp(verb, "drain"))
		return bench_drain();
	if (!strcmp(verb, "rdrain"))
		return bench_drain_returns();
	if (!strcmp(verb, "start"))
		return bench_start();
	if (!strcmp(verb, "stop"))
		return bench_stop(first);
	if (!strcmp(verb, "write"))
		return bench_write(first, second);
	return with_number(verb, first, second);
}

static ssize_t bench_command(struct file *file, const char __user *from, size_t len,
			     loff_t *pos)
{
	char line[LINE_MAX_LEN];
	int ret;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, len))
		return -EFAULT;
	line[len] = '\0';
	strim(line);

	mutex_lock(&bench_mutex);
	ret = run_line(line);
	mutex_unlock(&bench_mutex);
	pr_notice("end status=%d command=%s\n", ret, line);
	return ret ?: len;
}

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = bench_command,
	.llseek = no_llseek,
};

static int __init bench_init(void)
{
	debugfs_create_file("kprobes-bench", 0200, NULL, NULL, &bench_fops);
	return 0;
}
late_initcall(bench_init);
