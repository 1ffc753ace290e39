// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/profile_source.h"
#include "ui/session/selection.h"

#include <QIcon>
#include <QJsonObject>
#include <QList>
#include <QWidget>
#include <memory>

class QAction;

namespace tilescope::ui {

/// The files that a view shows: one, or a base and a new one to compare it with.
struct Sources {
    std::shared_ptr<ProfileSource> current; ///< the new, or only, file; null: nothing is open
    std::shared_ptr<ProfileSource> base;    ///< null unless two are compared
};

/// One page of the rail. It asks its sources for what it shows and follows the shared selection.
class View : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;
    virtual QString id() const = 0;    ///< "memory": file name of its picture, key of its state, --view NAME
    virtual QString title() const = 0; ///< "Memory", translated
    virtual QString iconName() const = 0; ///< of the theme
    virtual void setSources(const Sources& sources) = 0;
    virtual void setSelection(SelectionModel* selection) = 0;
    virtual QList<QAction*> viewActions() {
        return actions();
    }                                                    ///< shown in the tool bar while the view is open
    virtual bool offersDetails() const { return false; } ///< the panel at the side is for this view
    virtual QJsonObject saveState() const { return {}; }
    virtual void restoreState(const QJsonObject&) {}
  Q_SIGNALS:
    /// Rich text for the panel at the side: details of what is selected in this view.
    void detailsChanged(const QString& html);
    void message(const QString& text); ///< for the status bar
    /// Show this file; where it is open already, open it anew: a run may have replaced it.
    void fileRequested(const QString& path);
};

} // namespace tilescope::ui
