// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/page.h"
#include "markup.h"

namespace tilescope::exports {
namespace {

/// Text as a table cell shows it: no character of it means anything to Markdown or HTML.
std::string cell(const std::string& text) {
    std::string out;
    for (const char c : markup_text(line_text(text)))
        switch (c) {
        case '|':
        case '*':
        case '_':
        case '`':
        case '[':
        case ']':
        case '\\':
            out += '\\';
            out += c;
            break;
        default:
            out += c;
        }
    return out;
}

std::string table_markdown(const PageTable& table) {
    std::string out = "|";
    for (std::size_t i = 0; i < table.right.size(); ++i)
        out += " " + (i < table.header.size() ? cell(table.header[i]) : std::string()) + " |";
    out += "\n|";
    for (const bool right : table.right)
        out += right ? " ---: |" : " --- |";
    out += '\n';
    for (const auto& row : table.rows) {
        out += "|";
        for (const std::string& text : row)
            out += " " + cell(text) + " |";
        out += '\n';
    }
    return out;
}

} // namespace

std::string markdown(const Page& page) {
    std::string out = "# " + cell(page.title) + "\n";
    for (const PageSection& section : page.sections) {
        out += "\n## " + cell(section.title) + "\n";
        if (section.empty())
            out += "\nnone\n";
        for (const PageTable& table : section.tables)
            out += "\n" + table_markdown(table);
        if (!section.notes.empty())
            out += '\n';
        for (const PageNote& note : section.notes)
            out += "* **" + to_string(note.severity) + ": " + cell(note.title) + "** " + cell(note.detail) +
                   "\n";
    }
    return out;
}

} // namespace tilescope::exports
