// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "analyse/operation_baseline.h"
#include "analyse/operation_groups.h"
#include "ui/operations/operations_view.h"
#include "ui/widgets/data_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tilescope::ui {

Cell timeCell(std::int64_t cycles, double clock_hz); ///< as time or as cycles, as is wanted

/// The operations of the file that is compared with.
struct BaseOperations : analyse::OperationBaseline {
    static Result<BaseOperations> read(const profile::Profile& file, const analyse::Parts& now,
                                       const analyse::HandMatches& by_hand);
    double clock_hz = 0;
};

/// The rows of the table of operations. Of large programs they take long to make: `all` is for threads beside
/// the window's.
struct OperationRows {
    std::shared_ptr<const OperationsView::Table> table;
    std::shared_ptr<const BaseOperations> base; ///< null: none
    analyse::Basis basis;
    bool difference;  ///< only what changed, and in the end all that did not as one row
    bool folded_gone; ///< what is in the base alone is folded, too

    std::vector<TableRow> all() const;
    /// Of what is held against the base. 0, which leaves cycles, where it has another clock: its cycles take
    /// other times.
    double comparedClock() const;
    std::optional<std::int64_t> baseCycles(const analyse::OperationGroup& group) const;
    /// Cycles of the same operation of the base, per what is shown; nullopt: there is none.
    std::optional<std::int64_t> baseCycles(std::int64_t operation) const;
    std::vector<analyse::OperationBaseline::Gone> gone() const; ///< in the base alone; needs one

  private:
    TableRow row(const analyse::OperationFigures& op, std::optional<std::int64_t> before) const;
    /// A row, or those that are folded into one with that first; none where nothing of it changed and only
    /// changes are wanted.
    std::vector<TableRow> ofGroup(std::size_t group) const;
    std::vector<TableRow> ofGone(const analyse::OperationBaseline::Gone& gone,
                                 std::int64_t key) const; ///< that of all has the key
    TableRow unchanged(std::int64_t count, std::int64_t cycles) const;
    Cell time(std::int64_t cycles) const;
    Cell timeDifference(std::int64_t by) const;
};

} // namespace tilescope::ui
