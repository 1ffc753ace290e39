// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <new>

/// Loaded before a program (LD_PRELOAD), lets one `new` of it fail: that of the number TILESCOPE_FAILING_NEW,
/// counted from 1 since main() began. How many there were until then or the end of main() is written to
/// TILESCOPE_COUNTED_NEW, where that is set.
namespace {

using Main = int (*)(int, char**, char**);

std::atomic<long> made{-1}; ///< -1: main() has not begun
std::atomic<long> failing{0};
Main real_main = nullptr;

void count() {
    if (made.load(std::memory_order_relaxed) >= 0 && ++made == failing)
        throw std::bad_alloc();
}

int counted_main(int argc, char** argv, char** environment) {
    if (const char* number = std::getenv("TILESCOPE_FAILING_NEW"); number != nullptr)
        failing = std::atol(number);
    made = 0;
    const int code = real_main(argc, argv, environment);
    const long all = made.exchange(-1);
    if (const char* path = std::getenv("TILESCOPE_COUNTED_NEW"); path != nullptr)
        if (std::FILE* file = std::fopen(path, "w"); file != nullptr) {
            std::fprintf(file, "%ld\n", all);
            std::fclose(file);
        }
    return code;
}

} // namespace

extern "C" int __libc_start_main(Main main, int argc, char** argv, // NOLINT(bugprone-reserved-identifier)
                                 int (*init)(int, char**, char**), void (*fini)(), void (*loader_fini)(),
                                 void* stack_end) {
    real_main = main;
    const auto real = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return real(&counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

// Not inlined: GCC would take free() for a mistake. The other forms of new and delete come down to these.
// Who asks for what may be nothing, as a stable sort for its buffer, does without: that is not counted.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    count();
    if (void* memory = std::malloc(size == 0 ? 1 : size))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    count();
    const auto to = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(to, (size + to - 1) / to * to))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*unused*/) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*unused*/) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*unused*/,
                                       std::align_val_t /*unused*/) noexcept {
    std::free(memory);
}
