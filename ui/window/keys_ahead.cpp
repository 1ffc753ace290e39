// SPDX-License-Identifier: GPL-3.0-or-later
#include "keys_ahead.h"

#include "edit_commands.h"
#include "takes_letters.h"
#include "ui/session/view.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QMainWindow>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

/// The view that has the focus, in a part of it that takes keys as commands.
View* viewWithFocus(const QMainWindow& window) {
    QWidget* focus = QApplication::focusWidget();
    if (focus == nullptr || focus->window() != &window || takesLetters(focus) ||
        qobject_cast<QAbstractButton*>(focus) != nullptr)
        return nullptr;
    while (focus != nullptr && qobject_cast<View*>(focus) == nullptr)
        focus = focus->parentWidget();
    return qobject_cast<View*>(focus);
}

/// A key that a part of a view may have a meaning for, and the window has none.
bool ofView(const QMainWindow& window, const QKeyEvent& event) {
    switch (event.key()) {
    case Qt::Key_Escape:
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
    case Qt::Key_Shift:
    case Qt::Key_Control:
    case Qt::Key_Alt:
    case Qt::Key_AltGr:
    case Qt::Key_Meta:
        return false;
    default:
        break;
    }
    const bool function_key = event.key() >= Qt::Key_F1 && event.key() <= Qt::Key_F35;
    const bool command = event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    const QList<QAction*> actions = window.actions();
    return !function_key && !command &&
           std::none_of(actions.begin(), actions.end(), [&](const QAction* action) {
               return action->shortcuts().contains(QKeySequence(event.keyCombination()));
           });
}

/// As if it were pressed now.
void press(QWidget& focus, QKeyCombination keys) {
    for (QWidget* at = &focus; at != nullptr && !at->isWindow(); at = at->parentWidget())
        if (const auto done = EditCommands::of(*at, keys))
            return done();
    const QString letter = QKeySequence(keys.key()).toString();
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
        QKeyEvent event(type, keys.key(), keys.keyboardModifiers(),
                        letter.size() == 1 ? letter.toLower() : QString());
        QApplication::sendEvent(&focus, &event);
    }
}

} // namespace

KeysAhead::KeysAhead(QMainWindow* window) : QObject(window), window_(window) {
    constexpr int every_ms = 15;
    look_.setInterval(every_ms);
    connect(&look_, &QTimer::timeout, this, &KeysAhead::play);
    qApp->installEventFilter(this);
}

bool KeysAhead::isAhead(const QObject& of, const QKeyEvent& event) {
    const bool sequence =
        std::exchange(in_sequence_, event.key() == Qt::Key_G && event.modifiers() == Qt::NoModifier);
    const auto* widget = qobject_cast<const QWidget*>(&of);
    if (sequence || in_sequence_ || widget == nullptr || widget->window() != window_ ||
        !ofView(*window_, event))
        return false;
    View* view = viewWithFocus(*window_);
    if (view == nullptr || (kept_.isEmpty() && !view->firstReading()))
        return false;
    view_ = view;
    return true;
}

/// Each key comes as the question whether it is a shortcut first, which it is not, and then as a key.
bool KeysAhead::eventFilter(QObject* of, QEvent* event) {
    switch (event->type()) {
    case QEvent::ShortcutOverride: {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (key.key() == Qt::Key_Escape)
            kept_.clear();
        if (!isAhead(*of, key))
            break;
        taken_ = key.keyCombination();
        event->accept();
        return true;
    }
    case QEvent::KeyPress: {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (!taken_ || *taken_ != key.keyCombination())
            break;
        taken_.reset();
        kept_ << key.keyCombination();
        look_.start();
        return true;
    }
    case QEvent::MouseButtonPress:
        kept_.clear();
        break;
    default:
        break;
    }
    return false;
}

void KeysAhead::play() {
    if (view_ != nullptr && view_ == viewWithFocus(*window_) && view_->firstReading() && !kept_.isEmpty())
        return;
    look_.stop();
    for (const QKeyCombination keys : std::exchange(kept_, {}))
        if (view_ != nullptr && view_ == viewWithFocus(*window_))
            press(*QApplication::focusWidget(), keys);
}

} // namespace tilescope::ui
