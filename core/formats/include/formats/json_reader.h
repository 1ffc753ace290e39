// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilescope::formats {

using Json = nlohmann::json;

inline constexpr std::size_t most_json_bytes = 16 << 20; ///< a document takes up to 20 times its text

/// Reads a whole text of JSON. Errors: BadInput where it is missing, no regular file, or longer than
/// `most_json_bytes`.
Result<std::string> read_text(const std::string& path);
/// Errors: BadInput with line and column; more than `deepest_json` brackets in each other or
/// `most_json_bytes`.
Result<Json> parse_json(const std::string& text, const std::string& path);

/// The most that an extent or a count of a file may be: products of two of them stay whole numbers.
inline constexpr std::int64_t most_setting = std::int64_t{1} << 30;
/// Whether a value is a whole number from `least` to `most_setting`.
bool is_count(const Json& value, std::int64_t least);

/// A member of an object; null where it is absent, or where `object` is none.
const Json& member(const Json& object, const std::string& key);
/// The text that a value is; `otherwise` where it is null. What is no text is given as JSON, which is the
/// name of nothing.
std::string name_in(const Json& value, const std::string& otherwise);

/// A document while it is read: the first problem, and every key that was asked for, present or not.
struct Reading {
    std::string file;
    std::optional<Error> error;
    std::set<std::string> keys; ///< dotted paths: "fit.epochs"
};

/// One object of a document with its place, for reading its members with checks. The first problem is kept
/// in `reading.error`; later reads then return defaults, so that a reader is a plain list of members.
class ObjectReader {
  public:
    ObjectReader(const Json& object, std::string path, Reading& reading);

    bool has(const std::string& key) const { return object_.is_object() && object_.contains(key); }
    const Json* member(const std::string& key); ///< nullptr where absent; marks the key as known
    std::string text(const std::string& key, std::string otherwise = {});
    std::int64_t integer(const std::string& key, std::int64_t otherwise, std::int64_t least = 0);
    double real(const std::string& key, double otherwise);
    bool flag(const std::string& key, bool otherwise);
    /// Reports members that nobody asked for, naming the nearest known key.
    void finish();
    void fail(const std::string& key, std::string message, std::string remedy = {});
    std::string place(const std::string& key) const;

  private:
    std::string path_of(const std::string& key) const;

    const Json& object_;
    std::string path_;
    std::vector<std::string> known_;
    Reading& reading_;
};

} // namespace tilescope::formats
