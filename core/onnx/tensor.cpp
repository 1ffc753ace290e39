// SPDX-License-Identifier: GPL-3.0-or-later
#include "tensor.h"

#include "base/try.h"
#include "graph/builder.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <onnx/onnx_pb.h>
#include <optional>

namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::HostTensor;
using ::onnx::TensorProto;

struct TypeRow {
    int number; ///< TensorProto::DataType
    const char* name;
    std::int64_t bytes; ///< of an element in raw data
    std::optional<DType> device;
};

const std::vector<TypeRow>& type_rows() {
    static const std::vector<TypeRow> rows = {
        {TensorProto::FLOAT, "float", 4, DType::Float32},
        {TensorProto::FLOAT16, "float16", 2, DType::Float16},
        {TensorProto::BFLOAT16, "bfloat16", 2, DType::Float32},
        {TensorProto::DOUBLE, "double", 8, DType::Float32},
        {TensorProto::INT8, "int8", 1, DType::Int32},
        {TensorProto::INT16, "int16", 2, DType::Int32},
        {TensorProto::INT32, "int32", 4, DType::Int32},
        {TensorProto::INT64, "int64", 8, DType::Int32},
        {TensorProto::UINT8, "uint8", 1, DType::Int32},
        {TensorProto::UINT16, "uint16", 2, DType::Int32},
        {TensorProto::UINT32, "uint32", 4, DType::Int32},
        {TensorProto::UINT64, "uint64", 8, DType::Int32},
        {TensorProto::BOOL, "bool", 1, DType::Bool},
        {TensorProto::STRING, "string", 0, {}},
        {TensorProto::COMPLEX64, "complex64", 8, {}},
        {TensorProto::COMPLEX128, "complex128", 16, {}},
    };
    return rows;
}

const TypeRow* row_of(int number) {
    for (const TypeRow& row : type_rows())
        if (row.number == number)
            return &row;
    return nullptr;
}

template<class T>
T element(const std::string& raw, std::size_t i) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    return value;
}

std::int64_t whole_number(const TypeRow& row, const std::string& raw, std::size_t i) {
    switch (row.number) {
    case TensorProto::INT8:
        return element<std::int8_t>(raw, i);
    case TensorProto::INT16:
        return element<std::int16_t>(raw, i);
    case TensorProto::INT32:
        return element<std::int32_t>(raw, i);
    case TensorProto::UINT16:
        return element<std::uint16_t>(raw, i);
    case TensorProto::UINT32:
        return element<std::uint32_t>(raw, i);
    case TensorProto::INT64:
    case TensorProto::UINT64: // beyond int64 it turns negative, which fits no better
        return element<std::int64_t>(raw, i);
    default:
        return element<std::uint8_t>(raw, i);
    }
}

float real_number(const TypeRow& row, const std::string& raw, std::size_t i) {
    switch (row.number) {
    case TensorProto::FLOAT16:
        return graph::half_to_float(element<std::uint16_t>(raw, i));
    case TensorProto::BFLOAT16:
        return std::bit_cast<float>(static_cast<std::uint32_t>(element<std::uint16_t>(raw, i)) << 16);
    case TensorProto::DOUBLE:
        return static_cast<float>(element<double>(raw, i));
    default:
        return element<float>(raw, i);
    }
}

/// Values that stand in a field of their type rather than as raw bytes, as raw bytes.
std::string raw_of_fields(const TensorProto& proto, const TypeRow& row) {
    std::string raw;
    const auto append = [&](auto value) { // of a field that is too narrow nothing is taken
        if (static_cast<std::int64_t>(sizeof value) >= row.bytes)
            raw.append(reinterpret_cast<const char*>(&value), static_cast<std::size_t>(row.bytes));
    };
    for (const float value : proto.float_data())
        append(value);
    for (const double value : proto.double_data())
        append(value);
    for (const std::int64_t value : proto.int64_data())
        append(value);
    for (const std::uint64_t value : proto.uint64_data())
        append(value);
    for (const std::int32_t value : proto.int32_data()) // the small types too: little-endian, cut
        append(static_cast<std::int64_t>(value));
    return raw;
}

