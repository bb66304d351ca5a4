// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: what several of the KUnit tests need: counters, the debugfs
 * files, probes on thousands of functions.
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_arch.h>
#include <linux/mount.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>

#include "kprobe_test.h"

/**
 * kprobe_test_hits() - how often a probe's handlers were called
 * @p: a registered probe
 */
unsigned long kprobe_test_hits(const struct kprobe *p)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(p->hits, cpu));
	return sum;
}

/**
 * kprobe_test_misses() - how often a probe was missed, by the sum of the causes
 * @p: a registered probe
 */
unsigned long kprobe_test_misses(const struct kprobe *p)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < KPROBE_MISS_NR; i++)
		sum += atomic_long_read(&p->missed[i]);
	return sum;
}

#define FILE_MAX	SZ_64K

/**
 * kprobe_test_read() - what a debugfs file of ours shows
 * @test: the test, which will free the text
 * @name: its name, below debugfs
 *
 * Return: the text; not more than the first 64 KiB.
 */
char *kprobe_test_read(struct kunit *test, const char *name)
{
	struct file_system_type *type = get_fs_type("debugfs");
	char *text = kunit_kzalloc(test, FILE_MAX, GFP_KERNEL);
	struct kvec vec = { .iov_base = text, .iov_len = FILE_MAX - 1 };
	struct vfsmount *mnt;
	struct iov_iter iter;
	struct kiocb kiocb;
	struct file *file;
	ssize_t got;

	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_NOT_NULL(test, type);
	mnt = kern_mount(type);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mnt));

	file = file_open_root_mnt(mnt, name, O_RDONLY, 0);
	KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(file), "debugfs %s: %ld", name, PTR_ERR(file));
	if (!IS_ERR(file)) {
		init_sync_kiocb(&kiocb, file);
		iov_iter_kvec(&iter, READ, &vec, 1, vec.iov_len);
		/* The files are seq_files; a read stops at the end of a record. */
		do {
			got = seq_read_iter(&kiocb, &iter);
		} while (got > 0 && iov_iter_count(&iter));
		KUNIT_EXPECT_GE(test, got, 0);
		__fput_sync(file);
	}
	kern_unmount(mnt);
	return text;
}

/**
 * kprobe_test_last_reason() - the last line of debugfs kprobes/errors
 * @test: the test, which will free the text
 */
const char *kprobe_test_last_reason(struct kunit *test)
{
	char *text = kprobe_test_read(test, "kprobes/errors");
	char *line = strim(text), *newline;

	newline = strrchr(line, '\n');
	return newline ? newline + 1 : line;
}

/**
 * kprobe_test_refused() - register a probe that must be refused
 * @test: the test
 * @what: what is tried, for messages
 * @p: the probe
 * @err: the errno expected
 * @words: what the recorded reason must contain
 */
void kprobe_test_refused(struct kunit *test, const char *what, struct kprobe *p,
			 int err, const char *words)
{
	struct kprobe before = *p;
	const char *reason;
	int ret;

	ret = register_kprobe(p);
	KUNIT_EXPECT_EQ_MSG(test, ret, err, "%s", what);
	if (!ret) {
		unregister_kprobe(p);
		return;
	}
	reason = kprobe_test_last_reason(test);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(reason, words), "%s: \"%s\" lacks \"%s\"", what,
				  reason, words);
	KUNIT_EXPECT_PTR_EQ_MSG(test, p->addr, before.addr, "%s: the struct was changed", what);
	KUNIT_EXPECT_EQ_MSG(test, p->flags, before.flags, "%s: the struct was changed", what);
}

#ifndef MODULE

static int collect_function(void *data, const char *name, struct module *mod,
			    unsigned long addr)
{
	struct kprobe_test_functions *functions = data;

	if (mod || !core_kernel_text(addr) || is_kernel_inittext(addr))
		return 0;
	/*
	 * Debugging code is called for every access to memory and every lock:
	 * a trap in each of these calls leaves no time for anything else.  It
	 * is not traced.
	 */
	if ((IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_PROVE_LOCKING)) &&
	    !ftrace_location(addr))
		return 0;
	if (functions->addrs && functions->n < functions->room)
		functions->addrs[functions->n] = addr;
	functions->n++;
	return 0;
}

