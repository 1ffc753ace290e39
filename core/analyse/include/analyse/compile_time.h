// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// The compilation, one of its passes, or a part of a pass, and where a flame chart draws it.
struct CompilePart {
    profile::CompileEventRecord event;
    std::int64_t depth = 0; ///< 0: the compilation
    /// us since compilation began. What has its own time in the whole (the passes) stands where it was; parts
    /// of a pass, which come back again and again, stand side by side from its beginning, each as long as all
    /// its pieces together, narrower where threads worked on several at once.
    double from = 0;
    double to = 0;
    std::int64_t layer_id = -1; ///< of the layer that it is for; -1: of none
};

/// Where the time of a compilation went: wall time of the host that compiled.
struct CompileTime {
    std::int64_t total_us = 0;      ///< of the program that the file describes
    std::int64_t run_us = 0;        ///< of all programs of the run, this one among them
    std::vector<CompilePart> parts; ///< a part before what is in it, in order of start
    std::int64_t depth = 0;         ///< of the deepest part
    profile::ProgramSize made;

    /// Its duration divided by that of the whole; nullopt where nothing took a microsecond.
    std::optional<double> share(const CompilePart& part) const;
    const CompilePart* longest_pass() const;              ///< null: there is none
    const CompilePart* part(std::int64_t event_id) const; ///< null: there is none
    /// What a part is a part of; null: it is the whole.
    const CompilePart* whole_of(const CompilePart& of) const;
    /// Those that are its own, the longest first.
    std::vector<const CompilePart*> parts_of(const CompilePart& of) const;
    /// The part of that name, which no two have; null: there is none.
    const CompilePart* part_named(const std::string& name) const;
};

/// Empty where nothing was compiled. Errors: those of reading the profile; BadInput where parts have no
/// parent.
Result<CompileTime> read_compile_time(const profile::Profile& profile);

/// A plan that the planner chose, once for all products that it chose the same for.
struct ChosenPlan {
    profile::PlanRecord record;               ///< of the first of them
    std::vector<std::int64_t> operations;     ///< that have it, in order of execution
    std::optional<profile::PlanRecord> other; ///< what would have been chosen next
};

/// The dearest first, by cycles of one run times the number of products. Errors: those of reading the
/// profile.
Result<std::vector<ChosenPlan>> chosen_plans(const profile::Profile& profile);
/// How many products they are for.
std::int64_t products_of(const std::vector<ChosenPlan>& plans);

} // namespace tilescope::analyse
