// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::import {

using Json = nlohmann::json;

/// Reads a whole file. Errors: BadInput where it is missing or is a folder.
Result<std::string> read_text(const std::string& path);
/// Errors: BadInput with line and column.
Result<Json> parse_json(const std::string& text, const std::string& path);

/// One object of a document with its place, for reading its members with checks. The first problem is kept
/// in `error`; later reads then return defaults, so that a reader is a plain list of members.
class ObjectReader {
  public:
    ObjectReader(const Json& object, std::string file, std::string path, std::optional<Error>& error);

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
    const Json& object_;
    std::string file_;
    std::string path_;
    std::vector<std::string> known_;
    std::optional<Error>& error_;
};

} // namespace tilescope::import
