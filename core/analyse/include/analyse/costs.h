// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "base/error.h"
#include "profile/profile.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// What an operation, a layer or an IPU does in one engine run: the sum over the IPUs that do it. What goes
/// between two IPUs takes the time of both.
struct Cost {
    profile::PhaseCycles cycles;
    double flops = 0;
    double peak_cycles = 0;         ///< in which an IPU could do these FLOPs, each at the peak of its type
    std::vector<std::int64_t> ipus; ///< that do it, in order
    Cost& operator+=(const Cost& other);
};

/// The exchanges that go from one IPU to another, a collective's rounds too.
std::set<std::int64_t> between_ipus(const std::vector<profile::ExchangeRecord>& exchanges);
/// Cycles of all the runs of a leaf in one engine run. `between_ipus`: its exchange goes from one to another.
profile::PhaseCycles cycles_of(const profile::ProgramRecord& step, bool between_ipus);

inline constexpr std::int64_t every_ipu = -1;
inline constexpr std::int64_t no_operation = -1; ///< program steps of none copy from and to the host
inline constexpr std::int64_t host_copies = -2;  ///< these, in the place of a layer

/// The cycles of the operations, layers and IPUs of a run. Figures are of one replica, since all replicas do
/// the same, and of one engine run: those of a program step are its cycles times the repeats above it;
/// `Costs::in` tells what they are per step or weight update. An `ipu` is any of the run, or every_ipu: those
/// of one replica.
class Costs {
  public:
    static Result<Costs> read(const profile::Profile& profile);

    const Loops& loops() const { return loops_; }
    const std::vector<std::int64_t>& ipus() const { return ipus_; } ///< of the first replica
    /// Cycles of one engine run from start to end, the same for each IPU; 0: none has ended yet.
    std::int64_t elapsed() const { return elapsed_; }
    /// The same as planned, where none has ended (analyse::planned_cycles). 0: one has.
    std::int64_t planned() const { return planned_; }

    Cost operation(std::int64_t id, std::int64_t ipu = every_ipu) const;
    Cost layer(std::int64_t id, std::int64_t ipu = every_ipu) const; ///< -1: operations of no layer
    /// All that its program steps do, those of no operation included.
    Cost program(std::int64_t ipu = every_ipu) const;
    /// How many IPUs do a program step: of one replica, or whether `ipu` does.
    std::int64_t ipus_of(const profile::ProgramRecord& step, std::int64_t ipu = every_ipu) const;
    /// What passes beside the program steps: launching the engine run (host), and waiting for other IPUs.
    /// With `program` it makes the elapsed time of the IPUs (`with_beside`). No cycles where no engine run
    /// has ended.
    profile::PhaseCycles beside(std::int64_t ipu = every_ipu) const;
    /// The time of an IPU in an engine run as planned, where none has ended: launching it and waiting for
    /// others included, as in one that has. Where the file has no schedule of it there is no launch, and it
    /// waits for what its steps do not take. `every_ipu`: of all together, those of replicas too. No cycles
    /// where one has.
    profile::PhaseCycles planned_phases(std::int64_t ipu = every_ipu) const;
    /// The two together: all that the IPUs did, or waited for, in an engine run.
    profile::PhaseCycles with_beside(std::int64_t ipu = every_ipu) const;
    /// Of the elapsed time of the IPUs that do it; nullopt where no engine run has ended.
    std::optional<double> share(const Cost& cost) const;
    /// The same; where no engine run has ended, of the planned time of these IPUs.
    std::optional<double> share_or_planned(const Cost& cost) const;

    /// FLOPs of those that its IPUs could do in the same cycles; nullopt where it does none, or takes no
    /// time, or the file does not say what the target could.
    std::optional<double> share_of_peak(const Cost& cost) const;
    /// The same of an engine run from start to end, on all IPUs of a replica.
    std::optional<double> share_of_peak() const;
    /// That without what is computed again: what the model asks for, whatever the run does for it (model
    /// FLOPs utilisation; Chowdhery et al. 2022, arXiv 2204.02311, appendix B).
    std::optional<double> model_flops_utilisation() const;

    /// Figures of one engine run as figures per something, rounded to whole ones.
    std::int64_t in(Basis basis, double of_execution) const;
    profile::PhaseCycles in(Basis basis, const profile::PhaseCycles& of_execution) const;
    /// The whole of what a share of `cost` is of: "IPU 0", "2 IPUs".
    static std::string ipus_text(const std::vector<std::int64_t>& ipus);

  private:
    using Key = std::pair<std::int64_t, std::int64_t>; ///< operation or layer, IPU
    void add_steps(const std::vector<profile::ProgramRecord>& program,
                   const std::vector<profile::ExchangeRecord>& exchanges);
    Result<void> add_flops(const profile::Profile& profile,
                           const std::vector<profile::ProgramRecord>& program,
                           const std::vector<profile::OperationRecord>& operations);
    Result<void> add_measured(const profile::Profile& profile);
    Result<void> add_planned(const profile::Profile& profile);
    std::optional<double> share_of_elapsed(double peak_cycles) const; ///< of all IPUs of a replica
    Cost sum(const std::map<Key, Cost>& costs, std::int64_t id, std::int64_t ipu) const;

    Loops loops_;
    std::vector<std::int64_t> ipus_;
    std::map<std::int64_t, std::int64_t>
        first_of_; ///< by IPU: the one of the first replica that does the same
    std::map<Key, Cost> operations_, layers_;
    std::map<std::int64_t, profile::PhaseCycles> measured_;   ///< by IPU, of one engine run
    std::map<std::int64_t, profile::PhaseCycles> planned_on_; ///< the same as planned, where it is known
    double peak_cycles_ = 0;                                  ///< of all operations: Cost::peak_cycles
    double recomputed_peak_cycles_ = 0;                       ///< of those that compute again
    std::int64_t elapsed_ = 0, planned_ = 0;
};

/// The kind of the engine runs that a run is about: training where there is any, else what there is.
Result<profile::ExecutionKind> main_kind(const profile::Profile& profile);

} // namespace tilescope::analyse
