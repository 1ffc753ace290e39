// SPDX-License-Identifier: GPL-3.0-or-later
#include "banner.h"

#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

namespace tilescope::ui {

Banner::Banner(QWidget* parent) : QFrame(parent), text_(new QLabel(this)), button_(new QPushButton(this)) {
    setObjectName(QStringLiteral("banner"));
    text_->setObjectName(QStringLiteral("bannerText"));
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    button_->setObjectName(QStringLiteral("bannerAction"));
    auto* close = new QToolButton(this);
    close->setIcon(themeIcon(QStringLiteral("clear"), &Theme::muted));
    close->setToolTip(tr("Close this line"));
    close->setAccessibleName(close->toolTip());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 6, 8, 6);
    row->addWidget(text_, 1);
    row->addWidget(button_);
    row->addWidget(close);
    connect(close, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT closed();
    });
    connect(button_, &QPushButton::clicked, this, [this] {
        const auto act = act_; // it may show another line
        hide();
        Q_EMIT closed();
        act();
    });
    hide();
}

void Banner::show(const Notice& notice) {
    setVisible(!notice.text.isEmpty());
    setProperty("bad", notice.kind == Notice::Kind::Bad);
    style()->polish(this);
    text_->setText(notice.text);
    button_->setText(notice.action);
    button_->setVisible(!notice.action.isEmpty());
    act_ = notice.act;
}

} // namespace tilescope::ui
