// SPDX-License-Identifier: GPL-3.0-or-later
#include "rail.h"

#include "ui/session/view.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace tilescope::ui {

namespace {
constexpr int group_gap = 8;
}

Rail::Rail(const QList<ViewPlace>& places, const std::function<QString(int)>& keys, QWidget* parent)
    : QScrollArea(parent), column_(nullptr) {
    setObjectName(QStringLiteral("rail"));
    setAccessibleName(tr("Views"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* list = new QWidget;
    list->setObjectName(QStringLiteral("railList"));
    column_ = new QVBoxLayout(list);
    column_->setContentsMargins(6, 6, 6, 6);
    column_->setSpacing(1);
    for (int i = 0; i < places.size(); ++i) {
        if (i > 0 && places[i].group != places[i - 1].group)
            column_->addSpacing(group_gap);
        const View* view = places[i].view;
        auto* button = new QToolButton;
        button->setIcon(themeIcon(view->iconName(), &Theme::muted, &Theme::accent));
        constexpr int icon = 18;
        constexpr double text_share = 0.88; // of the size of other text
        button->setIconSize({icon, icon});
        QFont small = button->font();
        small.setPointSizeF(small.pointSizeF() * text_share);
        button->setFont(small);
        button->setText(view->title());
        button->setToolTip(QStringLiteral("%1 (%2)").arg(view->title(), keys(i)));
        button->setCheckable(true);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        buttons_.addButton(button, i);
        column_->addWidget(button);
    }
    column_->addStretch();
    setWidget(list);
    showNames(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    connect(&buttons_, &QButtonGroup::idClicked, this, &Rail::chosen);
}

void Rail::setCurrent(int view) {
    buttons_.button(view)->setChecked(true);
    ensureWidgetVisible(buttons_.button(view), 0, 0);
    setFocusProxy(buttons_.button(view));
}

void Rail::showNames(bool names) {
    names_ = names;
    for (QAbstractButton* button : buttons_.buttons())
        static_cast<QToolButton*>(button)->setToolButtonStyle(names ? Qt::ToolButtonTextUnderIcon
                                                                    : Qt::ToolButtonIconOnly);
    column_->invalidate();
    if (names)
        height_with_names_ = column_->sizeHint().height();
    updateGeometry();
}

void Rail::fit() {
    const bool names = height() >= height_with_names_;
    if (names != names_)
        showNames(names);
}

QSize Rail::sizeHint() const {
    const bool scrolls = column_->sizeHint().height() > height();
    return {column_->sizeHint().width() + (scrolls ? verticalScrollBar()->sizeHint().width() : 0) + 1, 100};
}

void Rail::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    fit();
    updateGeometry();
}

void Rail::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    if (event->type() != QEvent::FontChange || column_ == nullptr)
        return;
    showNames(true); // as tall as that is now
    fit();
}

/// Up and Down go from view to view, as in a list.
void Rail::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    const int next = buttons_.checkedId() + step;
    if (step == 0 || buttons_.button(next) == nullptr)
        return QScrollArea::keyPressEvent(event);
    Q_EMIT chosen(next);
    buttons_.button(next)->setFocus(Qt::TabFocusReason);
}

} // namespace tilescope::ui
