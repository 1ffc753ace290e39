// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"
#include "analyse/slot_figures.h"
#include "analyse/slot_scale.h"
#include "analyse/stage_host.h"
#include "base/error.h"
#include "profile/profile.h"
#include "ui/timeline/pipeline_slice.h"
#include "ui/widgets/too_full.h"

#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// What the pipeline view knows of a file: one weight update, and the IPUs of its stages.
struct PipelineData {
    /// Of the device program of that key, or the first one.
    static Result<PipelineData> read(const profile::Profile& file, const std::string& key = {});
    QString program;       ///< whose pipeline it is
    bool described = true; ///< by the profile: else its stashes are not known

    std::vector<profile::PipelineSlotRecord> records; ///< by stage and time
    SharedLanes lanes; ///< of these, one for each stage: made beside them, off the window's thread
    analyse::PipelineUpdate update;
    std::vector<profile::PipelineSlotRecord>
        ipu_records;                    ///< the same by IPU, as `analyse::slots_by_ipu` says
    analyse::PipelineUpdate ipu_update; ///< of these, IPU for stage
    QString schedule;                   ///< "Grouped", …
    double clock_hz = 0;
    std::int64_t replicas = 1;
    std::vector<profile::IpuRecord> ipus;
    std::map<std::int64_t, std::int64_t> stage_ipus; ///< as `analyse::stage_ipus` says
    std::vector<analyse::Stash> stashes;             ///< of the first replica, largest first
    std::map<std::int64_t, std::int64_t> host;       ///< as `analyse::stage_host_cycles` says
    analyse::HostedPasses hosted;                    ///< as `analyse::hosted_passes` says
    std::vector<bool> is_hosted; ///< of each record: a part of it is the host's, as `hosted` has it
    /// What an IPU does in a step, and which others do the same.
    struct IpuPhases {
        std::vector<std::int64_t> ipus; ///< that of the first replica first
        profile::PhaseCycles cycles;
    };
    std::vector<IpuPhases> phases; ///< of the first replica, where there is no pipeline
    /// Of the engine runs, by stage, or IPU, of `ipu_update`; empty: there are none.
    std::map<std::int64_t, profile::PhaseCycles> ipu_phases;
    bool planned = false;            ///< nothing was executed: it is what an execution would be
    std::optional<TooFull> too_full; ///< why it was not
    bool compiled = false;           ///< a device program is there: a pipeline would be, too

    /// The same with each slot of the schedule as wide as another: records, lanes and updates are at places
    /// of its `scale`. Null: it has no slots.
    std::shared_ptr<const PipelineData> slots = nullptr;
    std::shared_ptr<const analyse::SlotScale> scale = nullptr; ///< null: they are at cycles

    bool any() const { return !records.empty(); }
    /// Batches in one weight update, over all replicas.
    std::int64_t batches() const { return update.micro_batches * replicas; }
    /// What of the passes and the update of a stage is the host's, cycles, or (-1) of those of all; nullopt:
    /// not known.
    std::optional<std::int64_t> hostCycles(std::int64_t stage = -1) const;
    /// The IPU of a stage in a replica; null: there is none.
    const profile::IpuRecord* ipuOf(std::int64_t stage, std::int64_t replica) const;
    const profile::IpuRecord* ipu(std::int64_t id) const;
    QString ipuNames(std::int64_t stage) const; ///< of all replicas: "0, 2, 4, 6"
    /// Whether an IPU has several stages.
    bool stagesShareIpus() const { return ipu_update.stages.size() < update.stages.size(); }

    /// What of the records is the host's.
    std::vector<analyse::ActivityStretch> hostStretches() const;

  private:
    void takeRecords(std::vector<profile::PipelineSlotRecord> of_stages); ///< with all that is made of them
    void takeSlots();
};

/// A lane for each stage, with its IPU in a replica.
TimelineGroup pipelineGroup(const PipelineData& data, const QString& name, bool base, std::int64_t replica);
/// The slots, and where their backward halves begin.
std::vector<TimelineSection> pipelineSections(const PipelineData& data);
/// What share of the IPUs does what, in at most `pieces` pieces.
std::vector<OverviewPiece> pipelineOverview(const PipelineData& data, std::int64_t pieces);
/// Rich text about a box of a stage.
QString sliceText(const PipelineData& data, const TimelineSlice& slice, std::int64_t stage);

} // namespace tilescope::ui
