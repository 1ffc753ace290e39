// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_stack.h"

#include "ui/session/format.h"
#include "ui/theme/whole_figures.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace tilescope::ui {

PageStack::PageStack(QWidget* page, QWidget* view)
    : QStackedWidget(view), text_(new QLabel), offer_(new QPushButton) {
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAlignment(Qt::AlignLeft);
    text_->setWordWrap(true); // a sentence must not widen the window
    offer_->setObjectName(QStringLiteral("pageOffer"));
    offer_->hide();
    connect(offer_, &QPushButton::clicked, this, [this] { done_(); });
    auto* middle = new QWidget;
    auto* column = new QVBoxLayout(middle);
    column->setSpacing(12);
    column->addStretch();
    column->addWidget(text_, 0, Qt::AlignHCenter);
    column->addWidget(offer_, 0, Qt::AlignHCenter);
    column->addStretch();
    addWidget(middle);
    addWidget(page);
    auto* layout = new QVBoxLayout(view);
    layout->setContentsMargins({});
    layout->addWidget(this);
}

void PageStack::setText(const QString& html) {
    offer_->hide();
    text_->setText(keepFiguresWholeInHtml(html));
}

void PageStack::setText(const Error& error) {
    if (error.kind != ErrorKind::Cancelled)
        setText(asHtml(error.line()));
}

void PageStack::showText(const QString& html) {
    setText(html);
    showText();
}

void PageStack::showText(const QString& html, const QString& offer, std::function<void()> done) {
    showText(html);
    done_ = std::move(done);
    offer_->setText(offer);
    offer_->setVisible(done_ != nullptr);
}

} // namespace tilescope::ui
