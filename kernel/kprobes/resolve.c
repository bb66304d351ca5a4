// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel probes: from what the caller names to an address.
 *
 * A probe is placed by address or by symbol, plus an offset.  A name that
 * stands for several functions is refused, never guessed.  Where a function
 * begins with something that must stay in place (ENDBR, BTI), the probe goes
 * behind it; kprobe::addr then says so, and every file and handler shows the
 * same address.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/string.h>

#include "internal.h"

/**
 * kprobe_lookup_name() - address of a symbol
 * @name: its name, or "module:name"
 * @offset: ignored; for architectures whose entry depends on it
 *
 * Context: process context.
 * Return: the address, or NULL.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	return (kprobe_opcode_t *)kallsyms_lookup_name(name);
}

/**
 * struct name_match - what a search by name has found
 * @name: the name
 * @modname: only in this module, or NULL
 * @first: address of the match seen last
 * @count: functions found
 */
struct name_match {
	const char *name;
	const char *modname;
	unsigned long first;
	unsigned int count;
};

static int count_address(void *data, unsigned long addr)
{
	struct name_match *match = data;

	/* Two names for one address are no ambiguity. */
	if (match->count && match->first == addr)
		return 0;
	match->first = addr;
	match->count++;
	return 0;
}

static int count_in_module(void *data, const char *name, struct module *mod,
			   unsigned long addr)
{
	struct name_match *match = data;

	if (match->modname && strcmp(mod->name, match->modname))
		return 0;
	return strcmp(name, match->name) ? 0 : count_address(match, addr);
}

/*
 * How many functions a symbol may mean.  A bare name means one of vmlinux, and
 * only if there is none one of a module.
 */
static unsigned int count_functions(const char *modname, const char *name)
{
	struct name_match match = { .name = name, .modname = modname };

	if (!modname)
		kallsyms_on_each_match_symbol(count_address, name, &match);
	if (!match.count)
		module_kallsyms_on_each_symbol(count_in_module, &match);
	return match.count;
}

struct near_match {
	const char *name;
	size_t len;
	bool found;
};

static int find_suffixed(void *data, const char *name, struct module *mod,
			 unsigned long addr)
{
	struct near_match *near = data;

	if (strncmp(name, near->name, near->len) || name[near->len] != '.')
		return 0;
	near->found = true;
	return 1;
}

/* Compilers rename functions they specialize: foo becomes foo.isra.0. */
static const char *explain_unknown(const char *name)
{
	struct near_match near = { .name = name, .len = strlen(name) };

	kallsyms_on_each_symbol(find_suffixed, &near);
	if (!near.found)
		module_kallsyms_on_each_symbol(find_suffixed, &near);
	if (near.found)
		return
		"no such symbol, but one with a suffix exists (.isra, .constprop, .part, .cold)";
	return "no such symbol";
}

static int resolve_symbol(const char *symbol, unsigned long *entry, const char **why)
{
	const char *colon = strchr(symbol, ':');
	const char *name = colon ? colon + 1 : symbol;
	char modname[MODULE_NAME_LEN];

	if (!*name || name - symbol > MODULE_NAME_LEN) {
		*why = "not a symbol name";
		return -EINVAL;
	}
	*entry = (unsigned long)kprobe_lookup_name(symbol, 0);
	if (!*entry) {
		*why = colon ? "no such module or symbol" : explain_unknown(symbol);
		return -ENOENT;
	}

	if (colon)
		strscpy(modname, symbol, name - symbol);
	if (count_functions(colon ? modname : NULL, name) > 1) {
		*why = "several functions have this name: use the address";
		return -EADDRNOTAVAIL;
	}
	return 0;
}

/* The quick way to a function of the kernel itself, see names.c. */
static bool find_without_name(unsigned long addr, struct kprobe_function *fn)
{
	unsigned long offset;

	if (!kprobe_names_known(addr) ||
	    !kallsyms_lookup_size_offset(addr, &fn->size, &offset))
		return false;
	fn->start = addr - offset;
	fn->name_matters = kprobe_name_listed(fn->start);
	return true;
}

