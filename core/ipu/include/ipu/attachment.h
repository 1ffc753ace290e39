// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/topology.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::ipu {

/// In which order the shards of a model take the IPUs of a device (IPU TensorFlow, python/ipu/config.py,
/// class SelectionOrder). Auto is Snake for a pipeline without a mapping of its own, else Zigzag
/// (compiler/plugin/poplar/driver/poplar_compiler.cc).
enum class SelectionOrder { Auto, Zigzag, Snake, Hoof };
std::string to_string(SelectionOrder order); ///< "AUTO", …
std::optional<SelectionOrder> selection_order(const std::string& name);

/// `members` of a device as shards 0, 1, 2 … take them. Zigzag (and Auto): as they are. Snake: 0 1 3 2 4 5 7
/// 6 …, each linked to the next. Hoof: 0 2 4 … 5 3 1, and the last linked to the first too. Positions are the
/// device's (poplar_compiler.cc) where that keeps neighbours linked, else those of its ids in ascending
/// order, as on the devices of eight and sixteen C2s, whose members are not listed along the ladder.
IpuIds selected(SelectionOrder order, const IpuIds& members, const Topology& topology);

/// Which IPUs of a system the IPUs of a program are.
struct Attachment {
    Topology topology;
    IpuIds ipus; ///< by replica, then IPU of the model
    std::int32_t ipus_per_machine = 4;
    std::int64_t streaming_bytes = 0; ///< of each machine's streaming memory; 0: without a limit

    /// An IPU that is not listed, as of a program that is tried on more than are attached, is its own number.
    std::int32_t at(std::int32_t index) const {
        const auto i = static_cast<std::size_t>(index);
        return i < ipus.size() ? ipus[i] : index;
    }
    /// The IPU-Machine that an IPU is in.
    std::int32_t machine_of(std::int32_t index) const { return at(index) / ipus_per_machine; }
    /// Of IPUs 0 … count - 1, the most that one IPU-Machine has; of `first` and each `apart`-th after it.
    std::int64_t most_on_a_machine(std::int32_t count, std::int32_t first = 0, std::int32_t apart = 1) const;
};

/// The members of a device dealt to replicas of `ipus_per_model` IPUs: within each replica's share, stage s
/// is entry mapping[s] of the selection order; what the mapping leaves out follows. An empty mapping is 0, 1,
/// 2 …. Wants a whole number of replicas, and entries below `ipus_per_model`, each once.
Attachment attach(const Topology& topology, const IpuIds& members, std::int32_t ipus_per_model,
                  SelectionOrder order, const std::vector<std::int32_t>& mapping);

} // namespace tilescope::ipu
