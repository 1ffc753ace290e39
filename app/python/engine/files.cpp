// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/files.h"

#include "app/python/engine/arrays.h"
#include "app/python/engine/failure.h"
#include "app/python/engine/script_run.h"
#include "formats/example_record.h"
#include "formats/hdf5_file.h"
#include "formats/hdf5_writer.h"
#include "formats/image_file.h"
#include "formats/record_file.h"
#include "keras/file.h"
#include "run/executor.h"

#include <algorithm>
#include <cstdint>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <string_view>

namespace py = pybind11;
namespace tilescope::python {
namespace {

/// [height, width, channels]
py::array_t<std::uint8_t> image_array(const formats::Image& image) {
    py::array_t<std::uint8_t> values(std::vector<std::int64_t>{image.height, image.width, image.channels});
    std::copy(image.values.begin(), image.values.end(), values.mutable_data());
    return values;
}

/// A feature in Python: a list of bytes, or an array; None for one without values.
py::object feature_object(const formats::Feature& feature) {
    if (const auto* texts = std::get_if<std::vector<std::string>>(&feature)) {
        py::list made;
        for (const std::string& text : *texts)
            made.append(py::bytes(text));
        return made;
    }
    if (const auto* floats = std::get_if<std::vector<float>>(&feature))
        return py::array_t<float>(static_cast<py::ssize_t>(floats->size()), floats->data());
    if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&feature))
        return py::array_t<std::int64_t>(static_cast<py::ssize_t>(wholes->size()), wholes->data());
    return py::none();
}

formats::Feature feature_of(const py::handle& value) {
    if (value.is_none())
        return {};
    if (py::isinstance<py::array_t<float>>(value))
        return value.cast<std::vector<float>>();
    if (py::isinstance<py::array_t<std::int64_t>>(value))
        return value.cast<std::vector<std::int64_t>>();
    return value.cast<std::vector<std::string>>();
}

/// What there is in files of Keras' models, HDF5 as Keras writes it, and images.
void add_models_and_images(py::module_& module) {
    py::class_<formats::Hdf5File>(module, "Hdf5File")
        .def(py::init([](const std::string& path) { return value_or_throw(formats::Hdf5File::open(path)); }))
        .def("members", &formats::Hdf5File::members)
        .def("texts", [](const formats::Hdf5File& file, const std::string& group,
                         const std::string& name) { return value_or_throw(file.texts(group, name)); })
        .def("floats", [](const formats::Hdf5File& file, const std::string& name) {
            return array_of(value_or_throw(file.floats(name)));
        });
    py::class_<formats::Hdf5Writer>(module, "Hdf5Writer")
        .def(py::init(
            [](const std::string& path) { return value_or_throw(formats::Hdf5Writer::create(path)); }))
        .def("group",
             [](formats::Hdf5Writer& file, const std::string& name) { value_or_throw(file.group(name)); })
        .def("text", [](formats::Hdf5Writer& file, const std::string& group, const std::string& name,
                        const std::string& value) { value_or_throw(file.text(group, name, value)); })
        .def("texts",
             [](formats::Hdf5Writer& file, const std::string& group, const std::string& name,
                const std::vector<std::string>& values) { value_or_throw(file.texts(group, name, values)); })
        .def("data_set", [](formats::Hdf5Writer& file, const std::string& name, const py::array& values) {
            value_or_throw(file.data_set(name, tensor_of(values)));
        });
    module.def("read_image", [](const std::string& path, std::int64_t channels) {
        return image_array(value_or_throw(formats::read_image_file(path, channels)));
    });
    module.def("decode_image", [](std::string_view bytes, std::int64_t channels, const std::string& place) {
        return image_array(value_or_throw(formats::decode_image(bytes, channels, place)));
    });
    module.def("read_keras_file", [](const std::string& path) {
        const auto file = value_or_throw(keras::read_keras_file(path));
        return py::make_tuple(file.model, file.training, file.has_weights);
    });
}

/// Files of records, and the Examples in them.
void add_records(py::module_& module) {
    py::class_<formats::RecordReader>(module, "RecordReader")
        .def(py::init(
            [](const std::string& path) { return value_or_throw(formats::RecordReader::open(path)); }))
        .def("next", [](formats::RecordReader& reader) -> py::object {
            const auto record = value_or_throw(reader.next());
            return record ? py::object(py::bytes(*record)) : py::none();
        });
    py::class_<formats::RecordWriter>(module, "RecordWriter")
        .def(py::init(
            [](const std::string& path) { return value_or_throw(formats::RecordWriter::create(path)); }))
        .def("write", [](formats::RecordWriter& writer,
                         std::string_view record) { value_or_throw(writer.write(record)); })
        .def("flush", [](formats::RecordWriter& writer) { value_or_throw(writer.flush()); });
    module.def("parse_example", [](std::string_view bytes) {
        py::dict made;
        for (const auto& [name, feature] : value_or_throw(formats::parse_example(bytes)))
            made[py::str(name)] = feature_object(feature);
        return made;
    });
    module.def("write_example", [](const py::dict& features) {
        formats::Example example;
        for (const auto& [name, value] : features)
            example[name.cast<std::string>()] = feature_of(value);
        return py::bytes(formats::write_example(example));
    });
}

} // namespace

void add_files(py::module_& module) {
    add_models_and_images(module);
    add_records(module);
    module.def("profile_ipus", [](ScriptRun& script) { script.expect_ipus(); });
    // Of weights in one memory, under whatever names, the same.
    module.def("place_of", [](const run::Weights& weights, const std::string& name) {
        return reinterpret_cast<std::uintptr_t>(weights.at(name).bytes().data());
    });
}

} // namespace tilescope::python
