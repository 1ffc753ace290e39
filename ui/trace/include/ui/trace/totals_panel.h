// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/durations.h"
#include "analyse/ipu_use.h"
#include "analyse/range_difference.h"
#include "analyse/time_line.h"
#include "ui/timeline/timeline_lane.h"
#include "ui/trace/slice_text.h"
#include "ui/trace/trace_tables.h"

#include <QWidget>
#include <memory>
#include <optional>
#include <utility>

class QLabel;
class QTabBar;
class QToolButton;

namespace tilescope::ui {

class DataTable;
struct Column;
struct TableRow;
class ShareBar;
class Veil;

/// What a range holds: one bar by phase, and a table by operation, layer, program step or IPU. Of two files,
/// a bar for each, and tables of the difference. Two tabs more have the marks and all of the chosen slice.
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
    void setTotals(const Subject& subject, const analyse::RangeTotals& totals,
                   std::vector<analyse::IpuUse> uses, const TraceTables& tables);
    /// How the tiles of the new file and of the base are used; nullopt: they compute nothing.
    using Uses = std::pair<std::optional<analyse::TileUtilisation>, std::optional<analyse::TileUtilisation>>;
    void setDifference(const Subject& now, const Subject& base, const analyse::RangeDifference& difference,
                       const Uses& uses, const TraceTables& now_tables, const TraceTables& base_tables);
    enum Tab { Operations, Layers, Programs, Balance, Kinds, Ipus, Marks, Slice };
    /// How long passes take in what the totals are of, of what is in the new file; null: that is being worked
    /// out.
    void setDurations(std::shared_ptr<const analyse::RangeDurations> durations);
    struct Chosen { ///< what is selected
        Tab tab = Operations;
        std::int64_t id = -1;
        QString name;
    };
    void setChosen(const std::optional<Chosen>& chosen); ///< whose durations are told beside the totals
    const analyse::Durations* durations() const;         ///< of it; null: there is no whole pass
    void setMarks(const std::vector<TimelineMark>& marks, double clock_hz);
    void setSlice(const SliceText& slice); ///< what a click chose last
    const SliceText& slice() const { return slice_; }
    void showTab(int by); ///< the next one, the one before
    /// Whether totals of all IPUs are wanted; where there is one, nothing is to be chosen.
    bool wantsAllIpus() const;
    void setIpus(std::size_t count);
    const analyse::RangeTotals& totals() const { return totals_; }
    const std::optional<analyse::RangeDifference>& difference() const { return difference_; }
    bool computing() const { return computing_; }
    /// What the panel at the side says of the totals while no slice is chosen. `executions`: of the run.
    QString details(std::int64_t executions) const;
    DataTable& table() { return *table_; }
    static QString kindName(analyse::TimeKind kind); ///< "inter-IPU"

  Q_SIGNALS:
    void operationChosen(qint64 operation);
    void layerChosen(qint64 layer);
    void programChosen(qint64 program);
    void closed();
    void passWanted(const tilescope::analyse::Durations& durations); ///< the longest of these
    void markWanted(qint64 mark);
    void markUnwanted(qint64 mark);
    void scopeChanged(); ///< one IPU or all

  private:
    void showTable(int tab);
    void
    sortBy(int kind); ///< what takes most of a kind of time first, of operations where nothing is shown by it
    void showTotals(int tab);
    void showDifference(int tab);
    void showBalance();
    void showIpus();
    void fill(std::vector<Column> columns, std::vector<TableRow> rows);
    void showMarks();
    void showSlice();
    const analyse::Durations* durationsOf(int tab, std::int64_t id) const;
    void tellDurations();
    void activate(std::int64_t key);
    void showTabs(bool difference);
    void showHeadline(const Subject& subject);
    void showHeadline(const Subject& now, const Subject& base);
    void setComputing();
    void setComputed();
    void setFaint(bool faint);

    QString linkOfRow(std::int64_t id) const; ///< of the table as it is now; "": it names nothing
    analyse::RangeTotals totals_;
    std::optional<analyse::RangeDifference> difference_; ///< shown in place of the totals
    std::vector<analyse::TimeTotal> sets_;               ///< compute sets
    std::vector<QString> set_names_;                     ///< of these
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
    std::vector<analyse::IpuUse> uses_;
    std::shared_ptr<const analyse::RangeDurations> pass_durations_;
    std::optional<Chosen> chosen_;
    std::vector<TimelineMark> marks_;
    double marks_hz_ = 0;
    SliceText slice_;
    QLabel* durations_text_ = nullptr;
    QString detailsOfDifference() const;
    Subject of_;      ///< whose totals are shown
    Subject base_of_; ///< of the base, while the difference is
    Uses uses_of_both_;
    std::optional<analyse::TileUtilisation> use_; ///< of the tiles
    QTabBar* tabs_ = nullptr;
    DataTable* table_ = nullptr;
    std::vector<Veil*> veils_; ///< over what is of the range before
};

} // namespace tilescope::ui
