// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace tilescope::ui {

/// Every action of the window by name: type to search, Enter to run.
class CommandPalette : public QDialog {
    Q_OBJECT
  public:
    CommandPalette(const QList<QAction*>& actions, QWidget* parent);

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void filter(const QString& text);
    void run();
    QList<QAction*> actions_;
    QLineEdit* input_;
    QListWidget* list_;
};

} // namespace tilescope::ui
