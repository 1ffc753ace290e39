// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "base/worker_pool.h"
#include "compile/first_fit.h"
#include "compile/passes.h"
#include "ipu/code_memory.h"
#include "tile_code.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tilescope::compile {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
/// A variable of an IPU, as far as tiles lay it out.
struct Own {
    std::size_t variable;
    LiveRange range; ///< none where it is always live
    bool always_live, interleaved, code;
};

/// What a tile holds of one of them.
struct Held {
    std::uint32_t own = 0;
    std::int32_t bytes = 0;
    std::int32_t address = -1;
};

/// Numbers below `count`, each once, those that are near each other far apart: tiles with much to lay out are
/// neighbours, and so shared among threads.
class Spread {
  public:
    explicit Spread(std::size_t count) : count_(count), step_(count * 5 / 8 + 1) {
        while (std::gcd(step_, count_) > 1)
            ++step_;
    }
    std::size_t operator[](std::size_t i) const { return i * step_ % count_; }

  private:
    std::size_t count_, step_;
};

/// Addresses for one IPU's variables. `own` are their numbers.
class IpuLayout {
  public:
    IpuLayout(const Compilation& c, std::int32_t ipu, const std::vector<std::size_t>& own, IpuMemory& memory,
              WorkerPool& pool)
        : ipu_(ipu), c_(c), program_(c.executable.program), layout_(c.executable.memory), memory_(memory),
          pool_(pool), tiles_(static_cast<std::size_t>(program_.tiles)),
          region_(static_cast<std::int32_t>(c.options.target.bytes_per_tile -
                                            c.options.target.interleaved_bytes_per_tile)) {
        own_.reserve(own.size());
        for (const std::size_t v : own) {
            const program::Variable& variable = program_.variables[v];
            const LiveRange range = variable.always_live ? LiveRange() : layout_.needed[v];
            own_.push_back({v, range, variable.always_live, variable.interleaved, is_code(variable)});
        }
        std::stable_sort(own_.begin(), own_.end(), [](const Own& a, const Own& b) {
            return std::pair(a.range.from, !a.code) < std::pair(b.range.from, !b.code);
        });
    }

