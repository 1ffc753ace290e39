// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "graph/graph_text.h"
#include "graph_lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace tilescope::graph {
namespace {

constexpr std::int64_t short_tensor = 64; ///< elements

std::string quoted(const std::string& text) {
    constexpr const char* digits = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (byte < 0x20)
            out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
        else
            out += c;
    }
    return out + "\"";
}

/// The shortest text that reads back the same; with a point or an exponent, unlike a whole number.
template<class Real>
std::string real_text(Real value) {
    if (!std::isfinite(value))
        return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.begin(), text.end(), value).ptr;
    const std::string out(text.begin(), end);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

template<class T, class Write>
std::string joined(const std::vector<T>& items, Write write) {
    std::string out;
    for (const T& item : items)
        out += (out.empty() ? "" : ", ") + write(item);
    return out;
}

std::string element_text(const HostTensor& tensor, std::int64_t i) {
    if (!is_floating(tensor.type().dtype))
        return std::to_string(static_cast<std::int64_t>(tensor.at(i)));
    return real_text(static_cast<float>(tensor.at(i)));
}

bool all_equal(const HostTensor& tensor) {
    const auto bits = [&](std::int64_t i) { return std::bit_cast<std::uint64_t>(tensor.at(i)); };
    for (std::int64_t i = 1; i < tensor.elements(); ++i)
        if (bits(i) != bits(0))
            return false;
    return tensor.elements() > 0;
}

/// Names that differ: `name`, `name#1`, `name#2` …
class Labels {
  public:
    std::string add(char mark, const std::string& name) {
        const bool bare =
            !name.empty() && name.back() != ':' && std::all_of(name.begin(), name.end(), is_label_character);
        const std::string base = mark + (bare ? name : quoted(name));
        std::string label = base;
        if (taken_.insert(label).second)
            return label;
        int& number = numbers_[base];
        do
            label = base + "#" + std::to_string(++number);
        while (!taken_.insert(label).second);
        return label;
    }

  private:
    std::set<std::string> taken_;
    std::map<std::string, int> numbers_; ///< by base: up to it they are taken
};

class Printer {
  public:
    Printer(const Graph& graph, TensorText tensors) : graph_(graph), tensors_(tensors) {}

    std::string run(const std::string& indent) {
        indent_ = indent + "  ";
        label_values();
        text_ = "graph " + quoted(graph_.name) + " {\n";
        layers();
        sources();
        for (const Operation& op : graph_.operations())
            operation(op);
        results();
        return text_ + indent + "}";
    }

  private:
    void line(const std::string& text) { text_ += indent_ + text + "\n"; }

    void label_values() {
        values_.resize(graph_.values().size());
        const auto label = [&](ValueId id) { entry(values_, id) = names_.add('%', graph_.value(id).name); };
        for (const Feed& feed : graph_.feeds)
            label(feed.value);
        for (const Variable& variable : graph_.variables)
            label(variable.value);
        for (const Constant& constant : graph_.constants)
            label(constant.value);
        for (const Operation& op : graph_.operations())
            std::for_each(op.outputs.begin(), op.outputs.end(), label);
    }
    /// "%none" for what nothing makes: the graph is broken, and its text cannot be read back.
    std::string label(ValueId id) const {
        const std::string& known = id == no_value ? "" : entry(values_, id);
        return known.empty() ? "%none" : known;
    }

    void layers() {
        Labels labels;
        for (const Layer& layer : graph_.layers) {
            layers_.push_back(labels.add('@', layer.name));
            line("layer " + layers_.back() + " : " + quoted(layer.kind) + " " +
                 to_string(layer.output_shape) +
                 (layer.parameters == 0 ? "" : " parameters " + std::to_string(layer.parameters)));
        }
    }
    std::string of_layer(LayerId id) const { return id == no_layer ? "" : " " + entry(layers_, id); }

    void source(const char* what, ValueId id, const std::string& values) {
        line(what + label(id) + " : " + to_string(graph_.type(id)) + values +
             of_layer(graph_.value(id).layer));
    }
    void sources() {
        for (const Feed& feed : graph_.feeds)
            source("feed ", feed.value, feed.linear ? " linear" : "");
        for (const Variable& variable : graph_.variables) {
            std::string more = variable.trainable ? "" : " frozen";
            if (variable.constraint)
                more += " constraint " + named(variable.constraint->name, variable.constraint->settings);
            source("variable ", variable.value, " = " + initial(variable.initial) + more);
        }
        for (const Constant& constant : graph_.constants)
            source("constant ", constant.value, " = " + tensor(constant.tensor));
    }

