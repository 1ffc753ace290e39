// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/figure_unit.h"
#include "base/error.h"
#include "profile/kinds.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::analyse {

class Costs;
struct Summary;

using profile::Severity;

/// What an insight can be about.
enum class SubjectKind { Run, Ipus, Tile, Operation, Stage, Setting };
constexpr auto spelling(SubjectKind) {
    return spelled("subject of an insight", "run", "ipus", "tile", "operation", "stage", "setting");
}

/// A figure that a rule saw.
struct InsightFigure {
    std::string name; ///< stable: "host_share"
    double value = 0;
    FigureUnit unit = FigureUnit::None;
};

/// What an insight is about: what a view can show, or a setting that can be changed.
struct InsightSubject {
    SubjectKind kind = SubjectKind::Run;
    std::vector<std::int64_t> ipus; ///< where it is, of a tile and an operation one; empty: nowhere
    std::int64_t id = -1;           ///< tile of the IPU, operation or stage
    std::string name; ///< compute set of an operation; setting of the workload: "compile.global_step"
};

/// What a finding costs: the most that there is to gain where it is about. Costs overlap, so they do not add
/// up.
struct InsightCost {
    double value = 0;
    FigureUnit unit = FigureUnit::Cycles; ///< cycles, as time passes, or bytes of the fullest tile
    std::string per;                      ///< of cycles: "weight update", as Summary::basis; else ""
    bool planned = false;                 ///< cycles of a program of which no engine run has ended
    bool operator==(const InsightCost&) const = default;
};

/// Something worth knowing about a run, found by a rule (analyse/insight_rules.h).
struct Insight {
    std::string code; ///< of the rule, stable: "host_bound"
    Severity severity = Severity::Info;
    std::string title;
    std::string detail; ///< one or two sentences with the figures
    std::vector<InsightFigure> figures;
    InsightSubject subject;
    std::optional<InsightCost> cost; ///< nullopt: it has none, or time is not known
};

/// Its cost as a share of the time that passes per what the cost is of, or as that is planned; nullopt where
/// it costs no cycles, or that time is not known. `summary`: of the same run.
std::optional<double> cost_share(const Insight& insight, const Summary& summary);

/// What tells it from the others of its run: its rule and what it is about.
std::string identity(const Insight& insight);

/// {code, severity, title, detail, figures[{name, value, unit}], subject{kind, ipus, id, name}, cost{value,
/// unit, per, planned}}; keys are stable. `id` and `name` are null where the subject has none, `cost` where
/// there is none.
nlohmann::ordered_json document(const Insight& insight);

enum class InsightOrder { Time, Bytes, Severity };
/// What cannot be left as it is (errors) first, then by cycles, by bytes or by severity, most first.
void rank(std::vector<Insight>& insights, InsightOrder order);

/// What all rules find, errors first, then warnings. `costs`: of the same profile. Errors: those of reading
/// it.
Result<std::vector<Insight>> find_insights(const profile::Profile& profile, const Summary& summary,
                                           const Costs& costs);

} // namespace tilescope::analyse
