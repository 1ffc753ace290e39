// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/yielding_split.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QEvent>
#include <QLayout>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

/// Shows as much of a widget, from its top, as there is height for: what is in that is not squeezed.
class UpperPart : public QWidget {
  public:
    explicit UpperPart(QWidget* whole) : whole_(whole) {
        const bool hidden = whole->testAttribute(Qt::WA_WState_ExplicitShowHide) && whole->isHidden();
        whole->setParent(this);
        whole->setVisible(!hidden);
        if (hidden)
            hide();
        whole->installEventFilter(this);
    }
    QSize sizeHint() const override { return whole_->sizeHint(); }
    QSize minimumSizeHint() const override {
        return whole_->minimumSizeHint().expandedTo(whole_->minimumSize());
    }

  protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        place();
    }
    bool event(QEvent* event) override {
        const bool taken = QWidget::event(event);
        if (event->type() == QEvent::LayoutRequest) {
            updateGeometry();
            place();
        }
        return taken;
    }
    bool eventFilter(QObject* of, QEvent* event) override {
        if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)
            setVisible(event->type() == QEvent::ShowToParent);
        return QWidget::eventFilter(of, event);
    }

  private:
    void place() { whole_->setGeometry(0, 0, width(), std::max(height(), minimumSizeHint().height())); }
    QWidget* whole_;
};

} // namespace

YieldingSplit::YieldingSplit(QWidget* upper, QWidget* lower, int least_height)
    : RoomySplit(Qt::Vertical), least_height_(least_height) {
    addWidget(upper);
    addWidget(new UpperPart(lower));
    setCollapsible(0, false);
    connect(qApp, &QApplication::focusChanged, &whole_, [this](const QWidget*, const QWidget* now) {
        if (now == nullptr || !isAncestorOf(now))
            return; // a menu, another window
        const bool opened = now == widget(1) || widget(1)->isAncestorOf(now);
        if (std::exchange(opened_, opened) == opened)
            return;
        dragged_ = false;
        share();
    });
    connect(this, &QSplitter::splitterMoved, this, [this] {
        dragged_ = folds_;
        tall_ = false;
    });
    watchTabs();
}

void YieldingSplit::watchTabs() {
    for (const QTabBar* tabs : widget(1)->findChildren<QTabBar*>())
        connect(tabs, &QTabBar::tabBarClicked, this, [this] {
            if (!folded_)
                return;
            for (QAbstractItemView* rows : widget(1)->findChildren<QAbstractItemView*>())
                if (rows->isVisible())
                    return rows->setFocus();
            widget(1)->setFocus();
        });
}

/// Of the lower part: its tabs and what stands above them.
int YieldingSplit::headHeight() const {
    const QWidget* lower = widget(1);
    int height = 0;
    for (const QTabBar* tabs : lower->findChildren<QTabBar*>())
        if (tabs->isVisibleTo(lower)) { // a page that is shown may have others, further down
            const int end = tabs->mapTo(lower, QPoint(0, tabs->height())).y();
            height = height == 0 ? end : std::min(height, end);
        }
    return height > 0 ? height : 2 * fontMetrics().height();
}

/// Lines in it may break where it is narrow.
int YieldingSplit::leastOfUpper() const {
    const QWidget* upper = widget(0);
    const QLayout* in = upper->layout();
    const int lines = in != nullptr && in->hasHeightForWidth() ? in->minimumHeightForWidth(width()) : 0;
    return std::max(upper->minimumSizeHint().height(), lines);
}

void YieldingSplit::share() {
    if (!isVisible() || widget(1)->isHidden())
        return;
    const bool folded_before = folds_;
    folds_ = height() < std::max(least_height_, leastOfUpper() + widget(1)->minimumSizeHint().height());
    folded_ = folds_ && !opened_;
    if (!folds_) {
        if (folded_before) {
            widget(1)->setMinimumHeight(0);
            setRoomySizes(roomy_);
        }
        giveMost();
        roomy_ = roomySizes();
        return;
    }
    if (dragged_)
        return;
    const int all = height() - handleWidth();
    const int least = folded_ ? headHeight() : 0; // 0: as the layout of what is in it says
    if (widget(1)->minimumHeight() != least) {
        widget(1)->setMinimumHeight(least);
        QTimer::singleShot(0, this, &YieldingSplit::share); // what is above the tabs is laid out by then
    }
    const int upper = folded_ ? all - least : std::max(leastOfUpper(), all / 3);
    if (const QList<int> wanted{upper, all - upper}; sizes() != wanted)
        setSizes(wanted);
}

void YieldingSplit::giveMostTo(const QWidget* page, const QTabWidget& tabs) {
    connect(&tabs, &QTabWidget::currentChanged, this, [this, page, tabs = &tabs] {
        picture_ = tabs->currentWidget() == page;
        if (!tall_) // where it is, these are still the sizes beside it
            beside_tall_.clear();
        share();
    });
}

void YieldingSplit::giveMost() {
    const int all = height() - handleWidth();
    if (picture_ && beside_tall_.isEmpty()) {
        beside_tall_ = sizes();
        const int upper = std::max(leastOfUpper(), all * 2 / 5);
        tall_ = upper < beside_tall_.first();
        if (tall_)
            setSizes({upper, all - upper});
    } else if (!picture_ && std::exchange(tall_, false)) {
        setSizes(beside_tall_);
    }
}

void YieldingSplit::setRoomySizes(const QList<int>& sizes) {
    roomy_ = sizes;
    tall_ = false;
    beside_tall_.clear();
    if (!folds_ && !sizes.isEmpty())
        setSizes(sizes);
}

void YieldingSplit::resizeEvent(QResizeEvent* event) {
    RoomySplit::resizeEvent(event);
    share();
}

bool YieldingSplit::event(QEvent* event) {
    const bool taken = RoomySplit::event(event);
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show)
        share();
    return taken;
}

} // namespace tilescope::ui
