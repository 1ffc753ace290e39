// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"
#include "analyse/comparison.h"
#include "analyse/comparison_file.h"
#include "analyse/matching.h"
#include "app/command.h"
#include "app/output_file.h"
#include "base/file_names.h"
#include "base/try.h"
#include "export/page.h"
#include "formats/json_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

struct CompareOptions {
    std::vector<std::string> files; ///< the base first, where no other is named
    std::string base;
    std::string format = "text";
    std::vector<std::string> fail_on;
    std::vector<std::string> matches;          ///< "BASE=NEW"
    std::vector<analyse::HandMatches> by_hand; ///< by file, of a saved comparison
    std::string saved;                         ///< that one; "": there is none
};

/// What of `--fail-on` is the case with one run.
std::string broken(const std::vector<std::string>& fail_on, const analyse::Comparison& c) {
    std::string broken;
    const auto add = [&](const std::string& text) { broken += (broken.empty() ? "" : ", ") + text; };
    for (const std::string& what : fail_on) {
        if (what == "slower" && analyse::grew(c, "step time"))
            add("a step takes longer");
        if (what == "larger" && analyse::grew(c, "fullest tile with gaps"))
            add("the fullest tile needs more memory");
        if (what == "any" && analyse::differ(c))
            add("the profiles differ");
    }
    return broken;
}

/// The same of all, and that each completed without an error whatever `--fail-on` says, as one line. A file
/// that was trimmed may be looked at, but not judged.
Result<void> judge(const CompareOptions& o, const std::string& base_name,
                   const std::vector<exports::RunComparison>& runs) {
    std::string all;
    const auto add = [&](const std::string& text) {
        if (!text.empty())
            all += (all.empty() ? "" : ", ") + text;
    };
    const auto add_status = [&](const std::string& name, const analyse::ComparedRun& run) {
        add(analyse::why_incomplete(run.status, run.error, o.fail_on.empty() ? std::string() : run.trimmed,
                                    name));
    };
    add_status(base_name, runs.front().comparison.base);
    const std::string of_base = all;
    for (const exports::RunComparison& run : runs) {
        add_status(run.name, run.comparison.now);
        const std::string text = broken(o.fail_on, run.comparison);
        add(runs.size() > 1 && !text.empty() ? run.name + ": " + text : text);
    }
    std::string where; // the file that all of it is of
    if (all == of_base)
        where = o.base;
    else if (of_base.empty() && runs.size() == 1)
        where = o.files.back();
    return all.empty() ? Result<void>() : Failure(Error{ErrorKind::NotMet, all, where, {}});
}

/// What of one file is matched by hand with the base: in the saved comparison, and by --match.
Result<analyse::HandMatches> by_hand(const CompareOptions& o, std::size_t file, const profile::Profile& base,
                                     const profile::Profile& now) {
    analyse::HandMatches matches = file < o.by_hand.size() ? o.by_hand[file] : analyse::HandMatches();
    if (matches.empty() && o.matches.empty())
        return matches;
    TRY(const auto before, analyse::Parts::read(base));
    TRY(const auto after, analyse::Parts::read(now));
    TRY(analyse::check_names(matches, before, after, o.saved + ": runs[" + std::to_string(file) + "]"));
    for (const std::string& text : o.matches) {
        TRY(const auto match, analyse::parse_hand_match(text, before, after));
        matches = with(std::move(matches), match);
    }
    return matches;
}

/// Every other file against the base. `names`: of the base and of each.
Result<std::vector<exports::RunComparison>> compare_all(const CompareOptions& o,
                                                        const std::vector<std::string>& names) {
    TRY(const auto base, profile::Profile::open(o.base));
    std::vector<std::unique_ptr<profile::Profile>> files;
    std::vector<const profile::Profile*> open;
    std::vector<analyse::HandMatches> matches;
    for (std::size_t i = 0; i < o.files.size(); ++i) {
        TRY(auto now, profile::Profile::open(o.files[i]));
        TRY(auto of_file, by_hand(o, i, *base, *now));
        matches.push_back(std::move(of_file));
        files.push_back(std::move(now));
        open.push_back(files.back().get());
    }
    TRY(auto comparisons, analyse::compare_all(*base, open, analyse::every_ipu, {}, matches));
    std::vector<exports::RunComparison> runs;
    for (std::size_t i = 0; i < comparisons.size(); ++i)
        runs.push_back({names[i + 1], std::move(comparisons[i])});
    return runs;
}

