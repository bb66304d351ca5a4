// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: the files in debugfs.
 *
 *	kprobes/list		the registered probes
 *	kprobes/enabled		whether probes fire at all; 0 or 1 can be written
 *	kprobes/blacklist	what must not be probed
 *	kprobes/stats		hits, and misses by cause, of each probe
 *	kprobes/errors		the last refusals and their reasons
 *
 * The formats of the first three are read by tools and do not change.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kstrtox.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Addresses are for those who may see them. */
static void *shown_address(struct seq_file *m, unsigned long addr)
{
	return kallsyms_show_value(m->file->f_cred) ? (void *)addr : NULL;
}

static bool is_return_probe(struct kprobe *p)
{
#ifdef CONFIG_KRETPROBES
	return p->pre_handler == kretprobe_pre_handler;
#else
	return false;
#endif
}

/**
 * struct reader - an open list or stats
 * @walk: the place
 * @pos: what seq_file calls that place
 */
struct reader {
	struct kprobe_walk walk;
	loff_t pos;
};

/* kprobe_mutex is held for a buffer of lines, not for all. */
static void *probes_start(struct seq_file *m, loff_t *pos)
{
	struct reader *reader = m->private;

	mutex_lock(&kprobe_mutex);
	if (*pos < reader->pos)
		*reader = (struct reader){};
	for (; reader->pos < *pos; reader->pos++) {
		if (!kprobe_walk_here(&reader->walk))
			return NULL;
		reader->walk.nth++;
	}
	return kprobe_walk_here(&reader->walk);
}

static void *probes_next(struct seq_file *m, void *p, loff_t *pos)
{
	struct reader *reader = m->private;

	reader->walk.nth++;
	reader->pos = ++*pos;
	return kprobe_walk_here(&reader->walk);
}

static void probes_stop(struct seq_file *m, void *p)
{
	mutex_unlock(&kprobe_mutex);
}

/* The part of a line that says which probe it is. */
static void show_probe(struct seq_file *m, struct kprobe *p, struct kprobe_point *pt)
{
	char name[KSYM_NAME_LEN], *module = NULL;
	const char *symbol = NULL;
	unsigned long offset = 0;

	if (!pt->gone)
		symbol = kallsyms_lookup(pt->addr, NULL, &offset, &module, name);
	seq_printf(m, "%px  %c  ", shown_address(m, pt->addr),
		   is_return_probe(p) ? 'r' : 'k');
	if (symbol)
		seq_printf(m, "%s+0x%lx  %s ", symbol, offset, module ?: " ");
	else if (p->symbol_name)
		seq_printf(m, "%s+0x%x   ", p->symbol_name, p->offset);
	else
		seq_printf(m, "%px ", shown_address(m, pt->addr));
}

static int list_show(struct seq_file *m, void *data)
{
	struct kprobe *p = data;
	struct kprobe_point *pt = p->point;

	show_probe(m, p, pt);
	seq_printf(m, "%s%s%s%s\n", pt->gone ? "[GONE]" : "",
		   kprobe_disabled(p) && !pt->gone ? "[DISABLED]" : "",
		   kprobe_optimized(p) ? "[OPTIMIZED]" : "",
		   kprobe_ftrace(p) ? "[FTRACE]" : "");
	return 0;
}

/* How the instruction of a point is reached, and how it is executed. */
static const char *delivery(const struct kprobe_point *pt)
{
	if (pt->gone)
		return "gone";
	if (!pt->armed)
		return "disarmed";
	if (pt->ftrace)
		return "ftrace";
	if (kprobe_jump_placed(pt))
		return "jump";
	switch (pt->insn.exec) {
	case KPROBE_EXEC_SIMULATE:
		return "trap,simulated";
	case KPROBE_EXEC_BOOST:
		return pt->tail == KPROBE_TAIL_TRAP ? "trap,stepped" : "trap,boosted";
	default:
		return "trap,stepped";
	}
}

static int stats_show(struct seq_file *m, void *data)
{
	static const char * const names[KPROBE_MISS_NR] = {
		[KPROBE_MISS_RECURSION] = "recursion",
		[KPROBE_MISS_BUSY] = "busy",
		[KPROBE_MISS_DIVERTED] = "diverted",
		[KPROBE_MISS_POOL] = "pool",
	};
	struct kprobe *p = data;
	struct kprobe_point *pt = p->point;
	unsigned long hits = 0, missed = 0;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		hits += READ_ONCE(*per_cpu_ptr(p->hits, cpu));
	/* Not p->nmissed: a return probe counts what its pool missed elsewhere. */
	for (i = 0; i < KPROBE_MISS_NR; i++)
		missed += atomic_long_read(&p->missed[i]);
	show_probe(m, p, pt);
	seq_printf(m, "%s hits=%lu missed=%lu", delivery(pt), hits, missed);
	for (i = 0; i < KPROBE_MISS_NR; i++)
		seq_printf(m, " %s=%lu", names[i], atomic_long_read(&p->missed[i]));
	if (kprobe_why_no_jump(pt))
		seq_printf(m, " no-jump=\"%s\"", kprobe_why_no_jump(pt));
	seq_putc(m, '\n');
	return 0;
}

#define DEFINE_PROBES_FILE(name)						\
static const struct seq_operations name##_sops = {				\
	.start = probes_start,							\
	.next = probes_next,							\
	.stop = probes_stop,							\
	.show = name##_show,							\
};										\
static int name##_open(struct inode *inode, struct file *file)			\
{										\
	return seq_open_private(file, &name##_sops, sizeof(struct reader));	\
}										\
static const struct file_operations name##_fops = {				\
	.open = name##_open,							\
	.read = seq_read,							\
	.llseek = seq_lseek,							\
	.release = seq_release_private,						\
}

DEFINE_PROBES_FILE(list);
DEFINE_PROBES_FILE(stats);

DEFINE_SHOW_ATTRIBUTE(kprobe_errors);

static int show_excluded(unsigned long start, unsigned long end, void *data)
{
	struct seq_file *m = data;

	seq_printf(m, "0x%px-0x%px\t%ps\n", shown_address(m, start),
		   shown_address(m, end), (void *)start);
	return 0;
}

static int blacklist_show(struct seq_file *m, void *unused)
{
	return kprobe_blacklist_for_each(show_excluded, m);
}
DEFINE_SHOW_ATTRIBUTE(blacklist);

static ssize_t enabled_read(struct file *file, char __user *buf, size_t count,
			    loff_t *ppos)
{
	return simple_read_from_buffer(buf, count, ppos,
				       kprobe_all_enabled() ? "1\n" : "0\n", 2);
}

static ssize_t enabled_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *ppos)
{
	bool on;
	int ret;

	ret = kstrtobool_from_user(buf, count, &on);
	if (!ret)
		ret = kprobe_set_all_enabled(on);
	return ret ?: count;
}

static const struct file_operations enabled_fops = {
	.read = enabled_read,
	.write = enabled_write,
	.llseek = default_llseek,
};

static int __init kprobe_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	debugfs_create_file("list", 0400, dir, NULL, &list_fops);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_file("blacklist", 0400, dir, NULL, &blacklist_fops);
	debugfs_create_file("stats", 0400, dir, NULL, &stats_fops);
	debugfs_create_file("errors", 0400, dir, NULL, &kprobe_errors_fops);
	return 0;
}
late_initcall(kprobe_debugfs_init);
