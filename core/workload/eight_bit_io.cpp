// SPDX-License-Identifier: GPL-3.0-or-later
#include "eight_bit_io.h"

#include "base/text.h"
#include "base/try.h"

#include <algorithm>
#include <utility>

namespace tilescope::workload {
namespace {

using graph::Builder;
using graph::Operation;
using graph::ValueId;

std::vector<double> read_channels(formats::ObjectReader& reader, const char* key) {
    const formats::Json* given = reader.member(key);
    std::vector<double> values;
    if (given == nullptr)
        return values;
    const formats::Json list = given->is_array() ? *given : formats::Json::array({*given});
    for (const formats::Json& value : list)
        if (value.is_number())
            values.push_back(value.get<double>());
    if (values.empty() || values.size() != list.size())
        reader.fail(key, "expects a number, or one for each channel, got " + given->dump(),
                    "give [0.485, 0.456, 0.406]");
    return values;
}

/// One number for each channel of x, behind all other dimensions.
Result<ValueId> channels(Builder& build, const std::vector<double>& values, ValueId x, const char* key,
                         const Workload& w) {
    const graph::TensorType type = build.type(x);
    const std::int64_t count = type.shape.empty() ? 1 : type.shape.back();
    const auto given = static_cast<std::int64_t>(values.size());
    if (given != 1 && given != count)
        return bad_input("has " + counted_text(given, "number") + ", and the input " +
                             counted_text(count, "channel"),
                         w.path + ": data.eight_bit_io." + key, "give one number, or one for each channel");
    graph::HostTensor tensor(graph::TensorType{type.dtype, {given}});
    for (std::int64_t i = 0; i < given; ++i)
        tensor.set(i, values[static_cast<std::size_t>(i)]);
    return build.constant(key, std::move(tensor));
}

/// The numbers that bytes stand for.
Result<ValueId> converted(Builder& build, ValueId bytes, graph::DType dtype, const Workload& w) {
    const EightBitIo& io = *w.eight_bit_io;
    TRY(ValueId x, build.emit("cast", {bytes}, {{"dtype", to_string(dtype)}}, "Cast"));
    TRY(x, build.emit("multiply", {x, build.scalar(1.0 / 255, dtype)}, {}, "Scale"));
    if (!io.offsets.empty()) {
        TRY(x, build.emit("subtract", {x, channels(build, io.offsets, x, "offsets", w)}, {}, "Subtract"));
    }
    if (!io.scales.empty()) {
        TRY(x, build.emit("multiply", {x, channels(build, io.scales, x, "scales", w)}, {}, "Multiply"));
    }
    return x;
}

} // namespace

void read_eight_bit_io(const formats::Json& given, formats::ObjectReader& data, formats::Reading& reading,
                       Workload& w) {
    if (given.is_boolean()) {
        if (given.get<bool>())
            w.eight_bit_io = EightBitIo{};
        return;
    }
    if (!given.is_object()) {
        data.fail("eight_bit_io", "expects true or an object, got " + given.dump());
        return;
    }
    formats::ObjectReader reader(given, "data.eight_bit_io", reading);
    EightBitIo io;
    io.offsets = read_channels(reader, "offsets");
    io.scales = read_channels(reader, "scales");
    reader.finish();
    w.eight_bit_io = std::move(io);
}

formats::Json eight_bit_io_json(const EightBitIo& io) {
    formats::Json json = formats::Json::object();
    if (!io.offsets.empty())
        json["offsets"] = io.offsets;
    if (!io.scales.empty())
        json["scales"] = io.scales;
    return json.empty() ? formats::Json(true) : json;
}

Result<void> add_eight_bit_inputs(Builder& build, const Workload& w) {
    graph::Graph& graph = build.graph();
    const std::size_t before = graph.operations().size();
    std::vector<std::pair<ValueId, ValueId>> inputs; // bytes, and what they become
    for (const graph::Feed& feed : graph.feeds) {
        const graph::DType dtype = graph.type(feed.value).dtype;
        if (!graph::is_floating(dtype))
            continue;
        graph.value(feed.value).type.dtype = graph::DType::UInt8;
        build.scope = {};
        build.scope.prefix = feed.name + "/";
        build.scope.placement.shard = w.shards.empty() ? -1 : 0;
        TRY(const ValueId x, converted(build, feed.value, dtype, w));
        inputs.emplace_back(feed.value, x);
    }
    build.scope = {};
    if (inputs.empty())
        return bad_input("the model takes whole numbers only", w.path + ": data.eight_bit_io", "remove it");
    std::vector<Operation> operations = graph.operations();
    for (std::size_t i = 0; i < before; ++i)
        for (ValueId& input : operations[i].inputs)
            for (const auto& [bytes, x] : inputs)
                if (input == bytes)
                    input = x;
    std::rotate(operations.begin(), operations.begin() + static_cast<std::ptrdiff_t>(before),
                operations.end());
    graph.set_operations(std::move(operations));
    return {};
}

} // namespace tilescope::workload
