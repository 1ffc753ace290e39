// SPDX-License-Identifier: GPL-3.0-or-later
#include "rail.h"

#include "ui/session/view.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

namespace {
constexpr int group_gap = 3;
constexpr int margin = 3;

/// With a dot at its corner, or none.
class RailButton : public QToolButton {
  public:
    void mark(bool marked) {
        marked_ = marked;
        update();
    }

  protected:
    void paintEvent(QPaintEvent* event) override {
        QToolButton::paintEvent(event);
        if (!marked_)
            return;
        const double across = iconSize().width() * 0.35;
        const double beside = width() / 2.0 + iconSize().width() / 2.0 + across / 2 + 1;
        const QPointF at(std::min(beside, width() - across / 2 - 1), across / 2 + 4);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(Theme::of(this).warning);
        painter.drawEllipse(at, across / 2, across / 2);
    }

  private:
    bool marked_ = false;
};
} // namespace

Rail::Rail(const QList<ViewPlace>& places, const std::function<QString(int)>& keys, QWidget* parent)
    : QScrollArea(parent), places_(places), keys_(keys), column_(nullptr) {
    setObjectName(QStringLiteral("rail"));
    setAccessibleName(tr("Views"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* list = new QWidget;
    list->setObjectName(QStringLiteral("railList"));
    column_ = new QVBoxLayout(list);
    column_->setContentsMargins(margin, margin, margin, margin);
    column_->setSpacing(0);
    for (int i = 0; i < places.size(); ++i) {
        if (i > 0 && places[i].group != places[i - 1].group)
            column_->addSpacing(group_gap);
        const View* view = places[i].view;
        auto* button = new RailButton;
        button->setIcon(themeIcon(view->iconName(), &Theme::muted, &Theme::accent));
        constexpr double text_share = 0.82; // of the size of other text
        QFont small = button->font();
        small.setPointSizeF(small.pointSizeF() * text_share);
        button->setFont(small);
        button->setText(view->title());
        button->setCheckable(true);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        buttons_.addButton(button, i);
        column_->addWidget(button);
    }
    column_->addStretch();
    setWidget(list);
    setFileOpen(false);
    showNames(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    connect(&buttons_, &QButtonGroup::idClicked, this, &Rail::chosen);
}

void Rail::setCurrent(int view) {
    QAbstractButton* button = buttons_.button(view);
    if (button != nullptr) {
        button->setChecked(true);
        ensureWidgetVisible(button, 0, 0);
        return setFocusProxy(button);
    }
    buttons_.setExclusive(false); // else one stays checked
    for (QAbstractButton* each : buttons_.buttons()) {
        each->setChecked(false);
        if (button == nullptr && each->isEnabled())
            button = each;
    }
    buttons_.setExclusive(true);
    setFocusProxy(button);
}

void Rail::setFileOpen(bool open) {
    open_ = open;
    writeTips();
}

void Rail::setMarks(const QMap<QString, QString>& marks) {
    marks_ = marks;
    writeTips();
}

void Rail::writeTips() {
    for (int i = 0; i < places_.size(); ++i) {
        const View& view = *places_[i].view;
        auto* button = static_cast<RailButton*>(buttons_.button(i));
        const bool usable = open_ || !view.needsFile();
        const QString mark = usable ? marks_.value(view.id()) : QString();
        const QString tip =
            usable ? QStringLiteral("%1 (%2)").arg(view.title(), keys_(i)) : tr("Open a profile first");
        button->setEnabled(usable);
        button->setToolTip(mark.isEmpty() ? tip : QStringLiteral("%1\n%2").arg(tip, mark));
        button->setAccessibleDescription(mark);
        button->mark(!mark.isEmpty());
    }
}

void Rail::showNames(bool names) {
    names_ = names;
    const double lines = names ? 1.0 : 1.2; // alone they are all that one sees of a view
    const int icon = static_cast<int>(std::lround(lines * fontMetrics().height()));
    for (QAbstractButton* button : buttons_.buttons()) {
        static_cast<QToolButton*>(button)->setToolButtonStyle(names ? Qt::ToolButtonTextUnderIcon
                                                                    : Qt::ToolButtonIconOnly);
        button->setIconSize({icon, icon});
    }
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
    const int now = buttons_.checkedId();
    QAbstractButton* next = buttons_.button(now + step);
    if (step == 0 || now < 0 || next == nullptr || !next->isEnabled())
        return QScrollArea::keyPressEvent(event);
    Q_EMIT chosen(now + step);
    next->setFocus(Qt::TabFocusReason);
}

} // namespace tilescope::ui
