// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/bridge.h"
#include "analyse/change_sum.h"
#include "analyse/figure_unit.h"
#include "analyse/hand_matches.h"
#include "analyse/summary.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// One figure of two runs. A side that lacks it is nullopt.
struct Difference {
    std::string name;
    FigureUnit unit = FigureUnit::None;
    std::optional<double> base;
    std::optional<double> now;
    /// Wall time of the computer that compiled: equal runs differ in it, so it has no change.
    bool wall_time = false;
    /// now - base; 0 where both are not a number, nullopt where one of them is not.
    std::optional<double> change() const;
    std::optional<double> percent() const; ///< of the base; nullopt where the base is 0
    /// now - base, where what one run does not have counts as 0.
    double by() const { return change_of(base, now); }
};

/// A figure of a Difference with its unit: "178 µs", "62.7 MiB"; "–" where it is absent.
/// `apart`: with the digits that tell it from a value that far away.
std::string figure_text(const std::optional<double>& value, FigureUnit unit, double apart = 0);
/// "throughput (samples/s)": the name, with the unit where neither it nor the texts of its values say it.
std::string figure_label(const Difference& difference);
/// The change in percent: "+3.1 %", "="; the amount where the base is 0; "–" where a side is absent, "wall
/// time".
std::string relative_text(const Difference& difference);

/// A layer or an operation in both runs, whatever its name is in each; a side that does not have it is
/// nullopt.
struct CostDifference {
    std::string name;      ///< in the new run; in the base, where the new one does not have it
    std::string base_name; ///< in the base; the same, but for what was renamed
    Difference cycles;     ///< per Comparison::basis, of one replica
    Difference memory;     ///< bytes of its variables, live at the peak step of their IPU, of one replica
    bool by_hand = false;  ///< it was said so that both sides are the same, or that one has none
    // Of a layer that was split or merged: the layers beside it that a side has as its parts, their costs in
    // it.
    std::vector<std::string> parts = {};      ///< in the new run
    std::vector<std::string> base_parts = {}; ///< in the base
};

/// What kind of change makes a difference.
enum class CauseKind {
    Layer,         ///< in a layer of both runs, which its parts say, or a layer more or less
    Operation,     ///< more or less
    Plan,          ///< another plan of a product
    Rearrangement, ///< new, lost, or of another extent: operands that change their order or their tiles
    Fusion,        ///< operations that are one in one run only
    Copy,          ///< between IPUs, new or lost
    Stash,         ///< that a pipeline keeps for the backward pass or a later stage, new or lost
    Size,          ///< tensors of another shape or type
    Setting,       ///< of an operation
    Loop,          ///< runs more often, or on more IPUs
    Mapping,       ///< tensors that lie on other tiles or IPUs
    Target,        ///< another one: tiles, generation
    Clock,
    Launch,      ///< engine runs of more or less steps
    Waiting,     ///< for IPUs that have more to do
    Host,        ///< copies from and to it
    Code,        ///< that a tile holds
    Liveness,    ///< variables that live or do not where the fullest tile holds most
    FullestTile, ///< another tile is the fullest
    Gaps,        ///< between allocations
    Unexplained
};
std::string to_string(CauseKind kind); ///< "rearrangement", "fullest tile"

/// A part of a change: "conv2d_1", "55,392 parameters, were 36,928", +22,047 cycles.
struct Cause {
    std::string what;                 ///< a layer, an operation, a variable, or what passes beside them
    std::string why;                  ///< "" where nothing more is known
    std::optional<double> cycles;     ///< of IPU time, per Comparison::basis; nullopt: it changes no cycles
    std::optional<double> bytes = {}; ///< of the fullest tile; nullopt for causes of time
    std::optional<double> share = {}; ///< of all causes added up, whichever way they pull
    CauseKind kind = CauseKind::Layer;
    std::vector<Cause> parts = {}; ///< largest first; they add up to it. Empty: it has no parts
    std::int64_t alike = 1;        ///< causes that it stands for (folded)
    std::string largest = {};      ///< of these, the name of the one that changes most; "": it is one
};

/// Three causes and more of one kind that differ in nothing but numbers of their names and reasons, as those
/// of the layers of a stack, as one: "layer_*_output", "on IPU *", what they change added up, their parts
/// folded likewise. Largest first, behind what changes another amount.
std::vector<Cause> folded(const std::vector<Cause>& causes, std::optional<double> Cause::*amount);
/// "layer_*_output × 24"
std::string name_text(const Cause& cause);
/// Why its part of a change is, said of its name: "is planned as AMP nx1, was …"; where no more is known its
/// kind: "not explained".
std::string reason_text(const Cause& cause);

/// How far the causes of a change explain it. Both add up to the change.
struct Explained {
    double explained = 0;
    double unexplained = 0;
    double all() const { return explained + unexplained; }
};
/// Of causes of cycles or of bytes. Nullopt: there are none that change any.
std::optional<Explained> explained(const std::vector<Cause>& causes, std::optional<double> Cause::*amount);

