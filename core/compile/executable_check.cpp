// SPDX-License-Identifier: GPL-3.0-or-later
#include "executable_check.h"

#include <algorithm>

namespace tilescope::compile {
namespace {

constexpr std::int64_t most = std::int64_t{1}
                              << 40; ///< cycles and bytes: half an hour, all of a large system
constexpr std::int64_t most_repeats = std::int64_t{1} << 30;
constexpr std::int64_t most_unrolled = std::int64_t{1}
                                       << 26; ///< leaves, with those of loops as often as they run
constexpr std::size_t deepest = 64;           ///< steps within steps

template<class T>
bool within(const std::vector<T>& values, std::int64_t least) {
    return std::all_of(values.begin(), values.end(), [=](T v) { return v >= least && v <= most; });
}

template<Spelled Kind>
bool known(Kind kind) {
    return static_cast<std::size_t>(kind) < spelling(kind).values.size();
}

class Check {
  public:
    Check(const Executable& executable, const CancelToken* cancel)
        : e_(executable), p_(executable.program), cancel_(cancel) {}

    bool passed() {
        return p_.tiles == e_.target.tiles_per_ipu && p_.io_tiles >= 0 && p_.io_tiles < p_.tiles &&
               p_.ipus == e_.schedule.ipus_per_replica && all(p_.variables) && all(p_.compute_sets) &&
               all(p_.exchanges) && tree() && memory() && all(e_.plans);
    }

  private:
    // A number that names one of so many, or -1 for none.
    template<class T>
    static bool names(std::int64_t id, const std::vector<T>& of) {
        return id >= -1 && id < static_cast<std::int64_t>(of.size());
    }
    bool is_operation(std::int64_t id) const { return names(id, e_.graph.operations()); }
    bool is_value(std::int64_t id) const { return names(id, e_.graph.values()); }
    bool is_ipu(std::int64_t id) const { return id >= 0 && id < p_.ipus; }
    template<class T>
    bool by_tile(const std::vector<T>& values, std::int64_t least = 0) const {
        return static_cast<std::int64_t>(values.size()) == p_.tiles && within(values, least);
    }

    template<class T>
    bool all(const std::vector<T>& items) const {
        return std::all_of(items.begin(), items.end(),
                           [this](const T& item) { return !stopped() && fits(item); });
    }
    bool stopped() const { return is_cancelled(cancel_); }
    bool fits(const program::Variable& v) const {
        return is_ipu(v.ipu) && known(v.category) && known(v.role) && (!v.dtype || known(*v.dtype)) &&
               is_operation(v.operation) && names(v.layer, e_.graph.layers) && is_value(v.value) &&
               is_value(v.copy_of) && v.stash_depth >= 0 && v.stash_depth <= most && by_tile(v.tile_bytes) &&
               within(std::vector{v.streaming_bytes}, 0);
    }
    bool fits(const ipu::ConvPlan& plan) const {
        const ipu::ConvSplits& s = plan.splits;
        std::int64_t tiles = 1;
        for (const std::int64_t parts :
             {s.groups, s.batch, s.height, s.width, s.kernel_height, s.in_channels, s.out_channels}) {
            if (parts < 1 || parts > p_.tiles)
                return false;
            tiles *= parts;
            if (tiles > p_.tiles)
                return false;
        }
        const ipu::ConvCost& c = plan.cost;
        return s.width_group >= 1 && s.width_group <= most_repeats && s.serial_in >= 1 &&
               s.serial_in <= most_repeats && s.serial_out >= 1 && s.serial_out <= most_repeats &&
               within(std::vector{c.rearrange, c.exchange_inputs, c.exchange_weights, c.partials,
                                  c.exchange_partials, c.reduce, c.slices, c.updates, c.temporary_bytes,
                                  c.interleaved_bytes},
                      0);
    }
    bool fits(const lowering::OperationPlan& p) const {
        return p.operation.value >= 0 && is_operation(p.operation.value) && all(p.plans);
    }
    bool fits(const program::VertexGroup& g) const {
        return within(std::vector{g.count, g.tiles, g.code_bytes}, 0);
    }
    bool fits(const program::ComputeSet& s) const {
        return is_ipu(s.ipu) && is_operation(s.operation) && names(s.state.value, p_.variables) &&
               by_tile(s.tile_cycles) && all(s.vertices);
    }
    bool fits(const program::Exchange& x) const {
        return known(x.kind) && is_ipu(x.ipu) && (x.peer == -1 || is_ipu(x.peer)) &&
               is_operation(x.operation) && (!x.ring_phase || known(*x.ring_phase)) && by_tile(x.sent) &&
               by_tile(x.received) && (x.instructions.empty() || by_tile(x.instructions)) &&
               within(std::vector{x.cycles}, 0) &&
               (!x.moves || (x.moves->needs >= 0 && names(x.moves->needs, p_.needs.lists))) &&
               std::all_of(x.moved.begin(), x.moved.end(), [&](const program::MovedVariable& part) {
                   return part.variable.value >= 0 && names(part.variable.value, p_.variables);
               });
    }
    bool fits(const program::Step& s) const {
        return known(s.kind) && known(s.part) && known(s.work.role) &&
               (s.ipu == program::all_ipus || is_ipu(s.ipu)) && (s.peer == -1 || is_ipu(s.peer)) &&
               is_operation(s.operation) && is_operation(s.made_by) &&
               names(s.compute_set, p_.compute_sets) && names(s.exchange, p_.exchanges) &&
               within(std::vector{s.sync_cycles, s.exchange_cycles, s.compute_cycles}, 0) && s.repeats >= 1 &&
               s.repeats <= most_repeats && (s.children.empty() || !s.leaf()) &&
               std::all_of(s.uses.begin(), s.uses.end(), [&](program::VariableId id) {
                   return id.value >= 0 && names(id.value, p_.variables);
               });
    }

