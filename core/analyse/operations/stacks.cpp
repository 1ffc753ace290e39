// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/stacks.h"

#include "analyse/like_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tilescope::analyse {
namespace {

std::size_t folded_parts(const Stack& stack) {
    return stack.count < 2 ? 0 : (stack.count - 1) * stack.period;
}

class Finder {
  public:
    explicit Finder(const PartSequence& parts)
        : names_(parts.names), kind_(parts.structure.size()), from_(kind_.size()), to_(kind_.size()) {
        std::map<std::string, std::size_t> ids;
        for (std::size_t i = 0; i < kind_.size(); ++i)
            kind_[i] = ids.try_emplace(parts.structure[i], ids.size()).first->second;
        for (const auto& [from, to] : parts.edges) {
            from_[to].push_back(from);
            to_[from].push_back(to);
        }
        for (auto& makers : from_) {
            std::sort(makers.begin(), makers.end());
            makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
        }
    }

    std::vector<Stack> find() {
        search(0, kind_.size());
        std::sort(found_.begin(), found_.end(),
                  [](const Stack& a, const Stack& b) { return a.first < b.first; });
        return std::move(found_);
    }

  private:
    /// The stack in [begin, end) that folds most, then those on either side of it.
    void search(std::size_t begin, std::size_t end) {
        Stack best;
        for (std::size_t period = 1; 2 * period <= end - begin; ++period)
            for (std::size_t at = begin; at + period < end;) {
                std::size_t until = at; // parts of [at, until) equal those a period later
                while (until + period < end && kind_[until] == kind_[until + period])
                    ++until;
                if (until - at >= std::max({period, folded_parts(best) + 1, least_folded_parts}))
                    consider(at, until + period, period, best);
                at = until + 1;
            }
        if (best.count == 0)
            return;
        found_.push_back(best);
        search(begin, best.first);
        search(best.first + folded_parts(best) + best.period, end);
    }

    /// What tells of two stacks that fold as much which one it is; the larger the likelier.
    using Likely = std::pair<bool, std::ptrdiff_t>;
    Likely likely(const Stack& stack) const {
        return {eachNamed(stack), -static_cast<std::ptrdiff_t>(edgesOnward(stack))};
    }

    /// The blocks of `period` parts in [begin, end), whose parts repeat.
    void consider(std::size_t begin, std::size_t end, std::size_t period, Stack& best) const {
        std::optional<Likely> so_far; // of `best`, where it is one of these
        for (std::size_t first = begin; first <= begin + (end - begin) % period; ++first) {
            const Stack stack = longest(first, end, period);
            const std::size_t folded = folded_parts(stack);
            if (folded < least_folded_parts || folded < folded_parts(best))
                continue;
            if (folded > folded_parts(best))
                so_far.reset();
            else if (!so_far || likely(stack) <= *so_far)
                continue;
            best = stack;
            so_far = likely(stack);
        }
    }

    bool eachNamed(const Stack& stack) const {
        if (names_.empty())
            return false;
        std::set<std::string> blocks;
        for (std::size_t block = 0; block < stack.count; ++block) {
            const auto begin =
                names_.begin() + static_cast<std::ptrdiff_t>(stack.first + block * stack.period);
            blocks.insert(block_name({begin, begin + static_cast<std::ptrdiff_t>(stack.period)}));
        }
        return blocks.size() == stack.count && !blocks.contains({});
    }

    /// The most blocks in a row of [first, end) whose inner edges are the same.
    Stack longest(std::size_t first, std::size_t end, std::size_t period) const {
        Stack best{first, period, 1};
        Stack now = best;
        for (std::size_t block = first + period; block + period <= end; block += period) {
            if (sameInside(block - period, block, period))
                ++now.count;
            else
                now = {block, period, 1};
            if (now.count > best.count)
                best = now;
        }
        return best;
    }

    bool sameInside(std::size_t a, std::size_t b, std::size_t period) const {
        const auto inner = [&](std::size_t block, std::size_t part) {
            std::vector<std::size_t> makers;
            for (const std::size_t from : from_[block + part])
                if (from >= block && from < block + period)
                    makers.push_back(from - block);
            return makers;
        };
        for (std::size_t part = 0; part < period; ++part)
            if (inner(a, part) != inner(b, part))
                return false;
        return true;
    }

    /// PartSequence that others in later blocks of the stack use, once for each of these blocks.
    std::size_t edgesOnward(const Stack& stack) const {
        const std::size_t end = stack.first + stack.count * stack.period;
        std::size_t edges = 0;
        for (std::size_t part = stack.first; part < end; ++part) {
            std::set<std::size_t> blocks;
            for (const std::size_t to : to_[part])
                if (to >= stack.first && to < end)
                    blocks.insert((to - stack.first) / stack.period);
            blocks.erase((part - stack.first) / stack.period);
            edges += blocks.size();
        }
        return edges;
    }

    const std::vector<std::string>& names_;
    std::vector<std::size_t> kind_;              ///< by part
    std::vector<std::vector<std::size_t>> from_; ///< by part: those that it uses
    std::vector<std::vector<std::size_t>> to_;
    std::vector<Stack> found_;
};

bool separates(char c) {
    return c == '_' || c == '/' || c == '.' || c == '-' || c == ' ' || c == ':';
}

/// "dense" of "dense_12": names that are given out in turn begin without a number.
std::string stem(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    return last == std::string::npos || last + 1 == name.size() || last == 0 || name[last] != '_'
               ? name
               : name.substr(0, last);
}

std::string common_stem(const std::vector<std::string>& names) {
    if (const auto common = common_words(names))
        return *common;
    std::vector<std::string> stems;
    stems.reserve(names.size());
    for (const std::string& name : names)
        stems.push_back(stem(name));
    return common_words(stems).value_or(std::string());
}

} // namespace

std::vector<Stack> find_stacks(const PartSequence& parts) {
    return Finder(parts).find();
}

std::string block_name(const std::vector<std::string>& names) {
    std::string shared = names.front();
    for (const std::string& name : names) {
        const auto differ = std::mismatch(shared.begin(), shared.end(), name.begin(), name.end());
        shared.erase(differ.first, shared.end());
    }
    const bool whole = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return name.size() == shared.size() || separates(name[shared.size()]);
    });
    if (!whole)
        while (!shared.empty() && !separates(shared.back()))
            shared.pop_back();
    while (!shared.empty() && separates(shared.back()))
        shared.pop_back();
    return shared;
}

std::string stack_name(const Stack& stack, const std::vector<std::string>& names) {
    std::vector<std::string> common;
    for (std::size_t part = 0; part < stack.period; ++part) {
        std::vector<std::string> alike;
        for (std::size_t block = 0; block < stack.count; ++block)
            alike.push_back(names[block * stack.period + part]);
        common.push_back(common_stem(alike));
    }
    return block_name(common);
}

} // namespace tilescope::analyse
