// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "export/page.h"
#include "markup.h"

#include <optional>

namespace tilescope::exports {
namespace {

constexpr std::size_t wide_table = 5; ///< columns from which a section takes the whole width

/// The window's colours, light and dark.
constexpr const char* style = R"(
:root { color-scheme: light dark;
  --window: #f5f6f8; --panel: #fff; --border: #dfe3e8; --grid: #eceff3; --text: #1b2430; --muted: #697586;
  --accent: #2f6fed; --good: #1e8e5a; --warning: #b7791f; --error: #c93a3a; --info: #3b7dd8;
  --compute: #d9485f; --exchange: #3b7dd8; --sync: #e5b233; --host: #9aa5b1; --inter-ipu: #7c5cd6; }
@media (prefers-color-scheme: dark) { :root {
  --window: #14181e; --panel: #1b2028; --border: #303946; --grid: #28303b; --text: #e4e9f0; --muted: #8d99a8;
  --accent: #5b93f7; --good: #4cc38a; --warning: #e0b04c; --error: #ef6b6b; --info: #5c9cef;
  --compute: #e5677b; --exchange: #5c9cef; --sync: #e8c154; --host: #76828f; --inter-ipu: #9b82ea; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2.5rem 1.5rem; background: var(--window); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { margin: 0 0 1.5rem; font-size: 1.9rem; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 0 0 .6rem; font-size: 1.05rem; font-weight: 650; }
.status { margin-left: .8rem; padding: .2rem .7rem; border: 1px solid currentColor; border-radius: 1rem;
  font-size: .85rem; font-weight: 500; letter-spacing: 0; vertical-align: .35rem; white-space: nowrap; color: var(--warning); }
.status.complete { color: var(--good); } .status.failed, .status.killed, .status.diverged, .status.out_of_memory { color: var(--error); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 1rem; margin: 0 0 1rem; }
.figures div, section { background: var(--panel); border: 1px solid var(--border); border-radius: .6rem; }
.figures div { padding: .9rem 1.1rem; display: flex; flex-direction: column-reverse; }
dt, .facts td:first-child, th { color: var(--muted); }
dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; align-items: start; }
section { padding: 1.1rem 1.3rem; overflow-x: auto; }
section.wide { grid-column: 1 / -1; }
table { width: 100%; border-collapse: collapse; }
table + table { margin-top: 1.2rem; }
th, td { padding: .3rem 0 .3rem 1.2rem; text-align: left; vertical-align: baseline; }
th:first-child, td:first-child { padding-left: 0; }
th { font-size: .85rem; font-weight: 500; border-bottom: 1px solid var(--border); }
tbody tr + tr td { border-top: 1px solid var(--grid); }
.facts td:first-child { white-space: nowrap; width: 1%; }
.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.share { --colour: var(--accent); width: 34%; min-width: 9rem; }
.share::before { content: ""; float: left; width: calc((100% - 4.5rem) * var(--share)); min-width: 1px; height: .55rem;
  margin-top: .5rem; border-radius: .15rem; background: var(--colour); }
[data-name=compute] .share { --colour: var(--compute); } [data-name=exchange] .share { --colour: var(--exchange); }
[data-name=sync] .share { --colour: var(--sync); } [data-name=host] .share { --colour: var(--host); }
[data-name=inter-IPU] .share { --colour: var(--inter-ipu); } [data-name=waiting] .share { --colour: var(--border); }
figure { margin: 1.2rem 0 0; } figcaption { color: var(--muted); font-size: .85rem; margin-bottom: .5rem; }
figcaption span { margin-left: .9rem; white-space: nowrap; }
figcaption span::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .4em;
  border-radius: .15em; background: var(--colour); }
svg { display: block; width: 100%; } svg text { fill: var(--muted); font-size: 13px; }
svg .limit { stroke: var(--error); stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }
.note { margin: .8rem 0 0; padding: .1rem 0 .1rem .9rem; border-left: .25rem solid var(--severity, var(--info)); }
.note.warning { --severity: var(--warning); } .note.error { --severity: var(--error); }
.note strong { display: block; font-weight: 600; }
.none { margin: 0; color: var(--muted); }
@media print { body { padding: 0; } section { break-inside: avoid; } }
)";

std::string element(const std::string& name, const std::string& attributes, const std::string& content) {
    return "<" + name + (attributes.empty() ? "" : " " + attributes) + ">" + content + "</" + name + ">";
}

/// `share`: of the row, drawn as a bar in its last column.
std::string row_text(const PageTable& table, const std::vector<std::string>& cells, const char* cell,
                     std::optional<double> share = {}) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string attributes = table.right[i] ? "class=\"right\"" : "";
        if (share && i + 1 == cells.size())
            attributes = "class=\"right share\" style=\"--share: " + std::to_string(*share) + "\"";
        out += element(cell, attributes, markup_text(cells[i]));
    }
    return element("tr", share ? "data-name=\"" + markup_text(cells.front()) + "\"" : "", out) + "\n";
}

std::string table_html(const PageTable& table) {
    std::string head;
    std::string body;
    if (!table.header.empty())
        head = element("thead", "", row_text(table, table.header, "th"));
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        body += row_text(table, table.rows[i], "td",
                         i < table.shares.size() ? std::optional(table.shares[i]) : std::nullopt);
    return element("table", table.header.empty() ? "class=\"facts\"" : "",
                   head + element("tbody", "", "\n" + body)) +
           "\n";
}

std::string picture_text(const PagePicture& picture) {
    std::string caption = markup_text(picture.title);
    for (const auto& [name, colour] : picture.legend)
        caption += " " + element("span", "style=\"--colour: var(" + colour + ")\"", markup_text(name));
    return element("figure", "", element("figcaption", "", caption) + "\n" + picture.svg) + "\n";
}

std::string section_text(const PageSection& section) {
    std::string content = "\n" + element("h2", "", markup_text(section.title)) + "\n";
    bool wide = !section.notes.empty();
    for (const PageTable& table : section.tables) {
        content += table_html(table);
        wide = wide || table.right.size() >= wide_table;
    }
    for (const PagePicture& picture : section.pictures)
        content += picture_text(picture);
    for (const PageNote& note : section.notes)
        content += element("p", "class=\"note " + to_string(note.severity) + "\"",
                           element("strong", "", markup_text(note.title)) + markup_text(note.detail)) +
                   "\n";
    if (section.empty())
        content += element("p", "class=\"none\"", "none") + "\n";
    return element("section", "id=\"" + section.name + (wide ? "\" class=\"wide\"" : "\""), content) + "\n";
}

} // namespace

std::string html(const Page& page) {
    std::string title = markup_text(page.title);
    if (!page.status.empty())
        title += element("span", "class=\"status " + page.status + "\"", spaced_text(page.status));
    std::string figures;
    for (const PageFigure& figure : page.figures)
        figures += element("div", "",
                           element("dt", "", markup_text(figure.name)) +
                               element("dd", "", markup_text(figure.value))) +
                   "\n";
    std::string sections;
    for (const PageSection& section : page.sections)
        sections += section_text(section);
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
           element("title", "", markup_text(page.title)) + "\n" + element("style", "", style) +
           "\n</head>\n<body>\n" + element("h1", "", title) + "\n" +
           (figures.empty() ? "" : element("dl", "class=\"figures\"", "\n" + figures) + "\n") +
           element("main", "", "\n" + sections) + "\n</body>\n</html>\n";
}

} // namespace tilescope::exports
