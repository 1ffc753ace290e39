// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/session/subject_link.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::ui {

/// What a row of an answer names without its id.
struct NamedSubject {
    Subject what = Subject::Operation;
    std::int64_t id = -1;
    std::int64_t ipu = -1; ///< of a variable
};

/// What the numbers of a column are of: "operation_id", "tile"; nullopt: they are amounts, or not known.
std::optional<Subject> subjectOf(const std::string& column);
/// The name of what such a number is of; "" where it has none. Errors: those of reading the profile.
Result<std::string> nameOf(const profile::Profile& file, Subject what, std::int64_t id);
/// The operation, layer, program step or variable of that name, of several the first; nullopt: none has it.
/// Errors: those of reading the profile.
Result<std::optional<NamedSubject>> named(const profile::Profile& file, const std::string& name);
/// The same of the first text of a row that is such a name.
Result<std::optional<NamedSubject>> namedIn(const profile::Profile& file,
                                            const std::vector<profile::QueryCell>& row);

} // namespace tilescope::ui
