// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/totals_panel.h"

#include "base/text.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/phase_look.h"
#include "ui/widgets/share_bar.h"
#include "ui/widgets/veil.h"
#include "ui/widgets/view_action.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

QString nameOf(analyse::TimeTotal::Of of, const QString& own) {
    using Of = analyse::TimeTotal::Of;
    switch (of) {
    case Of::NoOperation:
        return TotalsPanel::tr("no layer or operation, as the host's streams");
    case Of::Untraced:
        return TotalsPanel::tr("executions without trace, by share");
    case Of::Launch:
        return TotalsPanel::tr("host before an execution's first step");
    case Of::Waiting:
        return text(analyse::phase_of(analyse::TimeKind::Waiting).words);
    case Of::Step:
        break;
    }
    return own;
}

} // namespace

QString TotalsPanel::kindName(analyse::TimeKind kind) {
    static_assert(analyse::time_kinds.size() == analyse::phases.size()); // in the same order
    return phaseLooks()[static_cast<std::size_t>(kind)].name;
}

TotalsPanel::TotalsPanel(QWidget* parent) : QWidget(parent) {
    headline_ = new QLabel(this);
    headline_->setObjectName(QStringLiteral("rangeHeadline"));
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bar_ = new ShareBar(this);
    name_ = new QLabel(this);
    base_name_ = new QLabel(this);
    base_bar_ = new ShareBar(this);
    for (ShareBar* bar : {bar_, base_bar_}) {
        bar->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
        bar->setChoosing(tr("Sort the table by it"));
        connect(bar, &ShareBar::partChosen, this, [this](const QString& kind) { sortBy(kind.toInt()); });
    }
    tabs_ = new QTabBar(this);
    for (const QString& name : {tr("Operations"), tr("Layers"), tr("Steps"), tr("Balance"), tr("Kinds"),
                                tr("IPUs"), tr("Marks"), tr("Slice")})
        tabs_->addTab(name);
    tabs_->setDrawBase(false);
    table_ = new DataTable(QString(), {{tr("Name")}}, this);
    table_->setObjectName(QStringLiteral("rangeTotals"));
    table_->setAccessibleName(tr("Totals"));
    veils_ = {new Veil(bar_), new Veil(base_bar_), new Veil(table_)};
    clear_ = new QToolButton(this);
    clear_->setText(tr("Clear range"));
    clear_->setAutoRaise(true);
    clear_->setToolTip(tr("Forget the selected range (Esc)"));
    connect(clear_, &QToolButton::clicked, this, &TotalsPanel::closed);
    connect(tabs_, &QTabBar::currentChanged, this, &TotalsPanel::showTable);
    connect(table_, &DataTable::keyChosen, this, [this](std::int64_t id) {
        if (id < 0)
            return;
        if (tabs_->currentIndex() == Operations)
            Q_EMIT operationChosen(id);
        else if (tabs_->currentIndex() == Layers)
            Q_EMIT layerChosen(id);
        else if (tabs_->currentIndex() == Programs || tabs_->currentIndex() == Balance)
            Q_EMIT programChosen(id);
    });
    connect(table_, &DataTable::keyActivated, this, &TotalsPanel::activate);
    table_->setSubjects([this](std::int64_t id) { return linkOfRow(id); });
    auto* remove = new QShortcut(Qt::Key_Delete, table_, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(remove, &QShortcut::activated, this, [this] {
        const QModelIndex row = table_->view()->currentIndex();
        if (tabs_->currentIndex() == Marks && row.isValid())
            Q_EMIT markUnwanted(row.data(DataTableModel::KeyRole).toLongLong());
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
    durations_text_ = new QLabel(this);
    durations_text_->setObjectName(QStringLiteral("rangeDurations"));
    durations_text_->setWordWrap(true);
    durations_text_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    durations_text_->hide();
    connect(durations_text_, &QLabel::linkActivated, this, [this] {
        if (const analyse::Durations* found = durations())
            Q_EMIT passWanted(*found);
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(4);
    layout->addLayout(head);
    auto* bars = new QHBoxLayout;
    bars->setSpacing(8);
    for (QWidget* widget : {static_cast<QWidget*>(name_), static_cast<QWidget*>(bar_),
                            static_cast<QWidget*>(base_name_), static_cast<QWidget*>(base_bar_)})
        bars->addWidget(widget, qobject_cast<ShareBar*>(widget) != nullptr ? 1 : 0, Qt::AlignTop);
    layout->addLayout(bars);
    layout->addWidget(durations_text_);
    layout->addWidget(table_, 1);
    showTabs(false);
}

QString TotalsPanel::linkOfRow(std::int64_t id) const {
    switch (tabs_->currentIndex()) {
    case Operations:
        return linkTo(ui::Subject::Operation, id);
    case Layers:
        return linkTo(ui::Subject::Layer, id);
    case Programs:
    case Balance:
        return linkTo(ui::Subject::Step, id);
    case Ipus:
        return linkTo(ui::Subject::Ipu, id);
    default:
        return {};
    }
}

bool TotalsPanel::wantsAllIpus() const {
    return all_ipus_->isVisibleTo(this) && all_ipus_->isChecked();
}

void TotalsPanel::setIpus(std::size_t count) {
    all_ipus_->setVisible(count > 1);
}

/// What is below the headline stays where it is until the totals are known.
void TotalsPanel::setComputing() {
    if (!computing_ && headline_->isVisible())
        headline_->setMinimumHeight(headline_->height());
    computing_ = true;
    setFaint(true);
}

void TotalsPanel::setComputed() {
    headline_->setMinimumHeight(0);
    computing_ = false;
    setFaint(false);
}

void TotalsPanel::setFaint(bool faint) {
    for (Veil* veil : veils_)
        veil->setVisible(faint);
}

namespace {

/// "<b>1.2 ms</b>, 2,220,000 cycles of IPU 0 in mnist"
QString partOf(const TotalsPanel::Subject& subject) {
    const std::int64_t length = subject.range.second - subject.range.first;
    const QString span = subject.clock_hz > 0 && !units().cycles
                             ? inHtml(TotalsPanel::tr("<b>%1</b>, %2"),
                                      {formatTime(length, subject.clock_hz), formatCycles(length)})
                             : inHtml(QStringLiteral("<b>%1</b>"), {formatCycles(length)});
    const QString whose = subject.ipu == analyse::every_ipu ? TotalsPanel::tr("all IPUs")
                                                            : TotalsPanel::tr("IPU %1").arg(subject.ipu);
    return inHtml(TotalsPanel::tr("%1 of %2 in %3"), {Html{span}, whose, subject.file});
}

} // namespace

void TotalsPanel::showHeadline(const Subject& subject) {
    const QString text = (subject.selected ? tr("Selected: %1") : tr("In view: %1")).arg(partOf(subject));
    headline_->setText(keepFiguresWholeInHtml(
        text + (computing_ ? tr(", computing…")
                : use_     ? inHtml(tr("  ·  parallel efficiency <b>%1</b>, tile balance %2"),
                                    {formatPercent(use_->busy), formatPercent(use_->balance)})
                           : QString())));
    clear_->setVisible(subject.selected);
}

void TotalsPanel::showHeadline(const Subject& now, const Subject& base) {
    const QString text = (now.selected ? tr("Selected: %1, against %2") : tr("In view: %1, against %2"))
                             .arg(partOf(now), partOf(base));
    headline_->setText(keepFiguresWholeInHtml(text + (computing_ ? tr(", computing…") : QString())));
    clear_->setVisible(now.selected);
}

void TotalsPanel::setComputing(const Subject& subject) {
    setComputing();
    showHeadline(subject);
}

void TotalsPanel::setComputing(const Subject& now, const Subject& base) {
    setComputing();
    showHeadline(now, base);
}

/// Kinds of time are a table of their own where they are compared; else the bar says as much. Compute sets
/// and IPUs are not compared one by one.
void TotalsPanel::showTabs(bool difference) {
    setTabShown(*tabs_, Kinds, difference);
    setTabShown(*tabs_, Balance, !difference);
    setTabShown(*tabs_, Ipus, !difference);
    name_->setVisible(difference);
    base_name_->setVisible(difference);
    base_bar_->setVisible(difference);
}

namespace {

/// Each has the number of its kind of time for a key.
std::vector<ShareBar::Part> partsOf(const profile::PhaseCycles& cycles) {
    std::vector<ShareBar::Part> parts = phaseShares(cycles);
    for (std::size_t kind = 0; kind < parts.size(); ++kind)
        parts[kind].key = QString::number(kind);
    return parts;
}

} // namespace

void TotalsPanel::setTotals(const Subject& subject, const analyse::RangeTotals& totals,
                            std::vector<analyse::IpuUse> uses, const TraceTables& tables) {
    difference_.reset();
    totals_ = totals;
    uses_ = std::move(uses);
    pass_durations_ = nullptr;
    clock_hz_ = subject.clock_hz;
    of_ = subject;
    use_ = analyse::tile_utilisation(totals, tables.program().balances);
    setComputed();
    showHeadline(subject);
    bar_->setParts(partsOf(totals.phases));
    for (auto& names : names_)
        names.clear();
    for (const analyse::TimeTotal& row : totals.operations)
        names_[Operations].push_back(nameOf(row.of, tables.program().operationName(row.id)));
    for (const analyse::TimeTotal& row : totals.layers)
        names_[Layers].push_back(nameOf(row.of, tables.program().layerName(row.id)));
    for (const analyse::TimeTotal& row : totals.programs)
        names_[Programs].push_back(nameOf(row.of, tables.program().step(row.id).name));
    sets_ = analyse::by_imbalance(totals);
    set_names_.clear();
    for (const analyse::TimeTotal& set : sets_)
        set_names_.push_back(tables.program().step(set.id).name);
    showTabs(false);
    showTable(tabs_->currentIndex());
}

void TotalsPanel::setDifference(const Subject& now, const Subject& base,
                                const analyse::RangeDifference& difference, const Uses& uses,
                                const TraceTables& now_tables, const TraceTables& base_tables) {
    difference_ = difference;
    of_ = now;
    base_of_ = base;
    uses_of_both_ = uses;
    pass_durations_ = nullptr;
    clock_hz_ = now.clock_hz;
    setComputed();
    showHeadline(now, base);
    bar_->setParts(partsOf(difference.now_phases));
    name_->setText(tr("new"));
    base_name_->setText(tr("base"));
    base_bar_->setParts(partsOf(difference.base_phases));
    const auto put = [&](Tab tab, const analyse::TotalDifferences& rows, const auto& name) {
        auto& names = names_[tab];
        names.clear();
        for (const analyse::TotalDifference& row : rows.changed) {
            const QString before = row.base_id < 0 ? QString() : name(base_tables, row.base_id);
            const QString own = row.id < 0 ? before : name(now_tables, row.id);
            names.push_back(
                nameOf(row.of, before.isEmpty() || before == own ? own : tr("%1 (was %2)").arg(own, before)));
        }
    };
    put(Operations, difference.operations,
        [](const TraceTables& t, std::int64_t id) { return t.program().operationName(id); });
    put(Layers, difference.layers,
        [](const TraceTables& t, std::int64_t id) { return t.program().layerName(id); });
    put(Programs, difference.programs,
        [](const TraceTables& t, std::int64_t id) { return t.program().step(id).name; });
    showTabs(true);
    showTable(tabs_->currentIndex());
}

void TotalsPanel::setDurations(std::shared_ptr<const analyse::RangeDurations> durations) {
    pass_durations_ = std::move(durations);
    tellDurations();
    if (!difference_ && tabs_->currentIndex() <= Programs)
        showTable(tabs_->currentIndex());
}

void TotalsPanel::setChosen(const std::optional<Chosen>& chosen) {
    chosen_ = chosen;
    tellDurations();
}

const analyse::Durations* TotalsPanel::durations() const {
    return chosen_ ? durationsOf(chosen_->tab, chosen_->id) : nullptr;
}

const analyse::Durations* TotalsPanel::durationsOf(int tab, std::int64_t id) const {
    if (pass_durations_ == nullptr)
        return nullptr;
    const auto& of = tab == Operations ? pass_durations_->operations
                     : tab == Layers   ? pass_durations_->layers
                                       : pass_durations_->programs;
    const auto found = of.find(id);
    return found == of.end() ? nullptr : &found->second;
}

void TotalsPanel::tellDurations() {
    durations_text_->setVisible(chosen_.has_value());
    durations_text_->setToolTip({});
    if (!chosen_)
        return;
    const QString who = inHtml(QStringLiteral("<b>%1</b>"), {chosen_->name});
    if (pass_durations_ == nullptr)
        return durations_text_->setText(tr("%1: computing…").arg(who));
    const analyse::Durations* durations = this->durations();
    if (durations == nullptr) {
        durations_text_->setText(tr("%1: no pass lies whole in it").arg(who));
        return;
    }
    const auto time = [this](double cycles) { return formatTime(cycles, clock_hz_); };
    const auto exact = [&](std::int64_t cycles) { return time(static_cast<double>(cycles)); };
    const QString passes =
        durations->passes == 1 ? tr("1 pass") : tr("%1 passes").arg(formatCount(durations->passes));
    durations_text_->setText(
        durations->passes == 1
            ? inHtml(tr("%1: %2, <a href='longest'>%3</a>"), {Html{who}, passes, exact(durations->longest)})
            : inHtml(tr("%1: %2, mean %3, P50 %4, P99 %5, <a href='longest'>longest %6</a>"),
                     {Html{who}, passes, time(durations->mean), exact(durations->p50), exact(durations->p99),
                      exact(durations->longest)}));
    durations_text_->setToolTip(
        tr("Of passes that lie whole in the range. Mean %1, P50 %2, P99 %3, longest %4")
            .arg(formatCycles(std::llround(durations->mean)), formatCycles(durations->p50),
                 formatCycles(durations->p99), formatCycles(durations->longest)));
}

void TotalsPanel::setMarks(const std::vector<TimelineMark>& marks, double clock_hz) {
    marks_ = marks;
    marks_hz_ = clock_hz;
    if (tabs_->currentIndex() == Marks)
        showMarks();
}

void TotalsPanel::setSlice(const SliceText& slice) {
    slice_ = slice;
    if (tabs_->currentIndex() == Slice)
        showSlice();
}

void TotalsPanel::showTab(int by) {
    showTabBeside(*tabs_, by);
    table_->view()->setFocus();
}

void TotalsPanel::activate(std::int64_t key) {
    const int tab = tabs_->currentIndex();
    if (tab == Marks)
        Q_EMIT markWanted(key);
    else if (tab <= Balance && !difference_)
        if (const analyse::Durations* found = durationsOf(std::min<int>(tab, Programs), key))
            Q_EMIT passWanted(*found);
}

} // namespace tilescope::ui
