// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/insights/insight_place.h"

#include "analyse/headline.h"
#include "analyse/insight_rules.h"
#include "base/text.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

namespace tilescope::ui {
namespace {

QString word(const char* source) {
    return QCoreApplication::translate("Insights", source);
}

/// Of all IPUs: exchange stands in Operations, copies between IPUs in Sharding.
bool isExchange(const analyse::Insight& insight) {
    return insight.code == analyse::exchange_rule || insight.code == analyse::exchange_of_operation_rule;
}
bool isCopies(const analyse::Insight& insight) {
    return insight.code == analyse::inter_ipu_rule;
}

/// How many operations or compute sets that are alike it is about.
std::int64_t alikeOf(const analyse::Insight& insight) {
    for (const analyse::InsightFigure& figure : insight.figures)
        if (figure.name == "operations" || figure.name == "compute_sets")
            return std::llround(figure.value);
    return 1;
}

} // namespace

std::optional<InsightPlace> placeOf(const analyse::Insight& insight,
                                    const std::vector<analyse::IpuSummary>& ipus, const Selection& before) {
    using analyse::SubjectKind;
    const analyse::InsightSubject& subject = insight.subject;
    InsightPlace place{{}, before};
    Selection& s = place.selection;
    s.operation = s.layer = s.program = s.variable = -1;
    s.tiles.clear();
    s.range.reset();
    if (!subject.ipus.empty())
        s.lookAt(subject.ipus.front());
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
        place.view = QStringLiteral("operations");
        s.operation = subject.id;
        break;
    case SubjectKind::Stage: {
        place.view = QStringLiteral("pipeline");
        const auto ipu = std::find_if(ipus.begin(), ipus.end(),
                                      [&](const auto& each) { return each.stage == subject.id; });
        if (ipu != ipus.end())
            s.lookAt(ipu->id);
        break;
    }
    case SubjectKind::Run:
        place.view = isExchange(insight) ? QStringLiteral("operations")
                     : isCopies(insight) ? QStringLiteral("sharding")
                                         : QStringLiteral("trace");
        break;
    }
    if (isExchange(insight))
        place.order = QStringLiteral("exchange");
    return place;
}

