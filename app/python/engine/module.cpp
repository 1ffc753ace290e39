// SPDX-License-Identifier: GPL-3.0-or-later
// The engine as Python's module `tilescope_engine`: arrays in and out, errors as tilescope_engine.Error.
#include "app/python/engine/arrays.h"
#include "app/python/engine/failure.h"
#include "app/python/engine/files.h"
#include "app/python/engine/graph_build.h"
#include "app/python/engine/keras_model.h"
#include "app/python/engine/program.h"
#include "app/python/engine/recipes.h"
#include "app/python/engine/script_run.h"
#include "app/version.h"
#include "formats/json_reader.h"
#include "keras/initialisers.h"
#include "keras/layers.h"
#include "prepare/data_sets.h"
#include "program/pipeline_schedule.h"
#include "run/data_set.h"
#include "training/losses.h"
#include "training/optimisers.h"

#include <algorithm>
#include <cmath>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <utility>

PYBIND11_MAKE_OPAQUE(tilescope::run::Weights)

namespace py = pybind11;
namespace tilescope::python {
namespace {

const char* name_of(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::NotMet:
        return "not_met";
    case ErrorKind::Usage:
        return "usage";
    case ErrorKind::BadInput:
        return "bad_input";
    case ErrorKind::NotSupported:
        return "not_supported";
    case ErrorKind::OutOfMemory:
        return "out_of_memory";
    case ErrorKind::Cancelled:
        return "cancelled";
    case ErrorKind::System:
        break;
    }
    return "system";
}

void add_errors(py::module_& module) {
    static const py::object type = py::reinterpret_steal<py::object>(
        PyErr_NewException("tilescope_engine.Error", PyExc_RuntimeError, nullptr));
    module.attr("Error") = type;
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown)
                std::rethrow_exception(std::move(thrown));
        } catch (const Thrown& failure) {
            const Error& error = failure.error;
            py::object value = type(error.line());
            value.attr("kind") = name_of(error.kind);
            value.attr("message") = error.message;
            value.attr("place") = error.place;
            value.attr("remedy") = error.remedy;
            value.attr("exit_code") = exit_code(error.kind);
            PyErr_SetObject(type.ptr(), value.ptr());
        }
    });
}

py::tuple digits_tuple(const run::DataSet& data) {
    py::array_t<std::uint8_t> images(
        std::vector<std::int64_t>{data.size(), data.sample_shape.at(0), data.sample_shape.at(1)});
    std::transform(data.samples.begin(), data.samples.end(), images.mutable_data(),
                   [](float value) { return static_cast<std::uint8_t>(std::lround(value * 255)); });
    py::array_t<std::uint8_t> labels(static_cast<py::ssize_t>(data.labels.size()));
    std::copy(data.labels.begin(), data.labels.end(), labels.mutable_data());
    return py::make_tuple(images, labels);
}

py::array_t<std::uint8_t> idx_array(const formats::IdxFile& file) {
    py::array_t<std::uint8_t> values(file.extents);
    std::copy(file.bytes.begin(), file.bytes.end(), values.mutable_data());
    return values;
}

/// The images (uint8) and classes of a split, and where they come from: a data set that is asked for by name,
/// or the built-in digits where no folder was named.
py::tuple load_digits(const ScriptRun& script, const std::string& name, bool training) {
    const auto split = training ? prepare::Split::Train : prepare::Split::Test;
    const std::string& folder = script.settings().data_folder;
    if (!folder.empty() || prepare::has_idx(".", name, split)) {
        const auto read = value_or_throw(prepare::read_idx_bytes(folder.empty() ? "." : folder, name, split));
        return py::make_tuple(py::make_tuple(idx_array(read.images), idx_array(read.labels)), false);
    }
    return py::make_tuple(digits_tuple(prepare::synthetic_digits(training ? 60000 : 10000, split, 1)), true);
}

