// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/compile_time.h"
#include "analyse/executable_facts.h"
#include "ui/compile/flame_chart.h"
#include "ui/session/subject_menu.h"
#include "ui/session/view.h"

#include <map>
#include <optional>
#include <vector>

class QScrollArea;
class QTabWidget;

namespace tilescope::ui {

class DataTable;
class PageStack;
class ThemedLabel;

/// What compiling took, pass by pass, what each pass changed, and which plans the planner chose.
class CompileView : public View {
    Q_OBJECT
  public:
    explicit CompileView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("compile"); }
    QString title() const override { return tr("Compile"); }
    QString iconName() const override { return QStringLiteral("compile"); }
    bool offersDetails() const override { return true; }
    /// Of plans alone: how long a pass took was measured.
    analyse::FigureKinds predicts() const override {
        return plan_ < 0 ? analyse::FigureKinds() : analyse::FigureKinds{FigureKind::Compute};
    }

    struct Read {
        FlameChart::Data time;
        std::vector<analyse::ChosenPlan> plans;
        profile::SharedRows<profile::OperationRecord> operations;
        std::vector<profile::OperationRecord> fused; ///< the most operators first
        std::vector<profile::RemovedOperationRecord> removed;
        std::map<std::int64_t, QString> layers;
        analyse::ExecutableFacts executable;
    };

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void follow(const Selection& selection) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fitChart();
    void makeActions();
    PictureSubject subject() const; ///< of the chart's menu
    void showRead();
    void showHeading();
    void showPasses();
    void showPlans();
    void showChanged();
    void showExecutable();
    void choosePart(std::int64_t event);
    QString detailsOf(const analyse::CompilePart& part) const;
    QString detailsOf(const analyse::ChosenPlan& plan) const;
    void goToPart(std::int64_t event); ///< to its layer in Graph, where it has one; else it fills the chart
    void goToPlan(std::int64_t row);   ///< to the first operation that has it, in Operations
    /// What a row of the operations that changed leads to: the operation, of one that is gone its layer.
    QString changedLink(std::int64_t key) const;

    std::optional<Read> read_;
    FlameChart::Data base_;
    std::int64_t plan_ = -1; ///< row of the plan that was chosen last; -1: a pass was
    std::int64_t followed_pass_ =
        -1;             ///< of the selection: what else changes in it leaves what was chosen here
    bool fresh_ = true; ///< another file: it is shown from its beginning
    PageStack* pages_ = nullptr;
    ThemedLabel* heading_;
    FlameChart* chart_;
    QScrollArea* chart_area_;
    QTabWidget* tabs_;
    DataTable* passes_;
    DataTable* plans_;
    DataTable* changed_;
    DataTable* executable_;
};

} // namespace tilescope::ui
