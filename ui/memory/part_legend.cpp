// SPDX-License-Identifier: GPL-3.0-or-later
#include "part_legend.h"

#include "ui/widgets/flow_layout.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <utility>

namespace tilescope::ui {
namespace {

QPixmap swatch(const QColor& color) {
    QPixmap pixmap(24, 24);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(4, 4, 16, 16, 4, 4);
    return pixmap;
}

} // namespace

PartLegend::PartLegend(QWidget* parent) : QWidget(parent) {
    setLayout(new FlowLayout(2, 0));
}

void PartLegend::setEntries(std::vector<Entry> entries) {
    entries_ = std::move(entries);
    note_.clear();
    rebuild();
}

void PartLegend::setNote(const QString& note) {
    entries_.clear();
    note_ = note;
    rebuild();
}

void PartLegend::rebuild() {
    while (QLayoutItem* item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Entry& entry : entries_)
        add(entry);
    if (!note_.isEmpty())
        layout()->addWidget(new QLabel(note_));
    updateGeometry();
}

void PartLegend::add(const Entry& entry) {
    const Theme& theme = Theme::of(this);
    auto* button = new QToolButton;
    if (entry.color)
        button->setIcon(QIcon(swatch(entry.color(theme))));
    button->setToolButtonStyle(entry.color ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonTextOnly);
    button->setText(entry.name);
    button->setToolTip(entry.tip);
    if (entry.is_part) {
        button->setObjectName(QStringLiteral("category"));
        button->setCheckable(true);
        button->setChecked(entry.shown);
        connect(button, &QToolButton::toggled, this,
                [this, name = entry.name](bool shown) { Q_EMIT toggled(name, shown); });
    } else {
        button->setObjectName(QStringLiteral("legendKey"));
        button->setAttribute(Qt::WA_TransparentForMouseEvents);
        button->setFocusPolicy(Qt::NoFocus);
        button->setAutoRaise(true);
    }
    layout()->addWidget(button);
}

void PartLegend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild();
}

} // namespace tilescope::ui
