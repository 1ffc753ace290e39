// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/seeds.h"

namespace tilescope::tests {

std::vector<Seed> budget_seeds() {
    return {
        {"limits.json", R"({"$schema": "budget.schema.json", "description": "d", "limits": [
            {"metric": "memory.max_tile_bytes", "max": 600000, "reason": "room for activations"},
            {"metric": "timing.by_phase.compute", "min": 0.5, "max": 1e12, "description": "d"},
            {"metric": "memory.by_category.Vertex Code", "max": 1e9}]})"},
        {"relative.json", R"({"limits": [
            {"metric": "timing.step_us", "max_increase_percent": 5},
            {"metric": "ipus.-1.memory_bytes", "max_decrease_percent": 0.5, "min": -1},
            {"metric": "result.epochs.0.loss", "max": 3}]})"},
    };
}

std::vector<std::string> budget_words() {
    return {"limits",
            "metric",
            "max",
            "min",
            "max_increase_percent",
            "max_decrease_percent",
            "reason",
            "memory.by_category",
            "timing.by_phase",
            "ipus.0",
            "result.epochs.-1"};
}

} // namespace tilescope::tests
