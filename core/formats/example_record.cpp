// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/example_record.h"

#include "base/try.h"

#include <cstring>

namespace tilescope::formats {
namespace {

// How protocol buffers lay fields out (protobuf.dev, "Encoding"): number and kind of a field, then its value.
enum class Wire : std::uint8_t { Varint = 0, Eight = 1, Bytes = 2, Four = 5 };

Failure no_example(const std::string& what) {
    return bad_input("the bytes are no tf.train.Example: " + what, {}, "check what is written as a record");
}

struct Field {
    std::uint64_t number = 0;
    Wire wire = Wire::Varint;
    std::uint64_t value = 0; ///< of a varint
    std::string_view bytes;  ///< of others
};

class Fields {
  public:
    explicit Fields(std::string_view bytes) : rest_(bytes) {}
    bool more() const { return !rest_.empty(); }

    Result<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<std::uint8_t>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80)
                return value;
        }
        return no_example("a number is cut short");
    }

    Result<Field> next() {
        TRY(const std::uint64_t tag, varint());
        Field field{tag >> 3, static_cast<Wire>(tag & 7), 0, {}};
        std::uint64_t size = 0;
        switch (field.wire) {
        case Wire::Varint: {
            TRY(field.value, varint());
            return field;
        }
        case Wire::Eight:
            size = 8;
            break;
        case Wire::Four:
            size = 4;
            break;
        case Wire::Bytes: {
            TRY(size, varint());
            break;
        }
        default:
            return no_example("a field is of a kind that there is not");
        }
        if (size > rest_.size())
            return no_example("a field is cut short");
        field.bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return field;
    }

  private:
    std::string_view rest_;
};

/// Calls `take(field)` for each field of a message.
template<class Take>
Result<void> each_field(std::string_view bytes, Take take) {
    Fields fields(bytes);
    while (fields.more()) {
        TRY(const Field field, fields.next());
        TRY(take(field));
    }
    return {};
}

bool is_value(const Field& field) {
    return field.number == 1;
}

Result<std::vector<std::string>> texts_of(std::string_view bytes) {
    std::vector<std::string> texts;
    Result<void> read = each_field(bytes, [&](const Field& field) -> Result<void> {
        if (is_value(field) && field.wire != Wire::Bytes)
            return no_example("a text is none");
        if (is_value(field))
            texts.emplace_back(field.bytes);
        return {};
    });
    TRY(std::move(read));
    return texts;
}

/// Floats lie one after the other in a field, or each in one of its own.
Result<std::vector<float>> floats_of(std::string_view bytes) {
    std::vector<float> floats;
    Result<void> read = each_field(bytes, [&](const Field& field) -> Result<void> {
        if (!is_value(field))
            return {};
        if ((field.wire != Wire::Bytes && field.wire != Wire::Four) ||
            field.bytes.size() % sizeof(float) != 0)
            return no_example("a list of floats is none");
        const std::size_t at = floats.size();
        floats.resize(at + field.bytes.size() / sizeof(float));
        if (!field.bytes.empty())
            std::memcpy(floats.data() + at, field.bytes.data(), field.bytes.size());
        return {};
    });
    TRY(std::move(read));
    return floats;
}

Result<std::vector<std::int64_t>> wholes_of(std::string_view bytes) {
    std::vector<std::int64_t> wholes;
    Result<void> read = each_field(bytes, [&](const Field& field) -> Result<void> {
        if (!is_value(field))
            return {};
        if (field.wire == Wire::Varint)
            wholes.push_back(static_cast<std::int64_t>(field.value));
        else if (field.wire != Wire::Bytes)
            return no_example("a list of whole numbers is none");
        Fields packed(field.bytes);
        while (packed.more()) {
            TRY(const std::uint64_t value, packed.varint());
            wholes.push_back(static_cast<std::int64_t>(value));
        }
        return {};
    });
    TRY(std::move(read));
    return wholes;
}

Result<Feature> feature_of(std::string_view bytes) {
    Feature feature;
    Result<void> read = each_field(bytes, [&](const Field& field) -> Result<void> {
        if (field.wire != Wire::Bytes)
            return no_example("a feature is no message");
        if (field.number == 1) {
            TRY(feature, texts_of(field.bytes));
        } else if (field.number == 2) {
            TRY(feature, floats_of(field.bytes));
        } else if (field.number == 3) {
            TRY(feature, wholes_of(field.bytes));
        }
        return {};
    });
    TRY(std::move(read));
    return feature;
}

void put_varint(std::string& to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        to += static_cast<char>((value & 0x7F) | 0x80);
    to += static_cast<char>(value);
}

void put_bytes(std::string& to, std::uint64_t number, std::string_view bytes) {
    put_varint(to, number << 3 | static_cast<std::uint64_t>(Wire::Bytes));
    put_varint(to, bytes.size());
    to += bytes;
}

std::string written(const Feature& feature) {
    std::string list;
    std::string values;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&feature)) {
        for (const std::string& text : *texts)
            put_bytes(values, 1, text);
    } else if (const auto* floats = std::get_if<std::vector<float>>(&feature)) {
        if (!floats->empty())
            put_bytes(values, 1,
                      {reinterpret_cast<const char*>(floats->data()), floats->size() * sizeof(float)});
    } else if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&feature)) {
        std::string packed;
        for (const std::int64_t value : *wholes)
            put_varint(packed, static_cast<std::uint64_t>(value));
        if (!packed.empty())
            put_bytes(values, 1, packed);
    }
    if (feature.index() != 0)
        put_bytes(list, feature.index(), values);
    return list;
}

} // namespace

Result<Example> parse_example(std::string_view bytes) {
    Example example;
    Result<void> read = each_field(bytes, [&](const Field& features) -> Result<void> {
        if (features.number != 1)
            return {};
        if (features.wire != Wire::Bytes)
            return no_example("its features are no message");
        return each_field(features.bytes, [&](const Field& entry) -> Result<void> {
            if (entry.number != 1)
                return {};
            std::string name;
            Feature feature;
            Result<void> named = each_field(entry.bytes, [&](const Field& part) -> Result<void> {
                if (part.wire != Wire::Bytes)
                    return no_example("a feature has no name");
                if (part.number == 1)
                    name = std::string(part.bytes);
                else if (part.number == 2) {
                    TRY(feature, feature_of(part.bytes));
                }
                return {};
            });
            TRY(std::move(named));
            example[name] = std::move(feature);
            return {};
        });
    });
    TRY(std::move(read));
    return example;
}

std::string write_example(const Example& example) {
    std::string features;
    for (const auto& [name, feature] : example) {
        std::string entry;
        put_bytes(entry, 1, name);
        put_bytes(entry, 2, written(feature));
        put_bytes(features, 1, entry);
    }
    std::string bytes;
    put_bytes(bytes, 1, features);
    return bytes;
}

} // namespace tilescope::formats
