// SPDX-License-Identifier: GPL-3.0-or-later
/// What a training of 100 million steps costs that is only estimated, beside its limits: the file, and how
/// long it takes to open it, to draw all of it and any part of it, to add up any range and to find where
/// something ran. Wall times, the longest of many; the file beside that of a training of a thousandth of the
/// length.
///
///     bench_trace [SAMPLE...]    (default: keras_mnist, keras_mnist_8ipu, keras_mnist_pipelined)
#include "analyse/time_line.h"
#include "bench/must.h"
#include "bench/table.h"
#include "bench/trace/long_training.h"
#include "profile/profile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

using namespace tilescope;
using bench::must;

namespace {

constexpr std::int64_t steps = 100'000'000;
constexpr std::size_t columns = 1500; ///< pixels of the window
std::string subject;                  ///< the sample that is looked at
bench::Table table("trace");

double ms_of(const std::function<void()>& what) {
    const auto begin = std::chrono::steady_clock::now();
    what();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void row(const char* what, double value, double limit, const char* unit) {
    table.at_most(subject + ": " + what, value, unit, limit);
}

/// The longest of `times`.
double longest(int times, const std::function<void()>& what) {
    double most = 0;
    for (int i = 0; i < times; ++i)
        most = std::max(most, ms_of(what));
    return most;
}

void measure(const std::string& sample, const std::string& folder) {
    const std::string path = folder + "/long.tilescope";
    const std::string shorter = folder + "/short.tilescope";
    must(bench::estimate_training(sample, steps / 1000, shorter));
    must(bench::estimate_training(sample, steps, path));
    std::unique_ptr<profile::Profile> file;
    subject = sample;
    row("file, by that of a thousandth of the steps",
        static_cast<double>(std::filesystem::file_size(path)) /
            static_cast<double>(std::filesystem::file_size(shorter)),
        1.01, "");
    row("open", ms_of([&] { file = must(profile::Profile::open(path)); }), 1000, "ms");
    std::pair<std::int64_t, std::int64_t> range;
    std::vector<profile::IpuRecord> ipus;
    row("first picture, of all IPUs", ms_of([&] {
            range = must(file->time_range());
            ipus = must(file->ipus());
            (void)must(analyse::time_overview(*file, range, columns));
        }),
        200, "ms");
    const auto totals = must(file->execution_totals(profile::ExecutionKind::Train));
    std::fprintf(stderr, "  (%lld steps in %lld engine runs, %lld cycles, %zu IPUs)\n",
                 static_cast<long long>(totals.steps), static_cast<long long>(totals.executions),
                 static_cast<long long>(range.second), ipus.size());

    std::mt19937_64 random(1);
    const auto part = [&] {
        const auto all = static_cast<double>(range.second - range.first);
        const double width = std::max(1000.0, all * std::pow(0.5, static_cast<double>(random() % 48)));
        const double from = (all - width) * static_cast<double>(random() % 10'000) / 10'000;
        return std::pair(static_cast<std::int64_t>(from), static_cast<std::int64_t>(from + width));
    };
    row("zoom or pan, of all IPUs, the longest of 200",
        longest(200,
                [&] {
                    const auto [from, to] = part();
                    for (const profile::IpuRecord& ipu : ipus)
                        (void)must(
                            file->trace(ipu.id, from, to, (to - from) / static_cast<std::int64_t>(columns)));
                }),
        50, "ms");
    row("totals of a range, the longest of 200",
        longest(200,
                [&] { (void)must(analyse::range_totals(*file, ipus[random() % ipus.size()].id, part())); }),
        100, "ms");
    const auto program = must(file->program());
    row("the first 1,000 runs of a program step, longest of 100",
        longest(100,
                [&] {
                    const std::vector<std::int64_t> wanted = {program[random() % program.size()].id};
                    for (const profile::IpuRecord& ipu : ipus) {
                        int found = 0;
                        must(file->trace_steps(ipu.id, range.first, range.second, &wanted,
                                               [&](const profile::TraceSlice&) { return ++found < 1000; }));
                    }
                }),
        50, "ms");
    row("SQL: one engine run's program steps, longest of 20",
        longest(20,
                [&] {
                    (void)must(file->query(
                        "SELECT count(*), sum(compute) FROM trace WHERE ipu = 0 AND execution_id = " +
                        std::to_string(random() % static_cast<std::uint64_t>(totals.executions))));
                }),
        50, "ms");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    row("memory, with what compiled it", static_cast<double>(usage.ru_maxrss) / 1024, 300, "MiB");
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> samples(argv + 1, argv + argc);
    if (samples.empty())
        samples = {"keras_mnist", "keras_mnist_8ipu", "keras_mnist_pipelined"};
    const auto folder = std::filesystem::temp_directory_path() / ("bench_trace_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    for (const std::string& sample : samples)
        measure(sample, folder.string());
    std::filesystem::remove_all(folder);
    return table.exit_code();
}
