// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls the probes API on behalf of a shell, and says what came back.  For
 * tools/testing/selftests/kprobes.
 *
 * debugfs kprobes_test_ctl/cmd takes one command a write; reading the same
 * open file then gives the name of the errno the call returned, or 0.  The
 * write itself fails with that errno as well.
 *
 *	add NAME PLACE[,PLACE...] [OPTION...]
 *	del NAME		unregister
 *	enable NAME, disable NAME
 *	again NAME		register what is registered
 *	where NAME		reply with the probe's address
 *	misuse WHAT		calls with nonsense, see misuse()
 *	churn PLACE MS [OPTION...]
 *				register and unregister for so long; replies with
 *				each outcome and how often it occurred
 *	flip NAME MS		enable and disable for so long, reply likewise
 *
 * PLACE is SYMBOL, MODULE:SYMBOL, 0xADDRESS, SYMBOL@0xADDRESS (both given) or
 * "-" (none given), and may end in +OFFSET.  More than one, or the option
 * "array", means the array call.  Options:
 *
 *	ret [entry] [maxactive=N] [data=N]	a return probe
 *	post, nopre		with a post_handler, without a pre_handler
 *	disabled		register it disabled
 *	divert			the handler has the function replaced by one that
 *				returns -77
 *	divert=SYMBOL		or by that function of the kernel
 *	meddle			the handler calls the API, which must refuse
 *	array			use the array call
 *	oncoming=MODULE		register when that module is being loaded
 *
 * debugfs kprobes_test_ctl/status has a line for each probe.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/rwsem.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "words.h"

#define MOST_PLACES 64

/* What the handlers saw of the context they were called in, at any hit. */
#define SAW_PREEMPTIBLE	BIT(0)
#define SAW_IRQS_ON	BIT(1)
#define SAW_IRQS_OFF	BIT(2)
#define SAW_OTHER_IP	BIT(3)

/* One probe.  A plain one uses the kretprobe's kprobe only. */
struct member {
	struct kretprobe rp;
	char *symbol;
	unsigned long divert;
	bool meddle;
	int refusal;
	atomic_long_t before;
	atomic_long_t after;
	atomic_long_t entries;
	unsigned long saw;
};

/*
 * What one "add" made.  @use is held for writing where the API wants the caller
 * to be alone (register, unregister), for reading around the other calls.
 */
struct group {
	struct list_head list;
	struct kref kref;
	struct rw_semaphore use;
	bool registered;
	bool returns;
	bool array;
	int err;
	char name[32];
	char module[MODULE_NAME_LEN];
	int count;
	struct member *member;
	void *pointer[MOST_PLACES];
};

/*
 * Protects the list and the names on it.  Taken outside whatever the API takes;
 * commands call the API without it, so that they race with each other.
 */
static DEFINE_MUTEX(groups_mutex);
static LIST_HEAD(groups);

/* Handlers: they run in the hit, so probes on them would only be missed. */

static noinline notrace int replacement(int x)
{
	return -77;
}

static void look_around(struct member *member, struct pt_regs *regs)
{
	unsigned long saw = 0;

	if (preemptible())
		saw |= SAW_PREEMPTIBLE;
	saw |= irqs_disabled() ? SAW_IRQS_OFF : SAW_IRQS_ON;
	if (instruction_pointer(regs) !=
	    (unsigned long)member->rp.kp.addr + KPROBE_IP_OFFSET)
		saw |= SAW_OTHER_IP;
	/* Racing hits may lose a bit here; the next hit sets it again. */
	if ((READ_ONCE(member->saw) & saw) != saw)
		WRITE_ONCE(member->saw, READ_ONCE(member->saw) | saw);
}

NOKPROBE_SYMBOL(look_around);

/* What a handler must not do: the first errno that is not -EBUSY, or that. */
static void meddle(struct member *member)
{
	static struct kprobe other = { .symbol_name = "vfs_read" };
	struct kprobe *p = &member->rp.kp;
	int err = register_kprobe(&other);

	if (err == -EBUSY)
		err = disable_kprobe(p);
	if (err == -EBUSY)
		err = enable_kprobe(p);
	if (!member->refusal || member->refusal == -EBUSY)
		member->refusal = err ?: 1;
}

