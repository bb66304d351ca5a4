// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on every instruction of a stretch of text, all at once.  For
 * tools/testing/selftests/kprobes/stress.sh.
 *
 * debugfs kprobes_test_sweep/run takes "ADDRESS OFFSET BYTES MS [post]" a write:
 * each instruction in these bytes at which a registration succeeds gets a probe;
 * all of them are registered in one call, stay for so long, and go in one call.
 * Reading the same file then tells what came of it, see sweep_reply().
 *
 * Meanwhile somebody has to run through the text: the handlers only count.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../internal.h"
#include "words.h"

#define MOST_BYTES SZ_64K

struct swept {
	struct kprobe p;
	atomic_long_t hits;
};

/*
 * @err is the first unexpected errno.  @changed counts the bytes of the text
 * that differ afterwards, @jumps the probes that were reached by jumps at the
 * end.
 */
struct sweep {
	unsigned long addr;
	unsigned long bytes;
	unsigned int ms;
	bool post;
	struct swept *swept;
	struct kprobe **array;
	u8 *text;
	unsigned int n;
	unsigned int refused;
	unsigned int fired;
	unsigned int jumps;
	unsigned int changed;
	unsigned long hits;
	unsigned long missed;
	s64 find_us, arm_us, remove_us;
	int err;
};

/* One sweep at a time; also protects @last. */
static DEFINE_MUTEX(sweep_mutex);
static struct sweep last;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&container_of(p, struct swept, p)->hits);
	return 0;
}

NOKPROBE_SYMBOL(on_hit);

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

NOKPROBE_SYMBOL(on_post);

static struct kprobe *prepare(struct sweep *sweep, unsigned int i, unsigned long addr, u32 flags)
{
	struct swept *swept = &sweep->swept[i];

	memset(swept, 0, sizeof(*swept));
	swept->p.addr = (kprobe_opcode_t *)addr;
	swept->p.flags = flags;
	swept->p.pre_handler = on_hit;
	swept->p.post_handler = sweep->post ? on_post : NULL;
	sweep->array[i] = &swept->p;
	return &swept->p;
}

/* Where can probes be?  One call for all takes only what each alone would. */
static void find(struct sweep *sweep)
{
	unsigned long addr, end = sweep->addr + sweep->bytes;
	unsigned int i;

	for (addr = sweep->addr; addr < end; addr += sizeof(kprobe_opcode_t)) {
		int err;

		cond_resched();
		if (!kprobe_is_instruction(addr))
			continue;
		err = register_kprobe(prepare(sweep, sweep->n, addr, KPROBE_FLAG_DISABLED));
		if (!err)
			sweep->n++;
		else if (err == -EINVAL)
			sweep->refused++;
		else
			sweep->err = sweep->err ?: err;
	}
	if (sweep->n)
		unregister_kprobes(sweep->array, sweep->n);
	for (i = 0; i < sweep->n; i++)
		prepare(sweep, i, (unsigned long)sweep->swept[i].p.addr, 0);
}

static void count(struct sweep *sweep)
{
	unsigned int i;

	for (i = 0; i < sweep->n; i++) {
		long hits = atomic_long_read(&sweep->swept[i].hits);

		sweep->hits += hits;
		sweep->fired += !!hits;
		sweep->missed += sweep->swept[i].p.nmissed;
	}
	for (i = 0; i < sweep->bytes; i++)
		sweep->changed += sweep->text[i] != ((u8 *)sweep->addr)[i];
}

static s64 since(ktime_t *begin)
{
	ktime_t now = ktime_get();
	s64 us = ktime_us_delta(now, *begin);

	*begin = now;
	return us;
}

static void run(struct sweep *sweep)
{
	ktime_t begin = ktime_get();
	unsigned int i;
	int err;

	find(sweep);
	sweep->find_us = since(&begin);
	if (!sweep->n)
		return;
	memcpy(sweep->text, (void *)sweep->addr, sweep->bytes);
	begin = ktime_get();
	err = register_kprobes(sweep->array, sweep->n);
	sweep->arm_us = since(&begin);
	if (err) {
		sweep->err = err;
		return;
	}
	msleep(sweep->ms);
	for (i = 0; i < sweep->n; i++)
		sweep->jumps += kprobe_optimized(&sweep->swept[i].p);
	begin = ktime_get();
	unregister_kprobes(sweep->array, sweep->n);
	sweep->remove_us = since(&begin);
	count(sweep);
}

static int sweep_parse(struct sweep *sweep, char **word, int words)
{
	unsigned long addr, offset;

	if (words < 4 || words > 5 || kstrtoul(word[0], 16, &addr) ||
	    kstrtoul(word[1], 0, &offset) || kstrtoul(word[2], 0, &sweep->bytes) ||
	    kstrtouint(word[3], 0, &sweep->ms) || !sweep->bytes ||
	    sweep->bytes > MOST_BYTES)
		return -EBADMSG;
	sweep->addr = addr + offset;
	sweep->post = words == 5;
	return 0;
}

static int sweep_command(char **word, int words)
{
	struct sweep *sweep = &last;
	int err;

	memset(sweep, 0, sizeof(*sweep));
	err = sweep_parse(sweep, word, words);
	if (err)
		return err;
	/* One more: what is refused takes a place, too. */
	sweep->swept = vcalloc(sweep->bytes + 1, sizeof(*sweep->swept));
	sweep->array = vcalloc(sweep->bytes + 1, sizeof(*sweep->array));
	sweep->text = vmalloc(sweep->bytes);
	if (sweep->swept && sweep->array && sweep->text)
		run(sweep);
	else
		err = -ENOMEM;
	vfree(sweep->text);
	vfree(sweep->array);
	vfree(sweep->swept);
	return err ?: sweep->err;
}

static ssize_t sweep_write(struct file *file, const char __user *buffer, size_t size,
			   loff_t *position)
{
	int words, err;
	char **word = words_from_user(buffer, size, &words);

	if (IS_ERR(word))
		return PTR_ERR(word);
	mutex_lock(&sweep_mutex);
	err = sweep_command(word, words);
	mutex_unlock(&sweep_mutex);
	argv_free(word);
	return err ?: size;
}

static int sweep_reply(struct seq_file *m, void *unused)
{
	mutex_lock(&sweep_mutex);
	seq_printf(m, "probes=%u refused=%u fired=%u hits=%lu missed=%lu changed=%u",
		   last.n, last.refused, last.fired, last.hits, last.missed, last.changed);
	seq_printf(m, " jumps=%u", last.jumps);
	seq_printf(m, " find_us=%lld arm_us=%lld remove_us=%lld err=%d\n",
		   last.find_us, last.arm_us, last.remove_us, last.err);
	mutex_unlock(&sweep_mutex);
	return 0;
}

static int sweep_open(struct inode *inode, struct file *file)
{
	return single_open(file, sweep_reply, NULL);
}

static const struct file_operations sweep_fops = {
	.owner = THIS_MODULE,
	.open = sweep_open,
	.read = seq_read,
	.write = sweep_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct dentry *folder;

static int __init kprobes_test_sweep_init(void)
{
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0600, folder, NULL, &sweep_fops);
	return 0;
}

static void __exit kprobes_test_sweep_exit(void)
{
	debugfs_remove(folder);
}

module_init(kprobes_test_sweep_init);
module_exit(kprobes_test_sweep_exit);
MODULE_DESCRIPTION("Kernel probes test: a probe on every instruction");
MODULE_LICENSE("GPL");
