// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/attributes.h"

#include "app/python/engine/failure.h"

#include <cstdint>
#include <pybind11/stl.h>
#include <type_traits>
#include <variant>
#include <vector>

namespace py = pybind11;

namespace tilescope::python {
namespace {

graph::Attribute attribute_of(const py::handle& value) {
    if (py::isinstance<py::bool_>(value))
        return value.cast<bool>();
    if (py::isinstance<py::int_>(value))
        return value.cast<std::int64_t>();
    if (py::isinstance<py::float_>(value))
        return value.cast<double>();
    if (py::isinstance<py::str>(value))
        return value.cast<std::string>();
    if (py::hasattr(value, "ndim") && value.attr("ndim").cast<int>() == 0) // a number of NumPy
        return attribute_of(value.attr("item")());
    const auto all = value.cast<std::vector<py::object>>();
    for (const py::object& each : all)
        if (py::isinstance<py::float_>(each))
            return value.cast<std::vector<double>>();
    return value.cast<std::vector<std::int64_t>>();
}

} // namespace

graph::Attributes attributes_of(const py::dict& given) {
    graph::Attributes attributes;
    for (const auto& [key, value] : given)
        try {
            attributes.set(key.cast<std::string>(), attribute_of(value));
        } catch (const py::cast_error&) {
            throw Thrown{Error{ErrorKind::BadInput,
                               key.cast<std::string>() + " cannot be of the class " +
                                   py::type::handle_of(value).attr("__name__").cast<std::string>(),
                               {},
                               "give it a number, a truth value, a text or a list of numbers"}};
        }
    return attributes;
}

py::dict dict_of(const graph::Attributes& attributes) {
    py::dict named;
    for (const auto& [name, attribute] : attributes.all())
        std::visit(
            [&named, &key = name]<class T>(const T& value) {
                if constexpr (!std::is_same_v<T, graph::Body>)
                    named[py::str(key)] = py::cast(value);
            },
            attribute);
    return named;
}

} // namespace tilescope::python