    std::string initial(const InitialValue& value) const {
        if (value.fill() && tensors_ != TensorText::None)
            return is_floating(value.type().dtype) ? real_text(*value.fill())
                                                   : std::to_string(static_cast<std::int64_t>(*value.fill()));
        return value.tensor() != nullptr ? tensor(*value.tensor()) : "...";
    }
    std::string tensor(const HostTensor& tensor) const {
        if (tensors_ == TensorText::None)
            return "...";
        if (all_equal(tensor))
            return element_text(tensor, 0);
        if (tensors_ == TensorText::Short && tensor.elements() > short_tensor)
            return "...";
        std::string out;
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            out += (i == 0 ? "" : ", ") + element_text(tensor, i);
        return "[" + out + "]";
    }

    void operation(const Operation& op) {
        std::string text = joined(op.outputs, [&](ValueId id) { return label(id); });
        text += " = " + op.kind + "(" + joined(op.inputs, [&](ValueId id) { return label(id); }) + ")";
        text += attributes(op.attributes) + " : ";
        text += joined(op.outputs, [&](ValueId id) { return to_string(graph_.type(id)); });
        text += (op.phase == Phase::Forward ? "" : " " + to_string(op.phase)) + of_layer(op.layer);
        if (!op.placement.device.empty())
            text += " on " + quoted(op.placement.device);
        if (op.placement.shard >= 0)
            text += " shard " + std::to_string(op.placement.shard);
        line(text);
    }
    void results() {
        for (const Variable& variable : graph_.variables)
            if (variable.next != no_value)
                line("next " + label(variable.value) + " = " + label(variable.next));
        for (const Fetch& fetch : graph_.fetches)
            line("fetch " + quoted(fetch.name) + " = " + label(fetch.value) +
                 (fetch.kind == FetchKind::Loss     ? " loss"
                  : fetch.kind == FetchKind::Metric ? " metric"
                                                    : ""));
        if (!graph_.training)
            return;
        const OptimiserSpec& optimiser = graph_.training->optimiser;
        std::string text =
            "train " + label(graph_.training->loss) + " " + named(optimiser.name, optimiser.settings);
        if (optimiser.schedule)
            text += " schedule " + named(optimiser.schedule->name, optimiser.schedule->settings);
        if (optimiser.loss_scale != 1)
            text += " scale " + real_text(optimiser.loss_scale);
        if (graph_.training->reduction != GradientReduction::Sum)
            text += graph_.training->reduction == GradientReduction::Mean ? " mean" : " running_mean";
        line(text);
    }

    std::string named(const std::string& name, const Attributes& settings) const {
        return quoted(name) + attributes(settings);
    }
    std::string attributes(const Attributes& attributes) const {
        std::string out;
        for (const auto& [name, value] : attributes.all())
            out += (out.empty() ? "" : ", ") + name + ": " +
                   std::visit([&](const auto& v) { return attribute(v); }, value);
        return out.empty() ? "" : " {" + out + "}";
    }
    std::string attribute(bool value) const { return value ? "true" : "false"; }
    std::string attribute(std::int64_t value) const { return std::to_string(value); }
    std::string attribute(double value) const { return real_text(value); }
    std::string attribute(const std::string& value) const { return quoted(value); }
    std::string attribute(const std::vector<std::int64_t>& values) const {
        return "[" + joined(values, [](std::int64_t v) { return std::to_string(v); }) + "]";
    }
    std::string attribute(const std::vector<double>& values) const {
        return values.empty() ? "reals []" : "[" + joined(values, real_text<double>) + "]";
    }
    std::string attribute(const std::vector<std::string>& values) const {
        return values.empty() ? "texts []" : "[" + joined(values, quoted) + "]";
    }
    std::string attribute(const Body& body) const { return Printer(*body, tensors_).run(indent_); }

    const Graph& graph_;
    TensorText tensors_;
    std::string indent_;
    std::string text_;
    Labels names_;
    std::vector<std::string> values_; ///< labels, by value
    std::vector<std::string> layers_; ///< labels, by layer
};

} // namespace

std::string print(const Graph& graph, TensorText tensors) {
    return Printer(graph, tensors).run("") + "\n";
}

} // namespace tilescope::graph
