// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_field.h"

#include "ui/widgets/leave_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

namespace tilescope::ui {

TileField::TileField(const QString& name, QWidget* parent)
    : QWidget(parent), field_(new QLineEdit), wrong_(new QLabel) {
    field_->setObjectName(name);
    field_->setAccessibleName(tr("Tiles"));
    field_->setPlaceholderText(tr("tiles: all"));
    field_->setToolTip(tr("Tiles by number: 0-63, 700 or IPU 3: 45 or fullest or fullest 5"));
    field_->setClearButtonEnabled(true);
    field_->setFixedWidth(fontMetrics().averageCharWidth() * 24);
    wrong_->setProperty("error", QStringLiteral("text"));
    wrong_->hide();
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->addWidget(field_);
    row->addWidget(wrong_);
    setFocusProxy(field_);
    connect(field_, &QLineEdit::editingFinished, this, [this] { Q_EMIT typed(field_->text()); });
    leaveFieldBy({Qt::Key_Escape}, field_, [this] {
        setWrong({});
        field_->setText(chosen_);
        Q_EMIT left();
    });
}

/// A widget that goes gives up the focus, and its proxy would tell of it those who have gone already.
TileField::~TileField() {
    field_->disconnect(this);
}

void TileField::setText(const QString& text) {
    setWrong({});
    chosen_ = text;
    if (!field_->hasFocus() || !text.isEmpty())
        field_->setText(text);
}

void TileField::setWrong(const QString& text) {
    wrong_->setText(text);
    wrong_->setVisible(!text.isEmpty());
}

} // namespace tilescope::ui
