// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes made by perf_event_open(2), counted by perf and by BPF programs.
 *
 * Each case probes a system call's function for this task only, makes the call
 * a known number of times and compares.  Static, needs no library for BPF.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS		1000
/* Pid namespaces; $KPROBES_ROUNDS overrides it. */
#define ROUNDS		100
/* A round takes milliseconds. */
#define STUCK_SECONDS	60
#define OVERRIDDEN	77

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum result { PASS, FAIL, SKIP };

static char function[128];
static unsigned int pmu_type;
static int retprobe_bit;
static char reason[160];

#define because(result, ...)						\
	(snprintf(reason, sizeof(reason), __VA_ARGS__), (result))

static void call_it(int times)
{
	while (times--)
		syscall(SYS_getppid);
}

/* ---- perf ---- */

static int read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "r");
	int number = -1;

	if (!file)
		return -1;
	if (fscanf(file, format, &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

/* The name depends on how the architecture wraps system calls. */
static int find_function(void)
{
	static const char * const names[] = {
#ifdef __x86_64__
		"__x64_sys_getppid",
#endif
#ifdef __i386__
		"__ia32_sys_getppid",
#endif
		"__arm64_sys_getppid", "__riscv_sys_getppid", "__s390x_sys_getppid",
		"__powerpc_sys_getppid", "sys_getppid", "__se_sys_getppid",
	};
	char line[256], name[128], type;
	FILE *file = fopen("/proc/kallsyms", "r");
	size_t i, best = ARRAY_SIZE(names);
	unsigned long long addr;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %c %127s", &addr, &type, name) != 3 ||
		    (type != 't' && type != 'T'))
			continue;
		for (i = 0; i < best; i++) {
			if (!strcmp(name, names[i])) {
				strcpy(function, name);
				best = i;
			}
		}
	}
	if (file)
		fclose(file);
	return function[0] ? 0 : -1;
}

static int probe_at(const char *name, unsigned int offset, int on_return)
{
	struct perf_event_attr attr = {
		.type = pmu_type,
		.size = sizeof(attr),
		.config = on_return ? 1ULL << retprobe_bit : 0,
		.kprobe_func = (unsigned long)name,
		.probe_offset = offset,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int probe(const char *name, int on_return)
{
	return probe_at(name, 0, on_return);
}

static long long count_of(int fd)
{
	__u64 count;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return -1;
	return count;
}

static enum result perf_counts(int on_return)
{
	int fd = probe(function, on_return);
	long long before, after;

	if (fd < 0)
		return because(FAIL, "probe on %s: %s", function, strerror(-fd));
	before = count_of(fd);
	call_it(CALLS);
	after = count_of(fd);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	call_it(CALLS);
	if (count_of(fd) != after)
		return because(FAIL, "counts while disabled");
	close(fd);
	call_it(1);
	if (before || after != CALLS)
		return because(FAIL, "%d calls, counted %lld, then %lld", CALLS,
			       before, after);
	return PASS;
}

static enum result perf_counts_calls(void)
{
	return perf_counts(0);
}

static enum result perf_counts_returns(void)
{
	return perf_counts(1);
}

static enum result perf_refuses_unknown_function(void)
{
	int fd = probe("there_is_no_such_function_here", 0);

	if (fd >= 0) {
		close(fd);
		return because(FAIL, "a probe on nothing was accepted");
	}
	if (fd != -ENOENT)
		return because(FAIL, "%s instead of ENOENT", strerror(-fd));
	return PASS;
}

/* Many events on one function: each counts for itself. */
static enum result perf_events_share_a_function(void)
{
	int fd[20], i;
	long long count;

	for (i = 0; i < 20; i++) {
		fd[i] = probe(function, i % 2);
		if (fd[i] < 0)
			return because(FAIL, "event %d: %s", i, strerror(-fd[i]));
		call_it(10);
	}
	for (i = 0; i < 20; i++) {
		count = count_of(fd[i]);
		if (count != (20 - i) * 10)
			return because(FAIL, "event %d counted %lld of %d", i, count,
				       (20 - i) * 10);
		close(fd[i]);
	}
	return PASS;
}

/* ---- pid namespaces ---- */

#define PROBED "vfs_read"

static void stuck(int signal)
{
	static const char message[] = "# a namespace does not come to its end\n";

	(void)!write(STDOUT_FILENO, message, sizeof(message) - 1);
	_exit(1);
}

/* 1: there is a jump; 0: there will be none; -1: undecided. */
static int jump_state(void)
{
	FILE *file = fopen("/sys/kernel/debug/kprobes/stats", "r");
	char line[512];
	int state = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, " " PROBED "+"))
			continue;
		if (strstr(line, "no-jump=\"waiting") || strstr(line, "no-jump=\"in the"))
			state = -1;
		else
			state = !!strstr(line, " jump hits=");
	}
	if (file)
		fclose(file);
	return state;
}

