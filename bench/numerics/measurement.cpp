// SPDX-License-Identifier: GPL-3.0-or-later
#include "measurement.h"

#include "base/random.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace tilescope::bench {
namespace {

double processor_s() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double wall_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

std::vector<Batch> random_batches(std::size_t count, std::int64_t batch, std::int64_t features) {
    std::vector<Batch> batches(count);
    const RandomStream random(11, 0);
    std::uint64_t at = 0;
    for (Batch& b : batches)
        for (std::int64_t i = 0; i < batch; ++i) {
            const auto label = static_cast<std::int32_t>(random.bits(at++) % 10);
            b.labels.push_back(label);
            for (std::int64_t k = 0; k < features; ++k) {
                const float noise = static_cast<float>(random.bits(at++) >> 8) / 16777216.0F;
                const bool lit = k * 10 / features == label; // a bright band, of its own for each class
                b.samples.push_back(lit ? 0.5F + noise / 2 : noise / 2);
            }
        }
    return batches;
}

std::vector<float> Training::losses(const std::vector<Batch>& batches) {
    std::vector<float> all(batches.size());
    std::transform(batches.begin(), batches.end(), all.begin(),
                   [this](const Batch& batch) { return step(batch); });
    return all;
}

Round Training::round(const std::vector<Batch>& batches) {
    const double processor = processor_s();
    const double wall = wall_s();
    std::size_t steps = 0;
    do
        step(batches[steps++ % batches.size()]);
    while (processor_s() - processor < round_s);
    return {static_cast<double>(steps * batches.front().labels.size()), processor_s() - processor,
            wall_s() - wall};
}

double largest_difference(std::vector<Contestant>& contestants, const std::vector<Batch>& batches) {
    double largest = 0;
    const std::vector<float> first = contestants.front().training->losses(batches);
    for (std::size_t c = 1; c < contestants.size(); ++c) {
        const std::vector<float> other = contestants[c].training->losses(batches);
        for (std::size_t i = 0; i < first.size(); ++i) {
            const double wanted = static_cast<double>(first[i]);
            const double got = i < other.size() ? static_cast<double>(other[i]) : std::nan("");
            const double difference = std::fabs(got - wanted) / std::max(1e-2, std::fabs(wanted));
            largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
        }
    }
    return largest;
}

void measure(std::vector<Contestant>& contestants, const std::vector<Batch>& batches, int rounds) {
    for (int round = 0; round < rounds; ++round)
        for (Contestant& contestant : contestants) {
            const Round done = contestant.training->round(batches);
            contestant.rate.of_processor =
                std::max(contestant.rate.of_processor, done.samples / done.processor_s);
            contestant.rate.of_wall = std::max(contestant.rate.of_wall, done.samples / done.wall_s);
        }
}

} // namespace tilescope::bench
