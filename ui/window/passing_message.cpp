// SPDX-License-Identifier: GPL-3.0-or-later
#include "passing_message.h"

#include "ui/session/format.h"
#include "ui/widgets/told_news.h"

#include <QEvent>
#include <QTimer>

namespace tilescope::ui {

PassingMessage::PassingMessage(QWidget* parent) : QLabel(parent), passing_(new QTimer(this)) {
    setObjectName(QStringLiteral("passingMessage"));
    setTextFormat(Qt::PlainText);
    setContentsMargins(16, 0, 8, 0);                             // apart from the state of the file
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // it takes what the state leaves
    passing_->setSingleShot(true);
    connect(passing_, &QTimer::timeout, this, [this] {
        message_.clear();
        write();
    });
}

QString PassingMessage::whole() const {
    return pointed_.isEmpty() ? message_ : pointed_;
}

void PassingMessage::say(const QString& message) {
    constexpr int lasts_ms = 8000;
    message_ = message.simplified();
    passing_->start(lasts_ms);
    tellNews(*this, message_);
    write();
}

void PassingMessage::pointAt(const QString& what) {
    pointed_ = what.simplified();
    write();
}

void PassingMessage::write() {
    const QString all = whole();
    setText(fontMetrics().elidedText(all, Qt::ElideRight, contentsRect().width()));
    setToolTip(text() == all ? QString() : inHtml(QStringLiteral("<p>%1</p>"), {all}));
    setAccessibleName(all);
}

void PassingMessage::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    write();
}

void PassingMessage::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        write();
}

} // namespace tilescope::ui