static int on_before(struct kprobe *p, struct pt_regs *regs)
{
	struct member *member = container_of(p, struct member, rp.kp);

	atomic_long_inc(&member->before);
	look_around(member, regs);
	if (member->meddle)
		meddle(member);
	if (!member->divert)
		return 0;
	instruction_pointer_set(regs, member->divert);
	return 1;
}

NOKPROBE_SYMBOL(on_before);

static void on_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct member *member = container_of(p, struct member, rp.kp);

	atomic_long_inc(&member->after);
}

NOKPROBE_SYMBOL(on_after);

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (!rp)
		return 1;
	atomic_long_inc(&container_of(rp, struct member, rp)->entries);
	if (rp->data_size)
		memset(ri->data, 0x5a, rp->data_size);
	return 0;
}

NOKPROBE_SYMBOL(on_entry);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	/* NULL when the probe went while the call was under way. */
	if (rp)
		atomic_long_inc(&container_of(rp, struct member, rp)->before);
	return 0;
}

NOKPROBE_SYMBOL(on_return);

/* Groups. */

static void group_free(struct kref *kref)
{
	struct group *group = container_of(kref, struct group, kref);
	int i;

	for (i = 0; group->member && i < group->count; i++)
		kfree(group->member[i].symbol);
	kfree(group->member);
	kfree(group);
}

static void group_put(struct group *group)
{
	kref_put(&group->kref, group_free);
}

static struct group *group_get(const char *name)
{
	struct group *group;

	mutex_lock(&groups_mutex);
	list_for_each_entry(group, &groups, list) {
		if (!strcmp(group->name, name)) {
			kref_get(&group->kref);
			mutex_unlock(&groups_mutex);
			return group;
		}
	}
	mutex_unlock(&groups_mutex);
	return NULL;
}

/* Taken off the list, a group belongs to whoever took it off. */
static bool group_unlink(struct group *group)
{
	bool was_linked;

	mutex_lock(&groups_mutex);
	was_linked = !list_empty(&group->list);
	list_del_init(&group->list);
	mutex_unlock(&groups_mutex);
	return was_linked;
}

/* Fills in what the user of a probe fills in, with @text taken apart. */
static int member_parse(struct member *member, char *text)
{
	struct kprobe *kp = &member->rp.kp;
	char *offset = strrchr(text, '+');
	char *at = strchr(text, '@');
	unsigned long addr;

	if (offset) {
		*offset++ = '\0';
		if (kstrtouint(offset, 0, &kp->offset))
			return -EBADMSG;
	}
	if (!strcmp(text, "-"))
		return 0;
	if (at)
		*at++ = '\0';
	else if (!strncmp(text, "0x", 2))
		at = text;
	if (at) {
		if (kstrtoul(at, 16, &addr))
			return -EBADMSG;
		kp->addr = (kprobe_opcode_t *)addr;
	}
	if (at != text) {
		member->symbol = kstrdup(text, GFP_KERNEL);
		if (!member->symbol)
			return -ENOMEM;
		kp->symbol_name = member->symbol;
	}
	return 0;
}

/* Where a probe at the entry of a function would stand: behind a landing pad. */
static unsigned long place_of(const char *symbol)
{
	struct kprobe p = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	unsigned long place;

	if (register_kprobe(&p))
		return 0;
	place = (unsigned long)p.addr;
	unregister_kprobe(&p);
	return place;
}

static int group_divert(struct group *group, unsigned long to)
{
	int i;

	for (i = 0; i < group->count; i++)
		group->member[i].divert = to;
	return to ? 0 : -ENOENT;
}

