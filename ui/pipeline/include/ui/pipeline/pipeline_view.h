// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pipeline/pipeline_data.h"
#include "ui/session/view.h"
#include "ui/timeline/timeline_widget.h"

#include <optional>

class QComboBox;
class QSpinBox;
class QStackedWidget;

namespace tilescope::analyse {
struct PipelinePace;
}

namespace tilescope::ui {

class PageStack;
class PhaseRows;
class ThemedLabel;

class FigureStrip;
class Legend;
class StagePanel;

/// What each stage of a pipeline does while it makes one weight update.
class PipelineView : public View {
    Q_OBJECT
  public:
    explicit PipelineView(QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("pipeline"); }
    QString title() const override { return tr("Pipeline"); }
    QString iconName() const override { return QStringLiteral("pipeline"); }
    Programs programs() const override { return Programs::Chosen; }
    bool offersDetails() const override { return !read_ || data_.any(); } ///< of what has no pipeline none
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute, FigureKind::Memory}; }

    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    TimelineWidget& timeline() { return *timeline_; }
    StagePanel& panel() { return *panel_; }
    std::int64_t microBatch() const { return micro_batch_; } ///< the chosen one; -1: none

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void programChosen() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makePage();
    QComboBox* makeUnits();
    void makeActions();
    void enableActions(bool enable);
    void makeMenu();
    void nameSubjects();
    void showMenu(const QPoint& global); ///< of what is selected
    void connectTimeline();
    void ask();
    void showData();
    QString paceText() const;
    QString othersWaitText(const analyse::PipelinePace& pace, const QString& wait) const;
    QString detailsOfAll() const;
    void showFigures();
    void showTotals();
    void choose(const TimelineSlice& slice, std::int64_t stage, bool base);
    void chooseStage(std::int64_t stage);
    void choosePass(std::int64_t stage, std::int64_t micro_batch, analyse::PipelineActivity pass);
    analyse::PipelineActivity chosenActivity() const; ///< of the chosen pass, if one is
    void moveInTime(bool earlier);                    ///< to the next pass of the stage
    void moveToStage(std::int64_t by); ///< to the same micro-batch in the stage below, or above
    void showPass(const profile::PipelineSlotRecord& pass);
    void chooseReplica(std::int64_t wanted);
    std::int64_t replica() const; ///< of the selected IPU
    void showStages();
    void chooseMicroBatch(std::int64_t micro_batch); ///< for all views
    void showMicroBatch(std::int64_t micro_batch);   ///< here
    void tellMicroBatch();
    void goToMicroBatch(std::int64_t micro_batch); ///< for all views, and into sight here
    void stepMicroBatch(std::int64_t by);
    void highlight(std::int64_t hovered);
    void clearRange();
    void frameSelection();
    void selectPass(); ///< its time, as the range
    /// What the stages are drawn of: as time passes, or with slots as wide as one another.
    const PipelineData& drawn() const { return drawnOf(data_); }
    const PipelineData& drawnOf(const PipelineData& data) const {
        return by_slot_ && data.slots ? *data.slots : data;
    }
    void drawStages(); ///< with the axis, and what stands above them
    void showBySlot(bool by_slot);
    /// Of the timeline, of its base where that is chosen.
    std::optional<std::pair<std::int64_t, std::int64_t>> rangeInCycles() const;
    const PipelineData* baseData() const {
        return base_ && base_->any() && base_->described == data_.described ? &*base_ : nullptr;
    }

    PipelineData data_;
    std::optional<PipelineData> base_;
    PageStack* pages_ = nullptr;
    QStackedWidget* parts_ = nullptr; ///< the stages, or the phases where there is no pipeline
    PhaseRows* phases_ = nullptr;
    ThemedLabel* heading_ = nullptr;
    FigureStrip* figures_ = nullptr;
    Legend* legend_ = nullptr;
    TimelineWidget* timeline_ = nullptr;
    StagePanel* panel_ = nullptr;
    QComboBox* units_ = nullptr; ///< of the axis: time or slots
    QComboBox* replicas_ = nullptr;
    QSpinBox* micro_batches_ = nullptr;
    QList<QAction*> own_actions_; ///< without those that the window gives it
    std::int64_t replica_ = 0;    ///< whose IPUs are named
    std::int64_t micro_batch_ = -1;
    std::int64_t stage_ = 0; ///< of the chosen pass, or the chosen one
    bool by_slot_ = false;
    bool range_base_ = false;
    bool read_ = false; ///< `data_` is of the file and program that are shown
    bool fresh_ = true; ///< the whole update is shown once its length is known
};

} // namespace tilescope::ui
