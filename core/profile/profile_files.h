// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "statement.h"

#include <string>

/// What the recorder does with whole files: making, folding and naming them.
namespace tilescope::profile {

/// Why the last call to the operating system failed, in its words.
std::string system_reason();

/// Whether a run may be written under a name: nothing is there, or an empty file, or a profile of ours, even
/// a damaged one. Errors: BadInput.
Result<void> check_replaceable(const std::string& path);
/// The file that a path leads to, where it is none or a profile. Errors: BadInput where it is another, or its
/// folder is not there.
Result<std::string> replaceable(const std::string& path);

/// Removes a profile and what SQLite keeps beside it. Errors: BadInput.
Result<void> remove_profile(const std::string& path);

enum class Folded {
    Whole,       ///< one plain file
    ReadByOthers ///< a reader does not let go of the log, in which a part stays: any Tilescope reads both
};
/// Brings what is in the log beside a profile into it and closes it, whatever its readers do meanwhile.
/// Errors: System where it cannot be written; nothing is lost then.
Result<Folded> fold_log(Database db, const std::string& path);

/// Gives a plain file the name of an older one, which is lost. Errors: System.
Result<void> rename_profile(const std::string& from, const std::string& to);

/// Ends the run that is written to `path` as one plain file of the name `name`, whatever its readers do:
/// where one does not let go of the log, a copy made as `spare` takes the name, and readers keep what they
/// have open. Errors: System where it cannot be written; `path` stays as it is then.
Result<void> settle(Database db, const std::string& path, const std::string& name, const std::string& spare);

} // namespace tilescope::profile
