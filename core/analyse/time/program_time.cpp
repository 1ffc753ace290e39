// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/program_time.h"

#include "analyse/io_tiles.h"
#include "base/share.h"
#include "base/try.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace tilescope::analyse {
namespace {

using profile::PhaseCycles;
using profile::ProgramRecord;
using Times = std::vector<std::int64_t>; ///< by IPU

struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool empty = true;
    void add(const Span& other) {
        if (other.empty)
            return;
        begin = empty ? other.begin : std::min(begin, other.begin);
        end = empty ? other.end : std::max(end, other.end);
        empty = false;
    }
};

void add(PhaseCycles& sum, const PhaseCycles& cycles, std::int64_t times) {
    sum.compute += times * cycles.compute;
    sum.exchange += times * cycles.exchange;
    sum.sync += times * cycles.sync;
    sum.inter_ipu += times * cycles.inter_ipu;
    sum.host += times * cycles.host;
}

class Clock {
  public:
    Clock(const std::vector<ProgramRecord>& records, const std::vector<profile::ExchangeRecord>& exchanges,
          const std::vector<profile::PipelineSlotRecord>& slots)
        : records_(records), children_(records.size()), cycles_(records.size()), bytes_(records.size(), 0) {
        readTree();
        readCycles(exchanges);
        readSlots(slots);
        readIo();
        time_.steps.resize(records.size());
        at_.assign(static_cast<std::size_t>(time_.ipus), 0);
    }

    ProgramTime run() {
        for (const std::size_t root : roots_) {
            countRuns(root, 1);
            replay(root, 1);
        }
        time_.elapsed = *std::max_element(at_.begin(), at_.end());
        for (std::size_t r = 0; r < records_.size(); ++r) {
            time_.steps[r].code_bytes = records_[r].code_bytes;
            time_.steps[r].beside = isBeside(r);
        }
        for (std::size_t r = records_.size(); r-- > 0;)
            if (const auto parent = place_.find(records_[r].parent_id); parent != place_.end()) {
                if (!time_.steps[r].beside)
                    add(time_.steps[parent->second].ipu_time, time_.steps[r].ipu_time, 1);
                time_.steps[parent->second].bytes += time_.steps[r].bytes;
                if (const auto code = time_.steps[r].code_bytes)
                    time_.steps[parent->second].code_bytes =
                        time_.steps[parent->second].code_bytes.value_or(0) + *code;
            }
        for (std::size_t r = 0; r < records_.size(); ++r) {
            std::int64_t parts = 0;
            for (const std::size_t child : children_[r])
                parts += time_.steps[child].elapsed;
            time_.steps[r].at_once = parts > time_.steps[r].elapsed;
        }
        return std::move(time_);
    }

  private:
    void readTree() {
        for (std::size_t r = 0; r < records_.size(); ++r) {
            place_[records_[r].id] = r;
            time_.ipus = std::max({time_.ipus, records_[r].ipu + 1, records_[r].peer + 1});
        }
        for (std::size_t r = 0; r < records_.size(); ++r) {
            const auto parent = place_.find(records_[r].parent_id);
            (parent == place_.end() ? roots_ : children_[parent->second]).push_back(r);
        }
        const auto in_order = [&](std::size_t a, std::size_t b) {
            return records_[a].position < records_[b].position;
        };
        for (auto& children : children_)
            std::stable_sort(children.begin(), children.end(), in_order);
    }

    void readCycles(const std::vector<profile::ExchangeRecord>& exchanges) {
        std::unordered_map<std::int64_t, const profile::ExchangeRecord*> exchange_of;
        for (const auto& exchange : exchanges)
            exchange_of[exchange.id] = &exchange;
        for (std::size_t r = 0; r < records_.size(); ++r) {
            const ProgramRecord& record = records_[r];
            const auto found = exchange_of.find(record.exchange_id);
            const bool over = found != exchange_of.end();
            const bool host = over && leaves_ipus(found->second->kind);
            const bool between = over && found->second->kind == profile::ExchangeKind::InterIpu;
            PhaseCycles& cycles = cycles_[r];
            cycles.sync = record.sync_cycles;
            cycles.compute = record.compute_cycles;
            (leaves_ipus(record.kind) || host ? cycles.host
             : between                        ? cycles.inter_ipu
                                              : cycles.exchange) = record.exchange_cycles;
            bytes_[r] = over ? found->second->bytes : 0;
        }
    }

