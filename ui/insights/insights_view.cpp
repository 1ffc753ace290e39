// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/insights/insights_view.h"

#include "analyse/changes_to_try.h"
#include "try_panel.h"
#include "ui/insights/insight_place.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/cpu_run.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/run_status.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

/// Beside a base there is less room: the bar of the share and the weight, which the chosen finding shows, go.
std::vector<Column> columns(bool with_base) {
    std::vector<Column> columns{{InsightsView::tr("Finding")}, {InsightsView::tr("Cost, at most")}};
    if (with_base)
        columns.insert(columns.end(), {{InsightsView::tr("Base, at most")}, {InsightsView::tr("Change")}});
    columns.insert(columns.end(), {{InsightsView::tr("Share"), !with_base},
                                   {InsightsView::tr("Where")},
                                   {InsightsView::tr("Proposal, compiled")}});
    if (!with_base)
        columns.push_back({InsightsView::tr("Weight")});
    return columns;
}

/// Its title without the capital at its beginning, unless that begins an abbreviation.
QString inSentence(const analyse::Insight& insight) {
    QString title = text(insight.title);
    if (title.size() > 1 && title.at(1).isLower())
        title[0] = title.at(0).toLower();
    return title;
}

} // namespace

InsightsView::InsightsView(QWidget* parent)
    : View(parent), heading_(new ThemedLabel), order_(new QComboBox),
      findings_(new DataTable(tr("Findings"), columns(false))) {
    heading_->setObjectName(QStringLiteral("insightsHeading"));
    heading_->setWordWrap(true);
    order_->setObjectName(QStringLiteral("insightsOrder"));
    order_->addItems({tr("by time"), tr("by memory"), tr("by severity")});
    order_->setAccessibleName(tr("Rank findings"));
    order_->setToolTip(tr("What stands first; what keeps the program from running always does"));
    findings_->setObjectName(QStringLiteral("findings"));
    QWidget* head = headRow(heading_, {order_});
    head->setContentsMargins(14, 10, 14, 8);
    parts_ = new QSplitter(Qt::Vertical);
    parts_->addWidget(findings_);
    parts_->addWidget(makeDetails());
    parts_->setStretchFactor(1, 1);
    parts_->setChildrenCollapsible(false);
    connect(parts_, &QSplitter::splitterMoved, this, [this] { dragged_ = true; });
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(parts_, 1);
    pages_ = new PageStack(page, this);
    setFocusProxy(findings_->view());
    makeHiding();
    connect(order_, &QComboBox::activated, this, &InsightsView::showFindings);
    connect(findings_, &DataTable::keyChosen, this, [this](std::int64_t key) {
        chosen_ = key;
        showChosen();
    });
    findings_->setSubjects([this](std::int64_t key) {
        const bool there = key >= 0 && static_cast<std::size_t>(key) < shown_.size();
        const auto& now = there ? shown_[static_cast<std::size_t>(key)].now : std::nullopt;
        return now ? linkTo(now->subject) : QString();
    });
    connect(findings_, &DataTable::keyActivated, this, [this](std::int64_t key) {
        chosen_ = key;
        goToPlace();
    });
}

void InsightsView::makeHiding() {
    auto* hide = addKeyAction(findings_, tr("Hide findings of this rule"), Qt::Key_H, [this] {
        if (const analyse::FindingPair* finding = chosen()) {
            const QString code = text(finding->either().code);
            changeHidden(hiddenRules() << code, tr("hiding “%1”").arg(text(finding->either().title)));
        }
    });
    show_hidden_ = addKeyAction(this, tr("Show what is hidden"), Qt::SHIFT | Qt::Key_H,
                                [this] { changeHidden({}, tr("showing all findings")); });
    show_hidden_->setObjectName(QStringLiteral("showHidden"));
    show_hidden_->setVisible(false);
    for (QAction* action : {hide, show_hidden_})
        findings_->addAction(action); // in its menu
    connect(heading_, &QLabel::linkActivated, show_hidden_, &QAction::trigger);
}

