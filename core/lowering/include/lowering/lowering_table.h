// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"
#include "ipu/conv_problem.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace tilescope::lowering {

class LoweringContext;

/// Appends an operation to the program that `LoweringContext` makes.
using LowerFunction = std::function<void(LoweringContext&)>;

/// The product that an operation is planned as; it follows from its types and attributes.
using ProblemFunction = std::function<ipu::ConvProblem(const LoweringContext&)>;

/// How each kind of operation becomes steps of a program.
class LoweringTable {
  public:
    explicit LoweringTable(const graph::OperatorRegistry& registry) : registry_(registry) {}

    const graph::OperatorRegistry& registry() const { return registry_; }
    /// Gives a registered kind its lowering; a second one is a bug, as is a kind that is not registered.
    void set(const std::string& kind, LowerFunction lower);
    /// Tells the product that operations of a kind are planned as, so that it can be planned ahead.
    void set_problem(const std::string& kind, ProblemFunction problem) {
        problems_[kind] = std::move(problem);
    }
    bool has(const std::string& kind) const { return lowerings_.contains(kind); }
    const LowerFunction& at(const std::string& kind) const; ///< must exist
    /// Nothing where operations of the kind are not planned.
    const ProblemFunction* problem(const std::string& kind) const {
        const auto found = problems_.find(kind);
        return found == problems_.end() ? nullptr : &found->second;
    }

  private:
    const graph::OperatorRegistry& registry_;
    std::map<std::string, LowerFunction> lowerings_;
    std::map<std::string, ProblemFunction> problems_;
};

/// The lowerings of all operations of the registry, which must outlive them. One without is a bug.
LoweringTable standard_lowerings(const graph::OperatorRegistry& registry);

} // namespace tilescope::lowering