/// Where a tensor's bytes lie in another file.
struct ExternalPlace {
    std::string location;
    std::string offset = "0";
    std::string length; ///< "" where it is not said
};

ExternalPlace external_place(const TensorProto& proto) {
    ExternalPlace place;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location")
            place.location = entry.value();
        if (entry.key() == "offset")
            place.offset = entry.value();
        if (entry.key() == "length")
            place.length = entry.value();
    }
    return place;
}

/// A whole number from 0; nullopt for any other text.
std::optional<std::int64_t> count_in(const std::string& text) {
    std::int64_t count = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (code != std::errc() || end != text.data() + text.size() || count < 0)
        return std::nullopt;
    return count;
}

/// The file of this name in a folder, all links followed; nullopt where it is elsewhere then.
std::optional<std::filesystem::path> file_within(const std::filesystem::path& folder,
                                                 const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path base = fs::canonical(folder.empty() ? "." : folder, error);
    if (error || name.empty() || fs::path(name).is_absolute())
        return std::nullopt;
    fs::path file = fs::weakly_canonical(base / name, error);
    const auto outside = std::mismatch(base.begin(), base.end(), file.begin(), file.end()).first;
    if (error || outside != base.end())
        return std::nullopt;
    return file;
}

Result<std::string> external_data(const TensorProto& proto, const std::string& folder,
                                  const std::string& place, std::int64_t bytes) {
    const ExternalPlace external = external_place(proto);
    const auto offset = count_in(external.offset);
    const auto length = external.length.empty() ? bytes : count_in(external.length);
    if (!offset || !length)
        return bad_input("external data at offset \"" + external.offset + "\" with length \"" +
                             external.length + "\" is nowhere",
                         place, "export the model again");
    if (*length != bytes)
        return bad_input("has " + external.length + " bytes of external data, its shape needs " +
                             std::to_string(bytes),
                         place, "export the model again");
    const auto full = file_within(folder, external.location);
    if (!full)
        return bad_input("external data at \"" + external.location + "\" is not beside the model", place,
                         "keep the data in the model's folder, and not as a link to another");
    std::error_code failed;
    if (!std::filesystem::is_regular_file(*full, failed))
        return bad_input("the external data " + full->string() + " is not there", place,
                         "put the file beside the model");
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(*full, failed));
    if (failed || size < *offset || size - *offset < bytes)
        return bad_input(full->string() + " ends before the tensor does", place, "export the model again");
    std::string raw(static_cast<std::size_t>(bytes), '\0');
    std::ifstream file(*full, std::ios::binary);
    file.seekg(*offset);
    if (!file.read(raw.data(), bytes))
        return bad_input(full->string() + " cannot be read", place, "check its permissions");
    return raw;
}

} // namespace

std::optional<DType> device_type(const std::string& onnx_type) {
    for (const TypeRow& row : type_rows())
        if (onnx_type == row.name)
            return row.device;
    return std::nullopt;
}

std::string onnx_type_name(int number) {
    const TypeRow* row = row_of(number);
    if (row != nullptr)
        return row->name;
    // Those that are newer than libonnx (onnx 1.16, onnx.proto3, TensorProto.DataType).
    static const std::map<int, const char*> newer{{17, "float8e4m3fn"}, {18, "float8e4m3fnuz"},
                                                  {19, "float8e5m2"},   {20, "float8e5m2fnuz"},
                                                  {21, "uint4"},        {22, "int4"}};
    const auto found = newer.find(number);
    return found == newer.end() ? "type " + std::to_string(number) : found->second;
}

