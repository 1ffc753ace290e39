// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/headline.h"
#include "analyse/summary.h"
#include "ui/insights/read_runs.h"
#include "ui/live/metric_course.h"
#include "ui/live/run_again.h"
#include "ui/session/view.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

class QComboBox;
class QBoxLayout;
class QGridLayout;
class QLabel;

namespace tilescope::ui {

class ThemedLabel;

class Card;
class DataTable;
class DiagnosisPanel;
class FigureCard;
enum class CardFigure;
class InsightList;
class LineChart;
class IpuGauges;
class ShareBar;

/// The first page: what was run, how it went, how fast, how much memory, and what stands out.
class SummaryView : public View {
    Q_OBJECT
  public:
    explicit SummaryView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("summary"); }
    QString title() const override { return tr("Summary"); }
    QString iconName() const override { return QStringLiteral("summary"); }
    analyse::FigureKinds predicts() const override {
        return {FigureKind::Host, FigureKind::Compute, FigureKind::Memory};
    }
    bool offersDetails() const override { return true; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;
    QList<QAction*> viewActions() override { return {}; } ///< they stand beside the heading
    /// Writes the report of the run, in the format that the name of the file ends with. A message says how
    /// that went.
    void saveReport(const QString& path);
    /// Of the run as a whole: its report, the same run again. They need not be seen.
    QList<QAction*> runActions() const { return {save_report_, copy_report_, run_again_}; }

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;
    void tellDetails() override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    using Range = std::optional<std::pair<std::int64_t, std::int64_t>>; ///< cycles
    void showRun(const analyse::Summary& summary, const analyse::Summary* base);
    void showRead();
    QWidget* makeHead();
    void offerRun();
    void askMarkdown(const std::function<void(const std::string&)>& then);
    void placeCards(); ///< in a row, or where the view is narrow in two
    void makeLinks();
    void offerCard(FigureCard* card, const QStringList& views);
    void showTile(const QString& view);
    void tellWhoseTime(const analyse::Summary& summary);
    void showAnswer(const analyse::Summary& s, const analyse::Summary* base);
    void showFigures(const analyse::Summary& s, const analyse::Summary* base);
    void showStepInTrace();
    void showTips(const analyse::Summary& s);
    CardFigure figureOf(const FigureCard* card) const; ///< that it is about
    void noteFocus(QWidget* now);
    void showPhases(const analyse::Summary& s, const analyse::Summary* base);
    struct Gauged { ///< IPUs and the fullest tile of each
        std::vector<profile::IpuRecord> ipus;
        std::vector<analyse::FullestTile> fullest;
        std::map<std::int64_t, std::int64_t> stage_ipus; ///< as `analyse::stage_ipus` says
    };
    void makeGauges();
    void showGauges(const analyse::Summary& s);
    void fillGauges(const analyse::Summary& s, const Gauged& found);
    void showResult(const analyse::Summary& s, const analyse::Summary* base);
    void makeCurves();
    void askCourses();
    void showCurves(const analyse::Summary& s, const analyse::Summary* base);
    void showPlace(const analyse::Insight& insight);
    void showLayers(const analyse::Summary& s, const analyse::Summary* base);

    QObject whole_; ///< while the view is: its parts lose the focus when they go, which is after that
    const FigureCard* front_ = nullptr; ///< that has the focus, or had it last within the view
    std::optional<ReadRun> now_;
    std::optional<ReadBase> base_;
    QAction* save_report_ = nullptr;
    QAction* copy_report_ = nullptr;
    QAction* run_again_ = nullptr;
    ThemedLabel* heading_;
    QLabel* subheading_;
    ThemedLabel* answer_;
    std::map<const FigureCard*, QString> leads_; ///< where a click on it leads, in words
    QGridLayout* cards_ = nullptr;
    QBoxLayout* middle_ = nullptr; ///< what the time goes to, and the findings: below it where it is narrow
    FigureCard* step_;
    FigureCard* throughput_;
    FigureCard* memory_;
    FigureCard* rate_;
    FigureCard* result_;
    ShareBar* phases_;
    QLabel* gauges_of_ = nullptr;      ///< what they are of
    IpuGauges* gauges_ = nullptr;      ///< where there are several IPUs
    std::vector<std::int64_t> gauged_; ///< IPUs of these
    Card* phases_card_;
    QLabel* no_phases_;
    LineChart* loss_;
    LineChart* accuracy_;
    Card* curves_card_;
    QLabel* curves_of_ = nullptr;     ///< what they are per
    QComboBox* curves_per_ = nullptr; ///< epoch or engine run, where the run has more of these
    MetricCourse course_, base_course_;
    DataTable* outputs_;
    Card* outputs_card_;
    DataTable* layers_;
    QWidget* beside_insights_; ///< hidden where nothing is in it
    InsightList* insights_;
    std::vector<analyse::IpuSummary> ipus_;
    Card* insights_card_;
    DiagnosisPanel* diagnosis_;
    QString workload_; ///< path of the file
    std::optional<analyse::FullestTile> fullest_;
    Range first_update_; ///< of the file that is shown
};

} // namespace tilescope::ui
