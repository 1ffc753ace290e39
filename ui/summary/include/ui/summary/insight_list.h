// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"
#include "ui/session/selection.h"

#include <QWidget>
#include <optional>

namespace tilescope::ui {

/// Where the window shows what an insight is about.
struct InsightPlace {
    QString view;        ///< View::id()
    Selection selection; ///< in it
};
/// nullopt for a setting, which the help describes. `before`: what is selected, of which the rest is kept.
std::optional<InsightPlace> placeOf(const analyse::InsightSubject& subject,
                                    const std::vector<analyse::IpuSummary>& ipus, const Selection& before);
/// The heading of page "workloads" under which a setting is: "Training" for "compile.global_step".
QString settingHeading(const std::string& setting);
/// What a rule saw, as people read it: "host share 82.1 %".
QString figureText(const analyse::InsightFigure& figure);

/// The insights of a run, each with its figures, a way to the place and to its paragraph in the help.
class InsightList : public QWidget {
    Q_OBJECT
  public:
    explicit InsightList(QWidget* parent = nullptr);
    void setInsights(const analyse::Summary& summary);

  Q_SIGNALS:
    void subjectChosen(const tilescope::analyse::InsightSubject& subject);
    void helpChosen(const QString& heading); ///< of page "insights"

  private:
    void follow(const QString& link);
    std::vector<analyse::Insight> insights_;
};

} // namespace tilescope::ui