Result<OnnxTensor> read_proto(const TensorProto& proto, const std::string& folder, const std::string& place) {
    OnnxTensor tensor;
    tensor.name = proto.name();
    const TypeRow* row = row_of(proto.data_type());
    tensor.type = onnx_type_name(proto.data_type());
    const std::string where = place + ": tensor \"" + tensor.name + "\"";
    if (row == nullptr || !row->device)
        return bad_input("element type " + tensor.type + " cannot be on the device", where,
                         "use float, float16, int32, int64 or bool");
    tensor.shape.assign(proto.dims().begin(), proto.dims().end());
    for (const std::int64_t extent : tensor.shape)
        if (extent < 0)
            return bad_input("a dimension is " + std::to_string(extent), where, "export the model again");
    if (!graph::check_size(tensor.shape))
        return bad_input("shape " + graph::to_string(tensor.shape) + " is more than an IPU can hold", where,
                         "export a smaller model");
    const std::int64_t elements = graph::element_count(tensor.shape);
    std::string raw;
    if (proto.data_location() == TensorProto::EXTERNAL) {
        TRY(raw, external_data(proto, folder, where, elements * row->bytes));
    } else {
        raw = proto.has_raw_data() ? proto.raw_data() : raw_of_fields(proto, *row);
    }
    if (static_cast<std::int64_t>(raw.size()) != elements * row->bytes)
        return bad_input("has " + std::to_string(raw.size()) + " bytes of values, its shape " +
                             graph::to_string(tensor.shape) + " needs " +
                             std::to_string(elements * row->bytes),
                         where, "the file is damaged; export the model again");
    if (graph::is_floating(*row->device)) {
        tensor.floats = HostTensor({*row->device, tensor.shape});
        for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i)
            tensor.floats.floats()[i] = real_number(*row, raw, i);
        return tensor;
    }
    tensor.integers.resize(static_cast<std::size_t>(elements));
    for (std::size_t i = 0; i < tensor.integers.size(); ++i)
        tensor.integers[i] = whole_number(*row, raw, i);
    return tensor;
}

Result<HostTensor> narrowed(const OnnxTensor& tensor) {
    const std::optional<DType> dtype = device_type(tensor.type);
    if (!dtype)
        return bad_input("element type " + tensor.type + " cannot be on the device", tensor.name);
    if (graph::is_floating(*dtype))
        return tensor.floats;
    HostTensor result({*dtype, tensor.shape});
    for (std::size_t i = 0; i < tensor.integers.size(); ++i) {
        const std::int64_t value = tensor.integers[i];
        if (*dtype == DType::Bool) {
            result.bools()[i] = value != 0 ? 1 : 0;
            continue;
        }
        if (value < std::numeric_limits<std::int32_t>::min() ||
            value > std::numeric_limits<std::int32_t>::max())
            return bad_input("the " + tensor.type + " value " + std::to_string(value) + " of tensor \"" +
                                 tensor.name + "\" does not fit the device's int32",
                             {}, "keep whole numbers between -2147483648 and 2147483647");
        result.ints()[i] = static_cast<std::int32_t>(value);
    }
    return result;
}

Result<OnnxTensor> read_onnx_tensor(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return bad_input("the file is not there", path, "name a TensorProto file");
    TensorProto proto;
    if (!proto.ParseFromIstream(&file))
        return bad_input("is no ONNX tensor", path, "write it as a TensorProto");
    return read_proto(proto, std::filesystem::path(path).parent_path().string(), path);
}

void write_onnx_tensor(std::ostream& out, const std::string& name, const HostTensor& tensor) {
    TensorProto proto;
    proto.set_name(name);
    switch (tensor.type().dtype) {
    case DType::Float32:
        proto.set_data_type(TensorProto::FLOAT);
        break;
    case DType::Float16:
        proto.set_data_type(TensorProto::FLOAT16);
        break;
    case DType::Int32:
        proto.set_data_type(TensorProto::INT32);
        break;
    case DType::Bool:
        proto.set_data_type(TensorProto::BOOL);
        break;
    case DType::UInt8:
        proto.set_data_type(TensorProto::UINT8);
        break;
    }
    for (const std::int64_t extent : tensor.shape())
        proto.add_dims(extent);
    const std::vector<std::byte> bytes = tensor.device_bytes();
    proto.set_raw_data(bytes.data(), bytes.size());
    if (!proto.SerializeToOstream(&out))
        out.setstate(std::ios::badbit);
}

} // namespace tilescope::onnx
