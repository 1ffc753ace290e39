// SPDX-License-Identifier: GPL-3.0-or-later
#include "showing_switch.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace tilescope::ui {

ShowingSwitch::ShowingSwitch(QWidget* parent) : QWidget(parent), buttons_(new QButtonGroup(this)) {
    setObjectName(QStringLiteral("showing"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->setSpacing(0);
    const std::pair<QString, QString> names[] = {
        {tr("New"), tr("Show the file in front alone (B goes on)")},
        {tr("Base"), tr("Show the base alone (B goes on)")},
        {tr("Both"), tr("Show the base behind or beside the file in front (B goes on)")},
        {tr("Difference"), tr("Show what is more or less than in the base (B goes on)")}};
    int id = 0;
    for (const auto& [name, tip] : names) {
        auto* button = new QToolButton;
        button->setText(name);
        button->setToolTip(tip);
        button->setCheckable(true);
        button->setObjectName(QStringLiteral("showing%1").arg(name));
        buttons_->addButton(button, id++);
        row->addWidget(button);
    }
    connect(buttons_, &QButtonGroup::idClicked, this, [this](int which) { Q_EMIT chosen(Showing(which)); });
}

void ShowingSwitch::setCurrent(Showing showing) {
    buttons_->button(static_cast<int>(showing))->setChecked(true);
}

} // namespace tilescope::ui
