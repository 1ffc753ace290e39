// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/headline.h"

#include <QFrame>
#include <QStringList>
#include <vector>

class QBoxLayout;
class QPushButton;

namespace tilescope::ui {

class DataTable;
class FilledTile;
class LineChart;
class ThemedLabel;

/// Why a program does not fit: where, when, what fills the tile then, and what was tried that would help.
class DiagnosisPanel : public QFrame {
    Q_OBJECT
  public:
    explicit DiagnosisPanel(QWidget* parent = nullptr);
    /// `several`: the run has more than one IPU.
    void setDiagnosis(const analyse::Diagnosis& diagnosis, bool several);

  Q_SIGNALS:
    void tileRequested(); ///< show the tile in Memory
    void timeRequested(); ///< show what is live when, in Liveness
    /// Set up another run, with settings that were tried, as `--set` takes them, or as it was (none).
    void runRequested(const QStringList& changes);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QStringList chosenChanges() const;
    void makeRoom();
    void showFilling(const analyse::Diagnosis& diagnosis);
    ThemedLabel* why_;
    FilledTile* bar_;    ///< of what is live at the worst step
    LineChart* filling_; ///< of the tile, step by step
    bool has_filling_ = false;
    DataTable* fills_;
    DataTable* tried_;
    QBoxLayout* tables_;
    QPushButton* run_with_;
    std::vector<QStringList> changes_; ///< of each row of `tried_`
    std::vector<bool> fit_;            ///< with each of them
};

} // namespace tilescope::ui