    /// Returns how many tiles differ: those that are alike are laid out once.
    std::size_t run() {
        pool_.parallel_for(own_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end && !c_.cancelled(); ++k)
                layout_.addresses[own_[k].variable].resize(tiles_);
        });
        memory_.with_gaps.assign(tiles_, 0);
        memory_.interleaved.assign(tiles_, 0);
        memory_.overflowed.assign(tiles_, 0);
        const std::vector<std::size_t> like = first_alike();
        if (c_.cancelled()) // not all is counted
            return 0;
        const std::size_t blocks = (tiles_ + together - 1) / together;
        const Spread spread(blocks);
        pool_.parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end && !c_.cancelled(); ++b)
                lay_out(spread[b] * together, std::min(tiles_, (spread[b] + 1) * together), like);
        });
        pool_.parallel_for(own_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end && !c_.cancelled(); ++k) {
                std::vector<std::int32_t>& addresses = layout_.addresses[own_[k].variable];
                for (std::size_t t = 0; t < tiles_; ++t)
                    addresses[t] = addresses[like[t]];
            }
        });
        const std::vector<std::int64_t> code = code_by_tile(program_, ipu_);
        const std::int64_t code_limit = ipu::code_memory_bytes(c_.options.target);
        most_code_ = *std::max_element(code.begin(), code.end());
        std::size_t differ = 0;
        for (std::size_t t = 0; t < tiles_; ++t) {
            differ += like[t] == t ? 1 : 0;
            memory_.with_gaps[t] = memory_.with_gaps[like[t]];
            memory_.interleaved[t] = memory_.interleaved[like[t]];
            memory_.overflowed[t] = memory_.overflowed[like[t]];
            if (memory_.with_gaps[t] > c_.options.target.bytes_per_tile || code[t] > code_limit)
                memory_.oversize_tiles.push_back(static_cast<std::int64_t>(t));
        }
        return differ;
    }

    /// Bytes of code on the tile that has most, once they are laid out.
    std::int64_t most_code() const { return most_code_; }

  private:
    static constexpr std::size_t together = 64; ///< tiles that share a walk over the variables
    static constexpr std::size_t square = 128;  ///< of so many variables

    const std::vector<std::int32_t>& bytes_of(std::size_t k) const {
        return program_.variables[own_[k].variable].tile_bytes;
    }

    /// Calls `visit(bytes, t)` for the bytes of each variable on each tile, in the order of the variables.
    template<class Visit>
    void each_on_tile(const Visit& visit) {
        pool_.parallel_for(tiles_, 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = 0; k < own_.size() && !c_.cancelled(); ++k) {
                const std::vector<std::int32_t>& bytes = bytes_of(k);
                for (std::size_t t = begin; t < end; ++t)
                    visit(bytes, t);
            }
        });
    }

    /// For each tile, the first that holds the same. Counts what each holds, too.
    std::vector<std::size_t> first_alike() {
        std::vector<std::uint64_t> hashes(tiles_, 0);
        counts_.assign(tiles_, 0);
        each_on_tile([&](const std::vector<std::int32_t>& bytes, std::size_t t) {
            hashes[t] = mixed(hashes[t], bytes[t]);
            counts_[t] += bytes[t] != 0 ? 1 : 0;
        });
        std::unordered_map<std::uint64_t, std::size_t> firsts;
        std::vector<std::size_t> like(tiles_);
        for (std::size_t t = 0; t < tiles_; ++t)
            like[t] = firsts.try_emplace(hashes[t], t).first->second;
        std::vector<char> differs(tiles_, 0);
        each_on_tile([&](const std::vector<std::int32_t>& bytes, std::size_t t) {
            differs[t] = static_cast<char>(differs[t] | (bytes[t] != bytes[like[t]] ? 1 : 0));
        });
        for (std::size_t t = 0; t < tiles_; ++t)
            if (differs[t] != 0)
                like[t] = t;
        return like;
    }

    struct Contents {
        std::size_t tile;
        std::vector<Held> held; ///< in the order of `own_`; one more at the end, which is of none of them
        std::size_t at = 0;     ///< where the walk over `own_` is in it
    };

    /// Those of the tiles [begin, end) that are like no earlier one.
    void lay_out(std::size_t begin, std::size_t end, const std::vector<std::size_t>& like) {
        std::vector<Contents> contents;
        for (std::size_t t = begin; t < end; ++t)
            if (like[t] == t)
                contents.push_back({t, std::vector<Held>(counts_[t] + 1)});
        collect(begin, end, contents);
        for (Contents& c : contents) {
            if (c_.cancelled())
                return;
            c.held.pop_back();
            memory_.with_gaps[c.tile] = lay_out(c.held);
            tell_regions(c.tile, c.held);
            c.held.push_back({none, 0});
        }
        spread(begin, end, contents);
    }

    /// Fills in what the tiles hold. A square of variables and tiles is copied near first: each variable's
    /// bytes are a vector of their own. A tile holds few of them, hard to foresee: a step has no branch.
    void collect(std::size_t begin, std::size_t end, std::vector<Contents>& contents) const {
        const std::size_t width = end - begin;
        std::vector<std::int32_t> near(square * width);
        for (std::size_t first = 0; first < own_.size() && !c_.cancelled(); first += square) {
            const std::size_t count = std::min(square, own_.size() - first);
            for (std::size_t k = 0; k < count; ++k)
                std::copy_n(bytes_of(first + k).data() + begin, width, near.data() + k * width);
            for (Contents& c : contents) {
                const std::int32_t* bytes = near.data() + (c.tile - begin);
                Held* next = c.held.data() + c.at;
                for (std::size_t k = 0; k < count; ++k, bytes += width) {
                    *next = {static_cast<std::uint32_t>(first + k), *bytes};
                    next += *bytes != 0 ? 1 : 0;
                }
                c.at = static_cast<std::size_t>(next - c.held.data());
            }
        }
    }

    /// Gives the variables their addresses, the same way back.
    void spread(std::size_t begin, std::size_t end, std::vector<Contents>& contents) {
        for (Contents& c : contents)
            c.at = 0;
        const std::size_t width = end - begin;
        std::vector<std::int32_t> near(square * width);
        for (std::size_t first = 0; first < own_.size() && !c_.cancelled(); first += square) {
            const std::size_t count = std::min(square, own_.size() - first);
            std::fill(near.begin(), near.end(), -1);
            for (Contents& c : contents)
                for (; c.held[c.at].own < first + count; ++c.at)
                    near[(c.held[c.at].own - first) * width + (c.tile - begin)] = c.held[c.at].address;
            for (std::size_t k = 0; k < count; ++k)
                std::copy_n(near.data() + k * width, width,
                            layout_.addresses[own_[first + k].variable].data() + begin);
        }
    }

    /// Gives what a tile holds its addresses: always live variables from the bottom, code first, then the
    /// others. Returns the end of the highest.
    std::int32_t lay_out(std::vector<Held>& contents) const {
        std::int32_t always = 0;
        std::vector<Interval> intervals;
        std::vector<std::size_t> of; // of `contents`, by interval
        for (std::size_t i = 0; i < contents.size(); ++i)
            if (const Own& own = own_[contents[i].own]; own.always_live) {
                contents[i].address = always;
                always += aligned(contents[i].bytes);
            } else if (own.range.from >= 0) {
                intervals.push_back(
                    {own.variable, aligned(contents[i].bytes), own.range.from, own.range.to, 0, 0});
                of.push_back(i);
            }
        for (std::size_t i = 0; i < intervals.size(); ++i)
            intervals[i].base = std::max(own_[contents[of[i]].own].interleaved ? region_ : 0, always);
        std::int32_t end = first_fit(intervals, always, c_.cancel);
        if (end > c_.options.target.bytes_per_tile)
            end = lay_out_from_the_top(intervals, always, end);
        for (std::size_t i = 0; i < intervals.size(); ++i)
            contents[of[i]].address = intervals[i].address;
        return end;
    }

    /// Where the highest end is beyond the tile: what is interleaved from the top of the memory down, so that
    /// the others have what is left in one piece. Takes that, where it is lower; returns the end.
    std::int32_t lay_out_from_the_top(std::vector<Interval>& intervals, std::int32_t always,
                                      std::int32_t end) const {
        const auto top = static_cast<std::int32_t>(c_.options.target.bytes_per_tile / allocation_alignment *
                                                   allocation_alignment);
        std::vector<Interval> turned = intervals;
        bool any = false; // else the others would lie as they do
        for (Interval& interval : turned) {
            if (interval.base == always)
                continue;
            if (interval.address + interval.bytes > top)
                return end;
            interval.address = interval.base + top - (interval.address + interval.bytes);
            interval.fixed = any = true;
        }
        if (!any)
            return end;
        const std::int32_t lower = first_fit(turned, always, c_.cancel);
        if (lower >= end)
            return end;
        intervals = std::move(turned);
        return lower;
    }

    /// In which regions lies what is live at the tile's peak.
    void tell_regions(std::size_t t, const std::vector<Held>& contents) {
        const std::int64_t top = c_.options.target.bytes_per_tile;
        for (const Held& held : contents) {
            const Own& own = own_[held.own];
            if (held.address < 0 || (!own.always_live && (memory_.peak_step[t] < own.range.from ||
                                                          own.range.to < memory_.peak_step[t])))
                continue;
            const std::int64_t begin = held.address;
            const std::int64_t end = begin + held.bytes;
            const std::int64_t high = std::max<std::int64_t>(0, end - std::max(begin, top));
            memory_.overflowed[t] += high;
            memory_.interleaved[t] +=
                std::max<std::int64_t>(0, end - high - std::max<std::int64_t>(begin, region_));
        }
    }

    const std::int32_t ipu_;
    const Compilation& c_;
    const program::Program& program_;
    MemoryLayout& layout_;
    IpuMemory& memory_;
    WorkerPool& pool_;
    std::size_t tiles_;
    std::vector<std::size_t> counts_; ///< by tile: how many of them it holds
    std::vector<Own> own_;            ///< code, what else is always live, then by their first steps
    std::int32_t region_;             ///< first address of interleaved memory
    std::int64_t most_code_ = 0;
};

} // namespace

