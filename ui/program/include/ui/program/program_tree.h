// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "analyse/device_program.h"
#include "analyse/matching.h"
#include "analyse/program_time.h"
#include "base/error.h"
#include "profile/profile.h"
#include "ui/widgets/tree_rows.h"

#include <QString>
#include <cstddef>
#include <map>
#include <vector>

namespace tilescope::ui {

/// A node of the program tree with what it and all below it take.
struct ProgramStep {
    static constexpr std::size_t none = no_row;
    std::int64_t id = -1;
    std::size_t parent = none; ///< index in ProgramTree::steps
    std::size_t root = none;   ///< the same
    std::vector<std::size_t> children;
    /// As a number what names it: the same step of another file, or of this one read again, has the same.
    std::uint64_t key = 0;
    profile::StepKind kind = profile::StepKind::Sequence;
    profile::ProgramPart part = profile::ProgramPart::Whole;
    QString name;
    QString label;               ///< without the name of its parent
    std::int64_t operation = -1; ///< or profile::not_described
    std::int64_t layer = -1;
    std::int64_t compute_set = -1;
    std::int64_t exchange = -1;
    std::int64_t repeats = 1;
    std::int64_t stage_ipu = -1; ///< it stands for the work of a pipeline stage on this IPU
    analyse::StepTime time;      ///< in one execution
    double balance = -1;         ///< of a compute set; -1: none
    double share = 0;            ///< of the time that an execution takes
    bool leaf() const { return children.empty(); }
    bool ofOperation() const { return operation != -1; }
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
    std::int64_t ipus = 1;                 ///< of one replica
    std::int64_t cycles_per_execution = 0; ///< as time passes, with launching it
    std::int64_t launch_cycles = 0;        ///< of these: before the program begins
    analyse::Loops loops;
    analyse::Parts parts;
    bool executed = false;          ///< else it was only compiled, and the times are those that it would take
    analyse::DeviceProgram program; ///< whose tree it is
    std::vector<analyse::DeviceProgram> programs; ///< all of the file
    bool bytes_known = true;                      ///< what its exchanges move

    /// Of the device program of that key, or the first one.
    static Result<ProgramTree> read(const profile::Profile& file, const std::string& key = {});
    /// A base, with the keys that its steps have in `now`: of operations that are the same in both.
    static Result<ProgramTree> readBase(const profile::Profile& file, const analyse::Parts& now,
                                        const std::string& key = {},
                                        const analyse::HandMatches& by_hand = {});
    /// The step that stands for an operation: the outermost one that belongs to it. none: there is none.
    std::size_t stepOfOperation(std::int64_t operation) const;
    std::size_t stepOfLayer(std::int64_t layer) const; ///< the first one
    QStringView searchedOf(std::size_t step) const;
    Parents parents() const;
};

QString stepPartName(profile::ProgramPart part); ///< "update" for people; "" for the whole

} // namespace tilescope::ui
