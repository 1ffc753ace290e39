// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/matching.h"
#include "analyse/plan_choice.h"
#include "analyse/summary.h"
#include "base/error.h"
#include "profile/shared_rows.h"
#include "run_tables.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// The program steps of an operation that do one work.
struct WorkCost {
    std::int64_t runs = 0;     ///< in one engine run
    std::int64_t cycles = 0;   ///< of all these runs, on all IPUs that do them
    std::int64_t exchange = 0; ///< of these: exchange, or transfer from and to the host
    std::int64_t bytes = 0;    ///< that an exchange moves each time
    std::int64_t ipus = 0;     ///< that do them
    std::int64_t from = -1;    ///< IPU, of a copy to another one, or the host
    std::int64_t to = -1;      ///< the other one
    bool between_ipus = false; ///< it goes over the links, or over the host
    bool operator==(const WorkCost&) const = default;
};
using Works = std::map<StepWork, WorkCost>;

/// On which tiles a tensor lies: its bytes by tile, by IPU.
using Place = std::map<std::int64_t, std::vector<std::int64_t>>;
/// "1,452 tiles", "IPU 1", "1,452 tiles of IPU 0 and 1"
std::string place_text(const Place& place, bool with_ipus);

/// One side of a comparison, as its causes are looked for. What it is made of must outlive it. Several
/// threads may ask at once.
class RunParts {
  public:
    static Result<RunParts> read(const profile::Profile& file, const Summary& summary,
                                 const RunTables& tables, const Parts& parts);

    const profile::Profile& file() const { return *file_; }
    const Summary& summary() const { return *summary_; }
    const Costs& costs() const { return tables_->costs; }
    /// Of the first replica.
    const std::vector<const profile::VariableRecord*>& variables() const { return tables_->variables.rows; }
    /// An IPU of the first replica, and those of the others that have and do the same.
    const std::vector<std::int64_t>& alike(std::int64_t ipu) const;
    const Parts& parts() const { return *parts_; }

    const profile::OperationRecord* operation(std::int64_t id) const;
    const profile::TensorRecord* tensor(std::int64_t id) const;
    const profile::OperationRecord* producer(std::int64_t tensor) const; ///< null: it is fed or a variable
    std::vector<const profile::OperationRecord*> readers(std::int64_t tensor) const;
    /// What the planner chose for the products of an operation; empty: nothing was planned.
    const std::vector<PlanChoice>& plans(std::int64_t operation) const;
    /// What the planner weighed against one of them, the best first; what cannot be read is left out.
    std::vector<PlanChoice> weighed_against(std::int64_t operation, const PlanChoice& chosen) const;
    /// What the program steps of an operation do, on an IPU or on all of one replica. An exchange that
    /// brings an operand to a rearrangement is part of that.
    Works works(std::int64_t operation, std::int64_t ipu) const;
    /// The tensor that an exchange of an operation which does this moves alone; null: none, or not known.
    const profile::TensorRecord* moved_by(std::int64_t operation, const StepWork& work) const;
    /// Where a tensor lies; one without memory of its own lies where that lies which it is a view of. Empty:
    /// not known.
    /// Errors: those of reading the profile.
    Result<Place> place(std::int64_t tensor) const;
    /// That of the buffer through which a tensor goes to or from the host; empty where it has none.
    Result<Place> place_of_buffer(std::int64_t tensor) const;
    /// The tensor of a name; -1: none.
    std::int64_t tensor_named(const std::string& name) const;

  private:
    const profile::Profile* file_ = nullptr;
    std::unique_ptr<std::mutex> reading_ =
        std::make_unique<std::mutex>(); ///< the file, which serves one thread
    const Summary* summary_ = nullptr;
    const RunTables* tables_ = nullptr;
    const Parts* parts_ = nullptr;
    std::map<std::int64_t, const profile::OperationRecord*> operations_;
    profile::SharedRows<profile::TensorRecord> tensor_rows_;
    profile::SharedRows<profile::ProgramRecord> program_;
    profile::SharedRows<profile::ExchangeRecord> exchange_rows_;
    std::map<std::int64_t, const profile::TensorRecord*> tensors_;
    std::map<std::int64_t, const profile::OperationRecord*> producers_;
    std::map<std::int64_t, std::vector<const profile::OperationRecord*>> readers_;
    std::vector<profile::PlanRecord> plan_rows_;
    std::map<std::int64_t, std::vector<PlanChoice>> plans_;
    std::map<std::int64_t, std::vector<const profile::PlanRecord*>> other_plans_; ///< that were not chosen
    std::map<std::int64_t, std::vector<const profile::ProgramRecord*>> steps_;    ///< by operation, in order
    std::map<std::int64_t, const profile::ExchangeRecord*> exchanges_;
    std::map<std::int64_t, std::vector<std::int64_t>> alike_;
    using VariablesOfIpus = std::vector<std::pair<std::int64_t, std::int64_t>>; ///< a variable and its IPU
    Result<Place> place_of(const VariablesOfIpus& variables) const;
    std::map<std::int64_t, VariablesOfIpus> places_;  ///< by tensor
    std::map<std::int64_t, VariablesOfIpus> buffers_; ///< for the host, by tensor
    std::map<std::int64_t, std::int64_t> moved_;      ///< tensor by exchange; -1: several, or not known
};

} // namespace tilescope::analyse
