// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

/// Looks for so long whether what it waits for has come before a thread sleeps: as long as it takes to wake
/// one.
constexpr std::chrono::microseconds worth_looking{50};

template<class Come>
void look_for(const Come& come) {
    const auto until = std::chrono::steady_clock::now() + worth_looking;
    while (!come() && std::chrono::steady_clock::now() < until)
        for (int i = 0; i < 16; ++i) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
}

} // namespace

struct WorkerPool::State {
    std::mutex mutex;
    std::condition_variable wake;
    std::condition_variable done;
    const std::function<void(std::size_t, std::size_t)>* body = nullptr;
    std::size_t count = 0;
    std::size_t chunk = 0;
    std::size_t next = 0;
    std::atomic<std::size_t> running = 0; ///< changed with the lock held; looked at without
    std::atomic<std::size_t> calls = 0;   ///< of run() that share work out, so far; likewise
    bool stop = false;
    std::exception_ptr thrown; ///< by a body, the first one
    std::vector<std::thread> threads;

    ~State() {
        {
            const std::lock_guard lock(mutex);
            stop = true;
        }
        wake.notify_all();
        for (auto& thread : threads)
            thread.join();
    }

    /// Takes chunks until none is left. The lock is held on entry and on exit.
    void work(std::unique_lock<std::mutex>& lock) {
        while (next < count) {
            const std::size_t begin = next;
            const std::size_t end = std::min(count, begin + chunk);
            const auto* current = body;
            next = end;
            ++running;
            lock.unlock();
            std::exception_ptr caught;
            try {
                (*current)(begin, end);
            } catch (...) { // goes on in the thread that shares out the work
                caught = std::current_exception();
            }
            lock.lock();
            if (!thrown)
                thrown = std::move(caught);
            if (--running == 0 && next >= count)
                done.notify_all();
        }
    }
};

WorkerPool::WorkerPool(std::size_t threads) : state_(std::make_unique<State>()) {
    if (threads == 0)
        threads = std::max(1U, std::thread::hardware_concurrency());
    const auto serve = [state = state_.get()] {
        std::unique_lock lock(state->mutex);
        while (true) {
            const std::size_t seen = state->calls;
            if (seen > 0 && state->next >= state->count) { // the next one may follow at once
                lock.unlock();
                look_for([&] { return state->calls != seen; });
                lock.lock();
            }
            state->wake.wait(lock, [&] { return state->stop || state->next < state->count; });
            if (state->stop)
                return;
            state->work(lock);
        }
    };
    try {
        for (std::size_t i = 1; i < threads; ++i)
            state_->threads.emplace_back(serve);
    } catch (const std::system_error&) { // no room for its stack
        throw std::bad_alloc();
    }
}

WorkerPool::~WorkerPool() = default;

std::size_t WorkerPool::threads() const {
    return state_->threads.size() + 1;
}

void WorkerPool::run(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) {
    if (count == 0)
        return;
    const std::size_t share = (count + threads() - 1) / threads();
    const std::size_t chunk = std::max({share, grain, std::size_t{1}});
    if (chunk >= count || threads() == 1) {
        body(0, count);
        return;
    }
    std::unique_lock lock(state_->mutex);
    state_->body = &body;
    state_->chunk = chunk;
    state_->next = 0;
    state_->count = count;
    ++state_->calls;
    state_->wake.notify_all();
    state_->work(lock);
    if (state_->running > 0) {
        lock.unlock();
        look_for([&] { return state_->running == 0; });
        lock.lock();
    }
    state_->done.wait(lock, [&] { return state_->running == 0 && state_->next >= state_->count; });
    state_->body = nullptr;
    state_->count = 0;
    state_->next = 0;
    if (state_->thrown)
        std::rethrow_exception(std::exchange(state_->thrown, nullptr));
}

} // namespace tilescope
