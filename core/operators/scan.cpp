// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/scan.h"

#include "base/try.h"
#include "operators/families.h"
#include "operators/interpreter.h"
#include "operators/stochastic_rounding.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::ComputeContext;
using graph::Graph;
using graph::HostTensor;
using graph::no_value;
using graph::Operation;
using graph::Scan;
using graph::Source;
using graph::TensorType;
using graph::ValueId;

constexpr std::int64_t most_steps = 65536; ///< each is traced

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& attributes) {
    const Scan scan(attributes);
    if (scan.body == nullptr || scan.steps < 1 || scan.body->feeds.size() != in.size() ||
        scan.body->fetches.size() < scan.states || scan.states + scan.sequences > in.size())
        return shape_error("a body that reads all inputs, and steps", std::to_string(in.size()) + " inputs");
    if (scan.steps > most_steps)
        return bad_input("a loop of " + std::to_string(scan.steps) + " steps is too long", {},
                         "use sequences of at most " + std::to_string(most_steps) + " steps");
    const Graph& body = *scan.body;
    const auto first_fixed = scan.states + scan.sequences;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const TensorType feed = body.type(body.feeds[i].value);
        const bool sequence = i >= scan.states && i < first_fixed;
        const TensorType wanted = sequence ? graph::sequence_type(feed, scan.steps) : feed;
        if (wanted != in[i])
            return shape_error(to_string(wanted), to_string(in[i]));
    }
    std::vector<TensorType> outputs;
    for (std::size_t i = 0; i < body.fetches.size(); ++i) {
        const TensorType made = body.type(body.fetches[i].value);
        if (i < scan.states && made != in[i])
            return shape_error("a next state " + to_string(in[i]), to_string(made));
        outputs.push_back(i < scan.states ? made : graph::sequence_type(made, scan.steps));
    }
    return outputs;
}

/// Copies all of one tensor from or to the `t`-th slice of the other, which is as large or larger.
void copy_slice(const HostTensor& from, std::int64_t from_t, HostTensor& to, std::int64_t to_t) {
    const auto bytes = static_cast<std::size_t>(std::min(host_bytes(from.type()), host_bytes(to.type())));
    std::memcpy(to.bools().data() + static_cast<std::size_t>(to_t) * bytes,
                from.bools().data() + static_cast<std::size_t>(from_t) * bytes, bytes);
}

/// The body's tensors and operations, from one run of the loop to the next.
struct Kept {
    std::unique_ptr<Interpreter> body;
};

void compute(ComputeContext& c) {
    const Scan scan(c.attributes);
    const Graph& body = *scan.body;
    const auto run = c.keep([&] { return Kept{std::make_unique<Interpreter>(body, c.registry)}; });
    Interpreter& values = *run->body;
    const Machine machine{c.registry, c.pool, c.kernels};
    const auto feed = [&](std::size_t i) -> HostTensor& { return values.at(body.feeds[i].value); };
    const auto made = [&](std::size_t i) -> HostTensor& { return values.at(body.fetches[i].value); };
    const std::size_t first_fixed = scan.states + scan.sequences;
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
        if (i < scan.states || i >= first_fixed)
            copy_values(*c.inputs[i], feed(i));
    for (std::int64_t k = 0; k < scan.steps; ++k) {
        const std::int64_t t = scan.slice(k);
        for (std::size_t i = scan.states; i < first_fixed; ++i)
            copy_slice(*c.inputs[i], t, feed(i), 0);
        graph::RandomState random = c.random;
        random.place = place_within(random.place, static_cast<std::uint64_t>(k));
        values.run_batch(machine, random);
        for (std::size_t i = scan.states; i < c.outputs.size(); ++i)
            copy_slice(made(i), 0, *c.outputs[i], t);
        for (std::size_t i = 0; i < scan.states; ++i) // a next state may be the feed of another
            copy_values(made(i), *c.outputs[i]);
        for (std::size_t i = 0; i < scan.states; ++i)
            copy_values(*c.outputs[i], feed(i));
    }
}

