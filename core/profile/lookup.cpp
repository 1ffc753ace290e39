// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/lookup.h"

#include "base/try.h"

#include <charconv>

namespace tilescope::profile {
namespace {

/// The one value that a question has for an answer; "" where there is none.
Result<std::string> answer(const Profile& profile, const std::string& question, std::int64_t number) {
    TRY(const auto found, profile.query(question + std::to_string(number)));
    return found.rows.empty() ? std::string() : found.rows.front().front().text.value_or("");
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
    std::int64_t step = -1;
    std::from_chars(found.data(), found.data() + found.size(), step);
    return step;
}

Result<std::string> step_name(const Profile& profile, std::int64_t liveness_step) {
    return answer(profile, "SELECT name FROM program WHERE liveness_step = ", liveness_step);
}

} // namespace tilescope::profile
