// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "settings.h"

/// Layers around another layer.
namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

/// x [batch, steps, …] as [batch steps, …].
Result<ValueId> steps_as_samples(KerasLayer& l, ValueId x) {
    Shape shape = l.build.type(x).shape;
    if (shape.size() < 3)
        return l.fail("expects an input [batch, steps, …], got " + graph::to_string(shape));
    shape[1] *= shape[0];
    shape.erase(shape.begin());
    return l.build.emit("reshape", {x}, {{"shape", shape}}, "Samples");
}

Result<ValueId> samples_as_steps(KerasLayer& l, ValueId y, std::int64_t batch, std::int64_t steps) {
    Shape shape = l.build.type(y).shape;
    shape[0] = steps;
    shape.insert(shape.begin(), batch);
    return l.build.emit("reshape", {y}, {{"shape", shape}}, "Steps");
}

/// The layer for every step (keras/layers/rnn/time_distributed.py): steps are samples for it.
Result<Values> time_distributed(KerasLayer& l, const Values& in) {
    const Json& description = setting(l, "layer");
    if (!description.is_object())
        return l.fail("\"layer\" is missing");
    Values samples;
    for (const ValueId x : in) {
        TRY(const auto flat, steps_as_samples(l, x));
        samples.push_back(flat);
    }
    const Shape x = l.build.type(in[0]).shape;
    TRY(const auto y, l.inner(l, description, "layer", samples, {}));
    if (y.mask != graph::no_value) {
        TRY(l.output_mask, samples_as_steps(l, y.mask, x[0], x[1]));
    }
    Values outputs;
    for (const ValueId each : y.values) {
        if (l.build.type(each).shape.empty() || l.build.type(each).shape[0] != x[0] * x[1])
            return l.fail("the layer gives " + graph::to_string(l.build.type(each)) +
                          ", and no value for each sample");
        TRY(const ValueId output, samples_as_steps(l, each, x[0], x[1]));
        outputs.push_back(output);
    }
    return outputs;
}

} // namespace

LayerTable wrapping_layers() {
    return {{"TimeDistributed", {time_distributed, {"layer"}, Masking::Passes}}};
}

} // namespace tilescope::keras
