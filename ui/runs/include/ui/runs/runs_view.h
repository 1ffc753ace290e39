// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/run_list.h"
#include "ui/session/view.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTimer;

namespace tilescope::ui {

class JoiningSplit;
class PageStack;
class ParallelAxes;
class RunReader;
class ScatterPlot;
class ThemedLabel;
class WhatIfPanel;

/// All profiles below a folder: which setting is best, and since when a figure is another.
class RunsView : public View {
    Q_OBJECT
  public:
    explicit RunsView(QWidget* parent = nullptr);
    /// Profiles of a folder that have been read, of those that are below it; nullopt: none is being read.
    std::optional<std::pair<std::int64_t, std::int64_t>> reading() const;
    int pending() const;  ///< profiles and causes of changes that it still reads
    void cancelReading(); ///< what has been read stays
    QString id() const override { return QStringLiteral("runs"); }
    QString title() const override { return tr("Runs"); }
    QString iconName() const override { return QStringLiteral("runs"); }
    analyse::FigureKinds predicts() const override {
        return {FigureKind::Host, FigureKind::Compute, FigureKind::Memory};
    }
    Programs programs() const override { return Programs::All; }
    bool needsFile() const override { return false; }
    bool offersDetails() const override { return true; }
    QString detailsHint() const override;
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;
    void readFolder(const QString& folder);

  protected:
    void refresh() override {}
    void startOver(bool another) override;
    void tellDetails() override;
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* makeHead();
    QTabWidget* makeTabs();
    void leadFocus();
    void makeActions();
    void makeMenu(); ///< of the charts
    void showMenu(QWidget& chart, const QPoint& global);
    void chooseFolder();
    struct RunHistory;
    void showRuns(); ///< what has been read
    void offerAxes(const std::vector<analyse::Setting>& differing);
    void showTable(const std::vector<analyse::Setting>& settings);
    void showPlot();
    void showAxes(const std::vector<analyse::Setting>& settings); ///< parallel ones
    void drawAxes(bool parallel);                                 ///< in place of two
    ThemeColor colorOf(const analyse::RunEntry& run, const std::vector<std::string>& workloads) const;
    void showHistory();
    void fillHistory(); ///< with the causes that are known
    QString tellKnee(const analyse::RunEntry& knee, const analyse::RunEntry& last, double share,
                     const QString& across) const;
    void showHeading();
    void choose(const std::set<std::int64_t>& runs); ///< the user, in the plot or the table
    void open(std::int64_t run);
    void compareChosen();
    void askWhatIf(); ///< of the chosen run
    void showWhatIf();
    void layTable(std::vector<Column> columns);

    RunReader* reader_;
    QString folder_;
    std::int64_t lacking_ = 0;      ///< runs without what is drawn upwards, or across
    QString knees_;                 ///< past which values of what is across workloads gain little
    std::set<std::int64_t> chosen_; ///< positions in what was read
    std::int64_t front_ = -1;       ///< of these, that which was chosen last
    int told_ = 0;                  ///< turns of what was told: the answer to an earlier one is dropped
    bool choosing_ = false;
    QStringList titles_;                            ///< of the table's columns
    std::vector<std::pair<QString, QString>> axes_; ///< names and keys of what can be across
    std::shared_ptr<RunHistory> shown_history_;
    QTimer* causes_told_;
    PageStack* pages_;
    ThemedLabel* heading_;
    QComboBox* across_;
    QComboBox* up_;
    QComboBox* color_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    QAction* compare_;
    QAction* what_if_;
    QStackedWidget* charts_;
    JoiningSplit* parts_; ///< charts and tables
    ScatterPlot* plot_;
    ParallelAxes* axes_chart_;
    QAction* parallel_;
    QTabWidget* tabs_;
    DataTable* table_;
    DataTable* history_;
    WhatIfPanel* what_if_panel_;
};

} // namespace tilescope::ui
