// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/nearest_name.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/operation_stages.h"
#include "compile/passes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

/// Recomputation: activations are not kept for the backward pass, their operations run once more before it.
/// In a pipeline each stage but the last, whose backward pass follows at once, recomputes from its inputs
/// (IPU TensorFlow, driver/passes/pipeline_recomputation_stage_inserter.cc), or piece by piece from its
/// checkpoints (pipeline_recomputation.cc). A model that is not pipelined is cut into segments of layers that
/// recompute from theirs (Chen et al. 2016, arXiv 1604.06174), as explicit checkpoints do there. Random
/// numbers are drawn again, the same ones; running values are not taken again.
/// What rules leave out of it is kept for the backward pass, and read there by what is recomputed.
namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::ValueId;
using Segments = std::vector<std::int32_t>; ///< by operation; -1: it is none of the forward pass
using Flags = std::vector<bool>;            ///< by operation

/// Where to cut the forward pass into segments of layers so that the least is kept: while a segment's
/// backward pass runs, what goes from each earlier segment to later ones is there, and all that is recomputed
/// of its own.
class Cuts {
  public:
    /// `again`: which operations may be run again; what others make is kept wherever the cuts are.
    Cuts(const Compilation& c, const Flags& again) : c_(c), units_(c.graph().operations().size(), -1) {
        const graph::Graph& graph = c.graph();
        const Operation* before = nullptr;
        for (const Operation& op : graph.operations()) {
            if (c.cancelled())
                return;
            if (op.phase == Phase::Forward) {
                if (before == nullptr || op.layer != before->layer)
                    kept_.push_back(0);
                entry(units_, op.id) = static_cast<std::int32_t>(kept_.size()) - 1;
                before = &op;
            }
            for (const ValueId input : op.inputs)
                if (const Operation* producer = forward_producer(graph, input);
                    producer != nullptr && entry(again, producer->id) &&
                    !c.registry.at(producer->kind).stateful)
                    read(input, graph.type(input).bytes().value, unit_of(*producer), op,
                         !c.registry.at(producer->kind).view);
        }
    }

    Segments best() const {
        std::int64_t enough = 0;
        for (const std::int64_t bytes : kept_)
            enough += bytes;
        std::int64_t less = 0; // too little
        while (enough - less > 1 && !c_.cancelled()) {
            const std::int64_t middle = less + (enough - less) / 2;
            (segments_within(middle).empty() ? less : enough) = middle;
        }
        const Segments by_unit = segments_within(enough);
        Segments segments(units_.size(), -1);
        for (std::size_t i = 0; i < units_.size(); ++i)
            if (units_[i] >= 0 && !by_unit.empty())
                segments[i] = by_unit[static_cast<std::size_t>(units_[i])];
        return segments;
    }

  private:
    struct Made {
        std::int32_t unit = -1;
        std::int32_t last_reader = -1; ///< unit of the forward pass
        std::int64_t bytes = 0;
        bool kept = false; ///< counted as read by the backward pass
    };
    std::int32_t unit_of(const Operation& op) const { return entry(units_, op.id); }

    void read(ValueId id, std::int64_t bytes, std::int32_t unit, const Operation& reader, bool memory) {
        Made& made = made_[id.value];
        made.unit = unit;
        made.bytes = bytes;
        if (reader.phase == Phase::Forward)
            made.last_reader = std::max(made.last_reader, unit_of(reader));
        else if (reader.phase == Phase::Backward && memory && !std::exchange(made.kept, true))
            kept_[static_cast<std::size_t>(unit)] += bytes;
    }

    /// The segment of each unit so that no more than `budget` bytes are there at once; none where that cannot
    /// be.
    Segments segments_within(std::int64_t budget) const {
        Segments segments;
        std::int32_t segment = 0;
        std::int32_t first = 0;
        std::int64_t own = 0;
        std::int64_t earlier = 0;
        for (std::size_t unit = 0; unit < kept_.size(); ++unit) {
            if (own > 0 && earlier + own + kept_[unit] > budget) {
                if (c_.cancelled())
                    return {};
                for (const auto& [value, made] : made_)
                    if (made.unit >= first && made.unit < static_cast<std::int32_t>(unit) &&
                        made.last_reader >= static_cast<std::int32_t>(unit))
                        earlier += made.bytes;
                ++segment;
                first = static_cast<std::int32_t>(unit);
                own = 0;
            }
            own += kept_[unit];
            segments.push_back(segment);
            if (earlier + own > budget)
                return {};
        }
        return segments;
    }

    const Compilation& c_;
    Segments units_;                    ///< by operation: the layer's run of operations that it is in
    std::vector<std::int64_t> kept_;    ///< by unit: bytes that the backward pass reads
    std::map<std::int32_t, Made> made_; ///< by value
};

