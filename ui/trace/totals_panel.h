// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/trace/trace_totals.h"

#include <QWidget>

class QLabel;
class QTabBar;
class QToolButton;

namespace tilescope::ui {

class DataTable;
class ShareBar;

/// What a range holds: one bar by phase, and a table by operation, layer or program step.
class TotalsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit TotalsPanel(QWidget* parent = nullptr);
    /// `selected`: the range was chosen; otherwise it is what is in view.
    void setTotals(const TraceTotals& totals, double clock_hz, const QString& file, bool selected);
    const TraceTotals& totals() const { return totals_; }
    DataTable& table() { return *table_; }

  Q_SIGNALS:
    void operationChosen(qint64 operation);
    void layerChosen(qint64 layer);
    void programChosen(qint64 program);
    void closed();

  private:
    void showTable(int tab);

    TraceTotals totals_;
    double clock_hz_ = 0;
    QLabel* headline_ = nullptr;
    ShareBar* bar_ = nullptr;
    QToolButton* clear_ = nullptr;
    QTabBar* tabs_ = nullptr;
    DataTable* table_ = nullptr;
};

} // namespace tilescope::ui
