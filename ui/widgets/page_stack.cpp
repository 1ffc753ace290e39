// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_stack.h"

#include <QLabel>
#include <QVBoxLayout>

namespace tilescope::ui {

PageStack::PageStack(QWidget* page, QWidget* view) : QStackedWidget(view), text_(new QLabel) {
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAlignment(Qt::AlignLeft);
    auto* middle = new QWidget;
    (new QVBoxLayout(middle))->addWidget(text_, 0, Qt::AlignCenter);
    addWidget(middle);
    addWidget(page);
    auto* layout = new QVBoxLayout(view);
    layout->setContentsMargins({});
    layout->addWidget(this);
}

void PageStack::setText(const QString& html) {
    text_->setText(html);
}

void PageStack::setText(const Error& error) {
    if (error.kind != ErrorKind::Cancelled)
        setText(QString::fromStdString(error.line()).toHtmlEscaped());
}

void PageStack::showText(const QString& html) {
    setText(html);
    showText();
}

} // namespace tilescope::ui
