// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/insights/insights_view.h"

#include "ui/insights/insight_place.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/run_status.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

const analyse::Rule* ruleOf(const std::string& code) {
    const auto& rules = analyse::insight_rules();
    const auto found = std::find_if(rules.begin(), rules.end(),
                                    [&](const analyse::Rule& rule) { return code == rule.code; });
    return found == rules.end() ? nullptr : &*found;
}

QString plain(const std::string& name) {
    return text(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

} // namespace

InsightsView::InsightsView(QWidget* parent)
    : View(parent), heading_(new ThemedLabel), order_(new QComboBox),
      findings_(new DataTable(
          tr("Findings"),
          {{tr("Finding")}, {tr("Cost, at most")}, {tr("Share"), true}, {tr("Where")}, {tr("Weight")}})) {
    heading_->setObjectName(QStringLiteral("insightsHeading"));
    heading_->setWordWrap(true);
    order_->setObjectName(QStringLiteral("insightsOrder"));
    order_->addItems({tr("by time"), tr("by memory"), tr("by severity")});
    order_->setAccessibleName(tr("Rank findings"));
    order_->setToolTip(tr("What stands first; what keeps the program from running always does"));
    findings_->setObjectName(QStringLiteral("findings"));
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(14, 10, 14, 8);
    row->addWidget(heading_, 1);
    row->addWidget(order_);
    auto* parts = new QSplitter(Qt::Vertical);
    parts->addWidget(findings_);
    parts->addWidget(makeDetails());
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    parts->setChildrenCollapsible(false);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(parts, 1);
    pages_ = new PageStack(page, this);
    setFocusProxy(findings_->view());
    connect(order_, &QComboBox::activated, this, &InsightsView::showFindings);
    connect(findings_, &DataTable::keyChosen, this, [this](std::int64_t key) {
        chosen_ = key;
        showChosen();
    });
    connect(findings_, &DataTable::keyActivated, this, [this](std::int64_t key) {
        chosen_ = key;
        goToPlace();
    });
}

QWidget* InsightsView::makeDetails() {
    detail_ = new ThemedLabel;
    detail_->setObjectName(QStringLiteral("insightDetail"));
    detail_->setWordWrap(true);
    detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    figures_ = new DataTable(tr("What was seen"), {{tr("Figure")}, {tr("Value")}});
    thresholds_ = new DataTable(tr("The rule"),
                                {{tr("Found beyond")}, {tr("Threshold")}, {tr("Because"), false, true}});
    thresholds_->setObjectName(QStringLiteral("insightRule"));
    thresholds_->wrapTexts();
    place_ = new QPushButton;
    place_->setObjectName(QStringLiteral("insightPlace"));
    place_->setToolTip(tr("Where it is (Enter in the list)"));
    help_ = new QPushButton(tr("What it means"));
    help_->setObjectName(QStringLiteral("insightHelp"));
    connect(place_, &QPushButton::clicked, this, &InsightsView::goToPlace);
    connect(help_, &QPushButton::clicked, this, [this] {
        if (const analyse::Insight* insight = chosen())
            Q_EMIT helpRequested(QStringLiteral("insights"), text(insight->title));
    });
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 10, 14, 4);
    head->setSpacing(8);
    head->addWidget(detail_, 1);
    head->addWidget(place_, 0, Qt::AlignTop);
    head->addWidget(help_, 0, Qt::AlignTop);
    auto* tables = new QSplitter(Qt::Horizontal);
    tables->addWidget(figures_);
    tables->addWidget(thresholds_);
    tables->setStretchFactor(0, 2);
    tables->setStretchFactor(1, 3);
    auto* details = new QWidget;
    auto* layout = new QVBoxLayout(details);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(tables, 1);
    return details;
}

void InsightsView::startOver(bool another) {
    if (another) {
        summary_.reset();
        chosen_ = 0;
        followed_.clear();
        findings_->setRows({});
    }
    pages_->showText(QString());
}

void InsightsView::refresh() {
    if (!sources().current) // a basis is remembered before a file is open
        return;
    sources().current->ask<analyse::Summary>(
        this, QStringLiteral("insights"),
        [per = basis()](const profile::Profile& file) { return analyse::summarise(file, per); },
        [this](Result<analyse::Summary> now) {
            if (!now) {
                pages_->setText(now.error());
                return;
            }
            summary_ = std::move(*now);
            showFindings();
        });
}

