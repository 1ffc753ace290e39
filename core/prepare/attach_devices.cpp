// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/attach_devices.h"

#include "base/try.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilescope::prepare {
namespace {

using workload::Workload;

/// Who has an IPU: others, or an earlier virtual device.
using Owners = std::map<std::int32_t, std::string>;

constexpr const char* others = "others";

std::string count_of(std::int64_t ipus) {
    return std::to_string(ipus) + (ipus == 1 ? " IPU" : " IPUs");
}

Result<Owners> busy_ipus(const Workload& w, const ipu::System& system) {
    Owners owners;
    for (const std::int32_t id : w.busy) {
        if (const ipu::Device* device = system.find(id); device == nullptr || device->multi())
            return bad_input("system \"" + system.name + "\" has no IPU " + std::to_string(id),
                             w.path + ": system.busy",
                             "use ids of single IPUs, 0 to " + std::to_string(system.ipus() - 1));
        owners[id] = others;
    }
    return owners;
}

Result<ipu::Device> attach_selected(const Workload& w, const ipu::System& system, std::int32_t id,
                                    const Owners& owners) {
    const std::string place = w.path + ": ipu_config.select_ipus";
    const ipu::Device* device = system.find(id);
    if (device == nullptr)
        return bad_input("system \"" + system.name + "\" has no device " + std::to_string(id), place,
                         "use an id from 0 to " + std::to_string(system.devices.size() - 1) +
                             "; `tilescope devices --system " + system.name + "` lists them");
    for (const std::int32_t member : device->members) {
        const auto owner = owners.find(member);
        if (owner == owners.end())
            continue;
        const std::string what = device->multi() ? "its IPU " + std::to_string(member) : "it";
        if (owner->second == others)
            return bad_input("device " + std::to_string(id) + " is busy: others use " + what, place,
                             "select a free device, or change system.busy");
        return bad_input("device " + std::to_string(id) + " is busy: " + owner->second + " has " + what,
                         place, "select devices that have no IPU in common");
    }
    return *device;
}

/// No device of the system has so many IPUs.
Failure no_such_size(const Workload& w, const ipu::System& system, std::int64_t ipus,
                     const std::set<std::int64_t>& sizes) {
    const std::string place = w.path + ": ipu_config.auto_select_ipus";
    const auto above = sizes.upper_bound(ipus);
    const std::string below = above == sizes.begin() ? "" : std::to_string(*std::prev(above));
    if ((ipus & (ipus - 1)) != 0)
        return bad_input(count_of(ipus) + " are no power of two, as those of a device are", place,
                         "use " + below + (above == sizes.end() ? "" : " or " + std::to_string(*above)));
    return bad_input("system \"" + system.name + "\" has no device of " + count_of(ipus), place,
                     "use " + below + ", its largest, or another system; `tilescope devices --system " +
                         system.name + "` lists its devices");
}

Result<ipu::Device> attach_first_free(const Workload& w, const ipu::System& system, std::size_t index,
                                      const Owners& owners) {
    const std::int64_t ipus = w.devices[index].ipus;
    std::set<std::int64_t> sizes;
    for (const ipu::Device& device : system.devices)
        sizes.insert(static_cast<std::int64_t>(device.members.size()));
    if (!sizes.contains(ipus))
        return no_such_size(w, system, ipus, sizes);
    ipu::IpuIds taken;
    for (const auto& [id, owner] : owners)
        taken.push_back(id);
    if (const ipu::Device* device = system.first_free(static_cast<std::int32_t>(ipus), taken))
        return *device;
    const std::string message = "no device of " + count_of(ipus) + " of system \"" + system.name +
                                "\" is free for " + virtual_name(index);
    if (index == 0)
        return bad_input(message, w.path + ": system.busy", "free one of its IPUs");
    return bad_input(message, w.path + ": ipu_config.auto_select_ipus",
                     "ask for fewer IPUs, or use a larger system");
}

} // namespace

Result<ipu::System> system_of(const Workload& w) {
    auto system = ipu::find_system(w.system);
    if (!system) {
        system.error().place = w.path + ": " + system.error().place;
        return system;
    }
    if (w.streaming_bytes && system->streaming_bytes == 0)
        return bad_input("system \"" + w.system + "\" has no streaming memory",
                         w.path + ": system.streaming_bytes",
                         "use a system of IPU-Machines, for example pod4, or remove it");
    system->streaming_bytes = w.streaming_bytes.value_or(system->streaming_bytes);
    return system;
}

std::string virtual_name(std::int64_t index) {
    return graph::ipu_device_prefix + std::to_string(index);
}

Result<std::vector<ipu::Device>> attach_devices(const Workload& w, const ipu::System& system) {
    TRY(auto owners, busy_ipus(w, system));
    std::vector<ipu::Device> devices;
    for (std::size_t i = 0; i < w.devices.size(); ++i) {
        TRY(auto device, w.devices[i].id == workload::any_device
                             ? attach_first_free(w, system, i, owners)
                             : attach_selected(w, system, w.devices[i].id, owners));
        for (const std::int32_t member : device.members)
            owners[member] = virtual_name(i);
        devices.push_back(std::move(device));
    }
    return devices;
}

std::string attach_message(std::size_t virtual_device, const ipu::Device& device) {
    return "TensorFlow device " + virtual_name(virtual_device) + " attached to " +
           count_of(static_cast<std::int64_t>(device.members.size())) +
           " with Poplar device ID: " + std::to_string(device.id);
}

} // namespace tilescope::prepare
