// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/compile/pass_text.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// Passes on programs made by hand, of a few tiles.
namespace tilescope::compile {

/// An executable with a program that is a sequence of steps.
class ByHand {
  public:
    explicit ByHand(std::int64_t tiles) : options(options_for(tiles)) {
        executable.target = options.target;
        program().tiles = tiles;
        program::Step root;
        root.name = "root";
        root_ = program().add_step(root, program::StepId(-1));
    }

    program::Program& program() { return executable.program; }

    program::VariableId variable(const std::string& name, std::vector<std::int32_t> tile_bytes,
                                 bool always_live = false) {
        program::Variable made;
        made.name = name;
        made.tile_bytes = std::move(tile_bytes);
        made.always_live = always_live;
        return program().add_variable(std::move(made));
    }
    /// A compute set that uses variables, in the sequence or in a loop of it.
    program::StepId execute(std::vector<program::VariableId> uses,
                            program::StepId parent = program::StepId(-1)) {
        program::Step step;
        step.kind = StepKind::Execute;
        step.uses = std::move(uses);
        return program().add_step(std::move(step), parent.value < 0 ? root_ : parent);
    }
    program::StepId loop(std::int64_t times) {
        program::Step step;
        step.kind = StepKind::Repeat;
        step.repeats = times;
        return program().add_step(std::move(step), root_);
    }

    Result<std::string> run(const std::string& name) {
        Compilation compilation{executable, registry(), options, {}};
        for (const Pass& pass : passes())
            if (pass.name == name)
                return pass.run(compilation);
        return bad_input("there is no pass \"" + name + "\"");
    }

    Executable executable;
    Options options;

  private:
    program::StepId root_;
};

/// The leaves of a program in the order in which they run: "execute y", "exchange y/x", one a line.
inline std::string outline(const program::Program& program) {
    std::string text;
    for (const program::StepId id : program.leaves())
        text += to_string(program.step(id).kind) + " " + program.step(id).name + "\n";
    return text;
}

} // namespace tilescope::compile
