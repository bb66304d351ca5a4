/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the host tests' programs print: KTAP.  And what they try: numbers that
 * are the same in each run.
 */
#ifndef KPROBES_HOST_KTAP_H
#define KPROBES_HOST_KTAP_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static unsigned int nr_tests, nr_bad, nr_complaints;

/* Something is wrong with what is being tested. */
static void __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list args;

	if (++nr_complaints > 20)
		return;
	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* The test ends; it has passed if there was no complaint. */
static void __attribute__((format(printf, 1, 2))) result(const char *format, ...)
{
	va_list args;

	nr_tests++;
	if (nr_complaints)
		nr_bad++;
	printf("%sok %u ", nr_complaints ? "not " : "", nr_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	if (nr_complaints)
		printf(" (%u wrong)", nr_complaints);
	printf("\n");
	fflush(stdout);
	nr_complaints = 0;
}

/* Marsaglia, "Xorshift RNGs" (2003). */
static inline uint64_t random64(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

#endif /* KPROBES_HOST_KTAP_H */
