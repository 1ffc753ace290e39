// SPDX-License-Identifier: GPL-3.0-or-later
#include "missing_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace tilescope::ui {

MissingPage::MissingPage(QWidget* parent)
    : QWidget(parent), reason_(new QLabel(this)), find_(new QPushButton(tr("Find…"), this)) {
    setObjectName(QStringLiteral("missing"));
    reason_->setObjectName(QStringLiteral("missingReason"));
    reason_->setWordWrap(true);
    reason_->setAlignment(Qt::AlignCenter);
    reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* retry = new QPushButton(tr("Try again"), this);
    auto* close = new QPushButton(tr("Close"), this);
    find_->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    for (QPushButton* button : {find_, retry, close})
        buttons->addWidget(button);
    buttons->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(40, 40, 40, 40);
    layout->setSpacing(16);
    layout->addStretch(2);
    layout->addWidget(reason_);
    layout->addLayout(buttons);
    layout->addStretch(3);
    setFocusProxy(find_);
    connect(find_, &QPushButton::clicked, this, &MissingPage::findRequested);
    connect(retry, &QPushButton::clicked, this, &MissingPage::retryRequested);
    connect(close, &QPushButton::clicked, this, &MissingPage::closeRequested);
}

void MissingPage::setReason(const QString& reason) {
    reason_->setText(reason);
}

} // namespace tilescope::ui
