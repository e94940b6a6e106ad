// SPDX-License-Identifier: MIT
// A pass as a kernel.
#define PASS(name, view, one)                                                                                          \
    __attribute__((global)) void name(view v, int count) {                                                             \
        int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();         \
        if (i < count) one(&v, i);                                                                                     \
    }