static bool find_with_name(unsigned long addr, struct kprobe_function *fn)
{
	char *module, buffer[KSYM_NAME_LEN];
	unsigned long offset;
	const char *name;

	name = kallsyms_lookup(addr, &fn->size, &offset, &module, buffer);
	if (!name)
		return false;
	fn->start = addr - offset;
	fn->name_matters = kprobe_name_matters(name);
	return true;
}

static void set_start(struct kprobe_function *fn, unsigned long start)
{
	fn->start = start;
	fn->entry = start + arch_kprobe_entry_offset(start);
}

/**
 * kprobe_find_function() - look up the function an address is in
 * @addr: any address
 * @fn: set to the function; to zeroes if there is none
 *
 * A module's function may be gone when this returns, unless it is pinned.
 *
 * Context: process context.
 */
void kprobe_find_function(unsigned long addr, struct kprobe_function *fn)
{
	if (find_without_name(addr, fn) || find_with_name(addr, fn))
		set_start(fn, fn->start);
	else
		*fn = (struct kprobe_function){ 0 };
}

static bool is_entry_of(unsigned long addr, const struct kprobe_function *fn)
{
	return fn->start && (addr == fn->start || addr == fn->entry);
}

/**
 * kprobe_is_function_entry() - is this where probes on a function's entry go
 * @addr: an address in kernel text
 *
 * Context: process context.
 */
bool kprobe_is_function_entry(unsigned long addr)
{
	struct kprobe_function fn;

	kprobe_find_function(addr, &fn);
	return is_entry_of(addr, &fn);
}

/**
 * kprobe_resolve() - find out where a probe goes
 * @p: the probe: @p->addr or @p->symbol_name, and @p->offset
 * @addr: set to the address
 * @fn: set to the function it is in; the size may be missing
 * @on_entry: set to whether it is the entry of a function
 * @why: set to the reason of a failure
 *
 * Context: process context.
 * Return: 0; -EINVAL if neither or both of address and symbol are given;
 * -ENOENT if there is no such symbol; -EADDRNOTAVAIL if there are several.
 */
int kprobe_resolve(struct kprobe *p, unsigned long *addr, struct kprobe_function *fn,
		   bool *on_entry, const char **why)
{
	unsigned long base;
	int ret;

	if (!p->addr == !p->symbol_name) {
		*why = p->addr ? "both an address and a symbol are given" :
				 "neither an address nor a symbol is given";
		return -EINVAL;
	}

	if (p->symbol_name) {
		ret = resolve_symbol(p->symbol_name, &base, why);
		if (ret)
			return ret;
	} else {
		base = (unsigned long)p->addr;
	}

	if (base + p->offset < base) {
		*why = "address and offset overflow";
		return -EINVAL;
	}
	*addr = base + p->offset;
	if (p->symbol_name && !p->offset) {
		/* It is where a function starts, even if its module has gone since. */
		set_start(fn, base);
		fn->size = 0;
	} else {
		kprobe_find_function(*addr, fn);
	}
	*on_entry = is_entry_of(*addr, fn);
	if (*addr == fn->start)
		*addr = fn->entry;
	return 0;
}

/**
 * kprobe_on_func_entry() - does a place name the entry of a function
 * @addr: address, or NULL
 * @sym: symbol, or NULL
 * @offset: added to either
 *
 * For those who want to know before they register.
 *
 * Context: process context.
 * Return: 0 if it does; -EINVAL if it does not, or if neither or both of @addr
 * and @sym are given; -ENOENT if there is no such symbol.  A name that several
 * functions have is judged by the first of them.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	unsigned long base = (unsigned long)addr;

	if (!addr == !sym)
		return -EINVAL;
	if (sym) {
		base = (unsigned long)kprobe_lookup_name(sym, offset);
		if (!base)
			return -ENOENT;
	}
	return kprobe_is_function_entry(base + offset) ? 0 : -EINVAL;
}
