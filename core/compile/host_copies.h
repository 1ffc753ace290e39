// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lowering/context.h"

#include <string>
#include <utility>
#include <vector>

namespace tilescope::compile {

/// The copies between host and device at one end of a step, in three parts: all tiles wait for the host
/// (begin), the data streams to or from message buffers in linear order (mid), the tiles go on together
/// (end). What is laid out otherwise goes between its buffer and its place by exchange. `waits`: the IPU that
/// waits, the stage's own in a pipeline; else all_ipus. `on_io_tiles`: the buffers lie on the I/O tiles,
/// which alone wait for the host.
class HostCopies {
  public:
    HostCopies(lowering::LoweringState& state, program::StepId parent, std::string name, bool to_device,
               std::int32_t waits, bool on_io_tiles = false)
        : state_(state), parent_(parent), name_(std::move(name)), to_device_(to_device), waits_(waits),
          on_io_tiles_(on_io_tiles) {}

    void add(graph::ValueId id, const std::string& name) { values_.emplace_back(id, name); }
    bool empty() const { return values_.empty(); }
    /// Appends the steps. All values must be placed.
    void lower();

  private:
    std::int64_t bytes_of(graph::ValueId id) const;
    /// In order over the tiles that meet the host.
    program::TileMapping order_of(const graph::TensorType& type) const;
    lowering::Placed buffer_of(graph::ValueId id, const std::string& name);
    void rearrange(const std::vector<lowering::Placed>& buffers);
    void append(StepKind kind, StepWork work, program::Exchange exchange, std::int64_t sync,
                std::vector<program::VariableId> uses);
    /// Steps that follow run on this IPU.
    void on(std::int32_t ipu) { ipu_ = ipu; }
    void step(StepKind kind, StepWork work, std::int32_t exchange, std::int64_t sync, std::int64_t cycles,
              std::vector<program::VariableId> uses);

    lowering::LoweringState& state_;
    program::StepId parent_;
    std::string name_;
    bool to_device_;
    std::int32_t waits_;
    bool on_io_tiles_;
    std::int32_t ipu_ = 0;
    std::vector<std::pair<graph::ValueId, std::string>> values_;
};

} // namespace tilescope::compile
