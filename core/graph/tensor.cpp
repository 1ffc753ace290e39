// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/tensor.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace tilescope::graph {
namespace {

constexpr std::size_t alignment = 64;

std::int32_t nearest_int(double value) {
    using Limits = std::numeric_limits<std::int32_t>;
    return std::isnan(value)
               ? 0
               : static_cast<std::int32_t>(std::clamp<double>(value, Limits::min(), Limits::max()));
}

} // namespace

std::optional<DType> dtype_from_string(std::string_view text) {
    const auto dtype = tilescope::parse<DType>(text);
    return dtype == DType::UInt8 ? std::nullopt : dtype;
}

std::int64_t element_count(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(count, extent, &count) || count > uncountable)
            return std::find(shape.begin(), shape.end(), 0) == shape.end() ? uncountable : 0;
    return count;
}

std::string to_string(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

std::string to_string(const TensorType& type) {
    return to_string(type.dtype) + " " + to_string(type.shape);
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            return std::nullopt;
        result[result.size() - 1 - i] = x == 1 ? y : x;
    }
    return result;
}

std::int64_t host_bytes(const TensorType& type) {
    return type.elements() * (type.dtype == DType::Bool || type.dtype == DType::UInt8 ? 1 : 4);
}

std::shared_ptr<std::byte[]> host_memory(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
    auto* memory = static_cast<std::byte*>(::operator new[](size, std::align_val_t{alignment}));
    std::memset(memory, 0, size);
    return {memory, [](std::byte* p) { ::operator delete[](p, std::align_val_t{alignment}); }};
}

HostTensor::HostTensor(TensorType type)
    : type_(std::move(type)), elements_(type_.elements()), data_(host_memory(host_bytes(type_))) {}

HostTensor::HostTensor(TensorType type, std::shared_ptr<std::byte[]> memory)
    : type_(std::move(type)), elements_(type_.elements()), data_(std::move(memory)) {}

HostTensor HostTensor::of_floats(Shape shape, std::span<const float> values) {
    HostTensor tensor(TensorType{DType::Float32, std::move(shape)});
    assert(tensor.floats().size() == values.size());
    std::copy(values.begin(), values.end(), tensor.floats().begin());
    return tensor;
}

HostTensor HostTensor::of_ints(Shape shape, std::span<const std::int32_t> values) {
    HostTensor tensor(TensorType{DType::Int32, std::move(shape)});
    assert(tensor.ints().size() == values.size());
    std::copy(values.begin(), values.end(), tensor.ints().begin());
    return tensor;
}

double HostTensor::at(std::int64_t i) const {
    const auto index = static_cast<std::size_t>(i);
    switch (type_.dtype) {
    case DType::Int32:
        return ints()[index];
    case DType::Bool:
        return bools()[index];
    case DType::UInt8:
        return bytes()[index];
    case DType::Float32:
    case DType::Float16:
        break;
    }
    return static_cast<double>(floats()[index]);
}

void HostTensor::set(std::int64_t i, double value) {
    const auto index = static_cast<std::size_t>(i);
    switch (type_.dtype) {
    case DType::Int32:
        ints()[index] = nearest_int(value);
        return;
    case DType::Bool:
        bools()[index] = value != 0 ? 1 : 0;
        return;
    case DType::UInt8:
        bytes()[index] = static_cast<std::uint8_t>(std::clamp(nearest_int(value), 0, 255));
        return;
    case DType::Float16:
        floats()[index] = round_to_half(static_cast<float>(value));
        return;
    case DType::Float32:
        floats()[index] = static_cast<float>(value);
        return;
    }
}

void HostTensor::round_to_type() {
    if (type_.dtype == DType::Float16)
        for (float& value : floats())
            value = round_to_half(value);
}

void HostTensor::reshape(Shape shape) {
    assert(element_count(shape) == elements_);
    type_.shape = std::move(shape);
}

std::vector<std::byte> HostTensor::device_bytes() const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(type_.bytes().value));
    if (type_.dtype != DType::Float16) {
        std::memcpy(bytes.data(), data_.get(), bytes.size());
        return bytes;
    }
    for (std::size_t i = 0; i < floats().size(); ++i) {
        const std::uint16_t bits = half_bits(floats()[i]);
        std::memcpy(bytes.data() + 2 * i, &bits, 2);
    }
    return bytes;
}

std::uint16_t half_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U)
        return static_cast<std::uint16_t>(sign | 0x7E00U); // NaN
    if (magnitude >= 0x477FF000U)                          // rounds to 65,536 or more
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    if (magnitude < 0x38800000U) { // subnormal in half precision: multiples of 2^-24
        const float scaled = std::bit_cast<float>(magnitude) * 16777216.0F;
        const auto whole = static_cast<std::uint32_t>(scaled);
        const float rest = scaled - static_cast<float>(whole);
        const bool up = rest > 0.5F || (rest == 0.5F && (whole & 1U) != 0);
        return static_cast<std::uint16_t>(sign | (whole + (up ? 1U : 0U)));
    }
    const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

float half_to_float(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1FU;
    const std::uint32_t mantissa = bits & 0x3FFU;
    if (exponent == 0x1F)
        return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) / 16777216.0F;
        return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
}

float round_to_half(float value) {
    return half_to_float(half_bits(value));
}

} // namespace tilescope::graph
