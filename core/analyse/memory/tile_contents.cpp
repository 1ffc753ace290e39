// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_contents.h"

#include "analyse/like_names.h"
#include "base/try.h"
#include "tile_lists.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace tilescope::analyse {
namespace {

using Values = std::vector<std::int64_t>;

std::int64_t value_of(const Values& values, std::int64_t tile) {
    return tile >= 0 && tile < static_cast<std::int64_t>(values.size())
               ? values[static_cast<std::size_t>(tile)]
               : 0;
}

/// The values of some tiles, or of all.
Values chosen(const Values& values, const Values& tiles) {
    if (tiles.empty())
        return values;
    Values result;
    for (const std::int64_t tile : tiles)
        result.push_back(value_of(values, tile));
    return result;
}

double product(std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
}

/// Reads numbers of tiles as the columns of a table.
class Columns {
  public:
    Columns(const profile::Profile& profile, std::int64_t ipu, const Values& tiles)
        : profile_(profile), ipu_(ipu), tiles_(tiles), single_(columns_of(tiles)) {}
    Result<Values> read(const std::string& entity, const std::string& metric) const {
        TRY(const Values values, profile_.tile_values(entity, 0, ipu_, metric));
        const Values of = chosen(values, tiles_);
        return single_.empty() ? Values{sum(of)} : of;
    }

  private:
    const profile::Profile& profile_;
    std::int64_t ipu_;
    const Values& tiles_;
    Values single_;
};

Values less(Values a, const Values& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        a[i] -= b[i];
    return a;
}

/// How often each compute set (or exchange) runs in an engine run.
std::map<std::int64_t, std::int64_t> runs_of(const std::vector<profile::ProgramRecord>& program,
                                             std::int64_t profile::ProgramRecord::*id) {
    std::map<std::int64_t, std::int64_t> runs;
    for (const auto& step : program)
        if (step.*id >= 0)
            runs[step.*id] += step.runs;
    return runs;
}

struct Computing {
    Values cycles;                 ///< of the tiles that were asked for
    std::int64_t tiles_in_all = 0; ///< of the IPU that have cycles
    std::int64_t tiles() const {
        return std::count_if(cycles.begin(), cycles.end(), [](std::int64_t c) { return c > 0; });
    }
};

/// The compute sets that have cycles on some of the tiles.
Result<std::map<std::int64_t, Computing>> computing(const profile::Profile& profile, std::int64_t ipu,
                                                    const Values& tiles) {
    std::map<std::int64_t, Computing> result;
    TRY(const auto first, first_of(profile, ipu));
    TRY(const auto sets, profile.compute_sets());
    TRY(each_list(profile, "compute_set", sets, first, "cycles", [&](const auto& set, const Values& values) {
        const std::int64_t all = Computing{values}.tiles();
        if (Computing of{chosen(values, tiles), all}; of.tiles() > 0)
            result[set.id] = std::move(of);
    }));
    return result;
}

} // namespace

std::vector<std::int64_t> columns_of(const std::vector<std::int64_t>& tiles) {
    return tiles.size() <= most_columns ? tiles : std::vector<std::int64_t>{};
}

Result<std::vector<MemoryNode>> memory_tree(const profile::Profile& profile, std::int64_t ipu,
                                            const std::vector<std::int64_t>& tiles) {
    const Columns columns(profile, ipu, tiles);
    TRY(const Values all, profile.tile_values("memory", 0, ipu, "total"));
    if (all.empty())
        return std::vector<MemoryNode>{};
    TRY(const Values with_gaps, columns.read("memory", "total_with_gaps"));
    TRY(const Values total, columns.read("memory", "total"));
    TRY(const Values always, columns.read("memory", "always_live"));
    std::vector<MemoryNode> nodes{{"With gaps", 0, with_gaps}, {"Live at the tile's peak", 1, total}};
    const auto add = [&](const std::string& name, int depth, const Values& bytes) {
        if (sum(bytes) > 0)
            nodes.push_back({name, depth, bytes});
    };
    for (const auto& [metric, name] : {std::pair("non_interleaved", "Non-interleaved region"),
                                       std::pair("interleaved", "Interleaved region"),
                                       std::pair("overflowed", "Beyond the end of the memory")}) {
        TRY(const Values bytes, columns.read("memory", metric));
        add(name, 2, bytes);
    }
    TRY(const auto categories, profile.memory_by_category(ipu));
    for (const auto& [metric, name, bytes] :
         {std::tuple("always_live", "Always live", always),
          std::tuple("not_always_live", "Not always live", less(total, always))}) {
        add(name, 2, bytes);
        for (const auto& category : categories) {
            TRY(const Values part, columns.read("category:" + to_string(category.category), metric));
            add(to_string(category.category), 3, part);
        }
    }
    nodes.push_back({"Gaps", 1, less(with_gaps, total)});
    if (tiles.empty()) {
        TRY(const std::int64_t streaming, profile.streaming_bytes(ipu));
        add("In streaming memory", 0, {streaming});
    }
    return nodes;
}