/// The first values of a variable, by one of Keras' initialisers: {"class_name": …, "config": …} as text.
py::array initial_values(const ScriptRun&, const std::string& initialiser, const std::string& dtype,
                         const graph::Shape& shape, std::uint64_t seed, const std::string& name) {
    const auto document = value_or_throw(formats::parse_json(initialiser, name));
    return array_of(
        value_or_throw(keras::initialise(document, {dtype_named(dtype), shape}, seed, name)).make());
}

void add_programs(py::module_& module) {
    py::class_<Program>(module, "Program")
        .def_property_readonly("feeds",
                               [](const Program& program) {
                                   py::list feeds;
                                   for (const graph::Feed& feed : program.graph().feeds) {
                                       const graph::TensorType& type = program.graph().type(feed.value);
                                       feeds.append(py::make_tuple(feed.name, graph::to_string(type.dtype),
                                                                   py::tuple(py::cast(type.shape))));
                                   }
                                   return feeds;
                               })
        .def_property_readonly(
            "fetches",
            [](const Program& program) {
                py::list fetches;
                for (const graph::Fetch& fetch : program.graph().fetches)
                    fetches.append(py::make_tuple(fetch.name, fetch.kind != graph::FetchKind::Output));
                return fetches;
            })
        .def_property_readonly("variables",
                               [](const Program& program) {
                                   py::list names;
                                   for (const graph::Variable& variable : program.graph().variables)
                                       names.append(variable.name);
                                   return names;
                               })
        .def_property_readonly("on_ipu", &Program::on_ipu)
        .def_property_readonly("computes", &Program::computes)
        .def_property_readonly("lanes", &Program::lanes)
        .def("step", &Program::step)
        .def("show", &Program::show)
        .def("fetched", &Program::fetched)
        .def("under_way", &Program::under_way)
        .def("metrics_within", &Program::metrics_within)
        .def("end_execution", &Program::end_execution)
        .def("repeat", &Program::repeat)
        .def("end_epoch", &Program::end_epoch);
    py::class_<GraphBuild>(module, "GraphBuild")
        .def("place", &GraphBuild::place, py::arg("layer"), py::arg("kind"), py::arg("shard"),
             py::arg("host") = false)
        .def("feed", &GraphBuild::feed)
        .def("variable", &GraphBuild::variable)
        .def("constrain", &GraphBuild::constrain)
        .def("constant", &GraphBuild::constant)
        .def("operation", &GraphBuild::operation)
        .def("keras_model", &GraphBuild::keras_model)
        .def("accumulated", &GraphBuild::accumulated)
        .def("of_update", &GraphBuild::of_update)
        .def("set_next", &GraphBuild::set_next)
        .def("is_view", &GraphBuild::is_view)
        .def("update_count", &GraphBuild::update_count)
        .def("compared", &GraphBuild::compared)
        .def("ctc_loss", &GraphBuild::ctc_loss)
        .def("compute", &GraphBuild::compute, py::arg("values"), py::kw_only(), py::arg("weights") = nullptr,
             py::arg("step") = 0)
        .def("fetch", &GraphBuild::fetch, py::arg("name"), py::arg("value"), py::arg("kind") = "output")
        .def("variable_named", &GraphBuild::variable_named)
        .def("trainable", &GraphBuild::trainable)
        .def("gradients", &GraphBuild::gradients)
        .def("train", &GraphBuild::train, py::arg("loss"), py::arg("optimiser"), py::arg("reduction") = "sum",
             py::arg("updates") = std::vector<std::pair<int, int>>(), py::arg("rate") = graph::no_value.value,
             py::arg("label") = "", py::arg("read_later") = false)
        .def("now", &GraphBuild::now)
        .def("set_updated", &GraphBuild::set_updated)
        .def("next_values", &GraphBuild::next_values)
        .def("take_back", &GraphBuild::take_back)
        .def("type", &GraphBuild::type);
}

