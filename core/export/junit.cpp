// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/junit.h"

#include "analyse/history.h"
#include "markup.h"

#include <algorithm>
#include <map>

namespace tilescope::exports {

namespace {

std::string seconds(std::int64_t ms) {
    std::string digits = std::to_string(ms);
    if (digits.size() < 4)
        digits.insert(0, 4 - digits.size(), '0');
    return digits.insert(digits.size() - 3, ".");
}

/// As ISO 8601 has it.
std::string time_stamp(std::int64_t unix_ms) {
    std::string text = analyse::date_text(unix_ms);
    std::replace(text.begin(), text.end(), ' ', 'T');
    return text;
}

/// Several limits may be on one figure, as one on a layer and one on a pattern of layers: each case has a
/// name of its own, which tells its limit.
class CaseNames {
  public:
    std::string of(const analyse::Verdict& v) {
        std::string name = v.metric;
        if (v.limit) {
            name += " " + analyse::bound_text(*v.limit);
            if (v.limit->metric != v.metric)
                name += " of " + v.limit->metric;
        }
        const int before = used_[name]++;
        return before == 0 ? name : name + " (" + std::to_string(before + 1) + ")";
    }

  private:
    std::map<std::string, int> used_;
};

std::string test_case(const analyse::Verdict& v, const std::string& name, const JunitSuite& suite) {
    const std::int64_t ms = v.limit ? 0 : suite.wall_ms; // limits take no time of their own
    std::string text = "  <testcase classname=\"" + markup_text(suite.name) + "\" name=\"" +
                       markup_text(name) + "\" time=\"" + seconds(ms) + "\">\n";
    if (!v.met) { // a run that did not complete cannot be judged
        const std::string kind = v.limit ? "failure" : "error";
        text +=
            "    <" + kind + " message=\"" + markup_text(v.detail) + "\"" +
            (v.cause.empty() ? "/>\n" : ">" + markup_text("likely cause: " + v.cause) + "</" + kind + ">\n");
    }
    return text + "    <system-out>" + markup_text(v.detail) + "</system-out>\n  </testcase>\n";
}

} // namespace

std::string junit(const std::vector<analyse::Verdict>& verdicts, const JunitSuite& suite) {
    std::size_t errors = 0;
    std::size_t failures = 0;
    std::string cases;
    CaseNames names;
    for (const auto& v : verdicts) {
        if (!v.met)
            ++(v.limit ? failures : errors);
        cases += test_case(v, names.of(v), suite);
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + markup_text(suite.name) +
           "\" tests=\"" + std::to_string(verdicts.size()) + "\" failures=\"" + std::to_string(failures) +
           "\" errors=\"" + std::to_string(errors) + "\" time=\"" + seconds(suite.wall_ms) +
           "\" timestamp=\"" + time_stamp(suite.started_unix_ms) +
           "\">\n  <properties>\n    <property name=\"budget\" value=\"" + markup_text(suite.budget) +
           "\"/>\n    <property name=\"profile\" value=\"" + markup_text(suite.profile) +
           "\"/>\n  </properties>\n" + cases + "</testsuite>\n";
}

} // namespace tilescope::exports
