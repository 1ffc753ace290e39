// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

namespace tilescope {

/// A flag that one thread (or a signal handler) raises and long work polls.
class CancelToken {
  public:
    void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> cancelled_{false};
    static_assert(std::atomic<bool>::is_always_lock_free, "raised from a signal handler");
};

} // namespace tilescope