/// What was asked for, or how it ended, in one run and not in the other.
struct SettingDifference {
    std::string key;  ///< of the workload file, or of the report: "fit.batch_size", "target.clock_hz"
    std::string name; ///< "batch"; the key itself where it has no shorter one
    FigureUnit unit = FigureUnit::None;
    std::string base; ///< JSON; "null" where the run has no such setting
    std::string now;
};

/// One side of a comparison.
struct ComparedRun {
    profile::RunStatus status = profile::RunStatus::Complete;
    std::string error;           ///< one line, where it failed
    std::vector<Absence> absent; ///< why figures are absent
    bool compiled = true;        ///< it has a program for IPUs
    ErrorBands error_bands = {}; ///< of what is predicted of it
    std::string trimmed = {};    ///< what of the run the file holds; "": all
};
/// What is to be known of a run before its figures: that it did not run to its end, that its losses are no
/// numbers, that its file was trimmed, or that it was not compiled, so that its layers, operations and memory
/// cannot be compared. Each is a sentence without its full stop; empty: nothing is.
std::vector<std::string> caveats(const ComparedRun& run, const std::string& name);

/// One layer that is several in the other run: "dense" that is "dense" and "activation".
struct SplitLayer {
    std::vector<std::string> base, now;
};

struct Comparison {
    ComparedRun base;
    ComparedRun now;
    std::vector<SettingDifference> settings; ///< what weighs most first; empty: the runs are alike
    std::vector<Difference> headline;
    Basis basis = Basis::MicroBatch;        ///< what the costs below are per
    std::int64_t ipu = every_ipu;           ///< what the costs below are of
    std::optional<TimeBridge> bridge;       ///< of elapsed time; nullopt: a run has none
    std::vector<Cause> causes;              ///< of the change of IPU time, what explains most first
    std::vector<Cause> memory_causes;       ///< of the change of the fullest tile with gaps, the same
    std::vector<CostDifference> layers;     ///< largest change of cycles first
    std::vector<CostDifference> operations; ///< the same
    std::vector<std::string> added_operations;
    std::vector<std::string> removed_operations;
    std::vector<std::pair<std::string, std::string>> renamed_layers; ///< names in base and new run
    std::vector<SplitLayer> split_layers;
    HandMatches by_hand; ///< what was said to be the same

    /// Else there are no layers, operations and causes: nothing was added or removed.
    bool both_compiled() const { return base.compiled && now.compiled; }
};
/// What changed most, in a sentence or two: elapsed time, with the part of the bridge that makes most of it,
/// and the fullest tile; "" where neither is known of both runs.
std::string answer(const Comparison& comparison, const std::string& base, const std::string& now);
/// How a layer or an operation of both runs is named: "conv_a (was conv2d, by hand)", "dense + relu (was
/// dense)".
std::string name_text(const CostDifference& cost);

/// `ipu`: the IPU of both runs whose layers and operations are compared, or every_ipu. `basis`: what their
/// cycles are per, where both runs have it. `by_hand`: which layers and operations are the same, or have no
/// counterpart; names that a run does not have match nothing.
Result<Comparison> compare(const profile::Profile& base, const profile::Profile& now,
                           std::int64_t ipu = every_ipu, std::optional<Basis> basis = {},
                           const HandMatches& by_hand = {});
/// Several runs against one base, all per the same basis: the one that is asked for, where each has it, else
/// the usual one where that is the same of all, else the micro-batch. `by_hand`: by run, or empty.
Result<std::vector<Comparison>> compare_all(const profile::Profile& base,
                                            const std::vector<const profile::Profile*>& runs,
                                            std::int64_t ipu = every_ipu, std::optional<Basis> basis = {},
                                            const std::vector<HandMatches>& by_hand = {});
/// A layer or an operation in several runs that were compared with one base.
struct CostsOfRuns {
    std::string name;                        ///< in the base; where that has none, in the runs
    std::vector<const CostDifference*> runs; ///< by run; null: it has none
};
/// A list of costs of all of them: those that the base has, in the order of the runs that come first, then
/// those that only other runs have. The comparisons must outlive what is returned.
std::vector<CostsOfRuns> costs_of_runs(const std::vector<const Comparison*>& runs,
                                       std::vector<CostDifference> Comparison::*costs);
/// Whether a figure of the headline is larger in the new run; not where a side has none.
bool grew(const Comparison& comparison, const std::string& figure);
/// What likely makes a figure of the report another one in the new run, in one line: what was asked for
/// otherwise, and the causes that explain most. "" where nothing is known.
std::string likely_cause(const Comparison& comparison, const std::string& metric, FigureUnit unit);
/// Whether anything differs but wall time.
bool differ(const Comparison& comparison);
/// The document of `compare --format json`.
nlohmann::ordered_json document(const Comparison& comparison);

} // namespace tilescope::analyse
