// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/junit.h"

#include "markup.h"

#include <algorithm>

namespace tilescope::exports {
namespace {

std::size_t broken(const std::vector<analyse::Verdict>& verdicts) {
    return static_cast<std::size_t>(
        std::count_if(verdicts.begin(), verdicts.end(), [](const auto& v) { return !v.met; }));
}

} // namespace

std::string junit(const std::vector<analyse::Verdict>& verdicts, const std::string& suite) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + markup_text(suite) +
                      "\" tests=\"" + std::to_string(verdicts.size()) + "\" failures=\"" +
                      std::to_string(broken(verdicts)) + "\">\n";
    for (const auto& v : verdicts) {
        out += "  <testcase classname=\"budget\" name=\"" + markup_text(v.limit.metric) + "\"";
        out +=
            v.met ? "/>\n" : ">\n    <failure message=\"" + markup_text(v.detail) + "\"/>\n  </testcase>\n";
    }
    return out + "</testsuite>\n";
}

} // namespace tilescope::exports
