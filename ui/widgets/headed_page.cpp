// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/headed_page.h"

#include "ui/widgets/yielding_split.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

/// Two items: the second at the right of the first, or below it.
class HeadLayout : public QLayout {
  public:
    using QLayout::QLayout;
    ~HeadLayout() override { qDeleteAll(items_); }
    HeadLayout(const HeadLayout&) = delete;
    HeadLayout& operator=(const HeadLayout&) = delete;
    void addItem(QLayoutItem* item) override { items_.append(item); }
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override { return items_.value(index); }
    QLayoutItem* takeAt(int index) override {
        return index >= 0 && index < count() ? items_.takeAt(index) : nullptr;
    }
    Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override {
        const QMargins around = contentsMargins();
        const int room = width - around.left() - around.right();
        const int box = items_[1]->sizeHint().height();
        const int high = below(room)
                             ? headingHigh(room) + spacing() + box
                             : std::max(headingHigh(room - items_[1]->sizeHint().width() - spacing()), box);
        return high + around.top() + around.bottom();
    }
    QSize sizeHint() const override {
        const QSize heading = items_[0]->sizeHint();
        const QSize box = items_[1]->sizeHint();
        return QSize(heading.width() + spacing() + box.width(), std::max(heading.height(), box.height()))
            .grownBy(contentsMargins());
    }
    QSize minimumSize() const override {
        return items_[1]
            ->minimumSize()
            .expandedTo({items_[0]->minimumSize().width(), 0})
            .grownBy(contentsMargins());
    }
    void setGeometry(const QRect& rect) override {
        QLayout::setGeometry(rect);
        const QRect room = rect.marginsRemoved(contentsMargins());
        const QSize box(std::min(items_[1]->sizeHint().width(), room.width()),
                        items_[1]->sizeHint().height());
        if (below(room.width())) {
            const int heading = room.height() - spacing() - box.height();
            items_[0]->setGeometry({room.topLeft(), QSize(room.width(), heading)});
            items_[1]->setGeometry({QPoint(room.left(), room.top() + heading + spacing()), box});
        } else {
            const int heading = room.width() - spacing() - box.width();
            items_[0]->setGeometry({room.topLeft(), QSize(heading, room.height())});
            items_[1]->setGeometry(
                {QPoint(room.left() + heading + spacing(), room.top() + (room.height() - box.height()) / 2),
                 box});
        }
    }

  private:
    bool below(int width) const {
        constexpr double part_of_heading = 0.6;
        return items_[1]->sizeHint().width() > (1 - part_of_heading) * width;
    }
    int headingHigh(int width) const {
        return items_[0]->hasHeightForWidth() ? items_[0]->heightForWidth(width)
                                              : items_[0]->sizeHint().height();
    }
    QList<QLayoutItem*> items_;
};

} // namespace

QWidget* headedPage(std::initializer_list<QWidget*> head, QWidget* upper, QWidget* lower, int upper_share,
                    int lower_share) {
    constexpr int unit = 200; // pixels, where there is room
    constexpr int least_height = 520;
    QSplitter* split = nullptr;
    if (upper_share > lower_share) {
        split = new YieldingSplit(upper, lower, least_height);
    } else {
        split = new QSplitter(Qt::Vertical);
        split->addWidget(upper);
        split->addWidget(lower);
    }
    split->setStretchFactor(0, upper_share);
    split->setStretchFactor(1, lower_share);
    split->setSizes({unit * upper_share, unit * lower_share});
    split->setCollapsible(0, false);
    return headedPage(head, split);
}

QWidget* headedPage(std::initializer_list<QWidget*> head, QSplitter* parts) {
    auto* box = new QWidget;
    auto* lines = new QVBoxLayout(box);
    lines->setContentsMargins(16, 10, 16, 8);
    lines->setSpacing(8);
    for (QWidget* line : head)
        lines->addWidget(line);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(box);
    layout->addWidget(parts, 1);
    return page;
}

QWidget* headRow(QWidget* heading, const QList<QWidget*>& choosers) {
    auto* row = new QWidget;
    auto* box = new QWidget;
    auto* line = new QHBoxLayout(box);
    line->setContentsMargins({});
    for (QWidget* chooser : choosers)
        line->addWidget(chooser);
    auto* both = new HeadLayout(row);
    both->setContentsMargins({});
    both->addWidget(heading);
    both->addWidget(box);
    return row;
}

void fillScrolling(QWidget* view, QWidget* page) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    auto* layout = new QVBoxLayout(view);
    layout->setContentsMargins({});
    layout->addWidget(scroll);
}

} // namespace tilescope::ui
