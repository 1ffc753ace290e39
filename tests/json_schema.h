// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace tilescope::tests {

using SchemaJson = nlohmann::ordered_json;

/// Why a document does not conform to a schema, as Debian's python3-jsonschema (JSON Schema 2020-12) says it;
/// "" where it does. It also refuses a schema that is none.
inline std::string schema_errors(const std::string& schema, const std::string& document) {
    const std::string command =
        "/usr/bin/python3 -W ignore -m jsonschema -i '" + document + "' '" + schema + "' 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
        return "python3 cannot be started";
    std::string said;
    char part[4096];
    while (std::fgets(part, sizeof part, pipe) != nullptr)
        said += part;
    const int code = pclose(pipe);
    return code != 0 && said.empty() ? "exit code " + std::to_string(code) : said;
}

inline SchemaJson read_schema(const std::string& path) {
    std::ifstream file(path);
    return SchemaJson::parse(file);
}

/// A schema's properties by dotted path, `$ref`s followed; `*` stands for a name of the user's choice.
class SchemaProperties {
  public:
    struct Property {
        std::string path;
        SchemaJson schema; ///< with what its `$ref` adds
    };

    explicit SchemaProperties(const SchemaJson& schema) : root_(schema) { walk(schema, "", {}); }
    const std::vector<Property>& all() const { return found_; }
    std::set<std::string> paths() const {
        std::set<std::string> result;
        for (const Property& property : found_)
            result.insert(property.path);
        return result;
    }

  private:
    SchemaJson resolved(SchemaJson schema, std::set<std::string>& visited) const {
        if (!schema.is_object() || !schema.contains("$ref"))
            return schema;
        const std::string ref = schema["$ref"];
        if (!visited.insert(ref).second)
            return SchemaJson::object(); // a definition that refers to itself
        SchemaJson target = root_.at(SchemaJson::json_pointer(ref.substr(1)));
        for (const auto& [key, value] : schema.items())
            target[key] = value; // what stands beside a $ref speaks of this use of it
        return target;
    }

    void walk(const SchemaJson& given, const std::string& path, std::set<std::string> visited) {
        const SchemaJson schema = resolved(given, visited);
        if (!schema.is_object())
            return;
        const std::string prefix = path.empty() ? "" : path + ".";
        if (schema.contains("properties"))
            for (const auto& [key, value] : schema["properties"].items()) {
                std::set<std::string> seen = visited;
                found_.push_back({prefix + key, resolved(value, seen)});
                walk(value, prefix + key, visited);
            }
        if (schema.contains("additionalProperties"))
            walk(schema["additionalProperties"], prefix + "*", visited);
        if (schema.contains("items"))
            walk(schema["items"], path, visited);
        for (const char* either : {"oneOf", "anyOf"})
            if (schema.contains(either))
                for (const SchemaJson& option : schema[either])
                    if (!option.contains("required") || option.contains("type"))
                        walk(option, path, visited); // not those that only say which keys go together
    }

    const SchemaJson& root_;
    std::vector<Property> found_;
};

} // namespace tilescope::tests
