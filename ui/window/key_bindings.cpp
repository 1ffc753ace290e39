// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_bindings.h"

#include <QAction>
#include <QSettings>
#include <QWidget>

namespace tilescope::ui {
namespace {

constexpr const char* settings_key = "window/keys"; ///< by name of the command

QVariantMap remembered_keys() {
    return QSettings().value(QLatin1String(settings_key)).toMap();
}

bool clash(const QAction& a, const QAction& b) {
    for (const QKeySequence& one : a.shortcuts())
        for (const QKeySequence& other : b.shortcuts())
            if (!one.isEmpty() && !other.isEmpty() &&
                (one.matches(other) != QKeySequence::NoMatch || other.matches(one) != QKeySequence::NoMatch))
                return true;
    return false;
}

/// It has them only while it has the focus itself, which it never has: it sees to its keys in other ways.
bool neverByShortcut(const KeyBindings::Binding& of) {
    return of.part != nullptr && of.part->focusPolicy() == Qt::NoFocus &&
           of.action->shortcutContext() == Qt::WidgetShortcut;
}

bool hasFirstKeys(const KeyBindings::Binding& of) {
    return of.action->shortcuts() == of.first;
}

/// Whether the focus can be where the keys of both work. A view and its tables share "/" by intent, as first
/// keys; any other shortcut of the view would keep a table from its key.
bool meet(const KeyBindings::Binding& a, const KeyBindings::Binding& b) {
    if (a.part == b.part)
        return a.view.isEmpty() || b.view.isEmpty() || a.view == b.view;
    if ((neverByShortcut(a) || neverByShortcut(b)) && hasFirstKeys(a) && hasFirstKeys(b))
        return false;
    if (a.part == nullptr || b.part == nullptr)
        return a.view.isEmpty() || b.view.isEmpty() || a.view == b.view;
    return a.part->isAncestorOf(b.part) || b.part->isAncestorOf(a.part);
}

} // namespace

void KeyBindings::add(const QString& name, const QString& view, QAction* action, QWidget* part) {
    bindings_.push_back({name, view, action, part, action->shortcuts()});
    const QVariantMap keys = remembered_keys();
    if (const auto own = keys.find(name); own != keys.end())
        action->setShortcut(QKeySequence(own->toString(), QKeySequence::PortableText));
}

void KeyBindings::set(const Binding& binding, const QKeySequence& keys) {
    QVariantMap all = remembered_keys();
    all[binding.name] = keys.toString(QKeySequence::PortableText);
    if (binding.first == QList{keys}) // the user wants what it has anyway
        all.remove(binding.name);
    QSettings().setValue(QLatin1String(settings_key), all);
    if (binding.action != nullptr)
        binding.action->setShortcut(keys);
}

void KeyBindings::reset() {
    QSettings().remove(QLatin1String(settings_key));
    for (const Binding& binding : bindings_)
        if (binding.action != nullptr)
            binding.action->setShortcuts(binding.first);
}

QVariantMap KeyBindings::own() const {
    return remembered_keys();
}

QStringList KeyBindings::takeOwn(const QVariantMap& keys) {
    reset();
    QStringList unknown = keys.keys();
    for (const Binding& binding : bindings_)
        if (unknown.removeOne(binding.name))
            set(binding, QKeySequence(keys[binding.name].toString(), QKeySequence::PortableText));
    return unknown;
}

QStringList KeyBindings::conflicts(const Binding& binding) const {
    QStringList names;
    if (binding.action == nullptr || binding.action->shortcuts().isEmpty())
        return names;
    for (const Binding& other : bindings_)
        if (other.action != nullptr && other.action != binding.action && meet(binding, other) &&
            clash(*binding.action, *other.action))
            names << other.name;
    return names;
}

} // namespace tilescope::ui
