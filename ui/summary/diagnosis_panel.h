// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/headline.h"

#include <QFrame>

class QPushButton;

class QPushButton;

namespace tilescope::ui {

class DataTable;
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
    /// Set up another run, with what was tried, as `--set` takes it, or as it was ("").
    void runRequested(const QString& change);

  private:
    QString chosenChange() const;
    ThemedLabel* why_;
    DataTable* fills_;
    DataTable* tried_;
    QPushButton* run_with_;
};

} // namespace tilescope::ui
