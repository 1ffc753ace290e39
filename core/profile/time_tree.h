// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "statement.h"
#include "step_kinds.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// The time line of an IPU as a tree: executions, which repeat, of rounds, which repeat, of blocks within
/// blocks, down to program steps. It stands for as many steps as were executed, and is as large as what is
/// distinct in them.
namespace tilescope::profile {

struct TimeNode;

/// A part of a node, once or repeated. The parts of a node within an execution leave no gaps.
struct TimePart {
    enum class Kind {
        Node,
        Step,    ///< a program step
        Launch,  ///< the host feeds and launches the execution
        Waiting, ///< for other IPUs
        Untraced ///< a whole execution of which only the phases are known
    };
    /// What its repeats are numbered as.
    enum class Numbers { Nothing, Executions, Steps };

    Kind kind = Kind::Node;
    Numbers numbers = Numbers::Nothing;
    std::int64_t start = 0; ///< since the node began
    std::int64_t repeats = 1;
    std::int64_t period = 0; ///< from one start to the next; more than `length` between executions only
    std::int64_t length = 0; ///< of one repeat
    std::int64_t first = 0;  ///< number of the first repeat
    std::shared_ptr<const TimeNode> node;
    std::int64_t program_id = -1; ///< of a program step
    PhaseCycles cycles;           ///< of a program step (sync, exchange, compute) and of Untraced

    std::int64_t end() const { return start + (repeats - 1) * period + length; }
};

/// What a program step (or what lies between, by its kind) takes in all.
struct StepSum {
    TimePart::Kind kind = TimePart::Kind::Step;
    std::int64_t program_id = -1;
    PhaseCycles cycles;
    std::int64_t runs = 0;
    std::int64_t longest = 0;
};
using StepSums = std::map<std::pair<TimePart::Kind, std::int64_t>, StepSum>;

/// At most `most_parts` of them, so that what is in a range is found in few steps.
struct TimeNode {
    static constexpr std::size_t most_parts = 8;
    std::vector<TimePart> parts; ///< in order
    std::int64_t length = 0;
    TraceSlice sum; ///< from 0 to `length`; its `execution_id` and `step` may be `outer`

    /// Of all its steps, by kind and program: kept where they are at most half of what they are added up
    /// from, and are asked for. `sums_read` is how many sums are read for those of the node; 0: not known
    /// yet.
    mutable std::vector<StepSum> sums;
    mutable std::size_t sums_read = 0;
};

/// Whether `count` times these cycles are at most most_cycles, and none is negative: else a file is damaged.
bool bounded(const PhaseCycles& cycles, std::int64_t count);

/// In place of the number of an execution or a step: that of the part around.
inline constexpr std::int64_t outer = -3;

/// `count` repeats of a part from the one numbered `index`, as one slice that begins at `start`.
TraceSlice slice_of(const TimePart& part, const StepKinds& kinds, std::int64_t start, std::int64_t index,
                    std::int64_t count);

/// Whose time line: that of the tiles of an IPU that compute, or of those that are kept for the host, which
/// wait when they do not exchange anything.
enum class Tiles { Compute, Io };

/// Reads schedules as they are asked for, and keeps them: they never change. Groups of executions do, while a
/// file grows.
class TimeTree {
  public:
    TimeTree(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}

    /// The executions on one IPU, in order of time. Errors: BadInput where the file is damaged, Cancelled.
    Result<const std::vector<TimePart>*> line(std::int64_t ipu, Tiles tiles = Tiles::Compute);
    Result<const std::vector<ExecutionGroupRecord>*> groups();
    /// Where there are none, lines are those of this one.
    void suppose(const ExecutionGroupRecord& executions);
    const StepKinds& kinds() const { return kinds_; } ///< as far as the last line() needed

  private:
    using NodePointer = std::shared_ptr<const TimeNode>;
    Result<void> refresh();
    Result<void> read_kinds();
    Result<NodePointer> block(std::int64_t id, std::int64_t below, int depth = 0);
    using Lane = std::pair<std::int64_t, Tiles>; ///< the IPU, and which of its tiles
    Result<std::vector<TimePart>> rounds(std::int64_t schedule, Lane lane);
    /// No value where the schedule has nothing of the IPU.
    Result<std::optional<TimePart>> execution(const ExecutionGroupRecord& group, Lane lane);
    Result<NodePointer> node(std::vector<TimePart> parts, std::int64_t length) const;
    Result<NodePointer> small_node(std::vector<TimePart> parts) const;
    Failure damaged() const;

    sqlite3* db_;
    std::string path_;
    StepKinds kinds_;
    std::int64_t last_step_ = -1;
    std::int64_t version_ = -1; ///< of the data, when `groups_` were read
    std::vector<ExecutionGroupRecord> groups_;
    std::vector<ExecutionGroupRecord> supposed_; ///< none or one
    std::map<std::int64_t, NodePointer> blocks_;
    using Key = std::tuple<std::int64_t, Lane, std::int64_t>; ///< and cycles
    std::map<Key, std::optional<TimePart>> executions_;
    std::map<Lane, std::vector<TimePart>> lines_;
};

} // namespace tilescope::profile
