// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "ipu/topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::ipu {

/// One entry of a system's device table: a single IPU or a multi-IPU device.
struct Device {
    std::int32_t id = 0;
    IpuIds members;              ///< ids of single IPUs in DNC order; one for a single IPU
    std::int32_t machine = 0;    ///< of a single IPU: index of its IPU-Machine or card
    std::int32_t ipu_number = 0; ///< of a single IPU: IPU# within its machine
    /// Of a single IPU: the host of its IPU-Machine, or its PCI domain. Simulated machines have no hosts:
    /// theirs count up from the one in the vendor's example of gc-info.
    std::string address;
    bool multi() const { return members.size() > 1; }
};

/// A system as its driver lists it. Sources: reference "Devices and their numbers", gc-info's listings.
struct System {
    std::string name;
    std::string title;                 ///< "M2000 (4 IPUs)"
    std::string board;                 ///< "M2000", "C2"
    std::vector<Device> devices;       ///< by id; singles first
    std::int32_t ipus_per_machine = 4; ///< or card, those of the lowest ids being the first's
    std::int64_t streaming_bytes = 0;  ///< memory of each IPU-Machine beside its IPUs; 0: it has none

    bool cards = false; ///< on PCI Express of the host; else IPU-Machines, which a fabric reaches

    /// How single IPUs are reached, as the vendor's monitor calls it: "DNC"; "": nothing routes to a card.
    std::string routing() const { return cards ? "" : "DNC"; }
    std::int32_t ipus() const;
    Topology topology() const { return Topology(ipus()); }
    const Device* find(std::int32_t id) const;
    /// The free device with the lowest id that has exactly `count` IPUs; nullptr where there is none.
    const Device* first_free(std::int32_t count, const IpuIds& busy) const;
};

std::vector<std::string> system_names();
/// Errors: BadInput for an unknown name, naming the nearest.
Result<System> find_system(const std::string& name);

} // namespace tilescope::ipu
