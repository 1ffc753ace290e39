// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/program/program_model.h"
#include "ui/session/view.h"

#include <functional>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QStackedWidget;
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
    void setSources(const Sources& sources) override;
    void setSelection(SelectionModel* selection) override;
    bool offersDetails() const override { return true; }

    QTreeView& tree() { return *view_; }
    ProgramModel& model() { return *model_; }
    /// The rows that are unfolded as text, cells parted by `separator`, steps indented, with a header.
    QString toText(QChar separator) const;

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeActions();
    void ask();
    void showTree(ProgramTree tree);
    void unfoldFirst();
    void fitNames();
    void filter(const QString& text);
    void choose(const QModelIndex& row);
    void follow(const Selection& selection);
    void showDetails();
    void exportDialog();

    Sources sources_;
    SelectionModel* selection_ = nullptr;
    ProgramModel* model_;
    QSortFilterProxyModel* proxy_;
    QStackedWidget* stack_;
    QLabel* empty_;
    QTreeView* view_;
    QLineEdit* filter_;
    QLabel* caption_;
    bool choosing_ = false; ///< the change of the selection is this view's own, or the other way round
};

} // namespace tilescope::ui
