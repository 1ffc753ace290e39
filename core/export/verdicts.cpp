// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/verdicts.h"

#include <algorithm>
#include <cstdio>

namespace tilescope::exports {
namespace {

std::string xml(const std::string& text) {
    std::string out;
    for (const char c : text)
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            if (static_cast<unsigned char>(c) >= 0x20)
                out += c;
        }
    return out;
}

std::string number(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

std::size_t broken(const std::vector<analyse::Verdict>& verdicts) {
    return static_cast<std::size_t>(
        std::count_if(verdicts.begin(), verdicts.end(), [](const auto& v) { return !v.met; }));
}

std::string bound(const analyse::Limit& l) {
    std::string text;
    const auto add = [&](const char* name, const std::optional<double>& value, const char* unit) {
        if (value)
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + number(*value) + unit;
    };
    add("max", l.most, "");
    add("min", l.least, "");
    add("max increase", l.increase_percent, " %");
    add("max decrease", l.decrease_percent, " %");
    return text;
}

} // namespace

std::string junit(const std::vector<analyse::Verdict>& verdicts, const std::string& suite) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + xml(suite) +
                      "\" tests=\"" + std::to_string(verdicts.size()) + "\" failures=\"" +
                      std::to_string(broken(verdicts)) + "\">\n";
    for (const auto& v : verdicts) {
        out += "  <testcase classname=\"budget\" name=\"" + xml(v.limit.metric) + "\"";
        out += v.met ? "/>\n" : ">\n    <failure message=\"" + xml(v.detail) + "\"/>\n  </testcase>\n";
    }
    return out + "</testsuite>\n";
}

std::string markdown(const std::vector<analyse::Verdict>& verdicts, const std::string& title) {
    const std::size_t failures = broken(verdicts);
    std::string out = "## " + title + "\n\n" +
                      (failures == 0 ? "All " + std::to_string(verdicts.size()) + " limits are met."
                                     : std::to_string(failures) + " of " + std::to_string(verdicts.size()) +
                                           " limits are broken.") +
                      "\n\n| | metric | value | baseline | limit |\n| --- | --- | ---: | ---: | --- |\n";
    for (const auto& v : verdicts)
        out += std::string("| ") + (v.met ? "met" : "**broken**") + " | `" + v.limit.metric + "` | " +
               number(v.value) + " | " + (v.baseline ? number(*v.baseline) : "") + " | " + bound(v.limit) +
               " |\n";
    return out;
}

} // namespace tilescope::exports