static int group_option(struct group *group, const char *option)
{
	unsigned int number;
	int i;

	if (!strcmp(option, "array")) {
		group->array = true;
		return 0;
	}
	if (!strcmp(option, "ret")) {
		group->returns = true;
		for (i = 0; i < group->count; i++)
			group->member[i].rp.handler = on_return;
		return 0;
	}
	if (!strncmp(option, "oncoming=", 9)) {
		strscpy(group->module, option + 9, sizeof(group->module));
		return 0;
	}
	if (!strcmp(option, "divert"))
		return group_divert(group, (unsigned long)
				    dereference_function_descriptor(replacement));
	if (!strncmp(option, "divert=", 7))
		return group_divert(group, place_of(option + 7));
	for (i = 0; i < group->count; i++) {
		struct member *member = &group->member[i];

		if (!strcmp(option, "post"))
			member->rp.kp.post_handler = on_after;
		else if (!strcmp(option, "nopre"))
			member->rp.kp.pre_handler = NULL;
		else if (!strcmp(option, "disabled"))
			member->rp.kp.flags = KPROBE_FLAG_DISABLED;
		else if (!strcmp(option, "meddle"))
			member->meddle = true;
		else if (!strcmp(option, "entry"))
			member->rp.entry_handler = on_entry;
		else if (sscanf(option, "maxactive=%i", &member->rp.maxactive) == 1)
			continue;
		else if (sscanf(option, "data=%u", &number) == 1)
			member->rp.data_size = number;
		else
			return -EBADMSG;
	}
	return 0;
}

/* @word: PLACE[,PLACE...] [OPTION...] */
static struct group *group_make(const char *name, char **word, int words)
{
	struct group *group;
	char *places, *place;
	int i, err;

	if (words < 1)
		return ERR_PTR(-EBADMSG);
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&group->list);
	kref_init(&group->kref);
	init_rwsem(&group->use);
	strscpy(group->name, name, sizeof(group->name));

	group->count = 1;
	for (place = word[0]; *place; place++)
		group->count += *place == ',';
	err = -EBADMSG;
	if (group->count > MOST_PLACES)
		goto fail;
	err = -ENOMEM;
	group->member = kcalloc(group->count, sizeof(*group->member), GFP_KERNEL);
	if (!group->member)
		goto fail;

	places = word[0];
	for (i = 0; i < group->count; i++) {
		struct member *member = &group->member[i];

		err = member_parse(member, strsep(&places, ","));
		if (err)
			goto fail;
		member->rp.kp.pre_handler = on_before;
	}
	group->array = group->count > 1;
	for (i = 1; i < words; i++) {
		err = group_option(group, word[i]);
		if (err)
			goto fail;
	}
	/* The first member of a kretprobe is its kprobe: one pointer for both. */
	BUILD_BUG_ON(offsetof(struct kretprobe, kp));
	for (i = 0; i < group->count; i++) {
		group->pointer[i] = &group->member[i].rp;
		if (group->returns)
			group->member[i].rp.kp.pre_handler = NULL;
	}
	return group;

fail:
	group_put(group);
	return ERR_PTR(err);
}

static int group_register(struct group *group)
{
	int err;

	down_write(&group->use);
	if (group->array && group->returns)
		err = register_kretprobes((struct kretprobe **)group->pointer, group->count);
	else if (group->array)
		err = register_kprobes((struct kprobe **)group->pointer, group->count);
	else if (group->returns)
		err = register_kretprobe(group->pointer[0]);
	else
		err = register_kprobe(group->pointer[0]);
	group->err = err;
	group->registered = !err;
	up_write(&group->use);
	return err;
}

static void group_unregister(struct group *group)
{
	down_write(&group->use);
	if (group->registered) {
		if (group->array && group->returns)
			unregister_kretprobes((struct kretprobe **)group->pointer,
					      group->count);
		else if (group->array)
			unregister_kprobes((struct kprobe **)group->pointer, group->count);
		else if (group->returns)
			unregister_kretprobe(group->pointer[0]);
		else
			unregister_kprobe(group->pointer[0]);
	}
	group->registered = false;
	up_write(&group->use);
}

static int group_set_enabled(struct group *group, bool on)
{
	int i, err = -ENODEV;

	down_read(&group->use);
	for (i = 0; group->registered && i < group->count; i++) {
		struct member *member = &group->member[i];

		if (group->returns)
			err = on ? enable_kretprobe(&member->rp) :
				   disable_kretprobe(&member->rp);
		else
			err = on ? enable_kprobe(&member->rp.kp) :
				   disable_kprobe(&member->rp.kp);
		if (err)
			break;
	}
	up_read(&group->use);
	return err;
}

