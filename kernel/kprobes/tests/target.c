// SPDX-License-Identifier: GPL-2.0-only
/*
 * Something to probe: functions of every kind that matters, and a file to have
 * them called.  For tools/testing/selftests/kprobes.
 *
 * debugfs kprobes_test_target/call takes
 *
 *	FUNCTION COUNT		call it so many times
 *	FUNCTION for MS		call it for so many milliseconds
 *	ipmodify on|off		let the function tracer redirect kpt_patched()
 *
 * and is then read from the same open file: "CALLS LAST-VALUE", or for
 * ipmodify the result.  debugfs kprobes_test_target/places tells addresses
 * that cannot be named by a symbol: a WARN's trap, a static key's jump; and
 * kprobes_test_target/text the first bytes of each function as they are now.
 */
#include <linux/bug.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "target.h"

static DEFINE_STATIC_KEY_FALSE(kpt_static_key);

/* Its entry is a site of the function tracer, where there is one. */
noinline int kpt_plain(int x)
{
	barrier();
	return x + 1;
}

/*
 * Its entry is no such site: probes on it are hit by trap.  It is long enough for
 * a jump, however small the compiler makes it.
 */
noinline notrace int kpt_trap(int x)
{
	static int addend = 2;

	barrier();
	return x + READ_ONCE(addend);
}

static noinline int kpt_static(int x)
{
	barrier();
	return x + 3;
}

/* Errors are injected here. */
noinline int kpt_inject(int x)
{
	barrier();
	return 0;
}

ALLOW_ERROR_INJECTION(kpt_inject, ERRNO);

/* The function that "ipmodify on" replaces by the one below. */
noinline int kpt_patched(int x)
{
	barrier();
	return x + 5;
}

static noinline notrace __maybe_unused int kpt_replacement(int x)
{
	barrier();
	return x + 500;
}

/* Stands for the threads that sit in a probed function. */
noinline int kpt_sleeper(int ms)
{
	msleep_interruptible(ms);
	return ms;
}

static noinline int kpt_forbidden(int x)
{
	barrier();
	return x + 7;
}

NOKPROBE_SYMBOL(kpt_forbidden);

static noinline __noclone int kpt_twin(int x)
{
	barrier();
	return x + 100;
}

/* What the compiler does to names when it splits or clones a function. */
static noinline int kpt_part(int x) asm("kpt_part.isra.0");
static noinline int kpt_part(int x)
{
	barrier();
	return x + 8;
}

/* Holds the trap of a WARN that never goes off. */
noinline int kpt_warn(int x)
{
	WARN_ON(x == INT_MIN);
	return x + 9;
}

/* Holds a jump that the static key rewrites. */
noinline int kpt_key(int x)
{
	if (static_branch_unlikely(&kpt_static_key))
		x *= 2;
	return x + 10;
}

/* Text that is freed when the module has been initialised. */
static noinline __noclone int __init kpt_init(int x)
{
	barrier();
	return x + 11;
}

static const struct {
	const char *name;
	int (*function)(int x);
} functions[] = {
	{ "plain", kpt_plain },
	{ "trap", kpt_trap },
	{ "static", kpt_static },
	{ "inject", kpt_inject },
	{ "patched", kpt_patched },
	{ "sleeper", kpt_sleeper },
	{ "forbidden", kpt_forbidden },
	{ "twin", kpt_twin },
	{ "twin2", kpt_call_second_twin },
	{ "part", kpt_part },
	{ "warn", kpt_warn },
	{ "key", kpt_key },
};

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
static void ipmodify_call(unsigned long ip, unsigned long parent,
			  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	/* By way of the registers: not every architecture has more for it. */
	instruction_pointer_set(ftrace_get_regs(fregs), (unsigned long)kpt_replacement);
}

static struct ftrace_ops ipmodify_ops = {
	.func = ipmodify_call,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static DEFINE_MUTEX(ipmodify_mutex);
static bool ipmodify_active;

static int ipmodify(bool on)
{
	static bool filter_set;
	unsigned long offset;
	int err = 0;

	mutex_lock(&ipmodify_mutex);
	if (on && !filter_set) {
		/* The site is at the entry or behind a landing pad. */
		for (offset = 0; offset < 16; offset++) {
			err = ftrace_set_filter_ip(&ipmodify_ops,
						   (unsigned long)kpt_patched + offset, 0, 0);
			if (!err)
				break;
		}
		filter_set = !err;
	}
	if (!err && on != ipmodify_active) {
		err = on ? register_ftrace_function(&ipmodify_ops) :
			   unregister_ftrace_function(&ipmodify_ops);
		if (!err)
			ipmodify_active = on;
	}
	mutex_unlock(&ipmodify_mutex);
	return err;
}
#else
static int ipmodify(bool on)
{
	return on ? -EOPNOTSUPP : 0;
}
#endif

/* One open file: what was answered last, and how much of it has been read. */
struct reply {
	size_t length;
	size_t read;
	char text[64];
};

static int call_open(struct inode *inode, struct file *file)
{
	struct reply *reply = kzalloc(sizeof(*reply), GFP_KERNEL);

	if (!reply)
		return -ENOMEM;
	file->private_data = reply;
	return stream_open(inode, file);
}

static int call_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static ssize_t call_read(struct file *file, char __user *buffer, size_t size,
			 loff_t *position)
{
	struct reply *reply = file->private_data;

	size = min(size, reply->length - reply->read);
	if (copy_to_user(buffer, reply->text + reply->read, size))
		return -EFAULT;
	reply->read += size;
	return size;
}

static void call_count(int (*function)(int x), unsigned long count,
		       struct reply *reply)
{
	unsigned long i;
	int last = 0;