    void readSlots(const std::vector<profile::PipelineSlotRecord>& slots) {
        pipelined_ = !slots.empty();
        for (const auto& slot : slots)
            if (slot.slot >= 0)
                batches_end_ = std::max(batches_end_, slot.end_cycle);
    }

    /// Where the I/O tiles exchange a batch with the host beside the others.
    void readIo() {
        for (std::size_t r = 0; r < records_.size(); ++r)
            if (is_io_wait(records_[r].work()))
                if (const auto infeed = place_.find(records_[r].parent_id); infeed != place_.end())
                    if (const auto loop = place_.find(records_[infeed->second].parent_id);
                        loop != place_.end()) {
                        io_wait_ = r;
                        io_loop_ = loop->second;
                    }
    }

    /// Whether a leaf is of the I/O tiles, beside those that compute.
    bool isBeside(std::size_t r) const {
        if (!io_wait_ || *io_wait_ == r || records_[r].kind != profile::StepKind::StreamCopy ||
            records_[r].role != StepRole::Host)
            return false;
        const auto parent = place_.find(records_[r].parent_id);
        return parent != place_.end() && records_[parent->second].parent_id == records_[io_loop_].id;
    }

    /// What the tiles that compute wait for the others in all turns of the loop over the batches, of which
    /// each takes `body` cycles beside what is exchanged: see run::Clock::overlap().
    std::int64_t ioWaiting(std::int64_t body, std::int64_t turns) const {
        std::int64_t load = 0;
        std::int64_t store = 0;
        for (std::size_t r = 0; r < records_.size(); ++r)
            if (isBeside(r))
                (records_[r].part == profile::ProgramPart::Infeed ? load : store) += cycles_[r].total();
        const auto beyond = [&](std::int64_t cycles) { return std::max<std::int64_t>(0, cycles - body); };
        return load + beyond(load) + std::max<std::int64_t>(0, turns - 2) * beyond(load + store) +
               beyond(store) + store;
    }

    void countRuns(std::size_t r, std::int64_t runs) {
        time_.steps[r].runs = runs;
        for (const std::size_t child : children_[r])
            countRuns(child, runs * std::max<std::int64_t>(1, records_[r].repeats));
    }

