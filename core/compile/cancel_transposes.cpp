// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/passes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// Transpositions are put off: what can be done as well before one is done there, so that most of them meet
/// another one that they cancel. Images of models with channels first so stay with their channels last from
/// one convolution to the next.
namespace tilescope::compile {
namespace {

using graph::Attributes;
using graph::no_value;
using graph::Operation;
using graph::OpId;
using graph::Shape;
using graph::Source;
using graph::TensorType;
using graph::ValueId;
using Permutation = std::vector<std::int64_t>;

Permutation composed(const Permutation& first, const Permutation& then) {
    Permutation result;
    for (const std::int64_t axis : then)
        result.push_back(first[static_cast<std::size_t>(axis)]);
    return result;
}

Permutation inverse(const Permutation& permutation) {
    Permutation result(permutation.size());
    for (std::size_t d = 0; d < permutation.size(); ++d)
        result[static_cast<std::size_t>(permutation[d])] = static_cast<std::int64_t>(d);
    return result;
}

/// The attributes that an operation along axes has before its input is transposed; nullopt for other
/// operations.
std::optional<Attributes> attributes_before(const Operation& op, const Permutation& permutation) {
    const auto rank = static_cast<std::int64_t>(permutation.size());
    const auto before = [&](std::int64_t axis) {
        return permutation[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
    };
    const Attributes& attributes = op.attributes;
    Attributes result = attributes;
    if (op.kind == "concatenate" || op.kind == "take") {
        result.set("axis", before(attributes.integer("axis", op.kind == "take" ? 0 : -1)));
        return result;
    }
    if (op.kind.starts_with("reduce_") && attributes.has("axes") && attributes.flag("keep_dims")) {
        std::vector<std::int64_t> axes = attributes.integers("axes");
        std::transform(axes.begin(), axes.end(), axes.begin(), before);
        std::sort(axes.begin(), axes.end());
        result.set("axes", axes);
        return result;
    }
    for (const auto& [kind, first, second] :
         {std::tuple{"slice", "begin", "size"}, std::tuple{"pad", "before", "after"}})
        if (op.kind == kind) {
            result.set(first, composed(attributes.integers(first), inverse(permutation)));
            result.set(second, composed(attributes.integers(second), inverse(permutation)));
            return result;
        }
    return std::nullopt;
}

/// Elements that are moved in transpositions, but for those of constants, which are done while compiling.
std::int64_t transposed_elements(const graph::Graph& graph) {
    std::int64_t elements = 0;
    for (const Operation& op : graph.operations())
        if (op.kind == "transpose" && graph.value(op.inputs[0]).source != Source::Constant)
            elements += graph.type(op.inputs[0]).elements();
    return elements;
}

class Cancellation {
  public:
    Cancellation(graph::Graph& graph, const Compilation& c) : graph_(graph), c_(c) {}

    void run() {
        const std::vector<Operation> operations = graph_.operations();
        for (const Operation& op : operations) {
            if (c_.cancelled())
                return;
            if (!put_off(op) && !do_before(op))
                keep(op);
        }
        for (graph::Fetch& fetch : graph_.fetches)
            fetch.value = in_place(fetch.value);
        for (graph::Variable& variable : graph_.variables)
            variable.next = in_place(variable.next);
        if (graph_.training)
            graph_.training->loss = in_place(graph_.training->loss);
        graph_.set_operations(std::move(ordered_));
    }

  private:
    /// A value that is known before it is transposed.
    struct Transposed {
        ValueId source;
        Permutation permutation;
        Operation operation;     ///< the transposition that would make it
        ValueId made = no_value; ///< by that, once something needs it
    };

    const Transposed* transposed(ValueId id) const {
        const auto found = transposed_.find(id.value);
        return found == transposed_.end() ? nullptr : &found->second;
    }

    /// A transposition is added where something needs its result; one of a transposed value takes its place.
    bool put_off(const Operation& op) {
        if (op.kind != "transpose")
            return false;
        Transposed result{op.inputs[0], op.attributes.integers("permutation"), op};
        if (const Transposed* before = transposed(op.inputs[0])) {
            result.permutation = composed(before->permutation, result.permutation);
            result.source = before->source;
        }
        transposed_.emplace(op.outputs[0].value, std::move(result));
        return true;
    }

    /// f(transpose(x)) as transpose(f(x)), for operations on each element and those along axes.
    bool do_before(const Operation& op) {
        const Transposed* first = nullptr;
        for (const ValueId input : op.inputs)
            if (first == nullptr)
                first = transposed(input);
        const graph::Operator& kind = c_.registry.at(op.kind);
        if (first == nullptr || kind.random || kind.stateful || op.outputs.size() != 1 ||
            op.placement.on_host())
            return false;
        const Permutation permutation = first->permutation;
        const bool each_element = kind.elementwise || op.kind == "cast";
        const auto attributes = each_element ? op.attributes : attributes_before(op, permutation);
        if (!attributes)
            return false;
        std::vector<Operand> operands;
        for (const ValueId input : op.inputs) {
            const auto operand = operand_before(input, permutation, each_element);
            if (!operand)
                return false;
            operands.push_back(*operand);
        }
        std::vector<TensorType> types;
        types.reserve(operands.size());
        for (const Operand& operand : operands)
            types.push_back(operand.type);
        const auto outputs = kind.infer(types, *attributes);
        if (!outputs || composed(outputs->at(0).shape, permutation) != graph_.type(op.outputs[0]).shape)
            return false;
        move(op, *attributes, operands, outputs->at(0), permutation);
        return true;
    }

    /// What an operation reads instead of a transposed value, or of one that it spreads over it.
    struct Operand {
        ValueId source;
        TensorType type;                        ///< that it must have
        std::optional<Permutation> permutation; ///< of the source, after it is reshaped to `full`
        Shape full;
    };

    std::optional<Operand> operand_before(ValueId id, const Permutation& permutation, bool spreads) const {
        if (const Transposed* other = transposed(id))
            return other->permutation == permutation
                       ? std::optional(Operand{other->source, graph_.type(other->source), {}, {}})
                       : std::nullopt;
        const TensorType& type = graph_.type(id);
        if (!spreads || type.shape.size() > permutation.size())
            return std::nullopt;
        if (type.elements() == 1)
            return Operand{id, type, {}, {}};
        Shape full(permutation.size(), 1);
        std::copy_backward(type.shape.begin(), type.shape.end(), full.end());
        const auto wide = std::count_if(full.begin(), full.end(), [](std::int64_t n) { return n != 1; });
        if (wide > 1 && graph_.value(id).source != Source::Constant)
            return std::nullopt; // another transposition
        const Shape back = composed(full, inverse(permutation));
        const auto begin = std::find_if(back.begin(), back.end(), [](std::int64_t n) { return n != 1; });
        Operand operand{id, {type.dtype, {begin, back.end()}}, {}, full};
        if (wide > 1)
            operand.permutation = inverse(permutation);
        return operand;
    }

    void move(const Operation& op, const Attributes& attributes, const std::vector<Operand>& operands,
              const TensorType& type, const Permutation& permutation) {
        Operation moved = op;
        moved.attributes = attributes;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Operand& operand = operands[i];
            ValueId& input = moved.inputs[i];
            input = operand.source;
            if (operand.permutation) {
                input = add(op, "reshape", {input}, {{"shape", operand.full}},
                            {operand.type.dtype, operand.full});
                const Shape turned = composed(operand.full, *operand.permutation);
                input = add(op, "transpose", {input}, {{"permutation", *operand.permutation}},
                            {operand.type.dtype, turned});
            }
            if (graph_.type(input) != operand.type)
                input = add(op, "reshape", {input}, {{"shape", operand.type.shape}}, operand.type);
        }
        const ValueId output = op.outputs[0];
        Operation after = op;
        after.kind = "transpose";
        after.name = op.name + "/transpose";
        after.outputs.clear();
        graph_.value(output).type = type;
        ordered_.push_back(std::move(moved));
        transposed_.emplace(output.value, Transposed{output, permutation, std::move(after)});
    }

    ValueId add(const Operation& beside, const char* kind, std::vector<ValueId> inputs, Attributes attributes,
                const TensorType& type) {
        Operation op = beside;
        op.kind = kind;
        op.name += std::string("/") + kind;
        op.inputs = std::move(inputs);
        op.attributes = std::move(attributes);
        const OpId id = graph_.add_operation(std::move(op), {type});
        ordered_.push_back(graph_.operation(id));
        return ordered_.back().outputs[0];
    }

    /// Products read the matrices of a variable, or of one that was cast, turned as they are.
    void read_turned(Operation& product) const {
        const char* const flags[] = {"transpose_a", "transpose_b"};
        for (std::size_t i = 0; i < 2; ++i) {
            const Transposed* turned = transposed(product.inputs[i]);
            if (turned == nullptr || !of_variable(turned->source))
                continue;
            Permutation exchanged(turned->permutation.size());
            std::iota(exchanged.begin(), exchanged.end(), 0);
            std::swap(exchanged.back(), exchanged[exchanged.size() - 2]);
            if (turned->permutation != exchanged)
                continue;
            product.inputs[i] = turned->source;
            product.attributes.set(flags[i], !product.attributes.flag(flags[i]));
        }
    }
    bool of_variable(ValueId id) const {
        const graph::Value& value = graph_.value(id);
        if (value.source == Source::Operation && graph_.operation(value.producer).kind == "cast")
            return of_variable(graph_.operation(value.producer).inputs[0]);
        return value.source == Source::Variable;
    }

    void keep(Operation op) {
        if (op.kind == "matmul")
            read_turned(op);
        for (ValueId& input : op.inputs)
            input = in_place(input);
        ordered_.push_back(std::move(op));
    }

    /// The value itself: a transposition that was put off is done here.
    ValueId in_place(ValueId id) {
        const auto found = transposed_.find(id.value);
        if (found == transposed_.end())
            return id;
        Transposed& value = found->second;
        if (std::is_sorted(value.permutation.begin(), value.permutation.end()))
            return value.source;
        if (value.made != no_value)
            return value.made;
        Operation op = value.operation;
        op.inputs = {value.source};
        op.attributes = {{"permutation", value.permutation}};
        if (op.outputs.empty()) {
            const TensorType source = graph_.type(value.source);
            const OpId added = graph_.add_operation(
                std::move(op), {{source.dtype, composed(source.shape, value.permutation)}});
            op = graph_.operation(added);
        }
        value.made = op.outputs[0];
        ordered_.push_back(std::move(op));
        return value.made;
    }

    graph::Graph& graph_;
    const Compilation& c_;
    std::vector<Operation> ordered_;
    std::map<std::int32_t, Transposed> transposed_; ///< by value
};

} // namespace

void cancel_transposes(graph::Graph& graph, const Compilation& c) {
    const std::int64_t before = transposed_elements(graph);
    if (before == 0)
        return;
    graph::Graph changed = graph;
    Cancellation(changed, c).run();
    remove_dead_code(changed, c);
    if (transposed_elements(changed) < before)
        graph = std::move(changed);
}

} // namespace tilescope::compile
