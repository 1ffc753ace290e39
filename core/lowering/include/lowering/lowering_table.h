// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"

#include <functional>
#include <map>
#include <string>

namespace tilescope::lowering {

class LoweringContext;

/// Appends an operation to the program that `LoweringContext` makes.
using LowerFunction = std::function<void(LoweringContext&)>;

/// How each kind of operation becomes steps of a program.
class LoweringTable {
  public:
    explicit LoweringTable(const graph::OperatorRegistry& registry) : registry_(registry) {}

    const graph::OperatorRegistry& registry() const { return registry_; }
    /// Gives a registered kind its lowering; a second one is a bug, as is a kind that is not registered.
    void set(const std::string& kind, LowerFunction lower);
    bool has(const std::string& kind) const { return lowerings_.contains(kind); }
    const LowerFunction& at(const std::string& kind) const; ///< must exist

  private:
    const graph::OperatorRegistry& registry_;
    std::map<std::string, LowerFunction> lowerings_;
};

/// The lowerings of all operations of the registry, which must outlive them. One without is a bug.
LoweringTable standard_lowerings(const graph::OperatorRegistry& registry);

} // namespace tilescope::lowering