static int compare_addrs(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/**
 * kprobe_test_get_functions() - list the functions of the kernel proper
 * @functions: filled in
 *
 * Return: 0, or -ENOMEM.  On success @functions->addrs is to be vfree'd.
 */
int kprobe_test_get_functions(struct kprobe_test_functions *functions)
{
	unsigned long addr, last = 0;
	unsigned int i, n = 0;

	memset(functions, 0, sizeof(*functions));
	kallsyms_on_each_symbol(collect_function, functions);
	functions->room = functions->n;
	functions->n = 0;
	functions->addrs = vmalloc(array_size(functions->room, sizeof(unsigned long)));
	if (!functions->addrs)
		return -ENOMEM;
	kallsyms_on_each_symbol(collect_function, functions);
	functions->n = min(functions->n, functions->room);

	/* Some have several names. */
	sort(functions->addrs, functions->n, sizeof(unsigned long), compare_addrs, NULL);
	for (i = 0; i < functions->n; i++) {
		addr = functions->addrs[i];
		if (addr != last && !within_kprobe_blacklist(addr))
			functions->addrs[n++] = addr;
		last = addr;
	}
	functions->n = n;
	return 0;
}

/*
 * An array is registered as a whole or not at all: find out first, one by one,
 * which of the probes are refused.  Disabled ones cost no change of the text.
 */
static int arm_accepted(struct kprobe_test_many *many, struct kprobe *first, unsigned int n)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n; i++) {
		first[i].flags = KPROBE_FLAG_DISABLED;
		err = register_kprobe(&first[i]);
		if (err == -ENOMEM)
			break;
		if (err)
			many->refused++;
		else
			many->array[many->n++] = &first[i];
		/* It takes long: do not let RCU-tasks wait. */
		cond_resched_tasks_rcu_qs();
	}
	if (!many->n)
		return 0;
	unregister_kprobes(many->array, many->n);
	for (i = 0; i < many->n; i++)
		many->array[i]->flags = 0;
	err = err == -ENOMEM ? err : register_kprobes(many->array, many->n);
	if (err)
		many->n = 0;
	return err;
}

static int make_room(struct kprobe_test_many *many, unsigned int n)
{
	many->probes = vzalloc(array_size(n, sizeof(*many->probes)));
	many->array = vzalloc(array_size(n, sizeof(*many->array)));
	return many->probes && many->array ? 0 : -ENOMEM;
}

/**
 * kprobe_test_arm_many() - probe functions all over the kernel
 * @many: filled in
 * @limit: about so many
 * @pre: pre_handler of all
 * @post: post_handler of all
 *
 * Return: 0, or an errno.  kprobe_test_disarm_many() is due in any case.
 */
int kprobe_test_arm_many(struct kprobe_test_many *many, unsigned int limit,
			 kprobe_pre_handler_t pre, kprobe_post_handler_t post)
{
	struct kprobe_test_functions functions;
	unsigned int i, step, n = 0;
	int err;

	memset(many, 0, sizeof(*many));
	err = kprobe_test_get_functions(&functions);
	if (err)
		return err;
	step = max(functions.n / limit, 1U);
	err = make_room(many, functions.n);
	for (i = 0; !err && i < functions.n && n < limit; i += step) {
		many->probes[n].addr = (kprobe_opcode_t *)functions.addrs[i];
		many->probes[n].pre_handler = pre;
		many->probes[n++].post_handler = post;
	}
	vfree(functions.addrs);
	return err ?: arm_accepted(many, many->probes, n);
}

/*
 * Instructions of a function, so far apart, except for the tracer's sites.
 * Without @probes it only counts.
 */
static unsigned int add_insides(struct kprobe *probes, unsigned long start,
				unsigned int apart, kprobe_pre_handler_t pre)
{
	unsigned long size, offset, at, next = 0;
	unsigned int n = 0;
	int len;

	if (!kallsyms_lookup_size_offset(start, &size, &offset) || offset)
		return 0;
	for (at = 0; at < size; at += len) {
		len = arch_kprobe_insn_length((u8 *)start + at, size - at);
		if (len <= 0)
			break;
		if (at < next || ftrace_location(start + at))
			continue;
		if (probes) {
			probes[n].addr = (kprobe_opcode_t *)(start + at);
			probes[n].pre_handler = pre;
		}
		n++;
		next = at + apart;
	}
	return n;
}