QStringList InsightsView::hiddenRules() const {
    const QString path = sources().current ? sources().current->path() : QString();
    for (const auto& [of, rules] : hidden_)
        if (of == path)
            return rules;
    return {};
}

void InsightsView::changeHidden(const QStringList& rules, const QString& what) {
    const QStringList before = hiddenRules();
    if (!sources().current || rules == before)
        return;
    const QString path = sources().current->path();
    const std::string at = chosenIdentity();
    hideRules(path, rules);
    Q_EMIT made(
        what, [this, path, rules] { hideRules(path, rules); },
        [this, path, before, at] { // what is seen again is what one was at
            hideRules(path, before);
            choose(at);
        });
}

void InsightsView::hideRules(const QString& path, const QStringList& rules) {
    constexpr qsizetype most = 64; // files
    hidden_.removeIf([&](const auto& each) { return each.first == path; });
    if (!rules.isEmpty())
        hidden_.prepend({path, rules});
    hidden_.resize(std::min(most, hidden_.size()));
    showFindings();
}

QWidget* InsightsView::makeDetails() {
    detail_ = new ThemedLabel;
    detail_->setObjectName(QStringLiteral("insightDetail"));
    detail_->setWordWrap(true);
    detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    figures_ = new DataTable(tr("What was seen"), {{tr("Figure")}, {tr("Value")}});
    figures_->setObjectName(QStringLiteral("insightFigures"));
    thresholds_ = new DataTable(tr("Why"), {{tr("Found where")}, {tr("Is")}, {tr("Because"), false, true}});
    thresholds_->setObjectName(QStringLiteral("insightRule"));
    thresholds_->wrapTexts();
    place_ = new QPushButton;
    place_->setObjectName(QStringLiteral("insightPlace"));
    place_->setToolTip(tr("Where it is (Enter in the list)"));
    help_ = new QPushButton(tr("What it means"));
    help_->setObjectName(QStringLiteral("insightHelp"));
    connect(place_, &QPushButton::clicked, this, &InsightsView::goToPlace);
    connect(help_, &QPushButton::clicked, this, [this] {
        if (const analyse::FindingPair* finding = chosen())
            Q_EMIT helpRequested(QStringLiteral("insights"), text(finding->either().title));
    });
    QWidget* head = headRow(detail_, {place_, help_});
    head->setContentsMargins(14, 10, 14, 4);
    auto* tables = new QSplitter(Qt::Horizontal);
    tables->addWidget(figures_);
    tables->addWidget(thresholds_);
    tables->setStretchFactor(0, 2);
    tables->setStretchFactor(1, 3);
    changes_ = new TryPanel;
    connect(changes_, &TryPanel::runRequested, this, &InsightsView::runAgainRequested);
    connect(changes_, &TryPanel::tried, this, &InsightsView::showFindings);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(head);
    layout->addWidget(tables, 2); // settings are few lines
    layout->addWidget(changes_, 1);
    details_ = new QWidget;
    fillScrolling(details_, page);
    return details_;
}

void InsightsView::startOver(bool another) {
    if (another) {
        freeInBackground(std::exchange(now_, {}));
        shown_.clear();
        chosen_ = 0;
        changes_->forget();
        followed_.clear();
        findings_->setRows({});
    }
    freeInBackground(std::exchange(base_, {}));
    pages_->showText(sources().current ? tr("Reading the findings …")
                                       : tr("Open a profile to see what stands out."));
}

void InsightsView::refresh() {
    if (!sources().current) // a basis is remembered before a file is open
        return;
    readRuns(
        this, sources(), basis(),
        [this](Result<ReadRun> now) {
            if (!now) {
                pages_->setText(now.error());
                return;
            }
            now_ = std::move(*now);
            showFindings();
        },
        [this](ReadBase base) {
            base_ = std::move(base);
            showFindings();
        });
}

