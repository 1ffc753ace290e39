// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/page.h"
#include "export/text_table.h"
#include "markup.h"

#include <sstream>

namespace tilescope::exports {
namespace {

constexpr std::size_t line_width = 94;

/// Lines of at most `line_width` bytes, broken at spaces.
void print_wrapped(std::ostream& out, std::string text, const std::string& indent) {
    while (!text.empty()) {
        std::size_t cut = text.size() <= line_width ? text.size() : text.rfind(' ', line_width);
        if (cut == std::string::npos || cut == 0) // one long word
            cut = std::min(text.find(' ', 1), text.size());
        out << indent << text.substr(0, cut) << '\n';
        text = cut < text.size() ? text.substr(cut + 1) : "";
    }
}

} // namespace

std::string text(const Page& page) {
    std::ostringstream out;
    const char* gap = "";
    for (const PageSection& section : page.sections) {
        out << gap << section.title << '\n';
        gap = "";
        for (const PageTable& table : section.tables) {
            TextTable columns(table.header, table.right);
            for (const auto& row : table.rows)
                columns.add(row);
            out << gap;
            columns.print(out, "  ");
            gap = "\n";
        }
        for (const PageNote& note : section.notes) {
            out << gap << "  " << to_string(note.severity) << ": " << line_text(note.title) << '\n';
            print_wrapped(out, line_text(note.detail), "    ");
            gap = "";
        }
        if (section.empty())
            out << "  none\n";
        gap = "\n";
    }
    return out.str();
}

} // namespace tilescope::exports
