// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/operator_registry.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tilescope::graph {

void OperatorRegistry::add(Operator op) {
    const std::string name = op.name;
    if (!operators_.emplace(name, std::move(op)).second) {
        std::fprintf(stderr, "operator %s is registered twice\n", name.c_str());
        std::abort();
    }
}

const Operator* OperatorRegistry::find(const std::string& name) const {
    const auto found = operators_.find(name);
    return found == operators_.end() ? nullptr : &found->second;
}

const Operator& OperatorRegistry::at(const std::string& name) const {
    const Operator* op = find(name);
    if (op == nullptr) {
        std::fprintf(stderr, "operator %s is not registered\n", name.c_str());
        std::abort();
    }
    return *op;
}

std::vector<std::string> OperatorRegistry::names() const {
    std::vector<std::string> result;
    result.reserve(operators_.size());
    for (const auto& [name, op] : operators_)
        result.push_back(name);
    return result;
}

} // namespace tilescope::graph
