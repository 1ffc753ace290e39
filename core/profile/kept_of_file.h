// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kept_tables.h"
#include "kept_texts.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

namespace tilescope::profile {

/// What was read of a file and stays in memory. All that have the same file open share it, each on a thread
/// of its own, once nobody writes it any more: what one has read, the others need not.
struct KeptOfFile {
    bool grows = true; ///< one alone has it, and looks whether there is more
    KeptTables tables;
    std::mutex variables; ///< of the next
    /// By IPU, of those that were asked for one by one.
    std::map<std::int64_t, KeptTable<VariableRecord>> variables_of;
    std::mutex reading_texts;
    bool texts_read = false; ///< all there are; of a file that does not grow they never change from then on
    KeptTexts texts;         ///< table `text`
};

/// Which file it is, as it is now, under whatever name.
using FileState = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;
std::optional<FileState> state_of_file(const std::string& path);

/// That of a file that nobody writes.
std::shared_ptr<KeptOfFile> kept_of_file(const FileState& file);

} // namespace tilescope::profile