/// The backward pass of a scan is a scan the other way. It carries the gradients of the states and the sums
/// of those of what is fixed; what it needs of the forward steps, that one saves as further sequences.
class Backward {
  public:
    explicit Backward(graph::GradientContext& context)
        : context_(context), scan_(context.operation.attributes), body_(*scan_.body), whole_(body_),
          saving_(std::make_shared<Graph>(body_)) {}

    Result<std::vector<ValueId>> add() {
        Builder both(whole_, context_.build.registry());
        TRY(seed(both));
        std::vector<ValueId> feeds;
        for (const graph::Feed& feed : body_.feeds)
            feeds.push_back(feed.value);
        TRY(gradients_, context_.differentiate_body(both, known_, feeds));
        for (std::size_t i = body_.operations().size(); i < whole_.operations().size(); ++i)
            for (const ValueId input : whole_.operations()[i].inputs)
                provide(input);
        for (const ValueId gradient : gradients_)
            if (gradient != no_value)
                provide(gradient);
        carry_sums();
        if (inputs_.sequences.empty()) // they tell the number of steps
            inputs_.sequences.push_back(context_.operation.inputs[scan_.states]);
        save();
        TRY(const auto made,
            graph::add_scan(context_.build, inputs_, !scan_.reversed,
                            [this](Builder& build, const graph::ScanInputs& in) { return step(build, in); }));
        return gradients_of_inputs(made);
    }

  private:
    enum class Role { State, Sequence, Fixed };
    Role role(std::size_t feed) const {
        return feed < scan_.states                     ? Role::State
               : feed < scan_.states + scan_.sequences ? Role::Sequence
                                                       : Role::Fixed;
    }
    bool is_state(std::size_t i) const {
        return role(i) == Role::State && is_floating(body_.type(body_.feeds[i].value).dtype);
    }
    bool made_forward(const graph::Value& value) const {
        return value.source == Source::Operation &&
               static_cast<std::size_t>(value.producer.value) < body_.operations().size();
    }

    ValueId zeros(Builder& build, const TensorType& type) const {
        return build.constant("zeros", HostTensor(type));
    }

    /// The gradients that come from outside of a step: of the next states, and of what it makes.
    Result<void> seed(Builder& both) {
        for (std::size_t i = 0; i < body_.fetches.size(); ++i) {
            const ValueId made = body_.fetches[i].value;
            const ValueId outside = context_.output_gradients[i];
            const bool state = i < scan_.states;
            if (state ? !is_state(i) : outside == no_value)
                continue;
            TRY(const ValueId gradient, both.feed("gradient", body_.type(made)));
            known_.emplace_back(made, gradient);
            if (state) {
                places_[gradient.value] = {Role::State, inputs_.states.size()};
                inputs_.states.push_back(outside != no_value ? outside
                                                             : zeros(context_.build, body_.type(made)));
            } else {
                places_[gradient.value] = {Role::Sequence, inputs_.sequences.size()};
                inputs_.sequences.push_back(outside);
            }
        }
        carried_ = inputs_.states.size();
        return {};
    }

    /// What a backward operation reads of the forward pass.
    void provide(ValueId id) {
        const graph::Value& value = whole_.value(id);
        if (places_.contains(id.value))
            return;
        if (value.source == Source::Feed) {
            const auto feed = static_cast<std::size_t>(value.index);
            if (role(feed) == Role::Fixed)
                put(id, Role::Fixed, inputs_.fixed, context_.operation.inputs[feed]);
            else if (role(feed) == Role::Sequence)
                put(id, Role::Sequence, inputs_.sequences, context_.operation.inputs[feed]);
            else
                put(id, Role::Sequence, inputs_.sequences, saved(id));
        } else if (made_forward(value)) {
            put(id, Role::Sequence, inputs_.sequences, saved(id));
        }
    }
    void put(ValueId id, Role role, std::vector<ValueId>& list, ValueId from) {
        places_[id.value] = {role, list.size()};
        list.push_back(from);
    }

    /// The sequence of a value of the forward steps: one that the scan makes anyway, or one more.
    ValueId saved(ValueId id) {
        Graph& graph = context_.build.graph();
        const auto& outputs = graph.operation(context_.operation.id).outputs;
        for (std::size_t i = scan_.states; i < saving_->fetches.size(); ++i)
            if (saving_->fetches[i].value == id)
                return outputs[i];
        saving_->fetches.push_back({"saved", id, graph::FetchKind::Output});
        return graph.add_output(context_.operation.id, graph::sequence_type(body_.type(id), scan_.steps));
    }

