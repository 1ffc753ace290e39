// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/data_table.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace tilescope::ui {

/// Columns of the table of operations. Those up to `Share` are always there, those from `Base` on where there
/// is a base.
enum OperationColumn {
    Name,
    Cycles,
    Share,
    Lost,
    Kind,
    Layer,
    Phase,
    Ipu,
    Runs,
    Compute, ///< from here to Sync the phases that operations have, in the order of analyse::phases
    Exchange,
    InterIpu,
    Sync,
    Balance,
    Unbalanced,
    Flops,
    Rate,
    Peak,
    Exchanged,
    Rearranged,
    Temporary,
    Live,
    Code,
    Plan,
    Base,
    Difference,
    Change,
    Columns
};
inline constexpr int first_chosen = Lost;

/// The key of the row of several operations; those of single ones are their ids, which are below.
constexpr std::int64_t keyOfGroup(std::size_t group) {
    constexpr std::int64_t above_all_ids = std::int64_t{1} << 40;
    return above_all_ids + static_cast<std::int64_t>(group);
}

std::vector<Column> operationHeads();
/// That of a phase by its name of analyse::phases; -1: no operation spends time on it.
int columnOfPhase(const QString& phase);

/// Columns that go together.
struct ColumnPreset {
    QString name; ///< "Columns of time"
    std::set<int> columns;
};
std::vector<ColumnPreset> columnPresets();

} // namespace tilescope::ui
