// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include "ui/theme/themed_label.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/judged_text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QVBoxLayout>

namespace tilescope::ui {

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent), body_(new QVBoxLayout(this)), title_(new QLabel(this)) {
    setProperty("card", true);
    body_->setContentsMargins(16, 12, 16, 14);
    body_->setSpacing(8);
    QFont bold = title_->font();
    bold.setWeight(QFont::DemiBold);
    title_->setFont(bold);
    title_->setWordWrap(true);
    body_->addWidget(title_);
    setTitle(title);
}

void Card::setTitle(const QString& title) {
    title_->setText(title);
    title_->setVisible(!title.isEmpty());
}

FigureCard::FigureCard(const QString& name, QWidget* parent)
    : QFrame(parent), name_(new QLabel(this)), chevron_(new QLabel(QStringLiteral("›"), this)),
      value_(new QLabel(this)), change_(new ThemedLabel(this)), remark_(new QLabel(this)) {
    setProperty("card", true);
    setName(name);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(2);
    name_->setForegroundRole(QPalette::PlaceholderText);
    QFont big = value_->font();
    big.setPointSizeF(big.pointSizeF() * 1.75);
    big.setWeight(QFont::DemiBold);
    value_->setFont(big);
    value_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    remark_->setForegroundRole(QPalette::PlaceholderText);
    remark_->setWordWrap(true);
    chevron_->setForegroundRole(QPalette::PlaceholderText);
    chevron_->hide();
    auto* top = new QHBoxLayout;
    top->addWidget(name_, 1);
    top->addWidget(chevron_);
    layout->addLayout(top);
    layout->addWidget(value_);
    layout->addWidget(change_);
    layout->addWidget(remark_);
    layout->addStretch();
    change_->hide();
}

void FigureCard::setName(const QString& name) {
    name_->setText(name);
    setAccessibleName(name);
}

void FigureCard::setLink(const QString& tip) {
    link_ = !tip.isEmpty();
    chevron_->setVisible(link_);
    setToolTip(tip);
    if (link_)
        setFocusPolicy(Qt::StrongFocus);
    link_ ? setCursor(Qt::PointingHandCursor) : unsetCursor();
    value_->setTextInteractionFlags(link_ ? Qt::NoTextInteraction // a click is the card's
                                          : Qt::TextSelectableByMouse);
}

void FigureCard::mouseReleaseEvent(QMouseEvent* event) {
    if (link_ && event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
        return Q_EMIT activated();
    QFrame::mouseReleaseEvent(event);
}

void FigureCard::keyPressEvent(QKeyEvent* event) {
    if (link_ &&
        (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space))
        return Q_EMIT activated();
    QFrame::keyPressEvent(event);
}

void FigureCard::setFigure(const QString& value, const QString& remark) {
    value_->setText(value);
    remark_->setText(keepFiguresWhole(remark));
    setAccessibleDescription(value + QLatin1Char(' ') + remark);
}

QString FigureCard::value() const {
    return value_->text();
}

void FigureCard::setChange(const QString& change, int better) {
    change_->setHtml(judgedHtml(change, better));
    change_->setVisible(!change.isEmpty());
}

} // namespace tilescope::ui