/* Commands.  -EBADMSG: not understood; -ENODEV: no probe of that name. */

/*
 * One open file: what was answered last, and how much of it has been read.
 * @mutex keeps apart those who share the file.
 */
struct reply {
	struct mutex mutex; /* for all of it */
	size_t length;
	size_t read;
	char text[256];
};

static const struct {
	int number;
	const char *name;
} errnos[] = {
#define NAMED(number) { number, #number }
	NAMED(EPERM), NAMED(ENOENT), NAMED(EINTR), NAMED(EAGAIN), NAMED(ENOMEM),
	NAMED(EFAULT), NAMED(EBUSY), NAMED(EEXIST), NAMED(ENODEV), NAMED(EINVAL),
	NAMED(ENOSPC), NAMED(ERANGE), NAMED(EBADMSG), NAMED(EILSEQ),
	NAMED(EOPNOTSUPP), NAMED(EADDRNOTAVAIL), NAMED(E2BIG),
};

static void reply_add_text(struct reply *reply, const char *text)
{
	reply->length += scnprintf(reply->text + reply->length,
				   sizeof(reply->text) - reply->length, "%s", text);
}

static void reply_add_number(struct reply *reply, const char *format, long value)
{
	reply->length += scnprintf(reply->text + reply->length,
				   sizeof(reply->text) - reply->length, format, value);
}

static void reply_add_errno(struct reply *reply, int err)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(errnos); i++) {
		if (errnos[i].number == -err) {
			reply_add_text(reply, errnos[i].name);
			return;
		}
	}
	reply_add_number(reply, "%ld", err);
}

static int cmd_add(char **word, int words)
{
	struct group *group, *other;
	int err;

	if (words < 3)
		return -EBADMSG;
	group = group_make(word[1], word + 2, words - 2);
	if (IS_ERR(group))
		return PTR_ERR(group);

	/* On the list before it is registered: the name is taken from here on. */
	mutex_lock(&groups_mutex);
	list_for_each_entry(other, &groups, list) {
		if (!strcmp(other->name, group->name)) {
			mutex_unlock(&groups_mutex);
			group_put(group);
			return -EBADMSG;
		}
	}
	kref_get(&group->kref);
	list_add_tail(&group->list, &groups);
	mutex_unlock(&groups_mutex);

	err = 0;
	if (!group->module[0]) {
		err = group_register(group);
		if (err && group_unlink(group))
			group_put(group);
	}
	group_put(group);
	return err;
}

static int cmd_del(const char *name)
{
	struct group *group = group_get(name);

	if (!group)
		return -ENODEV;
	if (group_unlink(group)) {
		group_unregister(group);
		group_put(group);
	}
	group_put(group);
	return 0;
}

static int cmd_again(const char *name)
{
	struct group *group = group_get(name);
	int err = -ENODEV;

	if (!group)
		return err;
	down_read(&group->use);
	if (group->registered)
		err = group->returns ? register_kretprobe(group->pointer[0]) :
				       register_kprobe(group->pointer[0]);
	up_read(&group->use);
	group_put(group);
	return err;
}

static int cmd_where(const char *name, struct reply *reply)
{
	struct group *group = group_get(name);

	if (!group)
		return -ENODEV;
	reply_add_number(reply, "0x%lx", (long)group->member[0].rp.kp.addr);
	group_put(group);
	return 0;
}

/* Calls with what is no registered probe.  Nothing of it may do harm. */
static int misuse(const char *what)
{
	static struct kprobe stray = { .pre_handler = on_before };
	static struct kretprobe stray_return = { .handler = on_return };
	struct kprobe *kps[1] = { &stray };
	struct kretprobe *rps[1] = { &stray_return };

	if (!strcmp(what, "enable"))
		return enable_kprobe(&stray);
	if (!strcmp(what, "disable"))
		return disable_kprobe(&stray);
	if (!strcmp(what, "enable-return"))
		return enable_kretprobe(&stray_return);
	if (!strcmp(what, "disable-return"))
		return disable_kretprobe(&stray_return);
	if (!strcmp(what, "unregister")) {
		unregister_kprobe(&stray);
		return 0;
	}
	if (!strcmp(what, "unregister-return")) {
		unregister_kretprobe(&stray_return);
		return 0;
	}
	if (!strcmp(what, "register-none"))
		return register_kprobes(kps, 0);
	if (!strcmp(what, "register-negative"))
		return register_kprobes(kps, -1);
	if (!strcmp(what, "register-returns-none"))
		return register_kretprobes(rps, 0);
	if (!strcmp(what, "unregister-none")) {
		unregister_kprobes(kps, 0);
		return 0;
	}
	return -EBADMSG;
}