void InsightsView::showFindings() {
    if (!now_)
        return;
    analyse::Summary& summary = now_->summary;
    const auto order = static_cast<analyse::InsightOrder>(order_->currentIndex());
    analyse::rank(summary.insights, order);
    if (base_)
        analyse::rank(base_->run.summary.insights, order);
    const std::string at = chosenIdentity();
    const QStringList hidden = hiddenRules();
    show_hidden_->setVisible(!hidden.isEmpty());
    const auto seen = [&](std::vector<analyse::Insight> insights) {
        std::erase_if(insights, [&](const auto& insight) { return hidden.contains(text(insight.code)); });
        return insights;
    };
    const std::vector<analyse::Insight> all = seen(summary.insights);
    hidden_findings_ = std::ssize(summary.insights) - std::ssize(all);
    shown_ = base_ ? analyse::match_findings(seen(base_->run.summary.insights), all, base_->names)
                   : analyse::match_findings({}, all, {});
    if (!shown_.empty() || hidden_findings_ > 0)
        pages_->showPage();
    else if (summary.run.device == profile::RunDevice::Cpu)
        showCpuRun(*pages_, *this, summary.run);
    else
        pages_->showText(asHtml(nothingFoundText(summary)));
    std::vector<TableRow> rows;
    const auto cost = [](const std::optional<analyse::Insight>& insight, double clock_hz) {
        const QString text = insight ? costText(*insight, clock_hz) : QString();
        return text.isEmpty() ? absentCell() : numberCell(text, insight->cost->value);
    };
    for (const analyse::FindingPair& finding : shown_) {
        const analyse::Insight& insight = finding.either();
        TableRow row{static_cast<std::int64_t>(rows.size()),
                     {textCell(text(insight.title)), cost(finding.now, summary.target.clock_hz)}};
        if (base_) {
            row.cells.push_back(cost(finding.base, base_->run.summary.target.clock_hz));
            row.cells.push_back(
                textCell(changeText(finding, summary.target.clock_hz, base_->run.summary.target.clock_hz)));
        }
        row.cells.push_back(shareCell(finding.now ? analyse::cost_share(insight, summary) : std::nullopt));
        row.cells.push_back(textCell(placeText(insight, summary.ipus)));
        const QString proposal = changes_->proposal(changesOf(finding), remediesOf(finding), summary);
        row.cells.push_back(textCell(proposal.isEmpty() ? QStringLiteral("–") : proposal));
        if (!base_)
            row.cells.push_back(textCell(text(profile::to_string(insight.severity))));
        rows.push_back(std::move(row));
    }
    chosen_ = placeOfFinding(at).value_or(
        std::clamp<std::int64_t>(chosen_, 0, std::max<std::int64_t>(std::ssize(rows) - 1, 0)));
    findings_->setCaption(tr("%1; Enter leads to the place").arg(order_->currentText()));
    findings_->setColumns(columns(base_.has_value()));
    findings_->setRows(std::move(rows));
    findings_->selectKey(chosen_);
    fitFindings();
    showHead(all);
    showChosen();
    followNow();
}

/// The evidence stands right under the rows, of which most windows have few, unless it was dragged elsewhere.
void InsightsView::fitFindings() {
    const QTableView& rows = *findings_->view();
    const int all = parts_->height() - parts_->handleWidth();
    if (dragged_ || all <= 0)
        return;
    const int above = findings_->height() - rows.height();
    const int heads = above + rows.horizontalHeader()->height() + rows.fontMetrics().height();
    const int wanted = heads + rows.verticalHeader()->length();
    constexpr int few = 3; // rows: less is no list
    for (const DataTable* table : details_->findChildren<DataTable*>()) {
        QTableView& evidence = *table->view();
        evidence.setMinimumHeight(evidence.horizontalHeader()->sizeHint().height() +
                                  few * evidence.verticalHeader()->defaultSectionSize());
    }
    const int least = heads + few * rows.verticalHeader()->defaultSectionSize();
    const int list = std::min(wanted, std::max(all * 2 / 5, std::min(least, all * 3 / 5)));
    parts_->setSizes({list, all - list});
}

void InsightsView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitFindings();
}

/// To the finding that was chosen elsewhere, once.
void InsightsView::follow(const Selection& s) {
    if (!now_ || s.finding == followed_)
        return;
    followed_ = s.finding;
    choose(s.finding);
}