    /// The forward scan with what it saves.
    void save() {
        Scan forward = scan_;
        forward.body = saving_;
        context_.build.graph().operation(context_.operation.id).attributes = forward.attributes();
    }

    void carry_sums() {
        for (std::size_t i = 0; i < gradients_.size(); ++i)
            if (role(i) == Role::Fixed && context_.wanted[i] && gradients_[i] != no_value)
                inputs_.states.push_back(zeros(context_.build, body_.type(body_.feeds[i].value)));
    }

    Result<graph::ScanOutputs> step(Builder& build, const graph::ScanInputs& in) {
        std::map<std::int32_t, ValueId> values;
        for (const auto& [id, place] : places_)
            values[id] = (place.role == Role::State      ? in.states
                          : place.role == Role::Sequence ? in.sequences
                                                         : in.fixed)[place.index];
        for (const graph::Constant& constant : whole_.constants)
            values[constant.value.value] = build.constant(whole_.value(constant.value).name, constant.tensor);
        for (std::size_t i = body_.operations().size(); i < whole_.operations().size(); ++i) {
            const Operation& op = whole_.operations()[i];
            std::vector<ValueId> inputs;
            for (const ValueId input : op.inputs)
                inputs.push_back(values.at(input.value));
            TRY(const auto outputs, build.add(op.kind, inputs, op.attributes, op.name));
            for (std::size_t k = 0; k < outputs.size(); ++k)
                values[op.outputs[k].value] = outputs[k];
        }
        graph::ScanOutputs made;
        const auto value_of = [&](std::size_t feed) { return values.at(gradients_[feed].value); };
        for (std::size_t i = 0; i < gradients_.size(); ++i)
            if (is_state(i))
                made.states.push_back(
                    gradients_[i] != no_value ? value_of(i) : zeros(build, body_.type(body_.feeds[i].value)));
        for (std::size_t i = 0; i < gradients_.size(); ++i) {
            if (!context_.wanted[i] || gradients_[i] == no_value)
                continue;
            if (role(i) == Role::Fixed) {
                TRY(const ValueId sum, build.emit("add", {in.states[made.states.size()], value_of(i)}));
                made.states.push_back(sum);
            } else if (role(i) == Role::Sequence) {
                made.sequences.push_back(value_of(i));
            }
        }
        return made;
    }

    std::vector<ValueId> gradients_of_inputs(const graph::ScanOutputs& made) const {
        std::vector<ValueId> result(gradients_.size(), no_value);
        std::size_t state = 0;
        std::size_t sum = carried_;
        std::size_t sequence = 0;
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (is_state(i))
                result[i] = made.states[state++];
            else if (!context_.wanted[i] || gradients_[i] == no_value)
                continue;
            else if (role(i) == Role::Fixed)
                result[i] = made.states[sum++];
            else if (role(i) == Role::Sequence)
                result[i] = made.sequences[sequence++];
        }
        return result;
    }

    struct Place {
        Role role;
        std::size_t index;
    };
    graph::GradientContext& context_;
    const Scan scan_;
    const Graph& body_;
    Graph whole_; ///< the body and, after it, its gradients
    std::shared_ptr<Graph> saving_;
    std::vector<std::pair<ValueId, ValueId>> known_;
    std::vector<ValueId> gradients_;       ///< by feed of the body
    graph::ScanInputs inputs_;             ///< of the backward scan
    std::map<std::int32_t, Place> places_; ///< of values of `whole_` among them
    std::size_t carried_ = 0;              ///< states that are gradients; after them come the sums
};

} // namespace

void add_scan_operator(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "scan";
    op.summary = "A loop on the device: `body` for each slice of sequences [steps, ..], carrying states; the "
                 "last states, and sequences of what the steps make.";
    op.infer = infer;
    op.gradient = [](graph::GradientContext& context) { return Backward(context).add(); };
    op.compute = compute;
    registry.add(std::move(op));
}

} // namespace tilescope::operators
