// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/insight_difference.h"
#include "analyse/summary.h"

#include <QWidget>

namespace tilescope::ui {

/// The first insights of a run by what they cost, each with its figures, a way to the place and to its
/// paragraph in the help. With a base, what it costs more than there, and what is gone.
class InsightList : public QWidget {
    Q_OBJECT
  public:
    explicit InsightList(QWidget* parent = nullptr);
    /// `base`: findings of the base, and what it calls operations; null: there is none.
    void setInsights(const analyse::Summary& summary, const std::vector<analyse::Insight>* base,
                     const analyse::OldNames& names);

  Q_SIGNALS:
    void subjectChosen(const tilescope::analyse::InsightSubject& subject);
    void helpChosen(const QString& heading); ///< of page "insights"
    void allChosen();                        ///< show the rest, too

  private:
    void follow(const QString& link);
    std::vector<analyse::Insight> insights_; ///< of the run
};

} // namespace tilescope::ui