/* How often each outcome came up, most recent kinds last. */
struct tally {
	int err[8];
	unsigned long times[8];
	int kinds;
};

static void tally_count(struct tally *tally, int err)
{
	int i;

	for (i = 0; i < tally->kinds; i++) {
		if (tally->err[i] == err) {
			tally->times[i]++;
			return;
		}
	}
	if (i == ARRAY_SIZE(tally->err))
		return;
	tally->err[i] = err;
	tally->times[i] = 1;
	tally->kinds++;
}

static void tally_reply(const struct tally *tally, struct reply *reply)
{
	int i;

	for (i = 0; i < tally->kinds; i++) {
		if (i)
			reply_add_text(reply, " ");
		reply_add_errno(reply, tally->err[i]);
		reply_add_number(reply, "=%ld", tally->times[i]);
	}
}

static int cmd_churn(char **word, int words, struct reply *reply)
{
	struct tally tally = {};
	unsigned long end;
	unsigned int ms;

	if (words < 3 || kstrtouint(word[2], 0, &ms))
		return -EBADMSG;
	end = jiffies + msecs_to_jiffies(ms);
	while (time_before(jiffies, end) && !signal_pending(current)) {
		/* Parsing takes the text apart, so each round gets a copy. */
		char *place = kstrdup(word[1], GFP_KERNEL);
		struct group *group;

		if (!place)
			return -ENOMEM;
		word[2] = place;
		group = group_make("churn", word + 2, words - 2);
		kfree(place);
		if (IS_ERR(group))
			return PTR_ERR(group);
		tally_count(&tally, group_register(group));
		group_unregister(group);
		group_put(group);
		cond_resched();
	}
	tally_reply(&tally, reply);
	return 0;
}

static int cmd_flip(const char *name, const char *time, struct reply *reply)
{
	struct group *group = group_get(name);
	struct tally tally = {};
	unsigned long end;
	unsigned int ms;

	if (!group)
		return -ENODEV;
	if (kstrtouint(time, 0, &ms)) {
		group_put(group);
		return -EBADMSG;
	}
	end = jiffies + msecs_to_jiffies(ms);
	while (time_before(jiffies, end) && !signal_pending(current)) {
		tally_count(&tally, group_set_enabled(group, false));
		tally_count(&tally, group_set_enabled(group, true));
		cond_resched();
	}
	group_put(group);
	tally_reply(&tally, reply);
	return 0;
}

static int run(char **word, int words, struct reply *reply)
{
	struct group *group;
	int err;

	if (words < 2)
		return -EBADMSG;
	if (!strcmp(word[0], "add"))
		return cmd_add(word, words);
	if (!strcmp(word[0], "churn"))
		return cmd_churn(word, words, reply);
	if (words == 3 && !strcmp(word[0], "flip"))
		return cmd_flip(word[1], word[2], reply);
	if (words != 2)
		return -EBADMSG;
	if (!strcmp(word[0], "del"))
		return cmd_del(word[1]);
	if (!strcmp(word[0], "again"))
		return cmd_again(word[1]);
	if (!strcmp(word[0], "where"))
		return cmd_where(word[1], reply);
	if (!strcmp(word[0], "misuse"))
		return misuse(word[1]);
	if (!strcmp(word[0], "enable") || !strcmp(word[0], "disable")) {
		group = group_get(word[1]);
		if (!group)
			return -ENODEV;
		err = group_set_enabled(group, word[0][0] == 'e');
		group_put(group);
		return err;
	}
	return -EBADMSG;
}

static int cmd_open(struct inode *inode, struct file *file)
{
	struct reply *reply = kzalloc(sizeof(*reply), GFP_KERNEL);

	if (!reply)
		return -ENOMEM;
	mutex_init(&reply->mutex);
	file->private_data = reply;
	return stream_open(inode, file);
}

