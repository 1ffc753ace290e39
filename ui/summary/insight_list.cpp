// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/summary/insight_list.h"

#include "ui/insights/insight_place.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/theme/whole_figures.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr std::size_t most = 3; ///< that are listed

/// `number` is its place in the list, which the links name; `change` from the base, "" without one.
QString htmlOf(const analyse::Insight& insight, std::size_t number, double clock_hz, const QString& change) {
    QStringList figures;
    for (const analyse::InsightFigure& figure : insight.figures)
        figures << figureText(figure);
    const auto link = [&](const char* what, const QString& text) {
        return inHtml(QStringLiteral("<a style='color:@accent; text-decoration:none' href='%1:%2'>%3</a>"),
                      {QString(QLatin1String(what)), number, text});
    };
    QStringList costs;
    for (const QString& each : {costText(insight, clock_hz), change})
        if (!each.isEmpty())
            costs << QStringLiteral("  ·  ") + each;
    QString html = inHtml(
        QStringLiteral("<span style='color:%1'>●</span> "
                       "<a style='color:@text; text-decoration:none' href='finding:%2'><b>%3</b></a>%4<br>"
                       "<span style='color:@muted'>%5"),
        {severityColor(insight.severity), number, insight.title, costs.join(QString()), insight.detail});
    if (!figures.isEmpty())
        html += QStringLiteral("<br>") + asHtml(keepFiguresWhole(figures.join(QStringLiteral("  ·  "))));
    return html + QStringLiteral("</span><br>") + link("place", placeAction(insight)) +
           QStringLiteral("&nbsp;&nbsp;&nbsp;") + link("help", InsightList::tr("What it means"));
}

} // namespace

InsightList::InsightList(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
}

void InsightList::setInsights(const analyse::Summary& summary, const std::optional<ReadBase>& base) {
    insights_ = summary.insights;
    analyse::rank(insights_, analyse::InsightOrder::Time);
    const std::vector<analyse::FindingPair> pairs = // those of the run first, in their order
        base ? analyse::match_findings(base->run.summary.insights, insights_, base->names)
             : analyse::match_findings({}, insights_, {});
    std::vector<Line> lines;
    for (std::size_t i = 0; i < std::min(most, insights_.size()); ++i)
        lines.push_back({Line::Of::Finding, htmlOf(insights_[i], i, summary.target.clock_hz,
                                                   base ? changeText(pairs[i], summary.target.clock_hz,
                                                                     base->run.summary.target.clock_hz)
                                                        : QString())});
    if (insights_.size() > most)
        lines.push_back(
            {Line::Of::More,
             inHtml(QStringLiteral("<a style='color:@accent; text-decoration:none' href='all:0'>%1</a>"),
                    {tr("All %1 findings ›").arg(insights_.size())})});
    if (insights_.empty())
        lines.push_back({Line::Of::Remark, tr("Nothing stands out.")});
    QStringList gone;
    for (std::size_t i = insights_.size(); i < pairs.size(); ++i)
        if (const QString title = QString::fromStdString(pairs[i].either().title); !gone.contains(title))
            gone << title;
    if (!gone.isEmpty())
        lines.push_back({Line::Of::Remark, tr("No longer found: %1").arg(gone.join(QStringLiteral("; ")))});
    showLines(std::move(lines));
}

/// A file that grows is read several times a second: what stays the same is neither drawn anew nor loses what
/// is selected in it.
void InsightList::showLines(std::vector<Line> lines) {
    if (lines == lines_)
        return;
    lines_ = std::move(lines);
    while (QLayoutItem* item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Line& line : lines_) {
        QLabel* label = line.of == Line::Of::Remark ? new QLabel(line.text) : new ThemedLabel(line.text);
        if (line.of == Line::Of::Remark) {
            label->setForegroundRole(QPalette::PlaceholderText);
        } else {
            label->setTextInteractionFlags(Qt::TextBrowserInteraction);
            connect(label, &QLabel::linkActivated, this, [this, of = line.of](const QString& link) {
                of == Line::Of::More ? Q_EMIT allChosen() : follow(link);
            });
        }
        label->setWordWrap(line.of != Line::Of::More);
        layout()->addWidget(label);
        label->show(); // with the list, not a turn later
    }
}

void InsightList::follow(const QString& link) {
    const auto number = static_cast<std::size_t>(link.section(QLatin1Char(':'), 1).toInt());
    if (number >= insights_.size())
        return;
    const analyse::Insight insight = insights_[number]; // what is shown may change meanwhile
    if (link.startsWith(QLatin1String("help")))
        Q_EMIT helpChosen(QString::fromStdString(insight.title));
    else if (link.startsWith(QLatin1String("finding")))
        Q_EMIT findingChosen(analyse::identity(insight));
    else
        Q_EMIT placeChosen(insight);
}

} // namespace tilescope::ui
