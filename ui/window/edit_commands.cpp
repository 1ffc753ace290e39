// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit_commands.h"

#include <QAction>
#include <QApplication>
#include <QMainWindow>
#include <QMenuBar>
#include <QMetaMethod>

namespace tilescope::ui {
namespace {

QAction* actionOf(const QWidget& widget, const QKeySequence& keys) {
    for (QAction* action : widget.actions())
        if (action->isEnabled() && action->shortcuts().contains(keys))
            return action;
    return nullptr;
}

} // namespace

EditCommands::Done EditCommands::of(const QWidget& part, const QKeySequence& keys) {
    QAction* found = actionOf(part, keys);
    if (found == nullptr)
        return {};
    return [action = QPointer(found)] {
        if (action != nullptr)
            action->trigger();
    };
}

EditCommands::EditCommands(QMainWindow* window) : QObject(window), window_(window) {
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now != nullptr && now->window() == window_ && qobject_cast<QMenuBar*>(now) == nullptr)
            focus_ = now;
    });
}

EditCommands::Done EditCommands::atFocus(const char* slot, const QKeySequence& keys) const {
    if (focus_ == nullptr)
        return {};
    const int method = focus_->metaObject()->indexOfMethod(QByteArray(slot) + "()");
    const bool reads_only =
        focus_->property("readOnly").toBool() && (keys == QKeySequence::Undo || keys == QKeySequence::Redo);
    for (const QWidget* at = focus_; at != nullptr && at != window_; at = at->parentWidget()) {
        if (at == focus_ && method >= 0 && !reads_only)
            return [at = focus_, method] {
                if (at != nullptr)
                    at->metaObject()->method(method).invoke(at);
            };
        if (Done done = of(*at, keys))
            return done;
    }
    return {};
}

EditCommands::Done EditCommands::within(QWidget* whole, const QKeySequence& keys) {
    QList<QWidget*> parts = whole->findChildren<QWidget*>();
    parts.prepend(whole);
    for (const QWidget* part : parts)
        if (part->isVisible())
            if (Done done = of(*part, keys))
                return done;
    return {};
}

} // namespace tilescope::ui
