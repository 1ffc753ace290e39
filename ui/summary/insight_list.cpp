// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/summary/insight_list.h"

#include "base/text.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

QString escaped(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped();
}

QString colorOf(analyse::Severity severity) {
    switch (severity) {
    case analyse::Severity::Error:
        return QStringLiteral("@bad");
    case analyse::Severity::Warning:
        return QStringLiteral("@warning");
    case analyse::Severity::Info:
        break;
    }
    return QStringLiteral("@accent");
}

QString placeName(const analyse::InsightSubject& subject) {
    using analyse::SubjectKind;
    switch (subject.kind) {
    case SubjectKind::Ipus:
        return InsightList::tr("Show the IPUs");
    case SubjectKind::Tile:
        return InsightList::tr("Show the tile");
    case SubjectKind::Operation:
        return InsightList::tr("Show the operation");
    case SubjectKind::Stage:
        return InsightList::tr("Show the stage");
    case SubjectKind::Setting:
        return InsightList::tr("About %1").arg(QString::fromStdString(subject.name));
    case SubjectKind::Run:
        break;
    }
    return InsightList::tr("Show when");
}

/// `number` is its place in the list, which the links name.
QString htmlOf(const analyse::Insight& insight, std::size_t number) {
    QStringList figures;
    for (const analyse::InsightFigure& figure : insight.figures)
        figures << figureText(figure).toHtmlEscaped();
    const auto link = [&](const char* what, const QString& text) {
        return QStringLiteral("<a style='color:@accent; text-decoration:none' href='%1:%2'>%3</a>")
            .arg(QLatin1String(what))
            .arg(number)
            .arg(text.toHtmlEscaped());
    };
    QString html =
        QStringLiteral("<span style='color:%1'>●</span> <b>%2</b><br><span style='color:@muted'>%3")
            .arg(colorOf(insight.severity), escaped(insight.title), escaped(insight.detail));
    if (!figures.isEmpty())
        html += QStringLiteral("<br>") + figures.join(QStringLiteral("  ·  "));
    return html + QStringLiteral("</span><br>") + link("place", placeName(insight.subject)) +
           QStringLiteral("&nbsp;&nbsp;&nbsp;") + link("help", InsightList::tr("What it means"));
}

} // namespace

std::optional<InsightPlace> placeOf(const analyse::InsightSubject& subject,
                                    const std::vector<analyse::IpuSummary>& ipus, const Selection& before) {
    using analyse::SubjectKind;
    InsightPlace place{{}, before};
    Selection& s = place.selection;
    s.operation = s.layer = s.program = s.variable = -1;
    s.tiles.clear();
    s.range.reset();
    if (!subject.ipus.empty())
        s.ipu = subject.ipus.front();
    switch (subject.kind) {
    case SubjectKind::Setting:
        return std::nullopt;
    case SubjectKind::Ipus:
        place.view = QStringLiteral("sharding");
        break;
    case SubjectKind::Tile:
        place.view = QStringLiteral("memory");
        s.tiles = {subject.id};
        break;
    case SubjectKind::Operation:
        place.view = QStringLiteral("program");
        s.operation = subject.id;
        break;
    case SubjectKind::Stage: {
        place.view = QStringLiteral("pipeline");
        const auto ipu = std::find_if(ipus.begin(), ipus.end(),
                                      [&](const auto& each) { return each.stage == subject.id; });
        if (ipu != ipus.end())
            s.ipu = ipu->id;
        break;
    }
    case SubjectKind::Run:
        place.view = QStringLiteral("trace");
        break;
    }
    return place;
}

QString settingHeading(const std::string& setting) {
    const auto within = [&](const char* group) { return setting.starts_with(std::string(group) + "."); };
    const bool ipus = setting == "ipu_config.auto_select_ipus" || within("pipeline");
    return ipus                   ? QStringLiteral("Several IPUs")
           : within("ipu_config") ? QStringLiteral("The IPU")
           : within("data")       ? QStringLiteral("Data")
           : within("model")      ? QStringLiteral("The model")
                                  : QStringLiteral("Training");
}

QString figureText(const analyse::InsightFigure& figure) {
    const QString value = figure.unit == "share"   ? formatPercent(figure.value)
                          : figure.unit == "bytes" ? formatBytes(figure.value)
                          : figure.unit == "times" ? QString::number(figure.value, 'f', 2)
                                                   : formatNumber(figure.value);
    return QStringLiteral("%1 %2").arg(
        QString::fromStdString(figure.name).replace(QLatin1Char('_'), QLatin1Char(' ')), value);
}

InsightList::InsightList(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
}

void InsightList::setInsights(const analyse::Summary& summary) {
    insights_ = summary.insights;
    while (QLayoutItem* item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (std::size_t i = 0; i < insights_.size(); ++i) {
        auto* label = new ThemedLabel(htmlOf(insights_[i], i));
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextBrowserInteraction);
        connect(label, &QLabel::linkActivated, this, &InsightList::follow);
        layout()->addWidget(label);
    }
    if (insights_.empty()) {
        auto* label = new QLabel(tr("Nothing stands out."));
        label->setForegroundRole(QPalette::PlaceholderText);
        layout()->addWidget(label);
    }
}

void InsightList::follow(const QString& link) {
    const auto number = static_cast<std::size_t>(link.section(QLatin1Char(':'), 1).toInt());
    if (number >= insights_.size())
        return;
    const analyse::Insight insight = insights_[number]; // what is shown may change meanwhile
    if (link.startsWith(QLatin1String("help")))
        Q_EMIT helpChosen(QString::fromStdString(insight.title));
    else
        Q_EMIT subjectChosen(insight.subject);
}

} // namespace tilescope::ui
