// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/graph_cost.h"
#include "base/error.h"
#include "profile/profile.h"
#include "ui/widgets/detail_table.h"

#include <QString>
#include <cstdint>
#include <optional>
#include <string>

namespace tilescope::ui {

/// What cycles of a run's costs are per: "per weight update, one of 4 replicas".
QString perText(const analyse::Costs& costs, analyse::Basis basis);
/// "+3.1 %", "=", or "new" where there are no cycles of a base.
QString changeText(std::optional<std::int64_t> base, std::int64_t now);

/// "dense (Dense)", with a link to the layer.
QString layerText(const profile::LayerRecord& layer);
/// "splits 4 · tiles 1,152" of a JSON object, but for the body of a loop.
QString jsonText(const std::string& json);

/// What the panel at the side says of operations, in all views alike.
class OperationTable : public DetailTable {
  public:
    /// What an operation is, which tensors it reads and makes, and how it was asked for. Errors: those of
    /// reading the profile.
    Result<void> about(const profile::Profile& file, const profile::OperationRecord& op);
    /// What it, or several together, take and hold.
    void cost(const analyse::GraphCost& cost, const analyse::Costs& costs, analyse::Basis basis,
              double clock_hz);
    /// `then`: the cycles of the base, where it has them.
    void base(std::optional<std::int64_t> then, std::int64_t now, double clock_hz);
};

} // namespace tilescope::ui
