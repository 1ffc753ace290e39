// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit_commands.h"

#include <QAction>
#include <QApplication>
#include <QMainWindow>
#include <QMenuBar>
#include <QMetaMethod>

namespace tilescope::ui {
namespace {

/// The first of its actions that is enabled and meant; empty: it has none.
EditCommands::Done actionOf(const QWidget& widget, const std::function<bool(const QAction&)>& meant) {
    for (QAction* action : widget.actions())
        if (action->isEnabled() && meant(*action))
            return [action = QPointer(action)] {
                if (action != nullptr)
                    action->trigger();
            };
    return {};
}

EditCommands::Done actionOf(const QWidget& widget, const QByteArray& name) {
    return actionOf(widget,
                    [&](const QAction& action) { return action.objectName() == QLatin1String(name); });
}

} // namespace

EditCommands::Done EditCommands::of(const QWidget& part, const QKeySequence& keys) {
    return actionOf(part, [&](const QAction& action) { return action.shortcuts().contains(keys); });
}

EditCommands::EditCommands(QMainWindow* window) : QObject(window), window_(window) {
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now != nullptr && now->window() == window_ && qobject_cast<QMenuBar*>(now) == nullptr)
            focus_ = now;
    });
}

EditCommands::Done EditCommands::atFocus(const QByteArray& name) const {
    if (focus_ == nullptr)
        return {};
    const int method = focus_->metaObject()->indexOfMethod(name + "()");
    const bool reads_only = focus_->property("readOnly").toBool() && (name == "undo" || name == "redo");
    for (const QWidget* at = focus_; at != nullptr && at != window_; at = at->parentWidget()) {
        if (at == focus_ && method >= 0 && !reads_only)
            return [at = focus_, method] {
                if (at != nullptr)
                    at->metaObject()->method(method).invoke(at);
            };
        if (Done done = actionOf(*at, name))
            return done;
    }
    return {};
}

EditCommands::Done EditCommands::within(QWidget* whole, const QByteArray& name) {
    QList<QWidget*> parts = whole->findChildren<QWidget*>();
    parts.prepend(whole);
    for (const QWidget* part : parts)
        if (part->isVisible())
            if (Done done = actionOf(*part, name))
                return done;
    return {};
}

} // namespace tilescope::ui
