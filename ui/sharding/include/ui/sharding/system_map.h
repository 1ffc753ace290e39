// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/cuts.h"
#include "analyse/link_traffic.h"
#include "analyse/moved_layers.h"
#include "analyse/replica_figures.h"
#include "analyse/tile_memory.h"

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::ui {

/// A layer, or where the model has none an operation, on an IPU.
struct MappedLayer {
    std::int64_t id = -1; ///< of the layer, or where the model has none of the operation
    QString name;
    QString kind;
    std::int64_t cycles = 0;          ///< on the IPU, per SystemMap::basis()
    std::optional<double> share;      ///< of the elapsed time of the IPU; nullopt before the first engine run
    std::optional<std::int64_t> lost; ///< of these cycles, against the peak; nullopt: it is not known
    std::int64_t bytes = 0;           ///< of its variables on the IPU, live when that holds most
    std::optional<double> share_before; ///< of the base, on the same IPU
    QString moved; ///< "IPU 2 → 1", where the base has it elsewhere; "new" where it has it not
};

/// One IPU of a run, with what it runs, holds and does.
struct MappedIpu {
    profile::IpuRecord record;
    std::vector<std::int64_t> stages; ///< of a pipeline, that it has
    std::vector<MappedLayer> layers;  ///< in the order in which they run first
    std::int64_t fullest_tile = -1;   ///< -1: no memory is recorded
    std::int64_t fullest_bytes = 0;
    std::int64_t fullest_always_live = 0; ///< of fullest_bytes
    std::int64_t total_bytes = 0;         ///< over all tiles, each at its own peak
    std::int64_t total_always_live = 0;   ///< of total_bytes
    profile::PhaseCycles phases; ///< of the engine runs of the run's main kind; or as SystemMap::planned
};

/// The IPUs of a run and what goes over the links between them.
struct SystemMap {
    /// What figures are per: what is wanted, or else usual, in this run and in the one that it is held
    /// against (analyse::common_basis).
    struct Per {
        std::optional<analyse::Loops> base; ///< nullopt: there is none
        std::optional<analyse::Basis> wanted;
    };
    static Result<SystemMap> read(const profile::Profile& file, const analyse::Parts& parts, const Per& per);

    /// Shows beside each IPU what it was in the base.
    void compareWith(std::shared_ptr<const SystemMap> other, const analyse::Matching& matching,
                     std::vector<analyse::MovedLayer> moved_layers);

    std::vector<MappedIpu> ipus; ///< by id
    std::int64_t bytes_per_tile = 0;
    std::int64_t tiles_per_ipu = 0;
    double clock_hz = 0;
    std::string trimmed;       ///< what of the run the file has, "1 of 2 IPUs"; "": all
    std::int64_t ipus_run = 0; ///< of which a file that was trimmed may have fewer
    std::int64_t replicas = 1;
    std::int64_t shards = 1;      ///< IPUs of a replica
    bool layers_named = false;    ///< else each operation stands for itself
    std::int64_t stages = 0;      ///< of a pipeline, of which an IPU may have several
    analyse::LinkTraffic traffic; ///< over the links, per `basis()`
    profile::PhaseCycles phases;  ///< of all IPUs
    bool planned = false; ///< no engine run has ended: phases are those of one, and shares of it, as planned
    std::vector<analyse::Cut> cuts;              ///< between the IPUs of the first replica
    std::optional<analyse::FullestTile> fullest; ///< by bytes with gaps; nullopt: no memory is recorded

    std::shared_ptr<const SystemMap> base;  ///< that it is compared with; null: none
    std::vector<analyse::MovedLayer> moved; ///< from where the base has them

    bool lacksIpus() const { return std::ssize(ipus) < ipus_run; }
    const MappedIpu* ipu(std::int64_t id) const;
    /// Where the model is cut that a link copies over; "": it is none of a cut.
    std::string cutOf(const profile::LinkTrafficRecord& link) const;
    std::vector<analyse::ReplicaFigures> replicaFigures() const;
    /// Whether times of the base may be held against these: both were measured, or both planned.
    bool comparesTime() const { return base && base->planned == planned; }
    const MappedIpu* before(const MappedIpu& ipu) const; ///< of the same number in the base; null: none
    std::int64_t capacity() const { return bytes_per_tile * tiles_per_ipu; } ///< of an IPU, bytes
    analyse::Basis basis() const { return traffic.basis; } ///< cycles of layers, figures of links are per
};

QString stagesName(const MappedIpu& ipu);                      ///< "stage 1", "stages 0, 4"; "" without
QString shardName(const SystemMap& map, const MappedIpu& ipu); ///< "Stage 1, replica 2"
QString linkPeriod(const SystemMap& map);                      ///< "per weight update"
QString linkKindName(profile::LinkKind kind);                  ///< "collective"
/// Rich text about an IPU, and about what one sends to another.
QString ipuText(const SystemMap& map, const MappedIpu& ipu);
QString linkText(const SystemMap& map, const profile::LinkTrafficRecord& link);

} // namespace tilescope::ui
