// SPDX-License-Identifier: GPL-3.0-or-later
#include "go_hints.h"

#include "takes_letters.h"
#include "ui/session/format.h"
#include "ui/session/view.h"
#include "ui/theme/themed_label.h"

#include <QApplication>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>

namespace tilescope::ui {
namespace {

constexpr int columns = 4;

} // namespace

GoHints::GoHints(const QList<ViewPlace>& places, QWidget* window) : QFrame(window) {
    setObjectName(QStringLiteral("goHints"));
    setProperty("card", true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(18, 12, 18, 14);
    grid->setHorizontalSpacing(22);
    auto* head = new ThemedLabel;
    head->setHtml(tr("<b>Go to</b> <span style='color:@muted'>the letter after G; Esc stays here</span>"));
    grid->addWidget(head, 0, 0, 1, columns);
    const int rows = (static_cast<int>(places.size()) + columns - 1) / columns;
    for (int i = 0; i < places.size(); ++i) {
        auto* label = new ThemedLabel;
        label->setHtml(inHtml(QStringLiteral("<b style='color:@accent'>%1</b>&nbsp;&nbsp;%2"),
                              {places[i].letter, places[i].view->title()}));
        grid->addWidget(label, 1 + i % rows, i / rows);
    }
    wait_.setSingleShot(true);
    wait_.setInterval(after_ms);
    connect(&wait_, &QTimer::timeout, this, &GoHints::appear);
    hide();
    qApp->installEventFilter(this);
}

void GoHints::appear() {
    adjustSize();
    const QWidget* window = parentWidget();
    move((window->width() - width()) / 2, window->height() - height() - 4 * fontMetrics().height());
    show();
    raise();
}

void GoHints::end() {
    wait_.stop();
    hide();
}

/// A key that begins a shortcut of several reaches nobody but as the question whether it is one. Of the next
/// one sees the shortcut, or, where the two are none, only that it is let go.
bool GoHints::eventFilter(QObject* of, QEvent* event) {
    const auto* widget = qobject_cast<const QWidget*>(of);
    switch (event->type()) {
    case QEvent::ShortcutOverride: {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool starts = key->key() == Qt::Key_G && key->modifiers() == Qt::NoModifier &&
                            widget != nullptr && widget->window() == window() &&
                            !takesLetters(QApplication::focusWidget());
        starts ? wait_.start() : end();
        break;
    }
    case QEvent::KeyRelease:
        if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_G)
            end();
        break;
    case QEvent::Shortcut:
    case QEvent::KeyPress:
    case QEvent::MouseButtonPress:
    case QEvent::Wheel:
    case QEvent::WindowDeactivate:
        end();
        break;
    default:
        break;
    }
    return false;
}

} // namespace tilescope::ui
