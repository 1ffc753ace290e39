// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/json_reader.h"

#include "base/json_depth.h"
#include "base/nearest_name.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace tilescope::formats {
namespace {

Failure too_long(const std::string& path) {
    return bad_input("is longer than " + std::to_string(most_json_bytes >> 20) + " MiB", path,
                     "no model or workload is: check the path");
}

} // namespace

Result<std::string> read_text(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return bad_input("there is no such file", path, "check the path");
    if (!std::filesystem::is_regular_file(path, error))
        return bad_input("not a file", path, "give a JSON file");
    if (std::filesystem::file_size(path, error) > most_json_bytes)
        return too_long(path);
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file)
        return bad_input("the file cannot be read", path, "check its permissions");
    return text.str();
}

Result<Json> parse_json(const std::string& text, const std::string& path) {
    if (text.size() > most_json_bytes)
        return too_long(path);
    if (nests_too_deep(text))
        return bad_input("has more than " + std::to_string(deepest_json) + " brackets in each other", path,
                         "nest less deeply");
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        const std::size_t at = std::min<std::size_t>(error.byte, text.size());
        const auto begin = text.begin();
        const auto end = begin + static_cast<std::ptrdiff_t>(at == 0 ? 0 : at - 1);
        const auto line = std::count(begin, end, '\n') + 1;
        const auto column = end - std::find(std::make_reverse_iterator(end), text.rend(), '\n').base() + 1;
        return bad_input("not valid JSON at line " + std::to_string(line) + ", column " +
                             std::to_string(column),
                         path, "mend the syntax there");
    } catch (const Json::exception& error) { // a string that is not UTF-8
        return bad_input(std::string("not valid JSON: ") + error.what(), path);
    }
}

bool is_count(const Json& value, std::int64_t least) {
    return value.is_number_integer() && value.get<std::int64_t>() >= least &&
           value.get<std::int64_t>() <= most_setting;
}

const Json& member(const Json& object, const std::string& key) {
    static const Json absent;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() ? absent : *found;
}

std::string name_in(const Json& value, const std::string& otherwise) {
    return value.is_string() ? value.get<std::string>() : value.is_null() ? otherwise : value.dump();
}

ObjectReader::ObjectReader(const Json& object, std::string path, Reading& reading)
    : object_(object), path_(std::move(path)), reading_(reading) {
    if (!object_.is_object())
        fail("", std::string("expects an object, got ") + object_.type_name());
}

std::string ObjectReader::path_of(const std::string& key) const {
    return path_.empty() || key.empty() ? path_ + key : path_ + "." + key;
}

std::string ObjectReader::place(const std::string& key) const {
    const std::string path = path_of(key);
    return path.empty() ? reading_.file : reading_.file + ": " + path;
}

void ObjectReader::fail(const std::string& key, std::string message, std::string remedy) {
    if (!reading_.error)
        reading_.error = Error{ErrorKind::BadInput, std::move(message), place(key), std::move(remedy)};
}

const Json* ObjectReader::member(const std::string& key) {
    known_.push_back(key);
    reading_.keys.insert(path_of(key));
    if (!has(key) || object_.at(key).is_null())
        return nullptr;
    return &object_.at(key);
}

std::string ObjectReader::text(const std::string& key, std::string otherwise) {
    const Json* value = member(key);
    if (value == nullptr)
        return otherwise;
    if (!value->is_string()) {
        fail(key, std::string("expects a string, got ") + value->dump());
        return otherwise;
    }
    return value->get<std::string>();
}

std::int64_t ObjectReader::integer(const std::string& key, std::int64_t otherwise, std::int64_t least) {
    const Json* value = member(key);
    if (value == nullptr)
        return otherwise;
    if (!value->is_number_integer() || value->get<std::int64_t>() < least) {
        fail(key, "expects a whole number of at least " + std::to_string(least) + ", got " + value->dump());
        return otherwise;
    }
    return value->get<std::int64_t>();
}

double ObjectReader::real(const std::string& key, double otherwise) {
    const Json* value = member(key);
    if (value == nullptr)
        return otherwise;
    if (!value->is_number()) {
        fail(key, "expects a number, got " + value->dump());
        return otherwise;
    }
    return value->get<double>();
}

bool ObjectReader::flag(const std::string& key, bool otherwise) {
    const Json* value = member(key);
    if (value == nullptr)
        return otherwise;
    if (!value->is_boolean()) {
        fail(key, "expects true or false, got " + value->dump());
        return otherwise;
    }
    return value->get<bool>();
}

void ObjectReader::finish() {
    if (!object_.is_object())
        return;
    for (const auto& [key, value] : object_.items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end())
            continue;
        fail(key, "unknown key \"" + key + "\"", remedy_for(key, known_, "remove it"));
        return;
    }
}

} // namespace tilescope::formats
