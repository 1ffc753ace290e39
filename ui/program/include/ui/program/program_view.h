// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/program/program_model.h"
#include "ui/session/view.h"

#include <map>
#include <optional>
#include <unordered_set>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTimer;
class QTreeView;

namespace tilescope::ui {

/// The program that the IPUs run, as a tree of steps with their cycles.
class ProgramView : public View {
    Q_OBJECT
  public:
    explicit ProgramView(QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("program"); }
    QString title() const override { return tr("Program"); }
    QString iconName() const override { return QStringLiteral("program"); }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute}; }
    Programs programs() const override { return Programs::Chosen; }

    QTreeView& tree() { return *view_; }
    ProgramModel& model() { return *model_; }
    /// The rows that are unfolded as text, cells parted by `separator`, steps indented, with a header.
    QString toText(QChar separator) const;

  protected:
    void tellDetails() override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* of, QEvent* event) override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void programChosen() override;
    void follow(const Selection& selection) override;

  private:
    void showPage(QWidget* page);
    void makeActions();
    void makeMenu();
    void showMenu(const QPoint& global); ///< of what is selected
    void ask();
    void askBase();
    void showTree(ProgramTree tree);
    void showBase(const ProgramTree* base); ///< null: none
    void showBasis();
    void foldAtFirst();
    void unfold();
    void refold();
    void rememberFold(const QModelIndex& row, bool unfolded);
    void fitColumns();
    void fitNames();
    void filter();
    void goToHit(int step); ///< 1: the next, -1: the previous
    void showHitCount();
    void choose(const QModelIndex& row);
    std::size_t stepOf(const Selection& selection) const; ///< no_row: it has none in this program
    void exportDialog();

    QString shown_; ///< file and program
    ProgramModel* model_;
    QStackedWidget* stack_;
    QLabel* empty_;
    QTreeView* view_;
    QLineEdit* filter_;
    QLabel* caption_;
    QLabel* found_;
    QTimer* typed_; ///< runs out once nothing has been typed for a while
    /// Keys of the steps that are unfolded while nothing is filtered, by what is shown: it outlasts reading
    /// it again.
    std::map<QString, std::unordered_set<std::uint64_t>> unfolded_;
    std::size_t hit_ = no_row; ///< the one that N has gone to
    bool other_base_ = false;  ///< the base has no program as the one that is shown
    bool choosing_ = false;    ///< the change of the selection is this view's own, or the other way round
};

} // namespace tilescope::ui
