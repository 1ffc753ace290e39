// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/operation_history.h"

#include <QWidget>
#include <vector>

namespace tilescope::ui {

class DataTable;
class ThemedLabel;

/// What an operation takes in the engine runs of the file: those that are alike in one row, and in a sentence
/// alone where all are.
class HistoryPage : public QWidget {
    Q_OBJECT
  public:
    explicit HistoryPage(QWidget* parent = nullptr);
    /// `clock_hz`: on which cycles are time; 0: they stay cycles.
    void setHistory(const QString& name, const std::vector<analyse::AlikeExecutions>& history,
                    double clock_hz);

  Q_SIGNALS:
    void startChosen(std::int64_t cycle); ///< at which the first of some executions begins

  private:
    ThemedLabel* told_;
    DataTable* executions_;
};

} // namespace tilescope::ui
