// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/system.h"

#include "base/nearest_name.h"

#include <algorithm>
#include <utility>

namespace tilescope::ipu {
namespace {

void add_single(System& system, std::int32_t id, std::int32_t machine, std::int32_t number,
                std::string address) {
    system.devices.push_back({id, {id}, machine, number, std::move(address)});
}

void add_multi(System& system, IpuIds members) {
    const auto id = static_cast<std::int32_t>(system.devices.size());
    system.devices.push_back({id, std::move(members), 0, 0, {}});
}

IpuIds joined(const System& system, std::int32_t a, std::int32_t b) {
    IpuIds members = system.find(a)->members;
    const IpuIds& more = system.find(b)->members;
    members.insert(members.end(), more.begin(), more.end());
    return members;
}

/// The first is the one in the vendor's documentation of gc-info, "List devices".
std::string host_of(std::int32_t machine) {
    return "10.1.5." + std::to_string(10 + machine);
}

/// "Up to 256GB Streaming Memory" (Bow-2000 and IPU-M2000 datasheets), 4.2 TB in the 16 machines of a Pod64.
constexpr std::int64_t streaming_bytes_of_a_machine = 256'000'000'000;

System single() {
    System system{"ipu", "one IPU", "M2000", {}, 4, streaming_bytes_of_a_machine};
    add_single(system, 0, 0, 0, host_of(0));
    return system;
}

/// M2000 machines of four IPUs: ids 0..3 of a machine are its IPU# 3..0. Groups: pairs, machines, then
/// neighbours joined until one device holds all.
System machines(std::string name, std::string title, std::int32_t count) {
    System system{std::move(name), std::move(title), "M2000", {}, 4, streaming_bytes_of_a_machine};
    const std::int32_t ipus = 4 * count;
    for (std::int32_t id = 0; id < ipus; ++id)
        add_single(system, id, id / 4, 3 - id % 4, host_of(id / 4));
    for (std::int32_t size = 2; size <= ipus; size *= 2)
        for (std::int32_t first = 0; first < ipus; first += size) {
            IpuIds members;
            for (std::int32_t k = 0; k < size; ++k)
                members.push_back(first + k);
            add_multi(system, std::move(members));
        }
    return system;
}

/// Eight C2 cards: the device table that IPU TensorFlow documents (python/ipu/config.py,
/// IPUConfig.select_ipus), in DNC order and with its PCI domains.
System server16() {
    System system{"server16", "16-IPU server (8 C2 cards)", "C2", {}, 2, 0, true};
    const char* buses[] = {"1a", "1b", "23", "24", "3d", "3e", "43", "44",
                           "8b", "8c", "8e", "8f", "b8", "b9", "ba", "bb"};
    for (std::int32_t id = 0; id < 16; ++id)
        add_single(system, id, id / 2, id % 2, std::string("0000:") + buses[id] + ":00.0");
    const IpuIds pairs[] = {{5, 7}, {4, 6}, {3, 1}, {2, 0}, {13, 15}, {12, 14}, {9, 11}, {10, 8}};
    for (const IpuIds& pair : pairs)
        add_multi(system, pair);
    for (const auto& [a, b] : {std::pair{16, 17}, {18, 19}, {20, 21}, {22, 23}, {24, 25}, {26, 27}, {28, 29}})
        add_multi(system, joined(system, a, b));
    return system;
}

} // namespace

std::int32_t System::ipus() const {
    return static_cast<std::int32_t>(
        std::count_if(devices.begin(), devices.end(), [](const Device& d) { return !d.multi(); }));
}

const Device* System::find(std::int32_t id) const {
    const auto found =
        std::find_if(devices.begin(), devices.end(), [id](const Device& d) { return d.id == id; });
    return found == devices.end() ? nullptr : &*found;
}

const Device* System::first_free(std::int32_t count, const IpuIds& busy) const {
    for (const Device& device : devices) {
        const bool taken = std::any_of(device.members.begin(), device.members.end(), [&](std::int32_t id) {
            return std::find(busy.begin(), busy.end(), id) != busy.end();
        });
        if (static_cast<std::int32_t>(device.members.size()) == count && !taken)
            return &device;
    }
    return nullptr;
}

std::vector<std::string> system_names() {
    return {"ipu", "pod4", "pod16", "pod64", "pod256", "server16"};
}

Result<System> find_system(const std::string& name) {
    if (name == "ipu")
        return single();
    if (name == "pod4" || name == "m2000")
        return machines("pod4", "M2000 (4 IPUs)", 1);
    if (name == "pod16")
        return machines("pod16", "Pod16 (4 M2000, 16 IPUs)", 4);
    if (name == "pod64")
        return machines("pod64", "Pod64 (16 M2000, 64 IPUs)", 16);
    if (name == "pod256")
        return machines("pod256", "Pod256 (64 M2000, 256 IPUs)", 64);
    if (name == "server16")
        return server16();
    return bad_input("there is no system \"" + name + "\"", "system",
                     remedy_for(name, system_names(), "use ipu, pod4, pod16, pod64, pod256 or server16"));
}

} // namespace tilescope::ipu
