// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/headed_page.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

class HeadRow : public QWidget {
  public:
    HeadRow(QWidget* heading, const QList<QWidget*>& choosers)
        : line_(new QHBoxLayout(this)), box_(new QWidget) {
        line_->setContentsMargins({});
        line_->addWidget(heading, 1);
        line_->addWidget(box_, 0, Qt::AlignLeft);
        auto* row = new QHBoxLayout(box_);
        row->setContentsMargins({});
        for (QWidget* chooser : choosers)
            row->addWidget(chooser);
    }

  protected:
    void resizeEvent(QResizeEvent* event) override {
        constexpr double part_of_heading = 0.6;
        const bool below = box_->sizeHint().width() > (1 - part_of_heading) * width();
        line_->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        QWidget::resizeEvent(event);
    }

  private:
    QBoxLayout* line_;
    QWidget* box_;
};

} // namespace

QWidget* headedPage(std::initializer_list<QWidget*> head, QWidget* upper, QWidget* lower, int upper_share,
                    int lower_share) {
    constexpr int unit = 200; // pixels, where there is room
    auto* box = new QWidget;
    auto* lines = new QVBoxLayout(box);
    lines->setContentsMargins(16, 10, 16, 8);
    lines->setSpacing(8);
    for (QWidget* line : head)
        lines->addWidget(line);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(upper);
    split->addWidget(lower);
    split->setStretchFactor(0, upper_share);
    split->setStretchFactor(1, lower_share);
    split->setSizes({unit * upper_share, unit * lower_share});
    split->setCollapsible(0, false);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(box);
    layout->addWidget(split, 1);
    return page;
}

QWidget* headRow(QWidget* heading, const QList<QWidget*>& choosers) {
    return new HeadRow(heading, choosers);
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
