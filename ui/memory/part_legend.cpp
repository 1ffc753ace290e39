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

/// Of what is left out the outline is left.
QPixmap swatch(const QColor& color, bool shown) {
    QPixmap pixmap(24, 24);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(shown ? QPen(Qt::NoPen) : QPen(color, 2));
    painter.setBrush(shown ? QBrush(color) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(shown ? QRectF(4, 4, 16, 16) : QRectF(5, 5, 14, 14), 4, 4);
    return pixmap;
}

/// As other legends do, also where there is no colour that could tell.
void mark(QToolButton* button, const PartLegend::Entry& entry, bool shown) {
    if (entry.color)
        button->setIcon(QIcon(swatch(entry.color(Theme::of(button)), shown)));
    QFont words = button->font();
    words.setStrikeOut(!shown);
    button->setFont(words);
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
    auto* button = new QToolButton(this);
    mark(button, entry, entry.shown);
    button->setToolButtonStyle(entry.color ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonTextOnly);
    button->setText(entry.name);
    button->setToolTip(entry.tip);
    if (entry.is_part) {
        button->setObjectName(QStringLiteral("category"));
        button->setCheckable(true);
        button->setChecked(entry.shown);
        connect(button, &QToolButton::toggled, this, [this, button, entry](bool shown) {
            mark(button, entry, shown);
            Q_EMIT toggled(entry.name, shown);
        });
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
