/* SPDX-License-Identifier: GPL-2.0-only */
/* Of arch/x86/include/asm/emulate_prefix.h, which is not for C on a host. */
#define __XEN_EMULATE_PREFIX	0x0f, 0x0b, 0x78, 0x65, 0x6e
#define __KVM_EMULATE_PREFIX	0x0f, 0x0b, 0x6b, 0x76, 0x6d