constexpr const char* checkpoint = "recomputation_checkpoint"; ///< the operator

/// Whether the model or the workload says where to begin anew.
bool has_checkpoints(const Compilation& c) {
    const std::vector<Operation>& operations = c.graph().operations();
    return !c.options.checkpoints.empty() ||
           std::any_of(operations.begin(), operations.end(),
                       [](const Operation& op) { return op.kind == checkpoint; });
}

/// Segments that end with checkpoints and the results of named layers, as explicit checkpoints of IPU
/// TensorFlow do, each within its stage (all `stages` are one without a pipeline): what lies behind the last
/// of them is not computed again (driver/passes/pipeline_recomputation.cc). Errors: a name that no layer has.
Result<Segments> segments_between(const Compilation& c, const Segments& stages) {
    const graph::Graph& graph = c.graph();
    std::vector<std::string> names;
    for (const graph::Layer& layer : graph.layers)
        names.push_back(layer.name);
    std::vector<bool> kept(names.size(), false);
    for (const std::string& name : c.options.checkpoints) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
            return bad_input("there is no layer \"" + name + "\" whose result recomputation could keep",
                             graph.name, remedy_for(name, names, "name layers of the model"));
        kept[static_cast<std::size_t>(found - names.begin())] = true;
    }
    const auto ends = [&](const Operation& last, const Operation& next) {
        return last.kind == checkpoint || (last.layer != next.layer && last.layer != graph::no_layer &&
                                           kept[static_cast<std::size_t>(last.layer.value)]);
    };
    struct Stage {
        const Operation* last = nullptr;
        std::int32_t segments = 0;
    };
    std::map<std::int32_t, Stage> work;
    Segments segments(graph.operations().size(), -1); // of its stage
    for (const Operation& op : graph.operations()) {
        if (op.phase != Phase::Forward)
            continue;
        Stage& stage = work[entry(stages, op.id)];
        if (stage.last == nullptr || ends(*stage.last, op))
            ++stage.segments;
        entry(segments, op.id) = stage.segments - 1;
        stage.last = &op;
    }
    std::int32_t before = 0; // segments of earlier stages
    for (auto& [number, stage] : work)
        before += std::exchange(stage.segments, before);
    for (const Operation& op : graph.operations())
        if (op.phase == Phase::Forward)
            entry(segments, op.id) += work[entry(stages, op.id)].segments;
    return segments;
}

/// Clones the forward operations that the backward pass needs, segment by segment.
class Recomputation {
  public:
    /// `stages`: by operation; backward passes of a stage read what is recomputed of it.
    Recomputation(Compilation& c, Segments segments, Segments stages, Flags again)
        : c_(c), graph_(c.graph()), registry_(c.registry), segments_(std::move(segments)),
          stages_(std::move(stages)), again_(std::move(again)),
          last_(*std::max_element(segments_.begin(), segments_.end())), wanted_(segments_.size(), false),
          clones_(graph_.values().size(), graph::no_value), crossing_(graph_.values().size(), false) {}

    /// How many operations run again.
    std::size_t run() {
        find_crossing();
        find_wanted();
        std::vector<Operation> ordered;
        const std::vector<Operation> operations = graph_.operations();
        std::size_t count = 0;
        for (Operation op : operations) {
            if (c_.cancelled())
                return 0;
            if (op.phase == Phase::Backward) {
                for (const ValueId input : op.inputs)
                    if (const std::int32_t segment = recomputed_for(op, input); segment >= 0)
                        count += clone(segment, operations, ordered);
                for (ValueId& input : op.inputs)
                    if (recomputed_for(op, input) >= 0)
                        input = entry(clones_, input);
            }
            ordered.push_back(std::move(op));
        }
        graph_.set_operations(std::move(ordered));
        return count;
    }

  private:
    std::int32_t segment_of(const Operation& op) const { return entry(segments_, op.id); }

    bool of_one_stage(const Operation& a, const Operation& b) const {
        return entry(stages_, a.id) == entry(stages_, b.id);
    }

    /// What a later segment of the stage begins with is kept, and serves the backward pass too.
    void find_crossing() {
        for (const Operation& op : graph_.operations())
            for (const ValueId input : op.inputs)
                if (const Operation* producer = forward_producer(graph_, input);
                    producer != nullptr && op.phase == Phase::Forward &&
                    segment_of(op) != segment_of(*producer) && of_one_stage(op, *producer)) {
                    entry(crossing_, input) = true;
                    if (producer->kind == checkpoint) // the same memory
                        entry(crossing_, producer->inputs[0]) = true;
                }
    }