QString linkTo(const analyse::InsightSubject& subject) {
    using analyse::SubjectKind;
    const std::int64_t ipu = subject.ipus.empty() ? -1 : subject.ipus.front();
    switch (subject.kind) {
    case SubjectKind::Operation:
        return linkTo(Subject::Operation, subject.id, ipu);
    case SubjectKind::Tile:
        return linkTo(Subject::Tile, subject.id, ipu);
    case SubjectKind::Ipus:
    case SubjectKind::Stage:
        return linkTo(Subject::Ipu, ipu);
    case SubjectKind::Setting:
    case SubjectKind::Run:
        break;
    }
    return {};
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

QString severityColor(analyse::Severity severity) {
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

QString placeText(const analyse::Insight& insight, const std::vector<analyse::IpuSummary>& ipus) {
    using analyse::SubjectKind;
    const analyse::InsightSubject& subject = insight.subject;
    const auto of_replica =
        std::count_if(ipus.begin(), ipus.end(), [](const auto& ipu) { return ipu.replica == 0; });
    const bool several = (subject.kind == SubjectKind::Operation ? of_replica : std::ssize(ipus)) > 1;
    QStringList numbers;
    for (const std::int64_t ipu : subject.ipus)
        numbers << QString::number(ipu);
    const QString on =
        several && !numbers.isEmpty() ? word("IPU %1").arg(numbers.join(QStringLiteral(", "))) : QString();
    switch (subject.kind) {
    case SubjectKind::Ipus:
        return on.isEmpty() ? word("the IPU") : on;
    case SubjectKind::Tile:
        return (on.isEmpty() ? QString() : on + QLatin1Char(' ')) + word("tile %1").arg(subject.id);
    case SubjectKind::Operation: {
        const std::int64_t alike = alikeOf(insight);
        const QString what = alike > 1 ? QStringLiteral("%1 × %2").arg(text(subject.name), formatCount(alike))
                                       : text(subject.name);
        return on.isEmpty()
                   ? what
                   : (alike > 1 ? word("%1, largest on %2") : QStringLiteral("%1, %2")).arg(what, on);
    }
    case SubjectKind::Stage:
        return word("stage %1").arg(subject.id);
    case SubjectKind::Setting:
        return text(subject.name);
    case SubjectKind::Run:
        break;
    }
    return word("the whole run");
}

QString placeAction(const analyse::Insight& insight) {
    using analyse::SubjectKind;
    const analyse::InsightSubject& subject = insight.subject;
    switch (subject.kind) {
    case SubjectKind::Ipus:
        return word("Show the IPUs in Sharding");
    case SubjectKind::Tile:
        return word("Show the tile in Memory");
    case SubjectKind::Operation:
        return word("Show the operation in Operations");
    case SubjectKind::Stage:
        return word("Show the stage in Pipeline");
    case SubjectKind::Setting:
        return word("About %1").arg(text(subject.name));
    case SubjectKind::Run:
        break;
    }
    return isExchange(insight) ? word("Show operations by exchange")
           : isCopies(insight) ? word("Show the links in Sharding")
                               : word("Show when in Trace");
}

QString amountText(double value, analyse::FigureUnit unit) {
    using Unit = analyse::FigureUnit;
    return unit == Unit::Share    ? formatPercent(value)
           : unit == Unit::Bytes  ? formatBytes(value)
           : unit == Unit::Cycles ? formatCycles(std::llround(value))
           : unit == Unit::Times  ? text(times_text(value))
                                  : formatNumber(value);
}

QString figureName(const std::string& key) {
    static const std::map<std::string, QString> names{
        {"answers_share", word("its answers, of the host's time")},
        {"arranging_cycles", word("arranging, over the IPUs of a replica")},
        {"arranging_share", word("arranging, of the cycles of operations")},
        {"balance", word("the mean tile, of the slowest")},
        {"batch_size", word("batch size")},
        {"bytes_per_tile", word("memory of a tile")},
        {"code_bytes", word("code on the tile")},
        {"code_share", word("code, of the tile's memory")},
        {"compute_sets", word("compute sets alike")},
        {"exchange_share", word("exchange within the IPU")},
        {"executions", word("engine runs")},
        {"feeds_share", word("data in, of the host's time")},
        {"host_share", word("time of the host")},
        {"idle_ipus", word("IPUs that compute nothing")},
        {"inter_ipu_share", word("exchange between IPUs")},
        {"io_tiles_share", word("waiting for I/O tiles, of the host's time")},
        {"ipu_share", word("in use of the IPUs that are needed")},
        {"launch_share", word("launches, of the host's time")},
        {"live_bytes", word("live on the tile at once")},
        {"longest_stage_cycles", word("the longest stage")},
        {"lost_share", word("lost, of the time")},
        {"mean_stage_cycles", word("the mean stage")},
        {"mean_tile_bytes", word("on the mean tile")},
        {"needed_ipus", word("IPUs that are needed")},
        {"of_the_operation", word("arranging, of the operation's own time")},
        {"operation_share", word("the operation, of the cycles of all")},
        {"operations", word("operations alike")},
        {"peak_share", word("of the tiles' peak")},
        {"results_share", word("data out, of the host's time")},
        {"set_cycles", word("the mean compute set")},
        {"steps", word("steps")},
        {"streaming_share", word("streaming memory, of the host's time")},
        {"sync_share", word("sync")},
        {"tile_bytes", word("on the tile")},
        {"tile_share", word("on the tile, of its memory")},
        {"tiles_over", word("tiles that are too full")},
        {"time_share", word("of the time with host and idle")},
        {"times_the_mean", word("against the mean")},
        {"times_the_sync", word("the mean compute set, against a sync")},
        {"total_bytes", word("memory of the model")},
    };
    const auto found = names.find(key);
    return found == names.end() ? text(spaced_text(key)) : found->second;
}

QString figureText(const analyse::InsightFigure& figure) {
    return QStringLiteral("%1: %2").arg(figureName(figure.name), amountText(figure.value, figure.unit));
}

QString costText(const analyse::Insight& insight, double clock_hz) {
    if (!insight.cost)
        return {};
    if (insight.cost->unit != analyse::FigureUnit::Bytes)
        return (insight.cost->planned ? word("%1 per %2, planned") : word("%1 per %2"))
            .arg(formatTime(insight.cost->value, clock_hz), text(insight.cost->per));
    const analyse::Rule* rule = analyse::find_rule(insight.code);
    const QString bytes = formatBytes(insight.cost->value);
    return rule == nullptr ? bytes : word("%1 more than %2").arg(bytes, text(rule->cost_is_over()));
}

QString changeText(const analyse::FindingPair& finding, double clock_hz, double base_clock_hz) {
    if (!finding.base)
        return word("new");
    if (!finding.now)
        return word("gone");
    if (!finding.change())
        return QStringLiteral("–");
    const bool time =
        finding.now->cost->unit != analyse::FigureUnit::Bytes && !units().cycles && clock_hz > 0;
    const double longer = time ? base_clock_hz / clock_hz : 1; // each cycle
    return formatChange(finding.base->cost->value, finding.now->cost->value * longer);
}

QStringList settingsOf(const profile::RemedyRecord& remedy) {
    QStringList settings{text(remedy.change)};
    if (remedy.ipus > 0)
        settings << QStringLiteral("ipu_config.auto_select_ipus=%1").arg(remedy.ipus);
    return settings;
}

QString nothingFoundText(const analyse::Summary& summary) {
    QString found = summary.run.status == profile::RunStatus::Running ? word("Nothing stands out so far.")
                                                                      : word("Nothing stands out.");
    const analyse::Headline headline = analyse::headline(summary);
    if (!headline.largest)
        return found;
    found +=
        word(" The largest part is %1 with %2%3")
            .arg(text(headline.largest->name), formatPercent(headline.largest->share), text(headline.whole));
    return summary.peak_share ? found + word("; the IPUs do %1 of what they could at their peak.")
                                            .arg(formatPercent(*summary.peak_share))
                              : found + u'.';
}

QString setOptions(const QStringList& settings) {
    QStringList options;
    for (const QString& setting : settings)
        options << QStringLiteral("--set '%1'").arg(setting);
    return options.join(u' ');
}

} // namespace tilescope::ui
