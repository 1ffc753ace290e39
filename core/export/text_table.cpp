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

constexpr std::size_t longest_line = 60; ///< of a list

/// Lists of JSON that are longer than a line go over several, which end behind a comma.
std::vector<std::string> lines_of(const std::string& cell) {
    if (cell.empty() || (cell.front() != '[' && cell.front() != '{'))
        return {cell};
    std::vector<std::string> lines(1);
    for (std::size_t begin = 0; begin < cell.size();) {
        const std::size_t comma = cell.find(',', begin);
        const std::size_t end = comma == std::string::npos ? cell.size() : comma + 1;
        const std::string piece = cell.substr(begin, end - begin);
        if (!lines.back().empty() && width_of(lines.back() + piece) > longest_line)
            lines.emplace_back();
        lines.back() += piece;
        begin = end;
    }
    return lines;
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
    std::vector<std::vector<std::vector<std::string>>> rows; // cells, of lines
    std::vector<std::size_t> widths(right_.size(), 0);
    for (const auto& row : rows_) {
        rows.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i) {
            rows.back().push_back(lines_of(row[i]));
            for (const std::string& line : rows.back().back())
                widths[i] = std::max(widths[i], width_of(line));
        }
    }
    for (const auto& row : rows) {
        std::size_t lines = 1;
        for (const auto& cell : row)
            lines = std::max(lines, cell.size());
        for (std::size_t l = 0; l < lines; ++l) {
            std::string line = indent;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string& text = l < row[i].size() ? row[i][l] : std::string();
                const std::string pad(widths[i] - width_of(text), ' ');
                line += (i == 0 ? "" : "  ") + (right_[i] ? pad + text : text + pad);
            }
            line.erase(line.find_last_not_of(' ') + 1);
            out << line << '\n';
        }
    }
}

} // namespace tilescope::exports