/* Where a probe gets a jump; 0 if nowhere. */
static unsigned int offset_of_jump(void)
{
	unsigned int offset, tries;
	int fd, state;

	for (offset = 1; offset < 64; offset++) {
		fd = probe_at(PROBED, offset, 0);
		if (fd < 0)
			continue;
		/* The first one since boot takes longest. */
		for (tries = 0; tries < 2000; tries++) {
			state = jump_state();
			if (state >= 0)
				break;
			usleep(10000);
		}
		close(fd);
		if (state > 0)
			return offset;
	}
	return 0;
}

/* The first process of a namespace: it dies while another one has a probe. */
static void live_and_die(unsigned int offset)
{
	int ready[2], fd;
	char word = 0;

	if (pipe(ready))
		_exit(1);
	if (!fork()) {
		fd = probe_at(PROBED, offset, 0);
		word = fd >= 0;
		(void)!write(ready[1], &word, 1);
		for (;;)
			pause();
	}
	_exit(read(ready[0], &word, 1) != 1 || !word);
}

/*
 * The optimizer waits for tasks that exit, the namespace for its processes, and
 * one of them for its probe: must not go in a circle.
 */
static enum result perf_probes_go_with_pid_namespaces(void)
{
	const char *rounds = getenv("KPROBES_ROUNDS");
	int i, n = rounds ? atoi(rounds) : ROUNDS, status;
	unsigned int offset = offset_of_jump();
	enum result result = PASS;
	pid_t pid;

	printf("# " PROBED "+%u, %d namespaces\n", offset, n);
	signal(SIGALRM, stuck);
	for (i = 0; i < n && result == PASS; i++) {
		alarm(STUCK_SECONDS);
		pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
		if (!pid)
			live_and_die(offset);
		if (pid < 0)
			result = because(errno == EINVAL ? SKIP : FAIL, "no pid namespace: %s",
					 strerror(errno));
		else if (waitpid(pid, &status, 0) != pid || status)
			result = because(FAIL, "round %d: status %x", i, status);
	}
	alarm(0);
	return result;
}

/* ---- BPF ---- */

static int bpf(int command, union bpf_attr *attr, unsigned int size)
{
	int ret = syscall(SYS_bpf, command, attr, size);

	return ret < 0 ? -errno : ret;
}

static int make_map(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 8;
	attr.max_entries = 1;
	return bpf(BPF_MAP_CREATE, &attr, sizeof(attr));
}

static long long map_value(int map)
{
	__u32 key = 0;
	__u64 value = 0;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)&value;
	return bpf(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)) ? -1 : (long long)value;
}

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })

static int load(const struct bpf_insn *insns, unsigned int count)
{
	static char log[4096];
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = count;
	attr.license = (unsigned long)"GPL";
	fd = bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0) {
		/* Once more for the verifier's words. */
		attr.log_buf = (unsigned long)log;
		attr.log_size = sizeof(log);
		attr.log_level = 1;
		bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
		if (log[0])
			printf("# %.500s\n", log);
	}
	return fd;
}

/* Adds one to the map's value. */
static int load_counter(int map)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ST | BPF_W | BPF_MEM, BPF_REG_10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, BPF_REG_0, BPF_REG_1, 0, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return load(insns, ARRAY_SIZE(insns));
}

