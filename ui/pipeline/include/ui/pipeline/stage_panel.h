// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/micro_batch_life.h"
#include "ui/pipeline/pipeline_data.h"

#include <QWidget>
#include <optional>
#include <utility>

class QLabel;
class QTabWidget;
class QToolButton;

namespace tilescope::ui {

class DataTable;

/// What each stage does in one weight update or in a range of it, as shares and as cycles, its stashes, and
/// the life of the chosen micro-batch.
class StagePanel : public QWidget {
    Q_OBJECT
  public:
    explicit StagePanel(QWidget* parent = nullptr);

    using Range = std::optional<std::pair<std::int64_t, std::int64_t>>;
    /// `base`: what to compare with, or null; a range is of one file only. `name` is that file's. The
    /// headline also tells how long `micro_batch` takes; -1: none is chosen.
    void setData(const PipelineData& pipeline, const PipelineData* base, const Range& range,
                 const QString& name, std::int64_t micro_batch);
    void selectStage(std::int64_t stage);
    void showTab(int by);                                            ///< the next one, the one before
    std::optional<std::int64_t> stageOfPass(std::int64_t row) const; ///< of the life of the micro-batch
    DataTable& shares() { return *shares_; }
    DataTable& cycles() { return *cycles_; }
    DataTable& stashes() { return *stashes_; }
    DataTable& life() { return *life_; }

  Q_SIGNALS:
    void stageChosen(qint64 stage);
    void passChosen(qint64 stage, tilescope::analyse::PipelineActivity pass); ///< of the micro-batch
    void rangeCleared();

  private:
    void showStashes(const PipelineData& pipeline);
    void showLife(const PipelineData& pipeline, std::int64_t micro_batch);

    QLabel* headline_;
    QToolButton* clear_;
    QTabWidget* tabs_;
    DataTable* shares_;
    DataTable* cycles_;
    DataTable* stashes_;
    DataTable* life_;
    analyse::MicroBatchLife lived_;
};

} // namespace tilescope::ui
