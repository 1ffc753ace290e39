// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QKeySequence>
#include <QList>
#include <functional>

class QLineEdit;
class QListWidget;

namespace tilescope::ui {

/// What the palette offers.
struct Command {
    QString name; ///< "Program: show flat list"
    QKeySequence keys;
    QString tip;
    bool enabled = true; ///< else it is listed last and does nothing
    std::function<void()> run;
};

/// How well what is typed fits a name, most first; -1: not at all. Words at the beginning of words are best,
/// then words anywhere, then its letters in order at the beginnings of words ("ps" in "Program: search").
int fit(const QString& name, const QString& typed);

/// Every command of the window and of all views by name: type to search, Enter to run.
class CommandPalette : public QDialog {
    Q_OBJECT
  public:
    CommandPalette(QList<Command> commands, QWidget* parent);

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void filter(const QString& text);
    void run();
    QList<Command> commands_;
    QLineEdit* input_;
    QListWidget* list_;
};

} // namespace tilescope::ui
