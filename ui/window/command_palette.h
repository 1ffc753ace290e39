// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QKeySequence>
#include <QList>
#include <functional>

class QLabel;
class QLineEdit;
class QTreeWidget;

namespace tilescope::ui {

/// What the palette offers.
struct Command {
    QString name; ///< "Program: show flat list"
    QKeySequence keys;
    QString tip;
    QString reason; ///< why it can do nothing now: it is listed last then; "": it can
    std::function<void()> run;
};

/// How well what is typed fits a name, most first; -1: not at all. Words at the beginning of words are best,
/// then words anywhere, then its letters in order at the beginnings of words ("ps" in "Program: search").
int fit(const QString& name, const QString& typed);

/// Every command of the window and of all views by name: type to search, Enter to run. What is typed behind a
/// colon is a place in the file: "tile 45", "step 7614".
class CommandPalette : public QDialog {
    Q_OBJECT
  public:
    /// Finds the places that are typed, and says them to `showPlaces` at once or later.
    using Places = std::function<void(const QString& typed)>;
    CommandPalette(QList<Command> commands, Places places, QWidget* parent);
    /// What was found for `typed`; nothing happens where something else is typed by now.
    void showPlaces(const QString& typed, const QList<Command>& places, const QString& note);

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void filter(const QString& text);
    void run();
    void list(const QList<Command>& commands, const QString& note);
    QList<Command> commands_;
    QList<Command> listed_; ///< as the rows are
    Places places_;
    QLineEdit* input_;
    QTreeWidget* list_;
    QLabel* note_; ///< what the current one does, or why it cannot
};

} // namespace tilescope::ui
