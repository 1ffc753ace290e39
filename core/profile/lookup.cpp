// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/lookup.h"

#include "base/try.h"
#include "tables.h"

#include <charconv>

namespace tilescope::profile {
namespace {

/// The one value that a question has for an answer; "" where there is none.
Result<std::string> answer(const Profile& profile, const std::string& question, std::int64_t number) {
    TRY(const auto found, profile.query(question + std::to_string(number)));
    return found.rows.empty() ? std::string() : found.rows.front().front().text.value_or("");
}

std::int64_t number(const QueryCell& cell, std::int64_t none = -1) {
    const std::string text = cell.text.value_or("");
    std::from_chars(text.data(), text.data() + text.size(), none);
    return none;
}

const char* question_of(Named what) {
    switch (what) {
    case Named::Operation:
        return "SELECT name FROM operation WHERE id = ";
    case Named::Variable:
        return "SELECT name FROM variable WHERE id = ";
    case Named::ProgramStep:
        return "SELECT name FROM program WHERE id = ";
    case Named::Layer:
        break;
    }
    return "SELECT name FROM layer WHERE id = ";
}

} // namespace

Result<std::string> name_of(const Profile& profile, Named what, std::int64_t id) {
    return answer(profile, question_of(what), id);
}

Result<std::int64_t> liveness_step(const Profile& profile, std::int64_t program_id) {
    TRY(const auto found, answer(profile, "SELECT liveness_step FROM program WHERE id = ", program_id));
    return number({found, true});
}

Result<std::string> step_name(const Profile& profile, std::int64_t liveness_step) {
    return answer(profile, "SELECT name FROM program WHERE liveness_step = ", liveness_step);
}

Result<std::map<std::int64_t, std::int64_t>> ipus_of_stages(const Profile& profile) {
    TRY(const auto found, profile.query("SELECT stage, ipu, min(id) FROM operation WHERE stage >= 0 AND "
                                        "ipu >= 0 GROUP BY stage"));
    std::map<std::int64_t, std::int64_t> ipus;
    for (const auto& row : found.rows)
        ipus[number(row[0])] = number(row[1]);
    return ipus;
}

Result<std::set<std::int64_t>> streaming_ipus(const Profile& profile) {
    // Which kind each step is would be looked up for each row of the view.
    TRY(const auto found, profile.query("SELECT (SELECT value FROM text WHERE id = kind), ipu FROM "
                                        "(SELECT DISTINCT kind, ipu FROM " +
                                        text_of(table_of<ProgramRecord>).stored_name() + ")"));
    std::set<std::int64_t> ipus;
    for (const auto& row : found.rows)
        if (row[0].text == to_string(StepKind::StreamCopy))
            ipus.insert(number(row[1]));
    return ipus;
}

} // namespace tilescope::profile