	for (i = 0; i < count && !signal_pending(current); i++) {
		last = function(i & 0xff);
		cond_resched();
	}
	reply->length = scnprintf(reply->text, sizeof(reply->text), "%lu %d\n", i, last);
}

static void call_for(int (*function)(int x), unsigned int ms, struct reply *reply)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms);
	unsigned long i = 0;
	int last = 0;

	while (time_before(jiffies, end) && !signal_pending(current)) {
		last = function(i++ & 0xff);
		cond_resched();
	}
	reply->length = scnprintf(reply->text, sizeof(reply->text), "%lu %d\n", i, last);
}

static int call_function(char **word, int words, struct reply *reply)
{
	unsigned long number;
	int i;

	if (kstrtoul(word[words - 1], 0, &number))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strcmp(word[0], functions[i].name))
			continue;
		if (words == 2)
			call_count(functions[i].function, number, reply);
		else if (words == 3 && !strcmp(word[1], "for"))
			call_for(functions[i].function, number, reply);
		else
			return -EINVAL;
		return 0;
	}
	return -ENOENT;
}

static ssize_t call_write(struct file *file, const char __user *buffer,
			  size_t size, loff_t *position)
{
	struct reply *reply = file->private_data;
	char line[128], **word;
	int words, err;

	if (size >= sizeof(line))
		return -E2BIG;
	if (copy_from_user(line, buffer, size))
		return -EFAULT;
	line[size] = '\0';
	word = argv_split(GFP_KERNEL, line, &words);
	if (!word)
		return -ENOMEM;

	reply->read = 0;
	reply->length = 0;
	if (words == 2 && !strcmp(word[0], "ipmodify")) {
		err = 0;
		reply->length = scnprintf(reply->text, sizeof(reply->text), "%d\n",
					  ipmodify(!strcmp(word[1], "on")));
	} else if (words >= 2) {
		err = call_function(word, words, reply);
	} else {
		err = -EINVAL;
	}
	argv_free(word);
	return err ? err : size;
}

static const struct file_operations call_fops = {
	.owner = THIS_MODULE,
	.open = call_open,
	.read = call_read,
	.write = call_write,
	.release = call_release,
	.llseek = no_llseek,
};

static int places_show(struct seq_file *m, void *unused)
{
#ifdef CONFIG_GENERIC_BUG
	unsigned int bug;

	for (bug = 0; bug < THIS_MODULE->num_bugs; bug++) {
		struct bug_entry *entry = THIS_MODULE->bug_table + bug;
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
		unsigned long addr = (unsigned long)&entry->bug_addr_disp +
				     entry->bug_addr_disp;
#else
		unsigned long addr = entry->bug_addr;
#endif
		seq_printf(m, "bug 0x%lx\n", addr);
	}
#endif
#ifdef CONFIG_JUMP_LABEL
	unsigned int jump;

	for (jump = 0; jump < THIS_MODULE->num_jump_entries; jump++)
		seq_printf(m, "jump_label 0x%lx\n",
			   jump_entry_code(THIS_MODULE->jump_entries + jump));
#endif
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(places);

#define TEXT_BYTES	16

static int text_show(struct seq_file *m, void *unused)
{
	u8 bytes[TEXT_BYTES];
	int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		const void *entry = dereference_function_descriptor(functions[i].function);

		if (copy_from_kernel_nofault(bytes, entry, TEXT_BYTES))
			return -EFAULT;
		seq_printf(m, "%s %*phN\n", functions[i].name, TEXT_BYTES, bytes);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(text);

static struct dentry *folder;

static int __init kprobes_test_target_init(void)
{
	if (kpt_init(1) != 12)
		return -EIO;
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("call", 0600, folder, NULL, &call_fops);
	debugfs_create_file("text", 0400, folder, NULL, &text_fops);
	debugfs_create_file("places", 0400, folder, NULL, &places_fops);
	return 0;
}

static void __exit kprobes_test_target_exit(void)
{
	debugfs_remove(folder);
	ipmodify(false);
}

module_init(kprobes_test_target_init);
module_exit(kprobes_test_target_exit);
MODULE_DESCRIPTION("Kernel probes test: functions to be probed");
MODULE_LICENSE("GPL");