/**
 * kprobe_test_arm_insides() - probe the insides of functions
 * @many: filled in
 * @addrs: the functions
 * @n: how many
 * @apart: two probes are at least so many bytes apart
 * @pre: pre_handler of all
 *
 * Return: 0, or an errno.  kprobe_test_disarm_many() is due in any case.
 */
int kprobe_test_arm_insides(struct kprobe_test_many *many, const unsigned long *addrs,
			    unsigned int n, unsigned int apart, kprobe_pre_handler_t pre)
{
	unsigned int i, room = 0, sites = 0;
	int err;

	memset(many, 0, sizeof(*many));
	for (i = 0; i < n; i++)
		room += add_insides(NULL, addrs[i], apart, pre);
	err = make_room(many, room);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		sites += add_insides(many->probes + sites, addrs[i], apart, pre);
	return arm_accepted(many, many->probes, sites);
}

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_test_arm_sites() - probe where jumps could be, all over the kernel
 * @many: filled in
 * @limit: in about so many functions
 * @pre: pre_handler of all
 *
 * Return: 0, or an errno.  kprobe_test_disarm_many() is due in any case.
 */
int kprobe_test_arm_sites(struct kprobe_test_many *many, unsigned int limit,
			  kprobe_pre_handler_t pre)
{
	struct kprobe_test_functions functions;
	unsigned int i, step, n = 0;
	int err;

	memset(many, 0, sizeof(*many));
	err = kprobe_test_get_functions(&functions);
	if (err)
		return err;
	step = max(functions.n / limit, 1U);
	for (i = 0; i < functions.n; i += step)
		functions.addrs[n++] = functions.addrs[i];
	err = kprobe_test_arm_insides(many, functions.addrs, n, KPROBE_JUMP_BYTES, pre);
	vfree(functions.addrs);
	return err;
}
#endif /* CONFIG_OPTPROBES */

/**
 * kprobe_test_copy_text() - copy the kernel's text
 * @size: set to its size
 *
 * Return: the copy, to be vfree'd, or NULL.
 */
void *kprobe_test_copy_text(size_t *size)
{
	void *copy;

	*size = _etext - _stext;
	copy = vmalloc(*size);
	if (copy)
		memcpy(copy, _stext, *size);
	return copy;
}

/* Static keys and calls change their text when they like (the crng's, say). */
static bool is_patched_by_others(void *addr)
{
	bool patched;

	jump_label_lock();
	patched = jump_label_text_reserved(addr, addr) ||
		  static_call_text_reserved(addr, addr);
	jump_label_unlock();
	return patched;
}

/**
 * kprobe_test_compare_text() - is the kernel's text what it was
 * @copy: from kprobe_test_copy_text()
 *
 * Sites of static keys and static calls are left out: none can be probed.
 *
 * Return: 0, or the address of the first byte that differs.
 */
unsigned long kprobe_test_compare_text(const void *copy)
{
	size_t i, size = _etext - _stext;

	if (!memcmp(copy, _stext, size))
		return 0;
	for (i = 0; i < size; i++)
		if (((const u8 *)copy)[i] != ((const u8 *)_stext)[i] &&
		    !is_patched_by_others(_stext + i))
			return (unsigned long)_stext + i;
	return 0;
}

#else /* MODULE: the symbols it takes are not exported */

int kprobe_test_arm_many(struct kprobe_test_many *many, unsigned int limit,
			 kprobe_pre_handler_t pre, kprobe_post_handler_t post)
{
	memset(many, 0, sizeof(*many));
	return -EOPNOTSUPP;
}

int kprobe_test_get_functions(struct kprobe_test_functions *functions)
{
	return -EOPNOTSUPP;
}

int kprobe_test_arm_insides(struct kprobe_test_many *many, const unsigned long *addrs,
			    unsigned int n, unsigned int apart, kprobe_pre_handler_t pre)
{
	return -EOPNOTSUPP;
}

void *kprobe_test_copy_text(size_t *size)
{
	*size = 0;
	return vmalloc(1);
}

unsigned long kprobe_test_compare_text(const void *copy)
{
	return 0;
}

#endif /* MODULE */

/**
 * kprobe_test_disarm_many() - undo kprobe_test_arm_many()
 * @many: what it filled in
 */
void kprobe_test_disarm_many(struct kprobe_test_many *many)
{
	if (many->n)
		unregister_kprobes(many->array, many->n);
	vfree(many->array);
	vfree(many->probes);
	memset(many, 0, sizeof(*many));
}
