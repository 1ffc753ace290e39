// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/live_state.h"
#include "ui/live/profile_process.h"

#include <QTimer>
#include <QWidget>
#include <optional>
#include <utility>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;

namespace tilescope::ui {

class ThemedLabel;

class Card;
class DataTable;
class FigureCard;
class IpuGauges;
class LineChart;
class PhaseChart;
class ProgressStrip;
class ShareBar;

/// One run, growing or finished: how far it is, its losses and metrics, its phases, devices and messages.
class RunPage : public QWidget {
    Q_OBJECT
  public:
    explicit RunPage(QWidget* parent = nullptr);
    /// `path`: of the profile; `base`: the run to compare its curves with, if any.
    void chooseLine(std::int64_t line); ///< of the log, from 0
    void show(const LiveState& state, const QString& path, const LiveState* base);
    QLabel& error() { return *error_; } ///< what went wrong
    /// One line about what went wrong and what to do; empty: what the profile itself says.
    void showError(const QString& line);
    void setCancelling();
    /// How the last run was started that is our own.
    void setOwn(const RunRequest& request);
    /// The display is held, and the run so many steps ahead of it.
    void showHeld(std::int64_t steps_behind, bool running);
    void endHold();

  Q_SIGNALS:
    void cancelRequested();
    void newRunRequested();
    void phaseChosen(const QString& phase); ///< a name of analyse::phases
    void lineChosen(std::int64_t line);     ///< of the log, from 0

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void placeParts(); ///< as the width allows
    void showHeading();
    void showFigures();
    void showCurves(const LiveState* base);
    void showPhases();
    void showGauges();
    void showDevices();
    void showLog();
    void showAsked();
    QTabWidget* makeTabs();

    LiveState state_;
    std::optional<RunRequest> own_;
    QString path_;
    QString error_text_;
    QTimer clock_; ///< elapsed time goes on between commits
    ThemedLabel* heading_;
    QLabel* subheading_;
    QLabel* error_;
    QPushButton* cancel_;
    QLabel* held_;
    ProgressStrip* strip_;
    FigureCard* loss_figure_;
    FigureCard* metric_figure_;
    FigureCard* step_figure_;
    FigureCard* speed_figure_;
    QGridLayout* grid_ = nullptr;
    std::optional<std::pair<bool, bool>> shape_; ///< narrow, wide: as the parts are placed now
    QBoxLayout* pictures_ = nullptr;             ///< curves, and phases beside or below them
    Card* lower_ = nullptr;                      ///< the tabs
    Card* curves_;
    QLabel* curves_title_;
    LineChart* loss_;
    LineChart* metric_;
    QLabel* no_curves_;
    ShareBar* shares_;
    QLabel* shares_of_ = nullptr; ///< what they are of
    PhaseChart* phases_;
    QLabel* no_phases_;
    Card* ipus_;
    QLabel* gauges_of_ = nullptr; ///< what they are of
    IpuGauges* gauges_;
    DataTable* devices_;
    DataTable* log_;
    QTabWidget* tabs_; ///< messages, devices, workload, command
    QPlainTextEdit* workload_;
    QLabel* command_;
    QLabel* command_of_; ///< how exact it is
};

} // namespace tilescope::ui