std::string InsightsView::chosenIdentity() const {
    const analyse::FindingPair* finding = chosen();
    return finding != nullptr ? analyse::identity(finding->either()) : std::string();
}

std::optional<std::int64_t> InsightsView::placeOfFinding(const std::string& identity) const {
    const auto found = std::find_if(shown_.begin(), shown_.end(), [&](const analyse::FindingPair& finding) {
        return analyse::identity(finding.either()) == identity;
    });
    return found != shown_.end() ? std::optional<std::int64_t>(found - shown_.begin()) : std::nullopt;
}

void InsightsView::choose(const std::string& identity) {
    const auto place = placeOfFinding(identity);
    if (!place)
        return;
    chosen_ = *place;
    findings_->selectKey(chosen_);
    showChosen();
}

void InsightsView::showHead(const std::vector<analyse::Insight>& all) {
    const analyse::Summary& summary = now_->summary;
    const auto count = static_cast<int>(all.size());
    QString sentence = count == 1 ? tr("<b>1 finding.</b>") : inHtml(tr("<b>%1 findings.</b>"), {count});
    if (base_ && sources().base) {
        const auto gone =
            std::count_if(shown_.begin(), shown_.end(), [](const auto& each) { return !each.now; });
        const auto added =
            std::count_if(shown_.begin(), shown_.end(), [](const auto& each) { return !each.base; });
        const auto number = [](auto of) { return of == 0 ? tr("none") : QString::number(of); };
        sentence += inHtml(tr(" Against %1: %2 gone, %3 new."),
                           {sources().base->name(), number(gone), number(added)});
    }
    const auto worst = std::find_if(all.begin(), all.end(), [](const analyse::Insight& insight) {
        return insight.cost && insight.cost->unit == analyse::FigureUnit::Cycles;
    });
    const auto dearest = std::max_element(worst, all.end(), [](const auto& a, const auto& b) {
        const auto cycles = [](const analyse::Insight& i) {
            return i.cost && i.cost->unit == analyse::FigureUnit::Cycles ? i.cost->value : 0;
        };
        return cycles(a) < cycles(b);
    });
    if (!all.empty() && all.front().severity == analyse::Severity::Error)
        sentence += inHtml(tr(" First of all: %1."), {inSentence(all.front())});
    else if (worst != all.end()) {
        const auto share = analyse::cost_share(*dearest, summary);
        sentence += inHtml(tr(" The one that costs most: %1, up to %2 (%3)."),
                           {inSentence(*dearest), costText(*dearest, summary.target.clock_hz),
                            share ? formatPercent(*share) : QStringLiteral("–")});
    }
    if (hidden_findings_ > 0)
        sentence += inHtml(tr(" <a href='show' style='color:@accent'>%1 hidden</a> (Shift+H shows them)."),
                           {hidden_findings_});
    const QString rest =
        all.size() == 1 ? tr("Its cost is the most that there is to gain.")
                        : tr("Costs are the most that there is to gain; they may overlap, and the file does "
                             "not say where, so they are not added up.");
    heading_->setHtml(sentence + inHtml(QStringLiteral(" <span style='color:@muted'>%1</span>"), {rest}));
}

const analyse::FindingPair* InsightsView::chosen() const {
    return chosen_ >= 0 && static_cast<std::size_t>(chosen_) < shown_.size()
               ? &shown_[static_cast<std::size_t>(chosen_)]
               : nullptr;
}

/// What the rule saw, beside what it saw in the base.
void InsightsView::showFigures(const analyse::FindingPair& finding) {
    std::vector<TableRow> rows;
    for (const analyse::InsightFigure& figure : finding.either().figures) {
        const auto cell = [&](const std::optional<analyse::Insight>& of) {
            if (of)
                for (const analyse::InsightFigure& each : of->figures)
                    if (each.name == figure.name)
                        return numberCell(amountText(each.value, each.unit), each.value);
            return absentCell();
        };
        rows.push_back({-1, {textCell(figureName(figure.name)), cell(finding.now)}});
        if (base_)
            rows.back().cells.push_back(cell(finding.base));
    }
    figures_->setColumns(base_ ? std::vector<Column>{{tr("Figure")}, {tr("Value")}, {tr("Base")}}
                               : std::vector<Column>{{tr("Figure")}, {tr("Value")}});
    figures_->setRows(std::move(rows));
}

