// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/junit.h"

#include "markup.h"

namespace tilescope::exports {

std::string junit(const std::vector<analyse::Verdict>& verdicts, const std::string& suite) {
    std::size_t errors = 0;
    std::size_t failures = 0;
    std::string cases;
    for (const auto& v : verdicts) {
        cases += "  <testcase classname=\"budget\" name=\"" + markup_text(v.metric) + "\"";
        if (v.met) {
            cases += "/>\n";
            continue;
        }
        ++(v.limit ? failures : errors); // a run that did not complete cannot be judged
        cases += std::string(">\n    <") + (v.limit ? "failure" : "error") + " message=\"" +
                 markup_text(v.detail) + "\"/>\n  </testcase>\n";
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + markup_text(suite) +
           "\" tests=\"" + std::to_string(verdicts.size()) + "\" failures=\"" + std::to_string(failures) +
           "\" errors=\"" + std::to_string(errors) + "\">\n" + cases + "</testsuite>\n";
}

} // namespace tilescope::exports