    bool tree() {
        const auto count = static_cast<std::int64_t>(p_.steps.size());
        if (!all(p_.steps) || p_.root.value < 0 || p_.root.value >= count || p_.rounds.value < 0 ||
            !names(p_.io_wait.value, p_.steps) || (p_.io_overlaps && p_.io_wait.value < 0) ||
            !names(p_.rounds.value, p_.steps) || !names(p_.micro_batches.value, p_.steps))
            return false;
        std::vector<bool> has_parent(p_.steps.size(), false);
        for (std::int64_t id = 0; id < count; ++id)
            for (const program::StepId child : p_.steps[static_cast<std::size_t>(id)].children) {
                if (child.value <= id || child.value >= count ||
                    has_parent[static_cast<std::size_t>(child.value)])
                    return false;
                has_parent[static_cast<std::size_t>(child.value)] = true;
            }
        return unroll(p_.root, 1, 0);
    }
    bool unroll(program::StepId id, std::int64_t times, std::size_t depth) {
        const program::Step& step = p_.step(id);
        if (depth > deepest)
            return false;
        if (step.leaf()) {
            ++leaves_;
            unrolled_ += times;
            return unrolled_ <= most_unrolled;
        }
        // The loop over rounds is never unrolled. Neither factor is above 2^30.
        times = id == p_.rounds ? times : times * step.repeats;
        return times <= most_unrolled &&
               std::all_of(step.children.begin(), step.children.end(),
                           [&](program::StepId child) { return unroll(child, times, depth + 1); });
    }

    bool memory() const {
        const MemoryLayout& m = e_.memory;
        return m.needed.size() == p_.variables.size() && m.addresses.size() == p_.variables.size() &&
               static_cast<std::int64_t>(m.ipus.size()) == p_.ipus && all(m.needed) && all(m.ipus) &&
               std::all_of(m.addresses.begin(), m.addresses.end(),
                           [&](const auto& addresses) { return !stopped() && by_tile(addresses, -1); });
    }
    bool fits(const LiveRange& r) const { return r.from >= -1 && r.to >= r.from && r.to < leaves_; }
    bool fits(const LivenessPoint& l) const {
        return within(std::vector{l.always_live, l.not_always_live, l.max_tile}, 0);
    }
    bool fits(const IpuMemory& m) const {
        const auto is_tile = [&](std::int64_t tile) { return tile >= 0 && tile < p_.tiles; };
        return static_cast<std::int64_t>(m.liveness.size()) == leaves_ && all(m.liveness) &&
               by_tile(m.always_live) && by_tile(m.peak) && by_tile(m.peak_step, -1) &&
               by_tile(m.interleaved) && by_tile(m.overflowed) && by_tile(m.with_gaps) &&
               std::all_of(m.oversize_tiles.begin(), m.oversize_tiles.end(), is_tile);
    }

    const Executable& e_;
    const program::Program& p_;
    const CancelToken* cancel_;
    std::int64_t leaves_ = 0;
    std::int64_t unrolled_ = 0;
};

} // namespace

bool consistent(const Executable& executable, const CancelToken* cancel) {
    return Check(executable, cancel).passed();
}

} // namespace tilescope::compile
