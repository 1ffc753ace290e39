// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/tensor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace tilescope::graph {

/// The first value of a variable: a tensor, or a formula that is worked out only where values are computed,
/// so that models of any size can be estimated.
class InitialValue {
  public:
    /// The value of element i, row-major.
    using Formula = std::function<double(std::uint64_t i)>;

    InitialValue() = default;
    InitialValue(HostTensor tensor) : type_(tensor.type()), tensor_(std::move(tensor)) {}
    InitialValue(TensorType type, Formula formula) : type_(std::move(type)), formula_(std::move(formula)) {}

    static InitialValue filled(TensorType type, double value) {
        InitialValue filled(std::move(type), [value](std::uint64_t) { return value; });
        filled.fill_ = value;
        return filled;
    }

    const TensorType& type() const { return type_; }
    std::int64_t elements() const { return type_.elements(); }
    /// The number that every element is, where it was given so.
    std::optional<double> fill() const { return fill_; }
    /// The tensor that it was given as, or nullptr.
    const HostTensor* tensor() const { return formula_ ? nullptr : &tensor_; }
    /// The same numbers as another type.
    InitialValue as(DType dtype) const;
    /// The values, in memory of their own, rounded to the type.
    HostTensor make() const;

  private:
    TensorType type_;
    HostTensor tensor_;
    Formula formula_;
    std::optional<double> fill_;
};

} // namespace tilescope::graph
