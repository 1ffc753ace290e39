// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/headline.h"
#include "analyse/host_time.h"
#include "analyse/insights.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What the rules look at: figures of a run, read once. What a run does not have is 0 or absent, and no rule
/// finds anything in it.
struct Evidence {
    struct Tile {
        std::int64_t ipu = 0, tile = 0, bytes = 0;
    };
    struct Ipu {
        std::int64_t id = 0, replica = 0;
        std::int64_t cycles = 0, compute = 0; ///< of the engine runs that Summary::executions counts
    };
    /// Compute sets that are alike but for numbers in their names, as those of the layers of a stack; or one.
    struct ComputeSets {
        std::string name; ///< "layer_*/MatMul/Convolve"
        std::int64_t count = 1;
        std::int64_t ipu = 0;        ///< that loses most by them
        std::int64_t operation = -1; ///< the one that loses most there
        double cycles = 0;           ///< that they take there, per `per`
        double lost = 0;             ///< of these: in which the mean tile waits for the slowest
        /// Mean cycles of the tiles / cycles of the slowest.
        double balance() const { return cycles > 0 ? 1 - lost / cycles : 1; }
    };

    /// Operations that are alike but for numbers in their names, as the blocks of a stack; or one.
    struct Operations {
        std::string name; ///< "layer_*/MatMul"
        std::int64_t count = 1;
        std::int64_t operation = -1, ipu = 0;           ///< the one that takes most, and where
        double cycles = 0, exchange = 0, arranging = 0; ///< IPU time per `per`, of all of them
        double longest = 0;                             ///< cycles of the IPU that has most of them
    };

    std::int64_t tiles_per_ipu = 0, bytes_per_tile = 0;
    std::int64_t steps_per_execution = 0, executions = 0, steps = 0;
    bool counter_on_ipu = false;                ///< compile.global_step is "ipu"
    bool small_graph = false;                   ///< a graph with given outputs, not a model
    std::string divergence;                     ///< what the run said of losses that are not numbers, or ""
    std::string shortage;                       ///< what it said of memory where every tile has room, or ""
    std::optional<profile::PhaseCycles> phases; ///< of the engine runs, all IPUs added up
    HostTime host;                              ///< what their host cycles go to
    std::optional<Tile> fullest;                ///< by the most live at once
    std::optional<Tile> highest;                ///< by the end of its allocations, gaps included
    std::optional<Diagnosis> diagnosis;         ///< of a program that is too large for a tile
    std::int64_t total_bytes = 0;               ///< the most live at once, over all tiles
    std::vector<Ipu> ipus;
    std::vector<ComputeSets> compute_sets;
    std::int64_t batch_size = 0;      ///< of a model; 0: not known
    double set_cycles = 0;            ///< of a run of a compute set, in the mean
    double sync_cycles = 0;           ///< of a sync that IPUs do without the host, in the mean
    double busy = 0;                  ///< cycles of the mean IPU per `per`, neither the host's nor waiting
    std::optional<double> peak_share; ///< FLOPs of those that the IPUs could do in these cycles
    std::vector<Operations> operations;
    double arranging = 0;          ///< cycles of `operations` together that only bring and lay out operands
    double operation_cycles = 0;   ///< of all of them
    std::int64_t highest_code = 0; ///< bytes of code on the tile `highest`
    /// Cycles of work of each for one weight update; those of one IPU are one, as they work one after
    /// another.
    std::vector<std::int64_t> stages;
    std::vector<std::int64_t> first_stages; ///< of each of them, where IPUs have several
    double uneven_cycles = 0; ///< of a weight update, that even stages would save (PipelineUpdate)
    std::string per;          ///< what costs are per: "weight update"
    double elapsed = 0;       ///< cycles in which that passes; 0: not known
    bool planned = false;     ///< they are planned, as no engine run has ended
    double updates = 1;       ///< weight updates in that
};

/// Errors: those of reading.
Result<Evidence> evidence_of(const profile::Profile& profile, const Summary& summary, const Costs& costs);

/// A number that a rule compares with.
struct Threshold {
    const char* name;
    double value;
    FigureUnit unit;
    const char* reason;
    bool below = false; ///< it is found where there is less, rather than more
};

/// Codes of rules that others look for.
inline constexpr const char* out_of_memory_rule = "out_of_memory";
inline constexpr const char* stage_imbalance_rule = "stage_imbalance";
inline constexpr const char* exchange_rule = "exchange_bound";
inline constexpr const char* exchange_of_operation_rule = "exchange_bound_operation";
inline constexpr const char* inter_ipu_rule = "inter_ipu_bound";
inline constexpr const char* host_bound_rule = "host_bound";
inline constexpr const char* host_time_rule = "host_time";

struct Rule {
    const char* code;
    Severity severity;
    const char* title;
    std::vector<Threshold> thresholds;
    /// What it finds. `rule` is the rule itself.
    std::vector<Insight> (*find)(const Rule& rule, const Evidence& evidence);
    /// Where its cost is bytes, what they are more than: the name of a threshold, a share of the
    /// tile's memory, or words.
    const char* cost_over = "";

    double threshold(const std::string& name) const; ///< must be one of them
    /// "90.0 % of the tile", "the mean tile": what bytes of its cost are over; "": its cost is time.
    std::string cost_is_over() const;
    std::vector<Insight> operator()(const Evidence& evidence) const { return find(*this, evidence); }
};

/// All rules, as resources/docs/insights.md describes them.
const std::vector<Rule>& insight_rules();
const Rule* find_rule(const std::string& code); ///< null: there is none of that code

} // namespace tilescope::analyse
