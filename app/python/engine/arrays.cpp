// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/arrays.h"

#include "app/python/engine/failure.h"

#include <algorithm>
#include <cstring>

namespace tilescope::python {
namespace {

namespace py = pybind11;

template<class T>
void copy_as(const py::array& array, std::span<T> to) {
    const auto values = py::array_t<T, py::array::c_style | py::array::forcecast>(array);
    std::copy_n(values.data(), to.size(), to.begin());
}

} // namespace

graph::DType dtype_named(const std::string& name) {
    if (const auto known = graph::dtype_from_string(name))
        return *known;
    throw Thrown{Error{ErrorKind::NotSupported,
                       "element type " + name + " is not supported on the device",
                       {},
                       "use float32, float16, int32 or bool"}};
}

graph::HostTensor tensor_of(const py::array& array) {
    std::string name = py::str(py::object(array.dtype().attr("name")));
    if (name == "float64")
        name = "float32";
    if (name == "int64")
        name = "int32";
    const graph::Shape shape(array.shape(), array.shape() + array.ndim());
    graph::HostTensor tensor(graph::TensorType{dtype_named(name), shape});
    copy_into(array, tensor, "");
    return tensor;
}

void copy_into(const py::array& array, graph::HostTensor& tensor, const std::string& name) {
    if (array.size() != tensor.elements()) {
        const graph::Shape shape(array.shape(), array.shape() + array.ndim());
        throw Thrown{Error{ErrorKind::BadInput,
                           "values of shape " + graph::to_string(shape) + " are given, " +
                               graph::to_string(tensor.type()) + " is wanted",
                           name,
                           {}}};
    }
    switch (tensor.type().dtype) {
    case graph::DType::Int32:
        return copy_as(array, tensor.ints());
    case graph::DType::Bool:
        return copy_as(array.attr("astype")("bool"), tensor.bools());
    case graph::DType::UInt8:
        return copy_as(array, tensor.bytes());
    default:
        copy_as(array, tensor.floats());
        tensor.round_to_type();
    }
}

py::array array_of(const graph::HostTensor& tensor) {
    const graph::Shape& shape = tensor.shape();
    switch (tensor.type().dtype) {
    case graph::DType::Int32:
        return py::array_t<std::int32_t>(shape, tensor.ints().data());
    case graph::DType::Bool:
        return py::array(py::dtype("bool"), shape, tensor.bools().data());
    case graph::DType::Float16:
        return py::array_t<float>(shape, tensor.floats().data()).attr("astype")("float16");
    case graph::DType::UInt8:
        return py::array_t<std::uint8_t>(shape, tensor.bytes().data());
    case graph::DType::Float32:
        break;
    }
    return py::array_t<float>(shape, tensor.floats().data());
}

} // namespace tilescope::python