    /// Whether a forward value is made again for readers of its own segment.
    bool recomputable(ValueId id) const {
        const Operation* producer = forward_producer(graph_, id);
        return producer != nullptr && segment_of(*producer) < last_ && !entry(crossing_, id) &&
               entry(again_, producer->id) && !registry_.at(producer->kind).stateful;
    }

    /// The segment whose recomputation gives a backward operation its input; -1 where it reads it as it is.
    std::int32_t recomputed_for(const Operation& op, ValueId input) const {
        if (!recomputable(input))
            return -1;
        const Operation& producer = *forward_producer(graph_, input);
        return of_one_stage(op, producer) ? segment_of(producer) : -1;
    }

    void find_wanted() {
        for (std::size_t i = segments_.size(); i-- > 0;) {
            const Operation& op = graph_.operations()[i];
            if (op.phase != Phase::Backward && !wanted_[i])
                continue;
            for (const ValueId input : op.inputs)
                if (recomputed_for(op, input) >= 0 &&
                    (op.phase == Phase::Backward ||
                     segment_of(op) == segment_of(*forward_producer(graph_, input))))
                    wanted_[static_cast<std::size_t>(graph_.value(input).producer.value)] = true;
        }
    }

    /// Appends the clones of a segment, the first time that it is asked for. Returns how many.
    std::size_t clone(std::int32_t segment, const std::vector<Operation>& operations,
                      std::vector<Operation>& ordered) {
        if (!cloned_.insert(segment).second)
            return 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (!wanted_[i] || segments_[i] != segment)
                continue;
            Operation again = operations[i];
            again.phase = Phase::Recompute;
            again.name += "/recompute";
            std::vector<graph::TensorType> types;
            for (const ValueId output : again.outputs)
                types.push_back(graph_.type(output));
            for (ValueId& input : again.inputs)
                if (recomputed_for(operations[i], input) == segment)
                    input = entry(clones_, input);
            const graph::OpId id = graph_.add_operation(std::move(again), types);
            for (std::size_t k = 0; k < types.size(); ++k)
                entry(clones_, operations[i].outputs[k]) = graph_.operation(id).outputs[k];
            ordered.push_back(graph_.operation(id));
            ++count;
        }
        return count;
    }

    const Compilation& c_;
    graph::Graph& graph_;
    const graph::OperatorRegistry& registry_;
    Segments segments_;
    Segments stages_;
    Flags again_;
    std::int32_t last_;             ///< segment; its backward pass follows at once
    std::vector<bool> wanted_;      ///< by operation: it runs again
    std::vector<ValueId> clones_;   ///< by value
    std::vector<bool> crossing_;    ///< by value
    std::set<std::int32_t> cloned_; ///< segments
};

/// By operation: whether the settings of its stage and layer let it be run again.
Flags may_run_again(const Compilation& c) {
    const graph::Graph& graph = c.graph();
    const std::vector<ForPart<bool>>& parts = c.options.recompute_parts;
    Flags again(graph.operations().size(), c.options.recompute);
    if (parts.empty())
        return again;
    const std::vector<std::int32_t> stages = operation_stages(graph);
    for (const Operation& op : graph.operations()) {
        const std::string layer =
            op.layer == graph::no_layer ? std::string() : entry(graph.layers, op.layer).name;
        entry(again, op.id) = setting_of(parts, entry(stages, op.id), layer, c.options.recompute);
    }
    return again;
}

} // namespace

Result<std::string> recompute(Compilation& c) {
    const std::vector<ForPart<bool>>& parts = c.options.recompute_parts;
    if (!c.options.recompute &&
        std::none_of(parts.begin(), parts.end(), [](const ForPart<bool>& rule) { return rule.value; }))
        return std::string("not asked for");
    if (!c.graph().training)
        return std::string("inference: nothing is kept for a backward pass");
    const bool piped = c.options.schedule.pipeline.has_value();
    const bool whole = piped && !c.options.recompute_piecewise;
    Segments stages(c.graph().operations().size(), 0);
    if (piped)
        stages = operation_stages(c.graph());
    Flags again = may_run_again(c);
    Segments segments;
    if (whole)
        segments = stages;
    else if (piped || has_checkpoints(c)) {
        TRY(segments, segments_between(c, stages));
    } else
        segments = Cuts(c, again).best();
    if (c.cancelled())
        return cancelled();
    const std::int32_t count = 1 + *std::max_element(segments.begin(), segments.end());
    const std::size_t operations =
        Recomputation(c, std::move(segments), std::move(stages), std::move(again)).run();
    if (c.cancelled())
        return cancelled();
    if (operations == 0)
        return std::string("no operation runs again");
    return count_text(static_cast<std::int64_t>(operations)) + " operations run again, in " +
           (whole ? counted_text(count, "stage")
                  : counted_text(count, "segment of layers", "segments of layers"));
}

} // namespace tilescope::compile
