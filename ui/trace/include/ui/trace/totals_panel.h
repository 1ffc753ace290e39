// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"
#include "ui/trace/trace_tables.h"

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
    struct Subject {          ///< whose totals are shown
        std::int64_t ipu = 0; ///< or analyse::every_ipu
        analyse::Range range;
        double clock_hz = 0;
        QString file;
        bool selected = false; ///< the range was chosen; otherwise it is what is in view
    };
    /// What is asked for now: until its totals come, those that are shown are of something else, and faint.
    void setComputing(const Subject& subject);
    void setTotals(const Subject& subject, const analyse::RangeTotals& totals, const TraceTables& tables);
    /// Whether totals of all IPUs are wanted; where there is one, nothing is to be chosen.
    bool wantsAllIpus() const;
    void setIpus(std::size_t count);
    const analyse::RangeTotals& totals() const { return totals_; }
    bool computing() const { return computing_; }
    DataTable& table() { return *table_; }

  Q_SIGNALS:
    void operationChosen(qint64 operation);
    void layerChosen(qint64 layer);
    void programChosen(qint64 program);
    void closed();
    void scopeChanged(); ///< one IPU or all

  private:
    void showTable(int tab);
    void showHeadline(const Subject& subject);
    void setFaint(bool faint);

    analyse::RangeTotals totals_;
    std::array<std::vector<QString>, 3> names_; ///< of the rows of each table
    double clock_hz_ = 0;
    bool computing_ = false;
    QLabel* headline_ = nullptr;
    ShareBar* bar_ = nullptr;
    QToolButton* clear_ = nullptr;
    QToolButton* all_ipus_ = nullptr;
    QString use_; ///< of the tiles, in words
    QTabBar* tabs_ = nullptr;
    DataTable* table_ = nullptr;
};

} // namespace tilescope::ui