static int cmd_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static ssize_t cmd_read(struct file *file, char __user *buffer, size_t size,
			loff_t *position)
{
	struct reply *reply = file->private_data;

	mutex_lock(&reply->mutex);
	size = min(size, reply->length - reply->read);
	if (copy_to_user(buffer, reply->text + reply->read, size)) {
		mutex_unlock(&reply->mutex);
		return -EFAULT;
	}
	reply->read += size;
	mutex_unlock(&reply->mutex);
	return size;
}

static ssize_t cmd_write(struct file *file, const char __user *buffer,
			 size_t size, loff_t *position)
{
	struct reply *reply = file->private_data;
	int words, err;
	char **word = words_from_user(buffer, size, &words);

	if (IS_ERR(word))
		return PTR_ERR(word);

	mutex_lock(&reply->mutex);
	reply->read = 0;
	reply->length = 0;
	err = run(word, words, reply);
	if (err || !reply->length)
		reply_add_errno(reply, err);
	reply_add_text(reply, "\n");
	mutex_unlock(&reply->mutex);
	argv_free(word);
	return err ? err : size;
}

static const struct file_operations cmd_fops = {
	.owner = THIS_MODULE,
	.open = cmd_open,
	.read = cmd_read,
	.write = cmd_write,
	.release = cmd_release,
	.llseek = no_llseek,
};

static int status_show(struct seq_file *m, void *unused)
{
	struct group *group;
	int i;

	mutex_lock(&groups_mutex);
	list_for_each_entry(group, &groups, list) {
		for (i = 0; i < group->count; i++) {
			struct member *member = &group->member[i];
			struct kprobe *kp = &member->rp.kp;

			seq_printf(m, "%s.%d %c 0x%lx", group->name, i,
				   group->returns ? 'r' : 'k', (unsigned long)kp->addr);
			seq_printf(m, " before=%ld after=%ld entries=%ld",
				   atomic_long_read(&member->before),
				   atomic_long_read(&member->after),
				   atomic_long_read(&member->entries));
			seq_printf(m, " missed=%ld err=%d refusal=%d%s%s%s%s%s%s%s\n",
				   group->returns ? (long)member->rp.nmissed :
						    (long)kp->nmissed,
				   group->err, member->refusal,
				   group->registered && kprobe_gone(kp) ? " gone" : "",
				   group->registered && kprobe_disabled(kp) ? " disabled" : "",
				   group->registered && kprobe_ftrace(kp) ? " ftrace" : "",
				   member->saw & SAW_PREEMPTIBLE ? " preemptible" : "",
				   member->saw & SAW_IRQS_ON ? " irqs-on" : "",
				   member->saw & SAW_IRQS_OFF ? " irqs-off" : "",
				   member->saw & SAW_OTHER_IP ? " other-ip" : "");
		}
	}
	mutex_unlock(&groups_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	struct group *group;

	if (event != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	mutex_lock(&groups_mutex);
	list_for_each_entry(group, &groups, list) {
		if (!group->registered && !strcmp(group->module, mod->name))
			group_register(group);
	}
	mutex_unlock(&groups_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = {
	.notifier_call = module_event,
};

static struct dentry *folder;

static int __init kprobes_test_ctl_init(void)
{
	int err = register_module_notifier(&module_nb);

	if (err)
		return err;
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("cmd", 0600, folder, NULL, &cmd_fops);
	debugfs_create_file("status", 0400, folder, NULL, &status_fops);
	return 0;
}

/* Leaves no probe behind, whatever runs into them meanwhile. */
static void __exit kprobes_test_ctl_exit(void)
{
	struct group *group, *next;

	debugfs_remove(folder);
	unregister_module_notifier(&module_nb);
	list_for_each_entry_safe(group, next, &groups, list) {
		list_del_init(&group->list);
		group_unregister(group);
		group_put(group);
	}
}

module_init(kprobes_test_ctl_init);
module_exit(kprobes_test_ctl_exit);
MODULE_DESCRIPTION("Kernel probes test: the API, driven from a shell");
MODULE_LICENSE("GPL");
