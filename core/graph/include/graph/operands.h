// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <initializer_list>
#include <utility>
#include <vector>

namespace tilescope::graph {

/// What an operation works on: values, or what was to make them. The first that could not be made is passed
/// on, so that operations nest as their formula does: emit("add", {emit("multiply", {a, x}), b}).
template<class Value>
class Operands {
  public:
    Operands(std::initializer_list<Result<Value>> operands) {
        for (const Result<Value>& operand : operands) {
            if (!operand) {
                values_ = Failure(operand.error());
                return;
            }
            values_->push_back(*operand);
        }
    }
    Operands(std::vector<Value> values) : values_(std::move(values)) {}
    const Result<std::vector<Value>>& values() const { return values_; }

  private:
    Result<std::vector<Value>> values_;
};

} // namespace tilescope::graph
