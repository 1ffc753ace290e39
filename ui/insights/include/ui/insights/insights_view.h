// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/insight_difference.h"
#include "analyse/insight_rules.h"
#include "ui/insights/read_runs.h"
#include "ui/session/view.h"

class QAction;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QSplitter;

namespace tilescope::ui {

class DataTable;
class PageStack;
class ThemedLabel;
class TryPanel;

/// What the rules find in a run, ranked by what it costs; of the chosen finding the figures, the rule behind
/// it and the ways to its place and to the help. With a base, what it finds there, too.
class InsightsView : public View {
    Q_OBJECT
  public:
    explicit InsightsView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("insights"); }
    QString title() const override { return tr("Insights"); }
    QString iconName() const override { return QStringLiteral("insights"); }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute, FigureKind::Memory}; }
    bool makesForFile() const override { return true; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void follow(const Selection& selection) override;
    void basisChosen() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeDetails();
    void showFindings();
    void showHead(const std::vector<analyse::Insight>& all);
    void makeHiding();
    void hideRules(const QString& path, const QStringList& rules);
    void changeHidden(const QStringList& rules, const QString& what); ///< can be undone
    QStringList hiddenRules() const;                                  ///< of the file that is shown
    void showChosen();
    void fitFindings();
    std::vector<std::string> changesOf(const analyse::FindingPair& finding) const; ///< that may help
    std::vector<profile::RemedyRecord> remediesOf(const analyse::FindingPair& finding) const;
    void goToPlace();
    void showFigures(const analyse::FindingPair& finding);
    const analyse::FindingPair* chosen() const;
    std::string chosenIdentity() const;                                            ///< "" where there is none
    std::optional<std::int64_t> placeOfFinding(const std::string& identity) const; ///< in shown_
    void choose(const std::string& identity); ///< nothing where it is not shown

    PageStack* pages_ = nullptr;
    QSplitter* parts_;               ///< the list, and what is told of the chosen one
    QWidget* details_ = nullptr;     ///< what is told: it scrolls
    bool dragged_ = false;           ///< the handle between them
    QAction* show_hidden_ = nullptr; ///< there while something is hidden
    ThemedLabel* heading_;
    QComboBox* order_;
    DataTable* findings_;
    ThemedLabel* detail_;
    DataTable* figures_;
    DataTable* thresholds_;
    TryPanel* changes_ = nullptr;
    QPushButton* place_;
    QPushButton* help_;
    std::optional<ReadRun> now_;
    std::optional<ReadBase> base_; ///< where one is compared
    std::vector<analyse::FindingPair> shown_;
    QList<std::pair<QString, QStringList>> hidden_; ///< rules by path; that changed last first
    std::int64_t hidden_findings_ = 0;              ///< that they have found
    std::string followed_;                          ///< the finding that was gone to from elsewhere
    std::int64_t chosen_ = 0;                       ///< place in shown_
};

} // namespace tilescope::ui
