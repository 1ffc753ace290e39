// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/recipes.h"

#include "app/python/engine/failure.h"
#include "graph/attributes.h"
#include "layers/einsum.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace tilescope::python {
namespace {

/// Operations on tensors of Python, as the recipes add them.
struct ScriptOps {
    using Value = py::object;
    const py::dict& operations;

    graph::Shape shape(const Value& x) const { return x.attr("dims").cast<graph::Shape>(); }
    Result<Value> emit(const std::string& kind, const std::vector<Value>& values,
                       const graph::Attributes& attributes) const {
        py::dict named;
        for (const auto& attribute : attributes.all())
            std::visit(
                [&]<class T>(const T& each) {
                    if constexpr (!std::is_same_v<T, graph::Body>)
                        named[py::str(attribute.first)] = py::cast(each);
                },
                attribute.second);
        return Value(operations[py::str(kind)](*py::tuple(py::cast(values)), **named));
    }
};

} // namespace

py::object einsum(const py::dict& operations, const std::vector<py::object>& tensors,
                  const std::vector<std::string>& letters, const std::string& result) {
    std::vector<layers::Lettered<ScriptOps>> operands;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        operands.push_back({tensors[i], letters.at(i)});
    return value_or_throw(layers::einsum(ScriptOps{operations}, operands, result));
}

} // namespace tilescope::python
