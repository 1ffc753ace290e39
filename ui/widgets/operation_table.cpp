// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/operation_table.h"

#include "base/try.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/phase_look.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>
#include <algorithm>

namespace tilescope::ui {
namespace {

QString tr(const char* source) {
    return QCoreApplication::translate("OperationTable", source);
}

QString plain(const QJsonValue& value) {
    if (value.isArray()) {
        QStringList parts;
        for (const auto part : value.toArray())
            parts << plain(part);
        return parts.join(QStringLiteral(", "));
    }
    return value.isDouble() ? formatNumber(value.toDouble()) : value.toVariant().toString();
}

/// The operations in the body of a loop, a line each.
QString bodyText(const std::string& attributes) {
    QStringList lines;
    const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(attributes)).object();
    for (const auto line : object.value(QLatin1String("body")).toArray())
        lines << line.toString();
    return lines.join(QLatin1Char('\n'));
}

/// With a link to the operation that makes it, where that is another one than `here`.
QString tensorText(const std::vector<profile::TensorRecord>& tensors,
                   const std::vector<profile::OperationRecord>& operations, std::int64_t id,
                   std::int64_t here) {
    const auto t =
        std::find_if(tensors.begin(), tensors.end(), [id](const auto& each) { return each.id == id; });
    if (t == tensors.end())
        return {};
    const auto maker = std::find_if(operations.begin(), operations.end(), [id](const auto& each) {
        return std::find(each.outputs.begin(), each.outputs.end(), id) != each.outputs.end();
    });
    const std::int64_t made_by = maker == operations.end() || maker->id == here ? -1 : maker->id;
    return inHtml(QStringLiteral("%1&nbsp; %2 %3, %4"),
                  {Html{subjectLink(Subject::Operation, made_by, text(t->name))}, to_string(t->dtype),
                   t->shape, formatBytes(t->bytes)});
}

} // namespace

QString perText(const analyse::Costs& costs, analyse::Basis basis) {
    const QString per = text(analyse::per(basis));
    const std::int64_t replicas = costs.loops().replicas;
    return replicas > 1 ? tr("%1, one of %2 replicas").arg(per).arg(replicas) : per;
}

QString changeText(std::optional<std::int64_t> base, std::int64_t now) {
    if (!base || (*base == 0 && now != 0))
        return tr("new");
    return formatChange(static_cast<double>(*base), static_cast<double>(now));
}

QString layerText(const profile::LayerRecord& layer) {
    return inHtml(QStringLiteral("%1 (%2)"),
                  {Html{subjectLink(Subject::Layer, layer.id, text(layer.name))}, layer.kind});
}

QString jsonText(const std::string& json) {
    QStringList parts;
    const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    for (auto it = object.begin(); it != object.end(); ++it)
        if (it.key() != QLatin1String("body"))
            parts << it.key().replace(QLatin1Char('_'), QLatin1Char(' ')) + QLatin1Char(' ') +
                         plain(it.value());
    return parts.join(QStringLiteral(" · "));
}

Result<void> OperationTable::about(const profile::Profile& file, const profile::OperationRecord& op) {
    TRY(const auto tensors, file.tensors());
    TRY(const auto operations, file.operations());
    TRY(const auto layers, file.layers());
    const auto tensorTexts = [&](const std::vector<std::int64_t>& ids) {
        QStringList lines;
        for (const std::int64_t id : ids)
            lines << tensorText(tensors, operations, id, op.id);
        return lines.join(QLatin1String("<br>"));
    };
    row(tr("Operation"), text(op.kind));
    row(tr("Phase"), text(profile::to_string(op.phase)));
    for (const profile::LayerRecord& layer : layers)
        if (layer.id == op.layer_id)
            richRow(tr("Layer"), layerText(layer));
    const QString ipu = subjectLink(Subject::Ipu, op.ipu, QString::number(op.ipu));
    richRow(tr("IPU"), op.stage < 0 ? ipu : tr("%1, stage %2").arg(ipu).arg(op.stage));
    richRow(tr("Inputs"), tensorTexts(op.inputs));
    richRow(tr("Outputs"), tensorTexts(op.outputs));
    row(tr("Attributes"), jsonText(op.attributes));
    row(tr("Body"), bodyText(op.attributes));
    return {};
}

void OperationTable::cost(const analyse::GraphCost& cost, const analyse::Costs& costs, analyse::Basis basis,
                          double clock_hz) {
    const profile::PhaseCycles cycles = costs.in(basis, cost.time.cycles);
    if (cycles.total() > 0) {
        row(tr("Cycles"), QStringLiteral("%1 %2").arg(formatCount(cycles.total()), perText(costs, basis)));
        row(cost.time.ipus.size() > 1 ? tr("IPU time") : tr("Time"),
            clock_hz > 0 ? formatTime(cycles.total(), clock_hz) : QString());
        if (const auto share = costs.share_or_planned(cost.time))
            row(tr("Share"),
                (costs.planned() > 0 ? tr("%1 of the planned time of %2") : tr("%1 of the time of %2"))
                    .arg(formatPercent(*share), text(analyse::Costs::ipus_text(cost.time.ipus))));
        for (const PhaseLook& look : phaseLooks())
            if (const std::int64_t part = cycles.*look.cycles; part > 0)
                row(look.title, formatCyclesAndTime(part, clock_hz));
    }
    if (cost.bytes.at_peak > 0) {
        row(tr("Always live"), formatBytes(cost.bytes.always));
        row(tr("Live at the peak step"), formatBytes(cost.bytes.at_peak));
    }
}

void OperationTable::base(std::optional<std::int64_t> then, std::int64_t now, double clock_hz) {
    row(tr("Base"), then ? tr("%1, %2").arg(formatCyclesAndTime(*then, clock_hz), changeText(then, now))
                         : tr("does not have it"));
}

} // namespace tilescope::ui
