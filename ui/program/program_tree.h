// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"
#include "ui/widgets/tree_rows.h"

#include <QString>
#include <cstddef>
#include <map>
#include <vector>

namespace tilescope::ui {

/// Cycles of a program step by phase of the clock.
struct StepCycles {
    std::int64_t compute = 0;
    std::int64_t exchange = 0; ///< within the IPU
    std::int64_t inter_ipu = 0;
    std::int64_t sync = 0;
    std::int64_t host = 0; ///< transfers of stream copies
    std::int64_t total() const { return compute + exchange + inter_ipu + sync + host; }
    StepCycles& operator+=(const StepCycles& other);
    StepCycles times(std::int64_t factor) const;
};

/// A node of the program tree with the sums of what is below it.
struct ProgramStep {
    static constexpr std::size_t none = no_row;
    std::int64_t id = -1;
    std::size_t parent = none; ///< index in ProgramTree::steps
    std::vector<std::size_t> children;
    /// Names from the root down, as a number: the same step of another file, or of this one read again, has
    /// the same.
    std::uint64_t key = 0;
    QString kind; ///< as recorded: "sequence", "execute", …
    QString name;
    QString label; ///< without the name of its parent
    std::int64_t operation = -1;
    std::int64_t layer = -1;
    std::int64_t compute_set = -1;
    std::int64_t exchange = -1;
    std::int64_t repeats = 1;
    std::int64_t runs = 1;  ///< how often it runs in one execution
    StepCycles cycles;      ///< each time it runs; of a repeat: all its turns
    std::int64_t bytes = 0; ///< moved by exchanges and stream copies each time it runs
    std::int64_t vertices = 0;
    double balance = -1; ///< of a compute set; -1: none
    double share = 0;    ///< of the cycles of one execution
    bool leaf() const { return children.empty(); }
};

/// The recorded program.
struct ProgramTree {
    std::vector<ProgramStep> steps; ///< parents before children
    std::vector<std::size_t> roots;
    std::map<std::int64_t, std::size_t> step_of_id;
    std::map<std::int64_t, QString> layers; ///< names
    QString searched; ///< what a filter looks at: name, kind and layer of each step, in lower case
    std::vector<qsizetype> searched_end; ///< by step
    double clock_hz = 0;
    double full_bar = 1; ///< share of the largest step below those that only wrap the whole program

    static Result<ProgramTree> read(const profile::Profile& file);
    /// The step that stands for an operation: the outermost one that belongs to it. none: there is none.
    std::size_t stepOfOperation(std::int64_t operation) const;
    std::size_t stepOfLayer(std::int64_t layer) const; ///< the first one
    QStringView searchedOf(std::size_t step) const;
    Parents parents() const;
};

QString stepKindName(const QString& kind); ///< "compute set" for "execute", and so on, for people

} // namespace tilescope::ui
