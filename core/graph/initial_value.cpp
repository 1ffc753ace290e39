// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/initial_value.h"

namespace tilescope::graph {

InitialValue InitialValue::as(DType dtype) const {
    InitialValue result = *this;
    result.type_.dtype = dtype;
    if (!formula_) {
        result.tensor_ = HostTensor(result.type_);
        for (std::int64_t i = 0; i < elements(); ++i)
            result.tensor_.set(i, tensor_.at(i));
    }
    return result;
}

HostTensor InitialValue::make() const {
    HostTensor made(type_);
    for (std::int64_t i = 0; i < made.elements(); ++i)
        made.set(i, formula_ ? formula_(static_cast<std::uint64_t>(i)) : tensor_.at(i));
    made.round_to_type();
    return made;
}

} // namespace tilescope::graph
