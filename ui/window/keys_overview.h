// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QTreeWidget;
class QTreeWidgetItem;

namespace tilescope::ui {

class View;

/// The keys that work now: those of a view and of what is in it, and below them those of the window. Typing
/// narrows them down.
class KeysOverview : public QDialog {
    Q_OBJECT
  public:
    /// `view`: null where none is in front.
    KeysOverview(View* view, const QList<QAction*>& commands, QWidget* parent);

  private:
    QTreeWidgetItem* addGroup(const QString& name);
    void addParts(const View& view);
    void add(const QString& group, const QList<QAction*>& actions);
    void filter(const QString& text);
    QTreeWidget* keys_;
};

} // namespace tilescope::ui
