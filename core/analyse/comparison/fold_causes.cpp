// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/cause_sum.h"
#include "analyse/like_names.h"
#include "base/text.h"
#include "causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tilescope::analyse {
namespace {

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
    using Words = std::tuple<CauseKind, std::string, std::string>;
    std::map<Words, std::vector<const Cause*>> alike;
    std::vector<const Words*> order;
    for (const Cause& cause : causes) {
        const auto at =
            alike.try_emplace({cause.kind, without_numbers(cause.what), without_numbers(cause.why)});
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

CauseSum sum_of(const std::vector<Cause>& causes, std::optional<double> Cause::*amount) {
    CauseSum sum;
    for (const Cause& cause : causes) {
        sum.amount += (cause.*amount).value_or(0);
        sum.share += cause.share.value_or(0);
    }
    return sum;
}

} // namespace tilescope::analyse
