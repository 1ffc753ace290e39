// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/hand_matches.h"
#include "base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilescope::analyse {

/// What a NAME.tilescope-compare file holds: which profiles are compared, what of them is the same as was
/// said by hand, and how views show that.
struct SavedComparison {
    struct Run {
        std::string path;         ///< absolute; relative to the file within it
        HandMatches matches = {}; ///< of base and this
        std::string views = {};   ///< a JSON object of what each view keeps of base and this; "": nothing
    };
    std::string base;
    std::vector<Run> runs; ///< at least one
    std::string front;     ///< path of the one that was in front

    std::vector<std::string> paths() const; ///< the base first
};

bool is_comparison(std::string_view path); ///< by its name
/// `path`: of the file that has this text. Errors name the file, the place in it and the remedy.
Result<SavedComparison> parse_comparison(const std::string& text, const std::string& path);
/// The text of a file that is to be called `path`.
std::string comparison_text(const SavedComparison& comparison, const std::string& path);

} // namespace tilescope::analyse
