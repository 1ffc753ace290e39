// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "ipu/system.h"

#include <iostream>

namespace tilescope::app {
namespace {

/// As `gc-info -l` lists devices. The machines are simulated: they have numbers, no addresses.
void print(const ipu::System& system) {
    std::cout << "Tilescope device listing: " << system.title << "\n\nPartition: " << system.name
              << " [active]\n";
    for (const ipu::Device& device : system.devices) {
        if (!device.multi()) {
            std::cout << "-+- Id: [" << device.id << "], target: [Simulated], " << system.board << ": ["
                      << device.machine << "], IPU#: [" << device.ipu_number << "]\n";
            continue;
        }
        std::cout << "-+- Id: [" << device.id << "], target: [Multi IPU]\n";
        for (std::size_t i = 0; i < device.members.size(); ++i) {
            const ipu::Device& member = *system.find(device.members[i]);
            std::cout << " |--- Id: [" << member.id << "], DNC Id: [" << i << "], " << system.board << ": ["
                      << member.machine << "], IPU#: [" << member.ipu_number << "]\n";
        }
    }
}

} // namespace

void add_devices_command(CLI::App& program, Action& action) {
    auto name = std::make_shared<std::string>("ipu");
    CLI::App* command = program.add_subcommand("devices", "List the devices of a simulated system");
    command->add_option("--system", *name, "ipu, pod4, pod16, pod64, pod256 or server16")
        ->capture_default_str();
    command->footer("Example:\n  tilescope devices --system server16\n");
    command->callback([name, &action] {
        action = [name]() -> Result<void> {
            const auto system = ipu::find_system(*name);
            if (!system)
                return Failure(system.error());
            print(*system);
            return {};
        };
    });
}

} // namespace tilescope::app
