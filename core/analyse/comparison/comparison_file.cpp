// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison_file.h"

#include "base/nearest_name.h"
#include "base/try.h"
#include "json_text.h"

#include <algorithm>
#include <filesystem>

namespace tilescope::analyse {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int version = 1;
constexpr const char* head = "tilescope-compare";

fs::path folder_of(const std::string& file) {
    return fs::absolute(file).lexically_normal().parent_path();
}

/// Reads the parts of a document; the place in an error is "FILE: MEMBER".
class Reader {
  public:
    explicit Reader(const std::string& file) : file_(file) {}

    Result<SavedComparison> comparison(const Json& document) const {
        const auto written = document.find(head);
        if (written == document.end() || !written->is_number_integer())
            return bad_input("it is no comparison: \"tilescope-compare\" has no version", file_,
                             "open a file that was saved by File > Save comparison");
        if (*written != version)
            return bad_input("its version is " + written->dump(), file_,
                             "this program reads version " + std::to_string(version) +
                                 ": use the one that saved it");
        SavedComparison comparison;
        TRY(comparison.base, path_of(document, "base", "base"));
        const auto runs = document.find("runs");
        if (runs == document.end() || !runs->is_array() || runs->empty())
            return bad_input("\"runs\" is empty", file_, "name the profiles that are compared with the base");
        for (std::size_t i = 0; i < runs->size(); ++i) {
            TRY(auto run, run_of((*runs)[i], "runs[" + std::to_string(i) + "]"));
            const auto known = comparison.paths();
            if (std::find(known.begin(), known.end(), run.path) != known.end())
                return bad_input("\"runs[" + std::to_string(i) + "].file\" is there twice", file_,
                                 "name each profile once");
            comparison.runs.push_back(std::move(run));
        }
        comparison.front = comparison.runs.front().path;
        if (document.contains("front")) {
            TRY(comparison.front, path_of(document, "front", "front"));
        }
        return comparison;
    }

  private:
    /// A path within the file as an absolute one.
    Result<std::string> path_of(const Json& object, const char* key, const std::string& member) const {
        const auto value = object.is_object() ? object.find(key) : object.end();
        if (!object.is_object() || value == object.end() || !value->is_string() ||
            value->get<std::string>().empty())
            return bad_input("\"" + member + "\" is no path", file_, "name a profile, relative to this file");
        return (folder_of(file_) / value->get<std::string>()).lexically_normal().string();
    }
    Result<SavedComparison::Run> run_of(const Json& run, const std::string& member) const {
        SavedComparison::Run result;
        TRY(result.path, path_of(run, "file", member + ".file"));
        if (const auto views = run.find("views"); views != run.end() && views->is_object())
            result.views = views->dump();
        const auto matches = run.find("matches");
        if (matches == run.end())
            return result;
        if (!matches->is_array())
            return bad_input("it is no list", file_ + ": " + member + ".matches",
                             R"(write [{"part": "layer", "base": "NAME", "new": "NAME"}])");
        for (std::size_t i = 0; i < matches->size(); ++i) {
            const std::string place = member + ".matches[" + std::to_string(i) + "]";
            TRY(const HandMatch match, match_of((*matches)[i], place));
            if (without(result.matches, match) != result.matches)
                return bad_input("a part of it is matched already", file_ + ": " + place,
                                 "match each layer and operation once");
            result.matches.push_back(match);
        }
        return result;
    }
    Result<HandMatch> match_of(const Json& item, const std::string& member) const {
        const std::string place = file_ + ": " + member;
        if (!item.is_object())
            return bad_input("it is no object", place,
                             R"(write {"part": "layer", "base": "NAME", "new": "NAME"})");
        for (const auto& [key, value] : item.items())
            if (key != "part" && key != "base" && key != "new")
                return bad_input("unknown key \"" + key + "\"", place,
                                 remedy_for(key, {"part", "base", "new"}, "remove it"));
        HandMatch match;
        const auto part = item.find("part");
        const auto known = part != item.end() && part->is_string() ? parse<PartKind>(part->get<std::string>())
                                                                   : std::nullopt;
        if (!known)
            return bad_input("\"part\" is neither \"layer\" nor \"operation\"", place,
                             "say which of them it is");
        match.part = *known;
        for (const auto& [key, name] : {std::pair("base", &match.base), std::pair("new", &match.now)}) {
            const auto value = item.find(key);
            if (value == item.end() || (!value->is_null() && !value->is_string()))
                return bad_input(std::string("\"") + key + "\" is no name", place,
                                 "write the name of a layer or an operation, or null for no counterpart");
            if (value->is_string())
                *name = value->get<std::string>();
        }
        if (match.base.empty() && match.now.empty())
            return bad_input("it names nothing", place, "name what has no counterpart");
        return match;
    }

    const std::string& file_;
};

} // namespace

std::vector<std::string> SavedComparison::paths() const {
    std::vector<std::string> all{base};
    for (const Run& run : runs)
        all.push_back(run.path);
    return all;
}

bool is_comparison(std::string_view path) {
    return path.ends_with(".tilescope-compare");
}

Result<SavedComparison> parse_comparison(const std::string& text, const std::string& path) {
    if (nests_too_deep(text))
        return bad_input("it is no comparison: it nests too deep", path, "save the comparison again");
    Json document;
    try {
        document = Json::parse(text);
    } catch (const Json::parse_error& error) {
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
        return bad_input("it is no comparison: the JSON breaks off or is wrong at line " +
                             std::to_string(1 + std::count(text.begin(), end, '\n')),
                         path, "mend the syntax there, or save the comparison again");
    }
    if (!document.is_object())
        return bad_input("it holds no comparison", path, "save the comparison again");
    return Reader(path).comparison(document);
}

std::string comparison_text(const SavedComparison& comparison, const std::string& path) {
    const auto relative = [folder = folder_of(path)](const std::string& file) {
        return fs::path(file).lexically_relative(folder).string();
    };
    Json runs = Json::array();
    for (const SavedComparison::Run& run : comparison.runs) {
        Json object{{"file", relative(run.path)}};
        if (!run.matches.empty())
            object["matches"] = document(run.matches);
        if (!run.views.empty())
            object["views"] = read_json(run.views);
        runs.push_back(std::move(object));
    }
    return Json{{head, version},
                {"base", relative(comparison.base)},
                {"runs", runs},
                {"front", relative(comparison.front)}}
               .dump(4) +
           "\n";
}

} // namespace tilescope::analyse
