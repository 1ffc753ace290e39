// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/program.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilescope::program {
namespace {

template<class T>
std::int64_t sum(const std::vector<T>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// What lies on the tiles that compute has nothing on the others.
template<class T>
void fill_up(std::vector<T>& by_tile, std::int64_t tiles) {
    by_tile.resize(std::max(by_tile.size(), static_cast<std::size_t>(tiles)), T{});
}

void collect_leaves(const Program& program, StepId id, std::vector<StepId>& out) {
    const Step& step = program.step(id);
    if (step.leaf())
        out.push_back(id);
    for (const StepId child : step.children)
        collect_leaves(program, child, out);
}

std::int64_t cycles_of(const Program& program, StepId id) {
    const Step& step = program.step(id);
    if (step.leaf())
        return step.cycles();
    std::int64_t total = 0;
    for (const StepId child : step.children)
        total += cycles_of(program, child);
    return total * step.repeats;
}

void print_step(const Program& program, StepId id, std::size_t depth, std::string& out) {
    const Step& step = program.step(id);
    out += std::string(2 * depth, ' ') + to_string(step.kind);
    if (step.kind == StepKind::Repeat)
        out += " x" + std::to_string(step.repeats);
    out += " " + step.name;
    if (step.leaf()) {
        out += "  sync " + std::to_string(step.sync_cycles) + " exchange " +
               std::to_string(step.exchange_cycles) + " compute " + std::to_string(step.compute_cycles);
        for (const VariableId used : step.uses)
            out += " $" + std::to_string(used.value);
    }
    out += '\n';
    for (const StepId child : step.children)
        print_step(program, child, depth + 1, out);
}

} // namespace

std::int64_t Variable::total_bytes() const {
    return sum(tile_bytes);
}

std::int64_t ComputeSet::cycles() const {
    return tile_cycles.empty() ? 0 : *std::max_element(tile_cycles.begin(), tile_cycles.end());
}

double ComputeSet::balance() const {
    const std::int64_t slowest = cycles();
    return slowest == 0 ? 1.0
                        : static_cast<double>(sum(tile_cycles)) /
                              (static_cast<double>(slowest) * static_cast<double>(tile_cycles.size()));
}

std::int64_t Exchange::bytes() const {
    return std::max(sum(sent), sum(received));
}

std::int32_t Program::add_exchange(Exchange exchange, const std::vector<VariableId>& uses) {
    if (exchange.moved.empty() && !uses.empty())
        exchange.moved.push_back({uses.front(), exchange.bytes()});
    fill_up(exchange.sent, tiles);
    fill_up(exchange.received, tiles);
    if (!exchange.instructions.empty())
        fill_up(exchange.instructions, tiles);
    exchanges.push_back(std::move(exchange));
    return static_cast<std::int32_t>(exchanges.size()) - 1;
}

Moves Program::moves_of(const TileMapping& from, const Shape& shape, std::int64_t element_bytes,
                        const std::vector<TileNeed>& needed) {
    return {from.axes(), from.first_tile(), element_bytes,
            needs.add(shape, needed, std::max(tiles, from.tiles())),
            needed.empty() ? 0 : needed.front().tile};
}

std::int32_t Program::add_compute_set(ComputeSet set) {
    fill_up(set.tile_cycles, tiles);
    compute_sets.push_back(std::move(set));
    return static_cast<std::int32_t>(compute_sets.size()) - 1;
}

VariableId Program::add_variable(Variable variable) {
    fill_up(variable.tile_bytes, tiles);
    variables.push_back(std::move(variable));
    return VariableId(static_cast<std::int32_t>(variables.size() - 1));
}

std::vector<std::vector<std::size_t>> Program::variables_by_ipu() const {
    std::vector<std::vector<std::size_t>> result(static_cast<std::size_t>(ipus));
    for (std::size_t v = 0; v < variables.size(); ++v)
        result[static_cast<std::size_t>(variables[v].ipu)].push_back(v);
    return result;
}

StepId Program::add_step(Step new_step, StepId parent) {
    if (new_step.part == ProgramPart::Whole && parent.value >= 0)
        new_step.part = step(parent).part;
    steps.push_back(std::move(new_step));
    const StepId id(static_cast<std::int32_t>(steps.size() - 1));
    if (parent.value < 0)
        root = id;
    else
        step(parent).children.push_back(id);
    return id;
}

std::vector<StepId> Program::leaves() const {
    std::vector<StepId> result;
    if (root.value >= 0)
        collect_leaves(*this, root, result);
    return result;
}

std::int64_t Program::cycles() const {
    return root.value < 0 ? 0 : cycles_of(*this, root);
}

std::string Program::print() const {
    std::string text;
    for (std::size_t i = 0; i < variables.size(); ++i)
        text += "$" + std::to_string(i) + " " + to_string(variables[i].category) + " " + variables[i].name +
                " " + (variables[i].dtype ? to_string(*variables[i].dtype) : "") + " " + variables[i].shape +
                " " + std::to_string(variables[i].total_bytes()) + " bytes" +
                (variables[i].streaming_bytes > 0
                     ? ", " + std::to_string(variables[i].streaming_bytes) + " in streaming memory"
                     : "") +
                (variables[i].always_live ? ", always live\n" : "\n");
    if (root.value >= 0)
        print_step(*this, root, 0, text);
    return text;
}

} // namespace tilescope::program
