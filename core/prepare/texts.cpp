// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "prepare/data_sets.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>

namespace tilescope::prepare {
namespace {

constexpr std::int32_t unknown_word = 1; ///< 0 fills the end
constexpr std::int32_t first_word = 2;
constexpr std::int64_t most_labels = 1 << 24;
constexpr std::int32_t largest_token = 1 << 24; ///< whole numbers up to it are floats, too

struct Line {
    std::int32_t label;
    std::vector<std::string> words;
};

/// ASCII letters in lower case, and punctuation left out, as TextVectorization's default standardisation
/// does.
std::string standardised(const std::string& text) {
    static const std::string punctuation = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'";
    std::string kept;
    for (const char c : text)
        if (punctuation.find(c) == std::string::npos)
            kept += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return kept;
}

/// Cut at white space.
std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(std::move(word));
    return words;
}

/// The number that a text is as a whole; -1 where it is none up to `most`.
std::int64_t number_of(const std::string& text, std::int64_t most) {
    std::int64_t number = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && number <= most ? number : -1;
}

Result<std::vector<Line>> read_lines(const std::string& path, bool numbers) {
    std::ifstream file(path);
    if (!file)
        return bad_input("the file cannot be opened", path, "check the path");
    std::vector<Line> lines;
    std::int64_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        const std::size_t tab = line.find('\t');
        const std::int64_t label =
            tab == std::string::npos ? -1 : number_of(line.substr(0, tab), most_labels);
        if (label < 0)
            return bad_input("line " + std::to_string(number) + " does not begin with a class and a tab",
                             path, "write the class, a whole number from 0 on, then a tab, then the text");
        const std::string text = line.substr(tab + 1);
        lines.push_back({static_cast<std::int32_t>(label), words_of(numbers ? text : standardised(text))});
    }
    if (lines.empty())
        return bad_input("the file has no texts", path, "write a class, a tab and a text on each line");
    return lines;
}

using Vocabulary = std::unordered_map<std::string, std::int32_t>;

/// The most frequent words, of equally frequent ones the last by their bytes, as TextVectorization's adapt()
/// orders them.
Vocabulary vocabulary_of(const std::vector<Line>& lines, std::int64_t size) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const Line& line : lines)
        for (const std::string& word : line.words)
            ++counts[word];
    std::vector<std::pair<std::int64_t, std::string>> ranked;
    ranked.reserve(counts.size());
    for (const auto& [word, count] : counts)
        ranked.emplace_back(count, word);
    std::sort(ranked.rbegin(), ranked.rend());
    ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(size - first_word)));
    Vocabulary numbers;
    for (std::size_t i = 0; i < ranked.size(); ++i)
        numbers[ranked[i].second] = first_word + static_cast<std::int32_t>(i);
    return numbers;
}

} // namespace

Result<run::DataSet> read_texts(const workload::DataSpec& spec, const std::string& words_from) {
    TRY(const auto lines, read_lines(spec.file, spec.vocabulary == 0));
    Vocabulary vocabulary;
    if (spec.vocabulary > 0) {
        TRY(const auto told,
            words_from == spec.file ? Result<std::vector<Line>>(lines) : read_lines(words_from, false));
        vocabulary = vocabulary_of(told, spec.vocabulary);
    }
    run::DataSet data;
    data.name = std::filesystem::path(spec.file).stem().string();
    data.sample_shape = {spec.sequence};
    for (const Line& line : lines) {
        const std::size_t end = data.samples.size() + static_cast<std::size_t>(spec.sequence);
        for (const std::string& word : line.words) {
            if (data.samples.size() == end)
                break;
            const auto known = vocabulary.find(word);
            const std::int64_t token = spec.vocabulary == 0        ? number_of(word, largest_token)
                                       : known == vocabulary.end() ? unknown_word
                                                                   : known->second;
            if (token < 0)
                return bad_input("token \"" + word + "\" is no number", spec.file,
                                 "write numbers, or have words numbered: \"vocabulary\": 10000");
            data.samples.push_back(static_cast<float>(token));
        }
        data.samples.resize(end, 0.0F);
        data.labels.push_back(line.label);
    }
    data.classes = *std::max_element(data.labels.begin(), data.labels.end()) + 1;
    return data;
}

} // namespace tilescope::prepare
