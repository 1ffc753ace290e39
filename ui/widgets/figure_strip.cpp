// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figure_strip.h"

#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/judged_text.h"

#include <QBoxLayout>
#include <QLabel>
#include <utility>

namespace tilescope::ui {
namespace {

QWidget* figureWidget(const FigureStrip::Figure& figure, bool brief) {
    auto* widget = new QWidget;
    auto* layout = new QBoxLayout(brief ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom, widget);
    layout->setContentsMargins({});
    layout->setSpacing(brief ? widget->fontMetrics().averageCharWidth() : 0);
    auto* name = new QLabel(figure.name);
    name->setForegroundRole(QPalette::PlaceholderText);
    QString text = inHtml(brief ? QStringLiteral("<b>%1</b>")
                                : QStringLiteral("<span style='font-size:large; font-weight:600'>%1</span>"),
                          {figure.value});
    if (!figure.change.isEmpty())
        text += QStringLiteral("&nbsp;&nbsp;") + judgedHtml(figure.change, figure.better);
    if (!figure.remark.isEmpty() && !brief)
        text += inHtml(QStringLiteral("&nbsp;&nbsp;<span style='color:@muted'>%1</span>"), {figure.remark});
    auto* value = new ThemedLabel(text);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(name);
    layout->addWidget(value);
    widget->setToolTip(figure.tip);
    return widget;
}

} // namespace

FigureStrip::FigureStrip(QWidget* parent) : QWidget(parent) {
    setLayout(new FlowLayout(fontMetrics().height() * 2, fontMetrics().height() / 3));
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void FigureStrip::setFigures(const std::vector<Figure>& figures) {
    figures_ = figures;
    fill();
}

void FigureStrip::setBrief(bool brief) {
    if (std::exchange(brief_, brief) != brief)
        fill();
}

void FigureStrip::fill() {
    while (QLayoutItem* item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Figure& figure : figures_)
        layout()->addWidget(figureWidget(figure, brief_));
    updateGeometry();
}

} // namespace tilescope::ui
