// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

namespace tilescope {

/// How many items of so many nanoseconds each are worth a thread: another one takes about 50 us to wake and
/// to be waited for (two virtual cores), and is to save more than that. Items of an empty tensor take 0.
constexpr std::size_t worth_a_thread(double nanoseconds) {
    constexpr double worth = 100'000;
    constexpr double least = 1e-3; // a quotient that a whole number holds
    return nanoseconds >= worth ? 1 : 1 + static_cast<std::size_t>(worth / std::max(nanoseconds, least));
}

/// Threads that share out index ranges. One pool serves one caller at a time.
class WorkerPool {
  public:
    /// `threads` includes the calling thread; 0 means one per core.
    explicit WorkerPool(std::size_t threads = 0);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    std::size_t threads() const;

    /// Calls body(begin, end) for chunks that together cover [0, count), each at least `grain` long
    /// but for the last, and returns when all are done. The chunking depends only on count, grain and
    /// threads(), so results that depend on it are the same on every run. What one throws is thrown here.
    template<class Body>
    void parallel_for(std::size_t count, std::size_t grain, const Body& body) {
        run(count, grain, std::cref(body)); // a function of a reference takes no memory of its own
    }

  private:
    void run(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace tilescope