Result<TileVariables> variables_of(const profile::Profile& profile, std::int64_t ipu,
                                   const std::vector<std::int64_t>& tiles) {
    TileVariables result;
    TRY(result.rows, profile.variables_on_tiles(ipu, tiles));
    result.columns = columns_of(tiles);
    if (result.columns.size() < 2)
        result.columns.clear();
    for (std::size_t c = 0; c < result.columns.size(); ++c) {
        TRY(const auto rows, profile.variables_on_tiles(ipu, {result.columns[c]}));
        for (const auto& row : rows) {
            Values& bytes = result.by_column[row.variable.id];
            bytes.resize(result.columns.size(), 0);
            bytes[c] = row.bytes;
        }
    }
    result.peak = live_peak(result.rows);
    if (tiles.empty()) {
        TRY(const auto all, profile.variables(ipu));
        result.streaming = all.those([](const auto& variable) { return variable.streaming_bytes != 0; });
    }
    return result;
}

std::vector<VariableChange> variable_changes(const HeldVariables& now, const HeldVariables& before,
                                             const OldNames& old_names) {
    std::map<std::string, std::vector<std::size_t>> old; // by name, the last one first
    for (std::size_t i = before.size(); i-- > 0;)
        old[before[i].first->name].push_back(i);
    std::vector<char> taken(before.size(), 0);
    std::vector<VariableChange> result;
    for (const auto& [variable, bytes] : now) {
        VariableChange change{variable, nullptr, bytes, 0};
        if (const auto found = old.find(old_names.of(*variable));
            found != old.end() && !found->second.empty()) {
            const std::size_t i = found->second.back();
            found->second.pop_back();
            taken[i] = 1;
            change.before = before[i].first;
            change.bytes_before = before[i].second;
        }
        result.push_back(change);
    }
    for (std::size_t i = 0; i < before.size(); ++i)
        if (taken[i] == 0)
            result.push_back({nullptr, before[i].first, 0, before[i].second});
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::abs(a.change()) > std::abs(b.change());
    });
    return result;
}

std::vector<VariableChange> variable_changes(const TileVariables& now, const TileVariables& before, bool ever,
                                             const OldNames& old_names) {
    const auto held = [ever](const TileVariables& of) {
        HeldVariables all;
        for (const auto& row : of.rows)
            if (ever || live_at(row.variable, of.peak.step))
                all.emplace_back(&row.variable, row.bytes);
        return all;
    };
    return variable_changes(held(now), held(before), old_names);
}

const VariableChange& AlikeChanges::largest() const {
    return *std::max_element(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
        return std::abs(a.change()) < std::abs(b.change());
    });
}

std::int64_t sum_of(const std::vector<VariableChange>& changes) {
    std::int64_t sum = 0;
    for (const VariableChange& each : changes)
        sum += each.change();
    return sum;
}

std::vector<AlikeChanges> each_change(const std::vector<VariableChange>& changes) {
    std::vector<AlikeChanges> result;
    result.reserve(changes.size());
    for (const VariableChange& each : changes)
        result.push_back({(each.now != nullptr ? each.now : each.before)->name,
                          {each},
                          each.bytes_now,
                          each.bytes_before});
    return result;
}

std::vector<AlikeChanges> fold_changes(const std::vector<VariableChange>& changes) {
    std::vector<std::string> names;
    for (const VariableChange& each : changes) {
        const profile::VariableRecord& variable = each.now != nullptr ? *each.now : *each.before;
        names.push_back(to_string(variable.category) + "\n" +
                        (each.now == nullptr      ? "gone"
                         : each.before == nullptr ? "new"
                                                  : "both") +
                        "\n" + variable.name);
    }
    std::vector<AlikeChanges> result;
    for (LikeNames& alike : fold_names(names)) {
        AlikeChanges& some = result.emplace_back();
        alike.name.erase(0, alike.name.rfind('\n') + 1);
        some.name = text_of(alike);
        for (const std::size_t member : alike.members) {
            some.changes.push_back(changes[member]);
            some.bytes_now += changes[member].bytes_now;
            some.bytes_before += changes[member].bytes_before;
        }
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::abs(a.change()) > std::abs(b.change());
    });
    return result;
}

