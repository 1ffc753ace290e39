// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/headed_page.h"

#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

namespace tilescope::ui {

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

void fillScrolling(QWidget* view, QWidget* page) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    auto* layout = new QVBoxLayout(view);
    layout->setContentsMargins({});
    layout->addWidget(scroll);
}

} // namespace tilescope::ui
