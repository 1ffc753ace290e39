// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/totals_panel.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/share_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {

TotalsPanel::TotalsPanel(QWidget* parent) : QWidget(parent) {
    headline_ = new QLabel(this);
    headline_->setObjectName(QStringLiteral("rangeHeadline"));
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bar_ = new ShareBar(this);
    tabs_ = new QTabBar(this);
    tabs_->addTab(tr("By operation"));
    tabs_->addTab(tr("By layer"));
    tabs_->addTab(tr("By program step"));
    tabs_->setDrawBase(false);
    table_ = new DataTable(QString(),
                           {{tr("Name")},
                            {tr("Cycles"), true},
                            {tr("Time")},
                            {tr("Share")},
                            {tr("Compute")},
                            {tr("Exchange")},
                            {tr("Sync")},
                            {tr("Host")}},
                           this);
    table_->setObjectName(QStringLiteral("rangeTotals"));
    clear_ = new QToolButton(this);
    clear_->setText(tr("Clear range"));
    clear_->setAutoRaise(true);
    clear_->setToolTip(tr("Forget the selected range (Esc)"));
    connect(clear_, &QToolButton::clicked, this, &TotalsPanel::closed);
    connect(tabs_, &QTabBar::currentChanged, this, &TotalsPanel::showTable);
    connect(table_, &DataTable::keyChosen, this, [this](std::int64_t id) {
        if (id < 0)
            return;
        if (tabs_->currentIndex() == 0)
            Q_EMIT operationChosen(id);
        else if (tabs_->currentIndex() == 1)
            Q_EMIT layerChosen(id);
        else
            Q_EMIT programChosen(id);
    });
    auto* head = new QHBoxLayout;
    head->addWidget(headline_, 1);
    head->addWidget(clear_);
    head->addWidget(tabs_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addWidget(bar_);
    layout->addWidget(table_, 1);
}

void TotalsPanel::setTotals(const TraceTotals& totals, double clock_hz, const QString& file, bool selected) {
    totals_ = totals;
    clock_hz_ = clock_hz;
    clear_->setVisible(selected);
    const std::int64_t length = totals.range.second - totals.range.first;
    const QString span = clock_hz > 0
                             ? tr("<b>%1</b>, %2").arg(formatTime(length, clock_hz), formatCycles(length))
                             : QStringLiteral("<b>%1</b>").arg(formatCycles(length));
    headline_->setText((selected ? tr("Selected: %1 on IPU %2 of %3") : tr("In view: %1 on IPU %2 of %3"))
                           .arg(span)
                           .arg(totals.ipu)
                           .arg(file.toHtmlEscaped()));
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, length));
    std::vector<ShareBar::Part> parts;
    const auto part = [&](const QString& name, ThemeColor color, std::int64_t cycles) {
        const auto value = static_cast<double>(cycles);
        parts.push_back({name, color, value, formatPercent(value / whole)});
    };
    part(tr("compute"), &Theme::compute, totals.phases.compute);
    part(tr("exchange"), &Theme::exchange, totals.phases.exchange);
    part(tr("sync"), &Theme::sync, totals.phases.sync);
    part(tr("host"), &Theme::host, totals.phases.host);
    part(tr("outside program steps"), &Theme::waiting, totals.idle);
    bar_->setParts(std::move(parts));
    showTable(tabs_->currentIndex());
}

void TotalsPanel::showTable(int tab) {
    const auto whole =
        static_cast<double>(std::max<std::int64_t>(1, totals_.range.second - totals_.range.first));
    std::vector<TableRow> rows;
    for (const TraceTotal& total : tab == 0   ? totals_.operations
                                   : tab == 1 ? totals_.layers
                                              : totals_.programs) {
        const auto count = [](std::int64_t cycles) {
            return numberCell(formatCount(cycles), static_cast<double>(cycles));
        };
        const auto all = static_cast<double>(total.total());
        rows.push_back({total.id,
                        {textCell(total.name), count(total.total()),
                         numberCell(clock_hz_ > 0 ? formatTime(total.total(), clock_hz_) : QString(), all),
                         numberCell(formatPercent(all / whole), all), count(total.compute),
                         count(total.exchange), count(total.sync), count(total.host)}});
    }
    table_->setRows(std::move(rows));
}

} // namespace tilescope::ui
