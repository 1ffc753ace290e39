// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QVariantMap>
#include <vector>

class QWidget;

namespace tilescope::ui {

/// The keys of all commands: those they have at first, and those that the user has given them, which the
/// settings remember by the command's name.
class KeyBindings {
  public:
    struct Binding {
        QString name;              ///< "Program: Expand all"
        QString view;              ///< in which alone its keys work; "": everywhere
        QPointer<QAction> action;  ///< null: what it was of is gone
        QPointer<QWidget> part;    ///< of the view, in which alone its keys work; null: in all of it
        QList<QKeySequence> first; ///< its keys unless the user has given it others
    };
    /// The action has its first keys; those that are remembered take their place.
    void add(const QString& name, const QString& view, QAction* action, QWidget* part = nullptr);
    const std::vector<Binding>& all() const { return bindings_; }
    void set(const Binding& binding, const QKeySequence& keys); ///< and remembers it; empty: it has none
    void reset();                                               ///< to those of the first time
    QVariantMap own() const;                                    ///< what the user has given, by command
    /// Those in place of what the user has given; which commands are not known.
    QStringList takeOwn(const QVariantMap& keys);
    /// The names of others that the same keys would do at the same time, or that begin with them.
    QStringList conflicts(const Binding& binding) const;

  private:
    std::vector<Binding> bindings_;
};

} // namespace tilescope::ui
