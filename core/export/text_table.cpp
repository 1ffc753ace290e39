// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/text_table.h"

#include "markup.h"

#include <algorithm>

namespace tilescope::exports {
namespace {

/// Characters that a terminal shows, for UTF-8 text.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

TextTable::TextTable(std::vector<std::string> header, std::vector<bool> right) : right_(std::move(right)) {
    if (!header.empty())
        rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
    for (std::string& cell : row)
        cell = line_text(cell);
    rows_.push_back(std::move(row));
}

void TextTable::print(std::ostream& out, const std::string& indent) const {
    std::vector<std::size_t> widths(right_.size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    for (const auto& row : rows_) {
        std::string line = indent;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - width_of(row[i]), ' ');
            line += (i == 0 ? "" : "  ") + (right_[i] ? pad + row[i] : row[i] + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

} // namespace tilescope::exports