void InsightsView::showChosen() {
    const analyse::FindingPair* finding = chosen();
    for (QWidget* part : std::initializer_list<QWidget*>{place_, help_, figures_, thresholds_})
        part->setEnabled(finding != nullptr);
    if (finding == nullptr) { // all are hidden
        detail_->setHtml({});
        changes_->setChanges({}, {}, now_->summary);
        figures_->setRows({});
        thresholds_->setRows({});
        return;
    }
    const analyse::Insight* insight = &finding->either();
    const QString only =
        finding->now || !sources().base ? QString() : inHtml(tr("In %1 alone: "), {sources().base->name()});
    detail_->setHtml(inHtml(QStringLiteral("<span style='color:%1'>●</span> <b>%2</b> "
                                           "<span style='color:@muted'>· %3</span><br>%4%5"),
                            {severityColor(insight->severity), insight->title,
                             text(profile::to_string(insight->severity)), Html{only}, insight->detail}));
    changes_->setChanges(changesOf(*finding), remediesOf(*finding), now_->summary);
    place_->setText(placeAction(*insight));
    place_->setEnabled(finding->now.has_value());
    showFigures(*finding);
    std::vector<TableRow> rows;
    if (const analyse::Rule* rule = analyse::find_rule(insight->code))
        for (const analyse::Threshold& threshold : rule->thresholds)
            rows.push_back({-1,
                            {textCell(figureName(threshold.name)),
                             numberCell((threshold.below ? tr("below %1") : tr("above %1"))
                                            .arg(amountText(threshold.value, threshold.unit)),
                                        threshold.value),
                             textCell(QString::fromUtf8(threshold.reason))}});
    thresholds_->setCaption(rows.empty() ? tr("%1: wherever it happens").arg(text(insight->code))
                                         : text(insight->code));
    thresholds_->setRows(std::move(rows));
}

/// Nothing helps with what the base alone has.
std::vector<std::string> InsightsView::changesOf(const analyse::FindingPair& finding) const {
    return finding.now ? analyse::changes_to_try(*finding.now, now_->summary) : std::vector<std::string>();
}

std::vector<profile::RemedyRecord> InsightsView::remediesOf(const analyse::FindingPair& finding) const {
    const bool too_large = finding.now && finding.now->code == analyse::out_of_memory_rule;
    return too_large ? now_->remedies : std::vector<profile::RemedyRecord>();
}

void InsightsView::goToPlace() {
    const analyse::FindingPair* finding = chosen();
    if (finding == nullptr || !finding->now || selection() == nullptr)
        return;
    const analyse::Insight insight = *finding->now; // what is shown may change meanwhile
    const auto place = placeOf(insight, now_->summary.ipus, selection()->current());
    if (!place)
        return Q_EMIT helpRequested(QStringLiteral("workloads"), settingHeading(insight.subject.name));
    selection()->set(place->selection);
    place->order.isEmpty() ? Q_EMIT viewRequested(place->view)
                           : Q_EMIT orderRequested(place->view, place->order);
}

QJsonObject InsightsView::saveState() const {
    QJsonArray hidden;
    for (const auto& [path, rules] : hidden_)
        hidden << QJsonObject{{QStringLiteral("file"), path},
                              {QStringLiteral("rules"), QJsonArray::fromStringList(rules)}};
    return {{QStringLiteral("order"), order_->currentIndex()}, {QStringLiteral("hidden"), hidden}};
}

void InsightsView::restoreState(const QJsonObject& state) {
    hidden_.clear();
    for (const auto& each : state[QStringLiteral("hidden")].toArray()) {
        QStringList rules;
        for (const auto& rule : each[QStringLiteral("rules")].toArray())
            rules << rule.toString();
        hidden_.append({each[QStringLiteral("file")].toString(), rules});
    }
    order_->setCurrentIndex(std::clamp(state[QStringLiteral("order")].toInt(), 0, order_->count() - 1));
}

} // namespace tilescope::ui