Result<std::vector<ComputeSetOnTiles>> compute_sets_on_tiles(const profile::Profile& profile,
                                                             std::int64_t ipu,
                                                             const std::vector<std::int64_t>& tiles) {
    TRY(const auto cycles, computing(profile, ipu, tiles));
    TRY(const auto sets, profile.compute_sets());
    TRY(const auto program, profile.program());
    const auto runs = runs_of(program, &profile::ProgramRecord::compute_set_id);
    std::vector<ComputeSetOnTiles> result;
    for (const auto& set : sets) {
        const auto found = cycles.find(set.id);
        if (found == cycles.end())
            continue;
        const Values& of = found->second.cycles;
        const auto run = runs.find(set.id);
        result.push_back({set, run == runs.end() ? 0 : run->second, *std::max_element(of.begin(), of.end()),
                          static_cast<double>(sum(of)) / static_cast<double>(of.size()),
                          found->second.tiles()});
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return product(a.slowest, a.runs) > product(b.slowest, b.runs);
    });
    return result;
}

Result<std::vector<CodeletOnTiles>> codelets_on_tiles(const profile::Profile& profile, std::int64_t ipu,
                                                      const std::vector<std::int64_t>& tiles) {
    TRY(const auto cycles, computing(profile, ipu, tiles));
    TRY(const auto vertices, profile.vertices());
    TRY(const auto variables, profile.variables_on_tiles(ipu, tiles));
    std::map<std::string, CodeletOnTiles> codelets;
    for (const auto& vertex : vertices) {
        const auto found = cycles.find(vertex.compute_set_id);
        if (found == cycles.end())
            continue;
        const Computing& of = found->second;
        const bool one_each = vertex.count == vertex.tiles && vertex.tiles == of.tiles_in_all;
        CodeletOnTiles& codelet = codelets[vertex.codelet];
        codelet.name = vertex.codelet;
        ++codelet.compute_sets;
        codelet.on_all_tiles += vertex.count;
        if (tiles.empty())
            codelet.vertices = codelet.on_all_tiles;
        else if (one_each && codelet.vertices)
            *codelet.vertices += of.tiles();
        else
            codelet.vertices.reset();
        codelet.on_tiles = std::max(codelet.on_tiles, vertex.tiles);
    }
    for (const auto& row : variables) // the code of a codelet has its name
        if (const auto found = codelets.find(row.variable.name);
            found != codelets.end() && row.variable.category == MemoryCategory::VertexCode)
            found->second.code_bytes += row.bytes;
    std::vector<CodeletOnTiles> result;
    result.reserve(codelets.size());
    for (auto& [name, codelet] : codelets)
        result.push_back(std::move(codelet));
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.code_bytes > b.code_bytes; });
    return result;
}

Result<std::vector<ExchangeOnTiles>> exchanges_on_tiles(const profile::Profile& profile, std::int64_t ipu,
                                                        const std::vector<std::int64_t>& tiles) {
    std::map<std::int64_t, std::int64_t> sent, received;
    const auto add_to = [&](std::map<std::int64_t, std::int64_t>& sums) {
        return [&](const profile::ExchangeRecord& exchange, const Values& values) {
            if (const std::int64_t bytes = sum(chosen(values, tiles)); bytes > 0)
                sums[exchange.id] = bytes;
        };
    };
    TRY(const auto first, first_of(profile, ipu));
    TRY(const auto all, profile.exchanges());
    const auto exchanges =
        all.those([&](const auto& e) { return e.ipu < 0 || e.ipu == first || e.peer == first; });
    TRY(each_list(profile, "exchange", exchanges, first, "sent", add_to(sent)));
    TRY(each_list(profile, "exchange", exchanges, first, "received", add_to(received)));
    TRY(const auto program, profile.program());
    const auto runs = runs_of(program, &profile::ProgramRecord::exchange_id);
    std::vector<ExchangeOnTiles> result;
    for (const auto& exchange : exchanges) {
        const auto out = sent.find(exchange.id);
        const auto in = received.find(exchange.id);
        if (out == sent.end() && in == received.end())
            continue;
        const auto run = runs.find(exchange.id);
        result.push_back({exchange, run == runs.end() ? 0 : run->second, out == sent.end() ? 0 : out->second,
                          in == received.end() ? 0 : in->second});
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return product(a.sent + a.received, a.runs) > product(b.sent + b.received, b.runs);
    });
    return result;
}

} // namespace tilescope::analyse
