// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeyCombination>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <optional>

class QKeyEvent;
class QMainWindow;

namespace tilescope::ui {

class View;

/// Keys of a view that are pressed while it reads its file for the first time: they wait, and do what they do
/// as soon as it is there. Escape, a click or another view lets go of them.
class KeysAhead : public QObject {
    Q_OBJECT
  public:
    explicit KeysAhead(QMainWindow* window);

  protected:
    bool eventFilter(QObject* of, QEvent* event) override;

  private:
    bool isAhead(const QObject& of, const QKeyEvent& event);
    void play();
    QMainWindow* window_;
    QPointer<View> view_; ///< that the kept ones are for
    QList<QKeyCombination> kept_;
    std::optional<QKeyCombination> taken_; ///< it is no shortcut, and comes as a key next
    bool in_sequence_ = false;             ///< the one before begins a shortcut of several
    QTimer look_;                          ///< whether the view has read all
};

} // namespace tilescope::ui