    std::vector<std::size_t> takers(const ProgramRecord& record) const {
        if (record.ipu >= 0 && record.peer >= 0 && record.peer != record.ipu)
            return {static_cast<std::size_t>(record.ipu), static_cast<std::size_t>(record.peer)};
        if (record.ipu >= 0)
            return {static_cast<std::size_t>(record.ipu)};
        std::vector<std::size_t> all(at_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        return all;
    }

    void count(std::size_t leaf, std::size_t ipus, std::int64_t times) {
        StepTime& step = time_.steps[leaf];
        add(step.ipu_time, cycles_[leaf], static_cast<std::int64_t>(ipus) * times);
        step.bytes += bytes_[leaf] * times;
    }

    /// One run of a step, which stands for `times`.
    Span replay(std::size_t r, std::int64_t times) {
        const ProgramRecord& record = records_[r];
        Span span;
        if (isBeside(r)) {
            count(r, takers(record).size(), times);
            time_.steps[r].elapsed += times * cycles_[r].total();
            return span;
        }
        if (children_[r].empty()) {
            const auto ipus = takers(record);
            for (const std::size_t ipu : ipus)
                span.begin = std::max(span.begin, at_[ipu]);
            span.end = span.begin + cycles_[r].total();
            span.empty = false;
            for (const std::size_t ipu : ipus)
                at_[ipu] = span.end;
            count(r, ipus.size(), times);
        } else if (pipelined_ && record.loops_over_micro_batches()) {
            const std::int64_t begin = *std::max_element(at_.begin(), at_.end());
            atOnce(r, times * record.repeats);
            span = {begin, begin + batches_end_, false};
            std::fill(at_.begin(), at_.end(), span.end);
        } else {
            span = turns(r, times);
        }
        time_.steps[r].elapsed += times * (span.end - span.begin);
        return span;
    }

    /// All turns of a loop, or the one of a sequence. Once a turn leaves the IPUs as far apart as it found
    /// them, all that follow are like it.
    Span turns(std::size_t r, std::int64_t times) {
        const std::int64_t repeats = std::max<std::int64_t>(1, records_[r].repeats);
        const bool updates = records_[r].loops_over_updates(); // all IPUs end a turn together
        Span span;
        std::int64_t body = 0; // of a turn, without what goes to the I/O tiles and comes from there
        for (std::int64_t turn = 0; turn < repeats; ++turn) {
            const Times before = at_;
            const std::int64_t rest = repeats - turn;
            const bool steady = rest > 1 && (updates || keepsDistances(r));
            const std::int64_t alike = steady ? rest : 1;
            body = 0;
            for (const std::size_t child : children_[r]) {
                const std::int64_t begin = *std::max_element(at_.begin(), at_.end());
                span.add(replay(child, times * alike));
                if (const profile::ProgramPart part = records_[child].part;
                    part != profile::ProgramPart::Infeed && part != profile::ProgramPart::Outfeed)
                    body += *std::max_element(at_.begin(), at_.end()) - begin;
            }
            if (updates)
                std::fill(at_.begin(), at_.end(), *std::max_element(at_.begin(), at_.end()));
            if (!steady)
                continue;
            std::int64_t furthest = 0;
            for (std::size_t ipu = 0; ipu < at_.size(); ++ipu) {
                const std::int64_t turn_cycles = at_[ipu] - before[ipu];
                at_[ipu] += (rest - 1) * turn_cycles;
                furthest = std::max(furthest, turn_cycles);
            }
            span.end += (rest - 1) * furthest;
            break;
        }
        if (io_wait_ && r == io_loop_)
            span.end += waitForIo(ioWaiting(body, repeats), times);
        return span;
    }

    std::int64_t waitForIo(std::int64_t cycles, std::int64_t times) {
        StepTime& wait = time_.steps[*io_wait_];
        wait.elapsed += times * cycles;
        time_.steps[place_.at(records_[*io_wait_].parent_id)].elapsed += times * cycles;
        wait.ipu_time.host += times * cycles;
        for (std::int64_t& at : at_)
            at += cycles;
        return cycles;
    }

    /// Whether a turn of the loop moves every IPU that takes part on by the same time.
    bool keepsDistances(std::size_t r) const {
        Times at = at_;
        for (const std::size_t child : children_[r])
            advance(child, at);
        std::int64_t moved = -1;
        for (std::size_t ipu = 0; ipu < at.size(); ++ipu) {
            const std::int64_t by = at[ipu] - at_[ipu];
            if (by == 0)
                continue;
            if (moved >= 0 && by != moved)
                return false;
            moved = by;
        }
        return true;
    }

    void advance(std::size_t r, Times& at) const {
        if (isBeside(r))
            return;
        if (children_[r].empty()) {
            const auto ipus = takers(records_[r]);
            std::int64_t begin = 0;
            for (const std::size_t ipu : ipus)
                begin = std::max(begin, at[ipu]);
            for (const std::size_t ipu : ipus)
                at[ipu] = begin + cycles_[r].total();
            return;
        }
        for (std::int64_t turn = 0; turn < std::max<std::int64_t>(1, records_[r].repeats); ++turn)
            for (const std::size_t child : children_[r])
                advance(child, at);
    }

    /// What is below the loop over the micro-batches of a pipeline, `times` in all: cycles by IPU, of which
    /// the most are the time that passes.
    Times atOnce(std::size_t r, std::int64_t times) {
        Times by_ipu(at_.size(), 0);
        for (const std::size_t child : children_[r]) {
            const bool leaf = children_[child].empty();
            Times below = leaf ? leafAtOnce(child, times)
                               : atOnce(child, times * std::max<std::int64_t>(1, records_[child].repeats));
            time_.steps[child].elapsed += *std::max_element(below.begin(), below.end());
            for (std::size_t ipu = 0; ipu < by_ipu.size(); ++ipu)
                by_ipu[ipu] += below[ipu];
        }
        return by_ipu;
    }

    /// What all IPUs do for the host counts for the stage that is fed (the first) or fetched from (the last).
    Times leafAtOnce(std::size_t r, std::int64_t times) {
        Times by_ipu(at_.size(), 0);
        auto ipus = takers(records_[r]);
        if (isBeside(r)) {
            count(r, ipus.size(), times);
            time_.steps[r].elapsed += times * cycles_[r].total();
            return by_ipu;
        }
        if (records_[r].ipu < 0)
            ipus = {records_[r].part == profile::ProgramPart::Infeed ? 0 : at_.size() - 1};
        for (const std::size_t ipu : ipus)
            by_ipu[ipu] = times * cycles_[r].total();
        count(r, ipus.size(), times);
        return by_ipu;
    }

    const std::vector<ProgramRecord>& records_;
    std::unordered_map<std::int64_t, std::size_t> place_;
    std::vector<std::size_t> roots_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<PhaseCycles> cycles_; ///< of a leaf, each time
    std::vector<std::int64_t> bytes_;
    std::optional<std::size_t> io_wait_; ///< the step that is the waiting, and the loop that it is in
    std::size_t io_loop_ = 0;
    bool pipelined_ = false;
    std::int64_t batches_end_ = 0; ///< of the pipeline's micro-batches, since a weight update began
    ProgramTime time_;
    Times at_; ///< by IPU: where it stands
};

} // namespace

