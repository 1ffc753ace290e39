// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <QWidget>

namespace tilescope::ui {

/// The first insights of a run by what they cost, each with its figures, a way to the place and to its
/// paragraph in the help.
class InsightList : public QWidget {
    Q_OBJECT
  public:
    explicit InsightList(QWidget* parent = nullptr);
    void setInsights(const analyse::Summary& summary);

  Q_SIGNALS:
    void subjectChosen(const tilescope::analyse::InsightSubject& subject);
    void helpChosen(const QString& heading); ///< of page "insights"
    void allChosen();                        ///< show the rest, too

  private:
    void follow(const QString& link);
    std::vector<analyse::Insight> insights_;
};

} // namespace tilescope::ui