void add_weights(py::module_& module) {
    py::class_<run::Weights, std::shared_ptr<run::Weights>>(module, "Weights")
        .def(py::init<>())
        .def("names",
             [](const run::Weights& weights) {
                 std::vector<std::string> names;
                 for (const auto& [name, tensor] : weights)
                     names.push_back(name);
                 return names;
             })
        .def("__contains__",
             [](const run::Weights& weights, const std::string& name) { return weights.contains(name); })
        .def("get",
             [](const run::Weights& weights, const std::string& name) { return array_of(weights.at(name)); })
        .def("set",
             [](run::Weights& weights, const std::string& name, const py::array& values) {
                 const auto known = weights.find(name);
                 if (known != weights.end())
                     copy_into(values, known->second, name);
                 else // an estimate has made none
                     weights.emplace(name, tensor_of(values));
             })
        .def("make", [](run::Weights& weights, const std::string& name,
                        const py::array& values) { weights.insert_or_assign(name, tensor_of(values)); })
        .def("share", [](run::Weights& weights, const std::string& name, const run::Weights& other,
                         const std::string& known) { weights.insert_or_assign(name, other.at(known)); })
        .def(
            "is_shared",
            [](const run::Weights& weights, const std::string& name, const run::Weights& other,
               const std::string& known) {
                return weights.at(name).shares_memory(other.at(known.empty() ? name : known));
            },
            py::arg("name"), py::arg("other"), py::arg("known") = "")
        .def("erase", [](run::Weights& weights, const std::string& name) { weights.erase(name); });
}

