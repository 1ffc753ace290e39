// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/insights/read_runs.h"

#include <QWidget>

namespace tilescope::ui {

/// The first insights of a run by what they cost, each with its figures, a way to the place and to its
/// paragraph in the help. With a base, what it costs more than there, and what is gone.
class InsightList : public QWidget {
    Q_OBJECT
  public:
    explicit InsightList(QWidget* parent = nullptr);
    void setInsights(const analyse::Summary& summary, const std::optional<ReadBase>& base);

  Q_SIGNALS:
    void placeChosen(const tilescope::analyse::Insight& insight);
    void helpChosen(const QString& heading);         ///< of page "insights"
    void findingChosen(const std::string& identity); ///< show it in Insights
    void allChosen();                                ///< show the rest, too

  private:
    /// A paragraph of the list.
    struct Line {
        enum class Of { Finding, More, Remark } of = Of::Finding;
        QString text; ///< rich, but of a remark
        bool operator==(const Line&) const = default;
    };
    void showLines(std::vector<Line> lines);
    void follow(const QString& link);
    std::vector<analyse::Insight> insights_; ///< of the run
    std::vector<Line> lines_;                ///< that are shown
};

} // namespace tilescope::ui
