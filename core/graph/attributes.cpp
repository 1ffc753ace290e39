// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/attributes.h"

#include "base/hash.h"
#include "graph/graph_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <type_traits>

namespace tilescope::graph {
namespace {

void write(std::string& out, bool value) {
    out += value ? "true" : "false";
}
void write(std::string& out, std::int64_t value) {
    out += std::to_string(value);
}
void write(std::string& out, double value) {
    if (!std::isfinite(value)) { // JSON has no such numbers
        out += std::isnan(value) ? "\"nan\"" : (value > 0 ? "\"inf\"" : "\"-inf\"");
        return;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    double back = 0;
    for (int digits = 6; digits < 17; ++digits) { // the shortest text that reads back the same
        char shorter[32];
        std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (std::sscanf(shorter, "%lf", &back) == 1 && back == value) {
            out += shorter;
            return;
        }
    }
    out += text;
}
void write(std::string& out, const std::string& value) {
    out += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) >= 0x20)
            out += c;
        else
            out += ' ';
    }
    out += '"';
}
template<class T>
void write(std::string& out, const std::vector<T>& values) {
    out += '[';
    bool first = true;
    for (const auto& value : values) {
        if (!first)
            out += ',';
        first = false;
        write(out, value);
    }
    out += ']';
}

/// A hash of the constants' values.
std::uint64_t digest(const Graph& graph) {
    std::uint64_t state = fnv1a({});
    for (const Constant& constant : graph.constants) {
        const auto bytes = constant.tensor.device_bytes();
        state = fnv1a({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, state);
    }
    return state;
}

void write(std::string& out, const Body& body) {
    std::vector<std::string> lines;
    std::istringstream text(print(*body, TensorText::None));
    for (std::string line; std::getline(text, line);)
        lines.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    char constants[32];
    std::snprintf(constants, sizeof constants, "constants %016llx",
                  static_cast<unsigned long long>(digest(*body)));
    lines.emplace_back(constants);
    write(out, lines);
}

} // namespace

std::string Attributes::json() const {
    std::string out = "{";
    for (const auto& [name, value] : values_) {
        if (out.size() > 1)
            out += ',';
        write(out, name);
        out += ':';
        std::visit([&out](const auto& v) { write(out, v); }, value);
    }
    return out + "}";
}

} // namespace tilescope::graph
