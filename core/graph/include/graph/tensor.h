// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kinds.h"
#include "base/units.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::graph {

using tilescope::DType;
using tilescope::element_bytes;
using tilescope::is_floating;
using tilescope::to_string;

/// Of those that operations compute in; nullopt for any other.
std::optional<DType> dtype_from_string(std::string_view);

/// Dimensions, outermost first; static, each at least 0. A scalar has none.
using Shape = std::vector<std::int64_t>;

/// The product of the extents; `uncountable` where it is beyond that.
std::int64_t element_count(const Shape& shape);
inline constexpr std::int64_t uncountable = std::int64_t{1} << 60; ///< whose bytes can still be counted
std::string to_string(const Shape& shape);                         ///< "[64, 28, 28, 1]"
/// NumPy broadcasting of two shapes; nullopt where they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

struct TensorType {
    DType dtype = DType::Float32;
    Shape shape;

    std::int64_t elements() const { return element_count(shape); }
    Bytes bytes() const { return Bytes(elements() * element_bytes(dtype)); } ///< on the device
    bool operator==(const TensorType&) const = default;
};

std::string to_string(const TensorType& type); ///< "float32 [64, 10]"

/// What a tensor's values take on the host.
std::int64_t host_bytes(const TensorType& type);
/// Zeros, 64-byte aligned.
std::shared_ptr<std::byte[]> host_memory(std::int64_t bytes);

/// A tensor's values on the host, row-major, 64-byte aligned. float16 values are kept as floats that have
/// been rounded to half precision, so numerics see one floating type; bool and uint8 are one byte.
class HostTensor {
  public:
    HostTensor() = default;
    explicit HostTensor(TensorType type); ///< all zero
    /// In memory of at least `host_bytes(type)` that others may share, as it is.
    HostTensor(TensorType type, std::shared_ptr<std::byte[]> memory);

    static HostTensor of_floats(Shape shape, std::span<const float> values);
    static HostTensor of_ints(Shape shape, std::span<const std::int32_t> values);

    const TensorType& type() const { return type_; }
    const Shape& shape() const { return type_.shape; }
    std::int64_t elements() const { return elements_; }
    bool shares_memory(const HostTensor& other) const { return data_ == other.data_; } ///< from its start

    std::span<float> floats() { return view<float>(); }
    std::span<const float> floats() const { return view<float>(); }
    std::span<std::int32_t> ints() { return view<std::int32_t>(); }
    std::span<const std::int32_t> ints() const { return view<std::int32_t>(); }
    std::span<std::uint8_t> bools() { return view<std::uint8_t>(); }
    std::span<const std::uint8_t> bools() const { return view<std::uint8_t>(); }
    std::span<std::uint8_t> bytes() { return view<std::uint8_t>(); } ///< of uint8
    std::span<const std::uint8_t> bytes() const { return view<std::uint8_t>(); }

    /// Element `i` as a double, whatever the type.
    double at(std::int64_t i) const;
    /// In an int32 tensor the value is cut towards zero, and to what int32 can hold, as in one of uint8; not
    /// a number is 0.
    void set(std::int64_t i, double value);
    /// Rounds every value to half precision where the type is float16; nothing otherwise.
    void round_to_type();
    /// The same values under another shape of as many elements.
    void reshape(Shape shape);

    /// The values as the device holds them, byte for byte (hashing, equality, files).
    std::vector<std::byte> device_bytes() const;

  private:
    template<class T>
    std::span<T> view() const {
        return {reinterpret_cast<T*>(data_.get()), static_cast<std::size_t>(elements_)};
    }
    TensorType type_;
    std::int64_t elements_ = 1;         ///< as the type says: every access asks for it
    std::shared_ptr<std::byte[]> data_; // shared: constants of one graph are held by several operations
};

/// The nearest half-precision value, as a float (round to nearest even; overflow gives infinity).
float round_to_half(float value);
/// IEEE 754 binary16 encoding.
std::uint16_t half_bits(float value);
float half_to_float(std::uint16_t bits);

} // namespace tilescope::graph