std::int64_t elapsed_of(const std::vector<StepTime>& steps) {
    std::int64_t sum = 0;
    for (const StepTime& step : steps)
        sum += step.elapsed;
    return sum;
}

ProgramTime program_time(const std::vector<ProgramRecord>& records,
                         const std::vector<profile::ExchangeRecord>& exchanges,
                         const std::vector<profile::PipelineSlotRecord>& slots) {
    return Clock(records, exchanges, slots).run();
}

ExecutionTime execution_time(std::int64_t program_cycles, std::int64_t elapsed) {
    const std::int64_t cycles = std::max(program_cycles, elapsed);
    return {cycles, cycles - program_cycles};
}

double ExecutionTime::share(const StepTime& step) const {
    return cycles == 0 ? 0 : static_cast<double>(step.elapsed) / static_cast<double>(cycles);
}

Result<std::int64_t> planned_cycles(const profile::Profile& profile) {
    TRY(const auto planned, planned_execution(profile));
    if (planned)
        return planned->cycles;
    TRY(const auto program, profile.program());
    TRY(const auto exchanges, profile.exchanges());
    TRY(const auto slots, profile.pipeline_slots(0));
    return program.empty() ? 0 : program_time(program, exchanges, slots).elapsed;
}

Result<std::optional<profile::ExecutionGroupRecord>> planned_execution(const profile::Profile& profile) {
    TRY(const auto executed, profile.execution_groups());
    TRY(const auto spans, profile.schedule_spans());
    TRY(const auto on_ipus, profile.schedule_ipus());
    const auto span =
        std::find_if(spans.begin(), spans.end(), [](const auto& of) { return of.device_program_id == 0; });
    if (!executed.empty() || span == spans.end())
        return std::nullopt;
    const auto row = std::find_if(on_ipus.begin(), on_ipus.end(),
                                  [&](const auto& of) { return of.schedule_id == span->schedule_id; });
    if (row == on_ipus.end())
        return std::nullopt;
    TRY(const auto loops, read_loops(profile));
    profile::ExecutionGroupRecord planned;
    planned.kind = loops.training ? profile::ExecutionKind::Train : profile::ExecutionKind::Predict;
    planned.steps = loops.count(Basis::Step);
    planned.cycles = planned.period_cycles =
        row->compute + row->exchange + row->sync + row->inter_ipu + row->host + row->waiting;
    planned.schedule_id = span->schedule_id;
    return planned;
}

std::optional<double> planned_share(const Cost& cost, std::int64_t planned_cycles) {
    return share_of(cost.cycles.total(), planned_cycles * static_cast<std::int64_t>(cost.ipus.size()));
}

Result<std::optional<LongestTile>> longest_tile(const profile::Profile& profile, std::int64_t compute_set) {
    TRY(const auto ipus, profile.ipus());
    for (const profile::IpuRecord& ipu : ipus) {
        TRY(const auto cycles, profile.tile_values("compute_set", compute_set, ipu.id, "cycles"));
        const auto most = std::max_element(cycles.begin(), cycles.end());
        if (most != cycles.end() && *most > 0)
            return LongestTile{ipu.id, most - cycles.begin(), *most};
    }
    return std::optional<LongestTile>();
}

} // namespace tilescope::analyse