/* Makes the probed function return -OVERRIDDEN. */
static int load_overrider(void)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, -OVERRIDDEN),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_override_return),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return load(insns, ARRAY_SIZE(insns));
}

static enum result bpf_counts(int on_return)
{
	int map, prog, fd;
	long long during;

	map = make_map();
	if (map == -ENOSYS)
		return because(SKIP, "no bpf system call");
	if (map < 0)
		return because(FAIL, "map: %s", strerror(-map));
	prog = load_counter(map);
	if (prog < 0)
		return because(FAIL, "program: %s", strerror(-prog));
	fd = probe(function, on_return);
	if (fd < 0)
		return because(FAIL, "probe: %s", strerror(-fd));
	/* One call more than the program is to see. */
	call_it(1);
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog)) {
		if (errno == EOPNOTSUPP || errno == EINVAL)
			return because(SKIP, "no BPF programs on perf events");
		return because(FAIL, "attach: %s", strerror(errno));
	}
	call_it(CALLS);
	during = map_value(map);
	close(fd);
	call_it(CALLS);
	if (during != CALLS)
		return because(FAIL, "%d calls, the program saw %lld", CALLS, during);
	if (map_value(map) != during)
		return because(FAIL, "the program runs although its event is closed");
	close(prog);
	close(map);
	return PASS;
}

static enum result bpf_counts_calls(void)
{
	return bpf_counts(0);
}

static enum result bpf_counts_returns(void)
{
	return bpf_counts(1);
}

static enum result bpf_overrides_the_function(void)
{
	long before = syscall(SYS_getppid), during;
	int prog, fd, error;

	prog = load_overrider();
	if (prog < 0)
		return because(SKIP, "program: %s (CONFIG_BPF_KPROBE_OVERRIDE?)",
			       strerror(-prog));
	fd = probe(function, 0);
	if (fd < 0)
		return because(FAIL, "probe: %s", strerror(-fd));
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		return because(errno == EINVAL ? SKIP : FAIL, "attach to %s: %s",
			       function, strerror(errno));
	errno = 0;
	during = syscall(SYS_getppid);
	error = errno;
	close(fd);
	close(prog);
	if (during != -1 || error != OVERRIDDEN)
		return because(FAIL, "getppid() was to fail with %d: %ld, errno %d",
			       OVERRIDDEN, during, error);
	if (syscall(SYS_getppid) != before)
		return because(FAIL, "getppid() is still overridden");
	return PASS;
}

static const struct {
	const char *name;
	enum result (*run)(void);
} tests[] = {
	{ "perf_counts_calls", perf_counts_calls },
	{ "perf_counts_returns", perf_counts_returns },
	{ "perf_refuses_unknown_function", perf_refuses_unknown_function },
	{ "perf_events_share_a_function", perf_events_share_a_function },
	{ "perf_probes_go_with_pid_namespaces", perf_probes_go_with_pid_namespaces },
	{ "bpf_counts_calls", bpf_counts_calls },
	{ "bpf_counts_returns", bpf_counts_returns },
	{ "bpf_overrides_the_function", bpf_overrides_the_function },
};

#define PMU "/sys/bus/event_source/devices/kprobe"

int main(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	size_t i, count = ARRAY_SIZE(tests);
	int type, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n");
	type = read_number(PMU "/type", "%d");
	retprobe_bit = read_number(PMU "/format/retprobe", "config:%d");
	if (geteuid() || type < 0 || retprobe_bit < 0 || find_function()) {
		printf("1..0 # SKIP needs root, CONFIG_KPROBE_EVENTS and CONFIG_PERF_EVENTS\n");
		return 4;
	}
	pmu_type = type;
	setrlimit(RLIMIT_MEMLOCK, &all);

	printf("1..%zu\n", count);
	for (i = 0; i < count; i++) {
		enum result result = tests[i].run();

		if (result == FAIL)
			printf("# %s\n", reason);
		printf("%s %zu %s%s%s\n", result == FAIL ? "not ok" : "ok", i + 1,
		       tests[i].name, result == SKIP ? " # SKIP " : "",
		       result == SKIP ? reason : "");
		failed |= result == FAIL;
	}
	return failed;
}
