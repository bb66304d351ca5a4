/* SPDX-License-Identifier: GPL-2.0-only */
/* The options are on the command line of the compiler. */
