// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_page.h"

#include <QLabel>
#include <QVBoxLayout>

namespace tilescope::ui {

EmptyPage::EmptyPage(QWidget* parent) : QWidget(parent), text_(new QLabel(this)) {
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAlignment(Qt::AlignLeft);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text_, 0, Qt::AlignCenter);
}

void EmptyPage::setText(const QString& html) {
    text_->setText(html);
}

} // namespace tilescope::ui
