// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/system.h"

#include "base/nearest_name.h"

#include <algorithm>
#include <utility>

namespace tilescope::ipu {
namespace {

using Ids = std::vector<std::int32_t>;

void add_multi(System& system, Ids members) {
    const auto id = static_cast<std::int32_t>(system.devices.size());
    system.devices.push_back({id, std::move(members), 0, 0});
}

Ids joined(const System& system, std::int32_t a, std::int32_t b) {
    Ids members = system.find(a)->members;
    const Ids& more = system.find(b)->members;
    members.insert(members.end(), more.begin(), more.end());
    return members;
}

System single() {
    System system{"ipu", "one IPU", "M2000", {}};
    system.devices.push_back({0, {0}, 0, 0});
    return system;
}

/// M2000 machines of four IPUs: ids 0..3 of a machine are its IPU# 3..0. Groups: pairs, machines, then
/// neighbours joined until one device holds all.
System machines(std::string name, std::string title, std::int32_t count) {
    System system{std::move(name), std::move(title), "M2000", {}};
    const std::int32_t ipus = 4 * count;
    for (std::int32_t id = 0; id < ipus; ++id)
        system.devices.push_back({id, {id}, id / 4, 3 - id % 4});
    for (std::int32_t size = 2; size <= ipus; size *= 2)
        for (std::int32_t first = 0; first < ipus; first += size) {
            Ids members;
            for (std::int32_t k = 0; k < size; ++k)
                members.push_back(first + k);
            add_multi(system, std::move(members));
        }
    return system;
}

/// Eight C2 cards: the device table that IPU TensorFlow documents (python/ipu/config.py), in DNC order.
System server16() {
    System system{"server16", "16-IPU server (8 C2 cards)", "C2", {}};
    for (std::int32_t id = 0; id < 16; ++id)
        system.devices.push_back({id, {id}, id / 2, id % 2});
    const Ids pairs[] = {{5, 7}, {4, 6}, {3, 1}, {2, 0}, {13, 15}, {12, 14}, {9, 11}, {10, 8}};
    for (const Ids& pair : pairs)
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

const Device* System::first_free(std::int32_t count, const std::vector<std::int32_t>& busy) const {
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
    const std::string nearest = nearest_name(name, system_names());
    return bad_input("there is no system \"" + name + "\"", "system",
                     nearest.empty() ? "use ipu, pod4, pod16, pod64, pod256 or server16"
                                     : "did you mean \"" + nearest + "\"?");
}

} // namespace tilescope::ipu
