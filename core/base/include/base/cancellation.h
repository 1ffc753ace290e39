// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace tilescope {

/// A flag that one thread (or a signal handler) raises and long work polls.
class CancelToken {
  public:
    void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
    /// Raises the flag when it is polled for the n-th time from now on: so a test ends work at a place of its
    /// choice.
    void cancel_at_poll(std::int64_t n) noexcept { polls_left_.store(n, std::memory_order_relaxed); }
    bool cancelled() const noexcept {
        if (polls_left_.load(std::memory_order_relaxed) > 0 &&
            polls_left_.fetch_sub(1, std::memory_order_relaxed) == 1)
            cancelled_.store(true, std::memory_order_relaxed);
        return cancelled_.load(std::memory_order_relaxed);
    }

  private:
    mutable std::atomic<bool> cancelled_{false};
    mutable std::atomic<std::int64_t> polls_left_{0};
    static_assert(std::atomic<bool>::is_always_lock_free, "raised from a signal handler");
};

/// Whether it was asked to end: work without a token never is.
inline bool is_cancelled(const CancelToken* token) noexcept {
    return token != nullptr && token->cancelled();
}

} // namespace tilescope
