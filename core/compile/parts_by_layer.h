// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/entry.h"
#include "base/text.h"
#include "compile/passes.h"

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::compile {

/// What the lowering of each layer took and made.
class PartsByLayer {
  public:
    PartsByLayer(const graph::Graph& graph, const program::Program& program)
        : graph_(graph), program_(program) {}

    void begin() {
        begin_ = Clock::now();
        before_ = now();
    }
    void end(const graph::Operation& op) {
        const Made made = now();
        const auto [found, fresh] = layers_.try_emplace(op.layer.value, parts_.size());
        if (fresh) {
            parts_.push_back({op.layer == graph::no_layer ? of_no_layer : name_of(op.layer),
                              microseconds(begin_ - start_),
                              0,
                              {}});
            made_.emplace_back();
        }
        Made& sum = made_[found->second];
        sum.took += Clock::now() - begin_;
        ++sum.operations;
        sum.steps += made.steps - before_.steps;
        sum.compute_sets += made.compute_sets - before_.compute_sets;
        for (std::size_t v = before_.variables; v < made.variables; ++v)
            sum.bytes += program_.variables[v].total_bytes();
    }
    std::vector<PassPart> take() {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            parts_[i].duration_us = microseconds(made_[i].took);
            parts_[i].detail = count(made_[i].operations) + " operations: " + count(made_[i].steps) +
                               " steps, " + count(made_[i].compute_sets) + " compute sets, " +
                               bytes_text(static_cast<double>(made_[i].bytes));
        }
        return std::move(parts_);
    }

  private:
    using Clock = std::chrono::steady_clock;
    struct Made {
        std::size_t operations = 0, steps = 0, compute_sets = 0, variables = 0;
        std::int64_t bytes = 0;
        Clock::duration took{}; ///< of many pieces shorter than a microsecond, too
    };
    static std::string count(std::size_t value) { return count_text(static_cast<std::int64_t>(value)); }
    static std::int64_t microseconds(Clock::duration d) {
        return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
    }
    Made now() const {
        return {0, program_.steps.size(), program_.compute_sets.size(), program_.variables.size(), 0, {}};
    }
    std::string name_of(graph::LayerId layer) const { return "layer " + entry(graph_.layers, layer).name; }
    const graph::Graph& graph_;
    const program::Program& program_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point begin_;
    Made before_;
    std::map<std::int32_t, std::size_t> layers_;
    std::vector<PassPart> parts_;
    std::vector<Made> made_;
};

} // namespace tilescope::compile
