// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/allocations.h"

#include <cstdlib>
#include <new>

// All allocations of a test program, one of whose sources includes this, are counted. Not inlined: GCC would
// take free() for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++tilescope::test::allocations;
    if (void* memory = std::malloc(size))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    ++tilescope::test::allocations;
    const auto to = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(to, (size + to - 1) / to * to))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++tilescope::test::allocations;
    return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