Result<std::string> lay_out_memory(Compilation& c) {
    const program::Program& program = c.executable.program;
    MemoryLayout& memory = c.executable.memory;
    memory.addresses.resize(program.variables.size());
    WorkerPool pool(c.options.threads);
    const std::vector<std::vector<std::size_t>> own = program.variables_by_ipu();
    std::size_t differ = 0;
    std::int64_t code = 0;
    for (std::size_t ipu = 0; ipu < own.size(); ++ipu) {
        if (c.cancelled())
            return cancelled();
        c.tell({Work::Place, "variables of IPU " + std::to_string(ipu), ipu, own.size()});
        IpuLayout layout(c, static_cast<std::int32_t>(ipu), own[ipu], memory.ipus[ipu], pool);
        differ += layout.run();
        code = std::max(code, layout.most_code());
    }
    if (c.cancelled())
        return cancelled();
    return "fullest tile " + bytes_text(static_cast<double>(c.executable.highest_tile_bytes())) + " of " +
           bytes_text(static_cast<double>(c.options.target.bytes_per_tile)) + ", most code on one " +
           bytes_text(static_cast<double>(code)) + " of " +
           bytes_text(static_cast<double>(ipu::code_memory_bytes(c.options.target))) + ", " +
           count_text(static_cast<std::int64_t>(differ)) + " of " +
           count_text(program.tiles * static_cast<std::int64_t>(own.size())) + " tiles differ";
}

} // namespace tilescope::compile
