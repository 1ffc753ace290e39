// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <functional>

class QKeySequence;
class QMainWindow;

namespace tilescope::ui {

/// What the commands of the menu Edit do where the focus is: undo in a field and among the lanes of a time
/// line are different things. A part says which of its actions they are by the actions' object names, since
/// its keys are the user's: "undo", "copy", "search".
class EditCommands : public QObject {
    Q_OBJECT
  public:
    explicit EditCommands(QMainWindow* window);
    using Done = std::function<void()>;
    /// What the focused field does by itself (its slot of that name, as Qt calls it), else the action of that
    /// name, of what the focus is in. Empty: there is nothing.
    Done atFocus(const QByteArray& name) const;
    /// The action of `part` that has these keys.
    static Done of(const QWidget& part, const QKeySequence& keys);
    /// An action of that name, of any part of `whole` that is seen.
    static Done within(QWidget* whole, const QByteArray& name);

  private:
    QMainWindow* window_;
    QPointer<QWidget> focus_; ///< had it before the menu
};

} // namespace tilescope::ui
