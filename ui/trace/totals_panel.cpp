// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/totals_panel.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/share_bar.h"

#include <QGraphicsOpacityEffect>
#include <QHBoxLayout>
#include <QLabel>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

TotalsPanel::TotalsPanel(QWidget* parent) : QWidget(parent) {
    headline_ = new QLabel(this);
    headline_->setObjectName(QStringLiteral("rangeHeadline"));
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bar_ = new ShareBar(this);
    bar_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
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
                            {tr("Inter-IPU")},
                            {tr("Sync")},
                            {tr("Host")},
                            {tr("Waiting")},
                            {tr("Program steps")},
                            {tr("Tile balance")},
                            {tr("Lost to imbalance")}},
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
    all_ipus_ = new QToolButton(this);
    all_ipus_->setObjectName(QStringLiteral("allIpus"));
    all_ipus_->setText(tr("All IPUs"));
    all_ipus_->setCheckable(true);
    all_ipus_->setAutoRaise(true);
    all_ipus_->setToolTip(tr("Totals of all IPUs together instead of one"));
    all_ipus_->hide();
    connect(all_ipus_, &QToolButton::toggled, this, &TotalsPanel::scopeChanged);
    auto* head = new QHBoxLayout;
    headline_->setWordWrap(true);
    head->addWidget(headline_, 1);
    head->addWidget(all_ipus_);
    head->addWidget(clear_);
    table_->setLead(tabs_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addWidget(bar_);
    layout->addWidget(table_, 1);
}

bool TotalsPanel::wantsAllIpus() const {
    return all_ipus_->isVisibleTo(this) && all_ipus_->isChecked();
}

void TotalsPanel::setIpus(std::size_t count) {
    all_ipus_->setVisible(count > 1);
}

void TotalsPanel::setFaint(bool faint) {
    constexpr double faint_share = 0.45;
    for (QWidget* widget : {static_cast<QWidget*>(bar_), static_cast<QWidget*>(table_)}) {
        auto* effect = qobject_cast<QGraphicsOpacityEffect*>(widget->graphicsEffect());
        if (effect == nullptr)
            widget->setGraphicsEffect(effect = new QGraphicsOpacityEffect(widget));
        effect->setOpacity(faint_share);
        effect->setEnabled(faint);
    }
}

void TotalsPanel::showHeadline(const Subject& subject) {
    const std::int64_t length = subject.range.second - subject.range.first;
    const QString span =
        subject.clock_hz > 0
            ? tr("<b>%1</b>, %2").arg(formatTime(length, subject.clock_hz), formatCycles(length))
            : QStringLiteral("<b>%1</b>").arg(formatCycles(length));
    const QString whose = subject.ipu == analyse::every_ipu ? tr("all IPUs") : tr("IPU %1").arg(subject.ipu);
    QString text = (subject.selected ? tr("Selected: %1 of %2 in %3") : tr("In view: %1 of %2 in %3"))
                       .arg(span, whose, subject.file.toHtmlEscaped());
    text += computing_ ? tr(", computing…") : use_;
    headline_->setText(text);
    clear_->setVisible(subject.selected);
}

void TotalsPanel::setComputing(const Subject& subject) {
    computing_ = true;
    showHeadline(subject);
    setFaint(true);
}

void TotalsPanel::setTotals(const Subject& subject, const analyse::RangeTotals& totals,
                            const TraceTables& tables) {
    using Of = analyse::TimeTotal::Of;
    totals_ = totals;
    clock_hz_ = subject.clock_hz;
    computing_ = false;
    const auto use = analyse::tile_utilisation(totals, tables.balances);
    const auto unbroken = [](QString percent) { return percent.replace(QLatin1Char(' '), QChar(0xa0)); };
    use_ = use ? tr("  ·  parallel efficiency <b>%1</b>, tile balance %2")
                     .arg(unbroken(formatPercent(use->busy)), unbroken(formatPercent(use->balance)))
               : QString();
    showHeadline(subject);
    setFaint(false);
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, totals.phases.total()));
    std::vector<ShareBar::Part> parts;
    const auto part = [&](const QString& name, ThemeColor color, std::int64_t cycles) {
        const auto value = static_cast<double>(cycles);
        parts.push_back({name, color, value, formatPercent(value / whole)});
    };
    part(tr("compute"), &Theme::compute, totals.phases.compute);
    part(tr("exchange"), &Theme::exchange, totals.phases.exchange);
    part(tr("inter-IPU"), &Theme::inter_ipu, totals.phases.inter_ipu);
    part(tr("sync"), &Theme::sync, totals.phases.sync);
    part(tr("host"), &Theme::host, totals.phases.host);
    part(tr("waiting"), &Theme::waiting, totals.phases.waiting);
    bar_->setParts(std::move(parts));
    const auto name = [&](const analyse::TimeTotal& row, const QString& own) {
        switch (row.of) {
        case Of::NoOperation:
            return tr("no layer or operation");
        case Of::Untraced:
            return tr("executions without trace, by share");
        case Of::Launch:
            return tr("host before an execution's first step");
        case Of::Waiting:
            return tr("waiting for other IPUs");
        case Of::Step:
            break;
        }
        return own;
    };
    for (auto& names : names_)
        names.clear();
    for (const analyse::TimeTotal& row : totals.operations)
        names_[0].push_back(name(row, tables.operationName(row.id)));
    for (const analyse::TimeTotal& row : totals.layers)
        names_[1].push_back(name(row, tables.layerName(row.id)));
    for (const analyse::TimeTotal& row : totals.programs)
        names_[2].push_back(name(row, tables.step(row.id).name));
    showTable(tabs_->currentIndex());
}

void TotalsPanel::showTable(int tab) {
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, totals_.phases.total()));
    const auto& totals = tab == 0 ? totals_.operations : tab == 1 ? totals_.layers : totals_.programs;
    const auto& names = names_[static_cast<std::size_t>(tab)];
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < totals.size() && i < names.size(); ++i) {
        const analyse::TimeTotal& total = totals[i];
        const auto all = static_cast<double>(total.cycles.total());
        std::vector<Cell> cells{
            textCell(names[i]), countCell(total.cycles.total()),
            numberCell(clock_hz_ > 0 ? formatTime(total.cycles.total(), clock_hz_) : QString(), all),
            numberCell(formatPercent(all / whole), all)};
        for (const analyse::TimeKind kind : analyse::time_kinds)
            cells.push_back(countCell(analyse::cycles_of(total.cycles, kind)));
        cells.push_back(total.runs > 0 ? countCell(total.runs) : absentCell());
        const auto balance = total.balance();
        cells.push_back(balance ? numberCell(formatPercent(*balance), *balance) : absentCell());
        cells.push_back(balance ? countCell(std::llround(total.unbalanced())) : absentCell());
        rows.push_back({total.of == analyse::TimeTotal::Of::Step ? total.id : -1, std::move(cells)});
    }
    table_->setRows(std::move(rows));
    constexpr int first_kind = 4; // column; what no time is spent on leaves its room to the names
    for (const analyse::TimeKind kind : analyse::time_kinds)
        table_->showColumn(first_kind + static_cast<int>(kind), analyse::cycles_of(totals_.phases, kind) > 0);
}

} // namespace tilescope::ui
