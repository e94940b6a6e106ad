// SPDX-License-Identifier: MIT
// Memory that is not cleared, for what is written whole, maybe by another thread: large copies of a state, whose pages
// would cost the thread that steps as much as the copy.
#ifndef SHOAL_UNSET_H
#define SHOAL_UNSET_H

#include <stddef.h>

void* shoal_alloc_unset(size_t count, size_t size); // as shoal_alloc (base/memory.h) otherwise

#endif