nlohmann::ordered_json document_of(const CompareOptions& o, const std::vector<exports::RunComparison>& runs) {
    if (runs.size() == 1)
        return analyse::document(runs.front().comparison);
    auto list = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < runs.size(); ++i)
        list.push_back({{"file", o.files[i]}, {"comparison", analyse::document(runs[i].comparison)}});
    return {{"base", o.base}, {"runs", list}};
}

/// With the files, the base and the matches of a saved comparison in its place.
Result<CompareOptions> with_saved(CompareOptions o) {
    o.saved = o.files.front();
    if (o.files.size() > 1 || !o.base.empty())
        return wrong_usage("a saved comparison names its base and all that is compared with it", o.saved,
                           "give it alone");
    TRY(const auto text, formats::read_text(o.saved));
    TRY(auto saved, analyse::parse_comparison(text, o.saved));
    o.base = saved.base;
    o.files.clear();
    for (analyse::SavedComparison::Run& run : saved.runs) {
        o.files.push_back(run.path);
        o.by_hand.push_back(std::move(run.matches));
    }
    return o;
}

/// Takes the base out of the files: the one that was named, or else the first.
Result<CompareOptions> with_base(CompareOptions o) {
    for (std::string& file : o.files)
        if (analyse::is_comparison(file)) {
            std::swap(file, o.files.front());
            return with_saved(std::move(o));
        }
    if (o.base.empty()) {
        o.base = o.files.front();
        o.files.erase(o.files.begin());
    } else {
        std::erase(o.files, o.base);
    }
    if (o.files.empty())
        return Failure(Error{ErrorKind::Usage,
                             "there is nothing to compare " + o.base + " with",
                             {},
                             "name a second profile"});
    return o;
}

Result<void> compare(const CompareOptions& options) {
    TRY(const auto o, with_base(options));
    if (!o.matches.empty() && o.files.size() > 1)
        return wrong_usage("--match is of a base and one other profile", {},
                           "save the comparison in the window, and give that file");
    std::vector<std::string> paths{o.base};
    paths.insert(paths.end(), o.files.begin(), o.files.end());
    const std::vector<std::string> names = file_names(paths);
    TRY(const auto runs, compare_all(o, names));
    if (o.format == "json") {
        TRY(write_output("-", document_of(o, runs).dump(2) + "\n"));
    } else {
        const exports::Page page =
            runs.size() == 1
                ? exports::comparison_page(runs.front().comparison, names.front(), runs.front().name)
                : exports::comparisons_page(runs, names.front());
        TRY(write_output("-", o.format == "markdown" ? markdown(page)
                              : o.format == "html"   ? html(page)
                                                     : text(page)));
    }
    return judge(o, names.front(), runs);
}

} // namespace

void add_compare_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* command = program.add_subcommand("compare", "Print how profiles differ, and why");
    command
        ->add_option("FILE", options->files,
                     "Profiles: the base, and one or more to compare with it; or a comparison that was saved "
                     "in the window")
        ->required()
        ->expected(1, -1);
    command->add_option("--base", options->base, "The base, where it is not the first")->type_name("BASE");
    command->add_option("--format", options->format, "text, json, markdown or html")
        ->check(CLI::IsMember({"text", "json", "markdown", "html"}))
        ->capture_default_str();
    command
        ->add_option(
            "--fail-on", options->fail_on,
            "End with code 1 where a new run is slower, larger, or differs in anything; may be repeated. A "
            "run that did not complete ends with code 1 in any case")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all()
        ->check(CLI::IsMember({"slower", "larger", "any"}));
    command
        ->add_option("--match", options->matches,
                     "BASE=NEW: this layer or operation of the base is that of the new run; BASE= or =NEW: "
                     "it has no counterpart; may be repeated")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all()
        ->type_name("BASE=NEW");
    command->footer("Examples:\n  tilescope compare yesterday.tilescope today.tilescope\n"
                    "  tilescope compare yesterday.tilescope today.tilescope --format markdown\n"
                    "  tilescope compare main.tilescope branch.tilescope --fail-on slower --fail-on larger\n"
                    "  tilescope compare base.tilescope batch16.tilescope batch32.tilescope\n"
                    "  tilescope compare old.tilescope new.tilescope --match dense_1=classifier\n"
                    "  tilescope compare nightly.tilescope-compare\n");
    command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

} // namespace tilescope::app
