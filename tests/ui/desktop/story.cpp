// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/desktop/story.h"

#include "build_paths.h"

#include <filesystem>

namespace tilescope::tests {

void Story::record(const std::string& name, const std::string& sample, const std::string& options) const {
    const std::string said =
        output_of(TILESCOPE_BIN_DIR "/tilescope profile " TILESCOPE_SOURCE_DIR "/samples/" + sample +
                  ".json --progress none -o " + (folder_ / (name + ".tilescope")) + " " + options + " 2>&1");
    ASSERT_TRUE(std::filesystem::exists(folder_ / (name + ".tilescope"))) << said;
}

std::unique_ptr<profile::Profile> Story::file(const std::string& name) const {
    return *profile::Profile::open(folder_ / (name + ".tilescope"));
}

Desktop::Rows Story::answer(const std::string& name, const std::string& sql) const {
    const auto result = file(name)->query(sql);
    EXPECT_TRUE(result) << sql << ": " << result.error().line();
    Rows rows;
    if (result)
        for (const auto& row : result->rows) {
            rows.emplace_back();
            for (const auto& cell : row)
                rows.back().push_back(cell.text.value_or(""));
        }
    return rows;
}

bool Story::headed(const Rows& rows, const std::string& first) {
    return rows.size() > 1 && !rows[0].empty() && rows[0][0] == first;
}

} // namespace tilescope::tests
