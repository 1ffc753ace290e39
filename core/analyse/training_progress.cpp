// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/training_progress.h"

#include <algorithm>
#include <tuple>

namespace tilescope::analyse {
namespace {

constexpr std::int64_t long_enough_ms = 500; ///< to tell a speed

} // namespace

std::int64_t steps_per_epoch(const profile::ProgressRecord& progress,
                             const profile::ExecutionTotals& training) {
    return std::max(training.steps_per_epoch,
                    progress.activity == profile::RunActivity::Train ? progress.steps : 0);
}

std::optional<double> training_seconds_left(const profile::ProgressRecord& since,
                                            const profile::ProgressRecord& progress,
                                            const profile::ExecutionTotals& training) {
    const std::int64_t of_epoch = steps_per_epoch(progress, training);
    const auto done_at = [&](const profile::ProgressRecord& at) { return at.epoch * of_epoch + at.step; };
    const std::int64_t left = progress.epochs * of_epoch - std::max(training.steps, done_at(progress));
    if (progress.activity != profile::RunActivity::Train || left <= 0)
        return {};
    if (training.steps > 0)
        return static_cast<double>(training.wall_us) * 1e-6 / static_cast<double>(training.steps) *
               static_cast<double>(left);
    const std::int64_t seen_ms = progress.elapsed_ms - since.elapsed_ms;
    const std::int64_t seen = done_at(progress) - done_at(since);
    if (since.activity != progress.activity || seen_ms < long_enough_ms || seen <= 0)
        return {};
    return 1e-3 * static_cast<double>(seen_ms) / static_cast<double>(seen) * static_cast<double>(left);
}

bool in_first_execution(const profile::ProgressRecord& progress, std::int64_t ended) {
    using Activity = profile::RunActivity;
    return ended == 0 && (progress.activity == Activity::Train || progress.activity == Activity::Evaluate ||
                          progress.activity == Activity::Predict);
}

std::optional<double> share_of_pass(const profile::ProgressRecord& progress) {
    if (progress.activity != profile::RunActivity::Compile || progress.pass_share.value_or(0) <= 0)
        return {};
    return progress.pass_share;
}

double share_of_compilation(const profile::ProgressRecord& progress) {
    if (progress.steps <= 0)
        return 0;
    const double passes = static_cast<double>(progress.step) + share_of_pass(progress).value_or(0);
    return std::clamp(passes / static_cast<double>(progress.steps), 0.0, 1.0);
}

profile::ProgressRecord same_work_since(const profile::ProgressRecord& earlier,
                                        const profile::ProgressRecord& now) {
    const auto place = [](const profile::ProgressRecord& at) { return std::tie(at.epoch, at.step); };
    const bool same =
        earlier.activity == profile::RunActivity::Train
            ? place(earlier) <= place(now)
            : place(earlier) == place(now) && earlier.pass_share.value_or(0) <= now.pass_share.value_or(0);
    return same && earlier.activity == now.activity ? earlier : now;
}

std::optional<double> pass_seconds_left(const profile::ProgressRecord& since,
                                        const profile::ProgressRecord& now) {
    const std::int64_t seen_ms = now.elapsed_ms - since.elapsed_ms;
    const double share = now.pass_share.value_or(0);
    const double done = share - since.pass_share.value_or(0);
    if (!share_of_pass(now) || seen_ms < long_enough_ms || done <= 0)
        return {};
    return 1e-3 * static_cast<double>(seen_ms) * (1 - share) / done;
}

} // namespace tilescope::analyse