void InsightsView::showFindings() {
    if (!summary_)
        return;
    const bool host = summary_->target.tiles_per_ipu == 0;
    summary_->insights.empty() ? pages_->showText() : pages_->showPage();
    pages_->setText(host ? tr("This run used the CPU: no tiles, exchanges or program steps were simulated.")
                    : summary_->run.status == profile::RunStatus::Running ? tr("Nothing stands out so far.")
                                                                          : tr("Nothing stands out."));
    analyse::rank(summary_->insights, static_cast<analyse::InsightOrder>(order_->currentIndex()));
    std::vector<TableRow> rows;
    for (const analyse::Insight& insight : summary_->insights) {
        const QString cost = costText(insight, summary_->target.clock_hz);
        rows.push_back({static_cast<std::int64_t>(rows.size()),
                        {textCell(text(insight.title)),
                         cost.isEmpty() ? absentCell() : numberCell(cost, insight.cost->value),
                         shareCell(costShare(insight, *summary_)),
                         textCell(placeText(insight.subject, summary_->ipus.size() > 1)),
                         textCell(text(profile::to_string(insight.severity)))}});
    }
    chosen_ = std::clamp<std::int64_t>(chosen_, 0,
                                       std::max<std::int64_t>(static_cast<std::int64_t>(rows.size()) - 1, 0));
    findings_->setCaption(tr("enter leads to the place"));
    findings_->setRows(std::move(rows));
    findings_->selectKey(chosen_);
    showHead();
    showChosen();
    if (selection() != nullptr)
        follow(selection()->current());
}

/// To the finding that was chosen elsewhere, once.
void InsightsView::follow(const Selection& s) {
    if (!summary_ || s.finding == followed_)
        return;
    followed_ = s.finding;
    const auto& all = summary_->insights;
    const auto found = std::find_if(all.begin(), all.end(), [&](const analyse::Insight& insight) {
        return analyse::identity(insight) == s.finding;
    });
    if (found == all.end())
        return;
    chosen_ = found - all.begin();
    findings_->selectKey(chosen_);
    showChosen();
}

void InsightsView::showHead() {
    const auto& all = summary_->insights;
    if (all.empty())
        return;
    const auto count = static_cast<int>(all.size());
    QString sentence = count == 1 ? tr("<b>1 finding.</b>") : tr("<b>%1 findings.</b>").arg(count);
    const auto worst = std::find_if(all.begin(), all.end(), [](const analyse::Insight& insight) {
        return insight.cost && insight.cost->unit == "cycles";
    });
    const auto dearest = std::max_element(worst, all.end(), [](const auto& a, const auto& b) {
        const auto cycles = [](const analyse::Insight& i) {
            return i.cost && i.cost->unit == "cycles" ? i.cost->value : 0;
        };
        return cycles(a) < cycles(b);
    });
    if (all.front().severity == analyse::Severity::Error)
        sentence += tr(" First of all: %1.").arg(text(all.front().title).toHtmlEscaped().toLower());
    else if (worst != all.end()) {
        const auto share = costShare(*dearest, *summary_);
        sentence += tr(" The one that costs most: %1, up to %2 (%3).")
                        .arg(text(dearest->title).toHtmlEscaped().toLower(),
                             costText(*dearest, summary_->target.clock_hz),
                             share ? formatPercent(*share) : QStringLiteral("–"));
    }
    heading_->setHtml(sentence +
                      tr(" <span style='color:@muted'>Costs are the most that there is to gain; they overlap."
                         "</span>"));
}

const analyse::Insight* InsightsView::chosen() const {
    return summary_ && chosen_ >= 0 && static_cast<std::size_t>(chosen_) < summary_->insights.size()
               ? &summary_->insights[static_cast<std::size_t>(chosen_)]
               : nullptr;
}

void InsightsView::showChosen() {
    const analyse::Insight* insight = chosen();
    if (insight == nullptr)
        return;
    detail_->setHtml(QStringLiteral("<span style='color:%1'>●</span> <b>%2</b><br>%3")
                         .arg(severityColor(insight->severity), text(insight->title).toHtmlEscaped(),
                              text(insight->detail).toHtmlEscaped()));
    place_->setText(placeAction(insight->subject));
    std::vector<TableRow> rows;
    for (const analyse::InsightFigure& figure : insight->figures)
        rows.push_back({-1,
                        {textCell(plain(figure.name)),
                         numberCell(amountText(figure.value, figure.unit), figure.value)}});
    figures_->setRows(std::move(rows));
    rows.clear();
    if (const analyse::Rule* rule = ruleOf(insight->code))
        for (const analyse::Threshold& threshold : rule->thresholds)
            rows.push_back({-1,
                            {textCell(plain(threshold.name)),
                             numberCell(amountText(threshold.value, threshold.unit), threshold.value),
                             textCell(QString::fromUtf8(threshold.reason))}});
    thresholds_->setCaption(rows.empty() ? tr("%1: wherever it happens").arg(text(insight->code))
                                         : text(insight->code));
    thresholds_->setRows(std::move(rows));
}

void InsightsView::goToPlace() {
    const analyse::Insight* insight = chosen();
    if (insight == nullptr || selection() == nullptr)
        return;
    const auto place = placeOf(insight->subject, summary_->ipus, selection()->current());
    if (!place)
        return Q_EMIT helpRequested(QStringLiteral("workloads"), settingHeading(insight->subject.name));
    selection()->set(place->selection);
    Q_EMIT viewRequested(place->view);
}

QJsonObject InsightsView::saveState() const {
    return {{QStringLiteral("order"), order_->currentIndex()}};
}

void InsightsView::restoreState(const QJsonObject& state) {
    order_->setCurrentIndex(std::clamp(state[QStringLiteral("order")].toInt(), 0, order_->count() - 1));
}

} // namespace tilescope::ui
