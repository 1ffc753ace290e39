// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "base/text.h"
#include "base/worker_pool.h"
#include "compile/passes.h"
#include "lowering/context.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tilescope::compile {
namespace {

template<class Number>
std::uint64_t mixed_of(std::uint64_t hash, const std::vector<Number>& numbers) {
    for (const Number n : numbers)
        hash = mixed(hash, n);
    return hash;
}

bool same_code(const program::ComputeSet& a, const program::ComputeSet& b) {
    return a.ipu == b.ipu && a.tile_cycles == b.tile_cycles;
}

bool same_code(const program::Exchange& a, const program::Exchange& b) {
    return a.ipu == b.ipu && a.peer == b.peer && a.sent == b.sent && a.received == b.received;
}

std::uint64_t hash_of(const program::ComputeSet& set) {
    return mixed(mixed_of(0, set.tile_cycles), set.ipu);
}

std::uint64_t hash_of(const program::Exchange& exchange) {
    return mixed(mixed(mixed_of(mixed_of(0, exchange.sent), exchange.received), exchange.ipu), exchange.peer);
}

/// The compute sets, or exchanges, that have code of their own.
template<class Thing>
class Known {
  public:
    Known(const Compilation& c, const std::vector<Thing>& things, WorkerPool& pool)
        : things_(things), hashes_(things.size()) {
        pool.parallel_for(things.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end && !c.cancelled(); ++i)
                hashes_[i] = hash_of(things[i]);
        });
    }
    /// Whether one of the same place in an operation of the same kind is equal; else it is known from now on.
    bool has_equal(std::size_t thing, std::size_t kind, std::size_t place) {
        std::vector<std::size_t>& alike = known_[{kind, place, hashes_[thing]}]; // nearly always of one
        for (const std::size_t other : alike)
            if (same_code(things_[thing], things_[other]))
                return true;
        alike.push_back(thing);
        return false;
    }

  private:
    const std::vector<Thing>& things_;
    std::vector<std::uint64_t> hashes_;
    std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, std::vector<std::size_t>> known_;
};

/// The numbers of the compute sets, or exchanges, of each operation.
template<class Thing>
std::vector<std::vector<std::size_t>> by_operation(const std::vector<Thing>& things, std::size_t operations) {
    std::vector<std::vector<std::size_t>> result(operations);
    for (std::size_t i = 0; i < things.size(); ++i)
        if (things[i].operation >= 0)
            result[static_cast<std::size_t>(things[i].operation)].push_back(i);
    return result;
}

} // namespace

Result<std::string> share_code(Compilation& c) {
    const graph::Graph& graph = c.graph();
    program::Program& program = c.executable.program;
    const auto sets_of = by_operation(program.compute_sets, graph.operations().size());
    const auto exchanges_of = by_operation(program.exchanges, graph.operations().size());
    std::map<std::string, std::size_t> kinds; // operations that are alike, by their signature
    WorkerPool pool(c.options.threads);
    Known known_sets(c, program.compute_sets, pool);
    Known known_exchanges(c, program.exchanges, pool);
    std::size_t sets = 0;
    std::size_t exchanges = 0;
    for (const graph::Operation& op : graph.operations()) {
        if (c.cancelled())
            return cancelled();
        const auto own = static_cast<std::size_t>(op.id.value);
        const std::size_t kind =
            kinds.try_emplace(lowering::signature(graph, op), kinds.size()).first->second;
        for (std::size_t k = 0; k < sets_of[own].size(); ++k) {
            program::ComputeSet& set = program.compute_sets[sets_of[own][k]];
            if (!known_sets.has_equal(sets_of[own][k], kind, k))
                continue;
            set.shared = true;
            ++sets;
            auto& state = program.variable(set.state).tile_bytes;
            std::fill(state.begin(), state.end(), 0);
        }
        for (std::size_t k = 0; k < exchanges_of[own].size(); ++k)
            if (known_exchanges.has_equal(exchanges_of[own][k], kind, k)) {
                program.exchanges[exchanges_of[own][k]].shared = true;
                ++exchanges;
            }
    }
    if (sets == 0 && exchanges == 0)
        return std::string("nothing shares the code of an equal one");
    return count_text(static_cast<std::int64_t>(sets)) + " of " +
           count_text(static_cast<std::int64_t>(program.compute_sets.size())) + " compute sets and " +
           count_text(static_cast<std::int64_t>(exchanges)) + " of " +
           count_text(static_cast<std::int64_t>(program.exchanges.size())) +
           " exchanges share the code of an equal one";
}

} // namespace tilescope::compile