void add_script(py::module_& module) {
    py::class_<Settings>(module, "Settings")
        .def(py::init<>())
        .def_readwrite("script", &Settings::script)
        .def_readwrite("output", &Settings::output)
        .def_readwrite("data_folder", &Settings::data_folder)
        .def_readwrite("cache", &Settings::cache)
        .def_readwrite("label", &Settings::label)
        .def_readwrite("set", &Settings::set)
        .def_readwrite("estimate", &Settings::estimate)
        .def_readwrite("overwrite", &Settings::overwrite)
        .def_readwrite("bars", &Settings::bars);
    using Own = std::shared_ptr<run::Weights>;
    py::class_<ScriptRun>(module, "ScriptRun")
        .def(py::init<Settings, Notes>())
        .def_property_readonly("has_profile", &ScriptRun::has_profile)
        .def("finish", [](ScriptRun& script, const std::string& status,
                          const std::string& error) { value_or_throw(script.finish(status, error)); })
        .def(
            "graph",
            [](ScriptRun& script, const std::string& name) {
                return std::make_unique<GraphBuild>(script.registry(), name);
            },
            py::keep_alive<0, 1>())
        .def(
            "load_graph",
            [](ScriptRun& script, GraphBuild& build, const std::string& document, std::int64_t steps,
               std::int64_t accumulation, const std::string& pipeline,
               const std::vector<std::int32_t>& stage_ipus, bool piecewise, std::int32_t replicas,
               std::optional<std::int64_t> batch, bool evaluates, bool offload_activations,
               const std::set<std::string>& dealt_out, const Own& weights) {
                return load_graph(script, build, document,
                                  {steps, accumulation, pipeline, stage_ipus, piecewise, replicas, batch,
                                   evaluates, offload_activations, dealt_out},
                                  weights);
            },
            py::keep_alive<0, 1>(), py::arg("build"), py::arg("document"), py::arg("steps"),
            py::arg("accumulation"), py::arg("pipeline"), py::arg("stage_ipus"),
            py::arg("recompute_piecewise"), py::arg("replicas") = 1, py::arg("batch") = py::none(),
            py::arg("evaluates") = false, py::kw_only(), py::arg("offload_activations") = false,
            py::arg("dealt_out") = std::set<std::string>(), py::arg("weights"))
        .def(
            "load_keras",
            [](ScriptRun& script, const std::string& document, const std::string& mode, std::int64_t samples,
               bool accumulate_outfeed, const std::string& label, const Own& weights) {
                return load_keras(script, document, mode, samples, accumulate_outfeed, label, weights);
            },
            py::keep_alive<0, 1>())
        .def("keras_variables",
             [](ScriptRun& script, const std::string& document, const Own& weights) {
                 return keras_variables(script, document, *weights);
             })
        .def("load_keras_file", [](ScriptRun& script, const std::string& document,
                                   const Own& weights) { load_keras_file(script, document, *weights); })
        .def("keras_summary", &keras_summary)
        .def("operators", [](const ScriptRun& script) { return script.registry().names(); })
        .def("infer_types",
             [](const ScriptRun& script, const std::string& kind,
                const std::vector<std::pair<std::string, graph::Shape>>& inputs, const py::dict& attributes) {
                 return infer_types(script.registry(), kind, inputs, attributes);
             })
        .def("einsum_recipe",
             [](const ScriptRun& script, const std::vector<InputType>& inputs,
                const std::vector<std::string>& letters, const std::string& result) {
                 return einsum_recipe(script.registry(), inputs, letters, result);
             })
        .def("hyperbolic_recipe",
             [](const ScriptRun& script, const std::string& function) {
                 return hyperbolic_recipe(script.registry(), function);
             })
        .def("constraint_recipe",
             [](const ScriptRun& script, const std::string& constraint, const py::dict& settings,
                const InputType& weight) {
                 return constraint_recipe(script.registry(), constraint, settings, weight);
             })
        .def("schedule_recipe",
             [](const ScriptRun& script, const std::string& schedule, const py::dict& settings) {
                 return schedule_recipe(script.registry(), schedule, settings);
             })
        .def("volumes_recipe",
             [](const ScriptRun& script, const std::string& kind, const std::vector<InputType>& inputs,
                const py::dict& settings) {
                 return volumes_recipe(script.registry(), kind, inputs, settings);
             })
        .def(
            "compute",
            [](const ScriptRun& script, const std::string& kind, const std::vector<py::array>& inputs,
               const py::dict& attributes,
               std::uint64_t step) { return compute_now(script.registry(), kind, inputs, attributes, step); },
            py::arg("kind"), py::arg("inputs"), py::arg("attributes"), py::arg("step") = 0)
        .def("initial_values", &initial_values)
        .def("load_digits", &load_digits);
}

} // namespace
} // namespace tilescope::python

PYBIND11_MODULE(tilescope_engine, module) {
    using namespace tilescope;
    module.doc() = "Tilescope's engine: graphs, programs on simulated IPUs, and their profile.";
    module.attr("version") = app::version;
    python::add_errors(module);
    python::add_weights(module);
    python::add_files(module);
    python::add_programs(module);
    python::add_script(module);
    module.def("sample_order", [](std::int64_t n, bool shuffle, std::uint64_t seed, std::int64_t pass) {
        const auto order = run::sample_order(n, shuffle, seed, pass);
        return py::array_t<std::int64_t>(static_cast<py::ssize_t>(order.size()), order.data());
    });
    module.def("check_epochs", [](std::int64_t epochs, std::int64_t steps, const std::string& place) {
        python::value_or_throw(prepare::check_epochs(epochs, steps, place));
    });
    module.def("pipeline_overlap", [](const std::string& schedule, std::int64_t stages, bool training) {
        return program::pipeline_overlap(python::kind_or_throw<PipelineSchedule>(schedule), stages, training);
    });
    module.def("resampled", &python::resampled);
    module.def("loss_names", &training::loss_names);
    module.def("metric_names", &training::metric_names);
    module.def("optimiser_names", &training::optimiser_names);
    module.def("layer_names", &keras::supported_layers);
    module.def("layer_settings", &keras::supported_settings);
}
