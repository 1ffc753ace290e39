// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>

class QObject;
class QUndoStack;

namespace tilescope::ui {

/// What was made in the window, to be taken back where the part that has the focus has nothing to take back
/// itself. Each is done already when it is added.
class UndoList {
  public:
    explicit UndoList(QObject* owner);
    void add(const QString& what, std::function<void()> redo, std::function<void()> undo);
    bool canUndo() const;
    bool canRedo() const;
    QString undo(); ///< what was taken back
    QString redo();

  private:
    QUndoStack* stack_;
    bool moving_ = false; ///< what is made meanwhile belongs to what is taken back
};

} // namespace tilescope::ui
