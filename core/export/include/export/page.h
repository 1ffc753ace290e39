// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/budget.h"
#include "analyse/comparison.h"
#include "analyse/summary.h"

#include <string>
#include <utility>
#include <vector>

/// A report as sections of tables, the same whether it becomes text, Markdown or HTML.
namespace tilescope::exports {

/// Facts (a name and a value per row) where `header` is empty.
struct PageTable {
    std::vector<std::string> header;
    std::vector<bool> right; ///< per column: figures, aligned to the right
    std::vector<std::vector<std::string>> rows;
    /// Of 1, by row, where the last column is their text ("12.3 %"): HTML draws bars there.
    std::vector<double> shares = {};
};

struct PageNote {
    profile::Severity severity = profile::Severity::Info;
    std::string title;
    std::string detail;
};

/// Drawn in HTML only.
struct PagePicture {
    std::string title;
    std::string svg;                                         ///< "" where there is nothing to draw
    std::vector<std::pair<std::string, std::string>> legend; ///< names with the page's colours: "--compute"
};

struct PageSection {
    std::string name; ///< as `--section` takes it: "memory"
    std::string title;
    std::vector<PageTable> tables;
    std::vector<PageNote> notes;
    std::vector<PagePicture> pictures = {};
    bool empty() const { return tables.empty() && notes.empty(); }
};

/// One of the few figures that a reader looks for first.
struct PageFigure {
    std::string name;
    std::string value;
};

struct Page {
    std::string title;
    std::string status;              ///< "complete"; nothing where the page is not about one run
    std::vector<PageFigure> figures; ///< HTML shows them above the sections, whose tables have them too
    std::vector<PageSection> sections;
};

/// Sections named as the keys of `analyse::document`, in its order; empty where the profile has nothing to
/// say, as about the tiles of a processor.
Page report_page(const analyse::Summary& summary);
/// Adds to a report's sections the memory of the tiles, what is live over the program, the time by phase of
/// each IPU, the pipeline and the roofline, as far as the profile has them. Errors: those of `profile`.
Result<void> add_pictures(Page& page, const profile::Profile& profile, const analyse::Summary& summary);
/// Sections differs, answer, matches, headline, bridge, causes, memory_causes, layers, operations, accuracy;
/// `base` and `now` are the names of the two runs.
Page comparison_page(const analyse::Comparison& comparison, const std::string& base, const std::string& now);

/// A run, compared with a base.
struct RunComparison {
    std::string name;
    analyse::Comparison comparison;
};
/// Several runs against one base, which are its columns: the same sections without the bridge and the
/// operations. There is at least one run, and all are compared per the same basis.
Page comparisons_page(const std::vector<RunComparison>& runs, const std::string& base);
/// One section with a row for the run's status and one per limit; `of` names the profile. The page begins as
/// that of every profile.
Page verdict_page(const std::vector<analyse::Verdict>& verdicts, const std::string& of);

/// For a terminal: sections one after another, without the page's title. An empty section says "none".
std::string text(const Page& page);
std::string markdown(const Page& page);
/// One document that needs no other file; it follows the reader's light or dark setting.
std::string html(const Page& page);

} // namespace tilescope::exports
