// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "causes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tilescope::analyse {
namespace {

constexpr std::size_t least_alike = 3;

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// A text with its numbers taken out; `between[i]` stands before the i-th of them, the last one at the end.
struct Numbered {
    std::vector<std::string> between{std::string()};
    std::vector<std::string> numbers;

    explicit Numbered(const std::string& text) {
        const auto continues = [&](std::size_t i) { // "1,245" is one number
            return (text[i] == ',' || text[i] == '.') && i + 1 < text.size() && is_digit(text[i + 1]);
        };
        for (std::size_t i = 0; i < text.size();) {
            if (!is_digit(text[i])) {
                between.back() += text[i++];
                continue;
            }
            const std::size_t begin = i;
            while (i < text.size() && (is_digit(text[i]) || continues(i)))
                ++i;
            numbers.push_back(text.substr(begin, i - begin));
            between.emplace_back();
        }
    }
    /// Of the same words: where the numbers differ stands a star.
    void merge(const Numbered& other) {
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (numbers[i] != other.numbers[i])
                numbers[i] = "*";
    }
    std::string text() const {
        std::string all = between.front();
        for (std::size_t i = 0; i < numbers.size(); ++i)
            all += numbers[i] + between[i + 1];
        return all;
    }
};

void add_to(std::optional<double>& sum, const std::optional<double>& more) {
    if (more)
        sum = sum.value_or(0) + *more;
}

Cause one_for(const std::vector<const Cause*>& alike, std::optional<double> Cause::*amount) {
    Cause all = *alike.front();
    Numbered what(all.what), why(all.why);
    const Cause* largest = alike.front();
    for (const Cause* each : alike) {
        if (each == alike.front())
            continue;
        what.merge(Numbered(each->what));
        why.merge(Numbered(each->why));
        add_to(all.cycles, each->cycles);
        add_to(all.bytes, each->bytes);
        add_to(all.share, each->share);
        all.parts.insert(all.parts.end(), each->parts.begin(), each->parts.end());
        if (std::fabs((each->*amount).value_or(0)) > std::fabs((largest->*amount).value_or(0)))
            largest = each;
    }
    all.what = what.text();
    all.why = why.text();
    all.alike = static_cast<std::int64_t>(alike.size());
    all.largest = largest->what;
    return all;
}

} // namespace

std::vector<Cause> folded(const std::vector<Cause>& causes, std::optional<double> Cause::*amount) {
    using Words = std::tuple<CauseKind, std::vector<std::string>, std::vector<std::string>>;
    std::map<Words, std::vector<const Cause*>> alike;
    std::vector<const Words*> order;
    for (const Cause& cause : causes) {
        const auto at =
            alike.try_emplace({cause.kind, Numbered(cause.what).between, Numbered(cause.why).between});
        at.first->second.push_back(&cause);
        if (at.second)
            order.push_back(&at.first->first);
    }
    std::vector<Cause> result;
    for (const Words* words : order) {
        const std::vector<const Cause*>& some = alike.at(*words);
        if (some.size() >= least_alike)
            result.push_back(one_for(some, amount));
        else
            for (const Cause* each : some)
                result.push_back(*each);
    }
    for (Cause& cause : result)
        cause.parts = folded(cause.parts, amount);
    largest_first(result, amount);
    std::stable_partition(result.begin(), result.end(), // as the clock
                          [amount](const Cause& cause) { return !(cause.*amount); });
    return result;
}

std::string name_text(const Cause& cause) {
    return cause.alike == 1 ? cause.what : cause.what + " × " + count_text(cause.alike);
}

} // namespace tilescope::analyse
