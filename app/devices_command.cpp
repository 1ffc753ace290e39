// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "ipu/system.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

using Json = nlohmann::ordered_json;

/// How the driver reaches single IPUs: through their IPU-Machine, or on a card of the host.
struct Reach {
    const char* target; ///< "Fabric" or "PCIe"
    const char* member; ///< what a member's id is called
    bool fabric;
};

Reach reach_of(const ipu::System& system) {
    return system.cards ? Reach{"PCIe", "PCIe Id", false} : Reach{"Fabric", "Id", true};
}

/// Where an IPU is: its IPU-Machine and number there, or its PCI domain.
void print_place(const Reach& reach, const ipu::Device& ipu) {
    if (reach.fabric)
        std::cout << "IPU-M host: [" << ipu.address << "], IPU#: [" << ipu.ipu_number << "]\n";
    else
        std::cout << "PCI Domain: [" << ipu.address << "]\n";
}

/// As `gc-info -l` lists devices (the vendor's documentation of gc-info, "List devices"; of cards, the
/// listing in IPU TensorFlow, python/ipu/config.py).
void print(const ipu::System& system) {
    const Reach reach = reach_of(system);
    std::cout << "Graphcore device listing:\nPartition: " << system.name << " [active]\n";
    for (const ipu::Device& device : system.devices) {
        std::cout << "-+- Id: [" << device.id << "], target: ["
                  << (device.multi() ? "Multi IPU" : reach.target) << "]";
        if (!device.multi()) {
            std::cout << ", ";
            print_place(reach, device);
            continue;
        }
        std::cout << '\n';
        for (std::size_t i = 0; i < device.members.size(); ++i) {
            std::cout << " |--- " << reach.member << ": [" << device.members[i] << "], DNC Id: [" << i
                      << "], ";
            print_place(reach, *system.find(device.members[i]));
        }
    }
}

Json json_of(const Reach& reach, const ipu::Device& device) {
    Json json{{"id", device.id},
              {"target", device.multi() ? "Multi IPU" : reach.target},
              {"members", device.members}};
    if (device.multi())
        return json;
    json["machine"] = device.machine;
    json["ipu_number"] = device.ipu_number;
    json[reach.fabric ? "ipu_m_host" : "pci_domain"] = device.address;
    return json;
}

Json json_of(const ipu::System& system) {
    Json json{{"system", system.name}, {"title", system.title},    {"board", system.board},
              {"ipus", system.ipus()}, {"devices", Json::array()}, {"links", system.topology().links()}};
    for (const ipu::Device& device : system.devices)
        json["devices"].push_back(json_of(reach_of(system), device));
    return json;
}

} // namespace

void add_devices_command(CLI::App& program, Action& action) {
    auto name = std::make_shared<std::string>("ipu");
    auto format = std::make_shared<std::string>("text");
    CLI::App* command = program.add_subcommand("devices", "List the devices of a simulated system");
    command->add_option("--system", *name, "ipu, pod4, pod16, pod64, pod256 or server16")
        ->capture_default_str();
    command->add_option("--format", *format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer("Example:\n  tilescope devices --system server16\n");
    command->callback([name, format, &action] {
        action = [name, format]() -> Result<void> {
            const auto system = ipu::find_system(*name);
            if (!system) // a name that was typed, not one of a workload
                return wrong_usage(system.error().message, "--system", system.error().remedy);
            if (*format == "json")
                std::cout << json_of(*system).dump(2) << '\n';
            else
                print(*system);
            return {};
        };
    });
}

} // namespace tilescope::app
