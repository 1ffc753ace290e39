// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/durations.h"
#include "analyse/range_difference.h"
#include "analyse/time_line.h"
#include "ui/trace/trace_tables.h"

#include <QWidget>
#include <optional>

class QLabel;
class QTabBar;
class QToolButton;

namespace tilescope::ui {

class DataTable;
class ShareBar;

/// What a range holds: one bar by phase, and a table by operation, layer or program step. Of two files, a bar
/// for each, and tables of the difference.
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
    void setComputing(const Subject& now, const Subject& base); ///< their difference
    void setTotals(const Subject& subject, const analyse::RangeTotals& totals, const TraceTables& tables);
    void setDifference(const Subject& now, const Subject& base, const analyse::RangeDifference& difference,
                       const TraceTables& now_tables, const TraceTables& base_tables);
    /// How long the passes of what is selected take, by its name; it is hidden where there is no name.
    /// nullopt: there is no whole pass.
    void setDurations(const QString& name, const std::optional<analyse::Durations>& durations);
    const std::optional<analyse::Durations>& durations() const { return durations_; }
    /// Whether totals of all IPUs are wanted; where there is one, nothing is to be chosen.
    bool wantsAllIpus() const;
    void setIpus(std::size_t count);
    const analyse::RangeTotals& totals() const { return totals_; }
    const std::optional<analyse::RangeDifference>& difference() const { return difference_; }
    bool computing() const { return computing_; }
    DataTable& table() { return *table_; }
    static QString kindName(analyse::TimeKind kind); ///< "inter-IPU"

  Q_SIGNALS:
    void operationChosen(qint64 operation);
    void layerChosen(qint64 layer);
    void programChosen(qint64 program);
    void closed();
    void longestWanted(); ///< of the passes
    void scopeChanged();  ///< one IPU or all

  private:
    enum Tab { Operations, Layers, Programs, Kinds };
    void showTable(int tab);
    void showTotals(int tab);
    void showDifference(int tab);
    void showTabs(bool difference);
    void showHeadline(const Subject& subject);
    void showHeadline(const Subject& now, const Subject& base);
    void setFaint(bool faint);

    analyse::RangeTotals totals_;
    std::optional<analyse::RangeDifference> difference_; ///< shown in place of the totals
    std::array<std::vector<QString>, 3> names_;          ///< of the rows of each table
    double clock_hz_ = 0;
    bool computing_ = false;
    QLabel* headline_ = nullptr;
    ShareBar* bar_ = nullptr;
    QLabel* name_ = nullptr; ///< of the bar, and of the next
    QLabel* base_name_ = nullptr;
    ShareBar* base_bar_ = nullptr; ///< of the base, while the difference is shown
    QToolButton* clear_ = nullptr;
    QToolButton* all_ipus_ = nullptr;
    std::optional<analyse::Durations> durations_;
    QLabel* durations_text_ = nullptr;
    QString use_; ///< of the tiles, in words
    QTabBar* tabs_ = nullptr;
    DataTable* table_ = nullptr;
};

} // namespace tilescope::ui
