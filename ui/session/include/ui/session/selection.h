// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "profile/kinds.h"

#include <QObject>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// What the user points at, and what is counted over, shared by all views. -1 and empty mean "nothing of this
/// sort".
struct Selection {
    std::int64_t operation = -1;
    std::int64_t layer = -1;
    std::int64_t program = -1; ///< program step
    std::int64_t variable = -1;
    std::int64_t pass = -1;          ///< event of the compilation
    std::int64_t log = -1;           ///< line of the run's log, from 0
    std::string finding;             ///< analyse::identity of an insight
    std::int64_t ipu = 0;            ///< SelectionModel says which, until one is chosen
    std::vector<std::int64_t> tiles; ///< of `ipu`; empty: all
    std::optional<std::pair<std::int64_t, std::int64_t>> range; ///< cycles [from, to)
    std::int64_t micro_batch = -1;                              ///< of a pipeline, in a weight update
    profile::PipelineActivity activity = profile::PipelineActivity::Forward; ///< of it, on `ipu`
    std::optional<std::int64_t> pass_start; ///< cycle of the run where that begins; nullopt: in any update
    /// What figures of time are per, in files that have it; nullopt: the usual basis of each file.
    std::optional<analyse::Basis> basis;
    /// analyse::DeviceProgram::key of the program that is shown, in files and views that have it; "": the
    /// first one of each file.
    std::string device_program;
    bool ipu_chosen = false; ///< by the user, else `ipu` is the first that the file has
    /// Chooses an IPU; tiles of another one are let go of.
    void lookAt(std::int64_t chosen) {
        if (ipu != chosen)
            tiles.clear();
        ipu = chosen;
        ipu_chosen = true;
    }
    /// Chooses tiles of an IPU, and it with them; none: only lets go of those that are chosen.
    void lookAt(std::int64_t chosen, std::vector<std::int64_t> of_it) {
        if (!of_it.empty())
            lookAt(chosen);
        tiles = std::move(of_it);
    }
    /// Chooses a pass of a micro-batch, in the weight update where it begins at `start`, or in any; -1: none.
    void follow(std::int64_t batch, profile::PipelineActivity of_it = profile::PipelineActivity::Forward,
                std::optional<std::int64_t> start = {}) {
        micro_batch = batch;
        activity = of_it;
        pass_start = start;
    }
    /// Whether one IPU is looked at, be it the first, and not the run as a whole.
    bool ofOneIpu() const { return ipu_chosen || !tiles.empty(); }
    bool operator==(const Selection&) const = default;
};

/// The one selection of the window. Ids refer to the new (or only) file.
class SelectionModel : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;
    const Selection& current() const { return current_; }
    void set(const Selection& selection);
    /// A file of some IPUs of a run need not have its first: until one is chosen, `ipu` is looked at.
    void setFirstIpu(std::int64_t ipu);

  Q_SIGNALS:
    void changed(const tilescope::ui::Selection& selection);

  private:
    Selection current_;
    std::int64_t first_ipu_ = 0;
};

} // namespace tilescope::ui
