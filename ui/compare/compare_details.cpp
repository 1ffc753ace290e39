// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel at the side says of a comparison: of the layer or the operation that is chosen, or of the
// part of the bridge; else what there is in one run only.
#include "analyse/figures.h"
#include "base/text.h"
#include "bridge_chart.h"
#include "ui/compare/compare_view.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/detail_table.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

using analyse::Cause;
using analyse::Difference;
using Amount = std::optional<double> Cause::*;

constexpr qsizetype most_lines = 8;
constexpr double us_per_second = 1e6;

/// Cycles as the window shows them, in time or in cycles.
QString amountOf(const std::optional<double>& value, analyse::FigureUnit unit, double clock_hz) {
    return value && unit == analyse::FigureUnit::Cycles ? formatTime(*value, clock_hz)
                                                        : text(analyse::figure_text(value, unit));
}

/// "+3.1 %"; "+1,204 cycles" of what was not there.
QString relativeText(const Difference& d, double clock_hz) {
    const auto by = d.change();
    return by && *by != 0 && *d.base == 0 ? formatDifference(*by, amountOf(by, d.unit, clock_hz))
                                          : text(analyse::relative_text(d));
}

/// What it is and was, and how it has changed.
void addDifference(DetailTable& table, const QString& name, const Difference& d, const QString& per,
                   double clock_hz) {
    if (!d.base && !d.now)
        return;
    const auto amount = [&](const std::optional<double>& value) {
        return value ? QStringLiteral("%1 %2").arg(amountOf(value, d.unit, clock_hz), per).trimmed()
                     : QStringLiteral("–");
    };
    table.row(
        name,
        CompareView::tr("%1\nbase %2\n%3").arg(amount(d.now), amount(d.base), relativeText(d, clock_hz)));
}

/// Those that are about it, at any depth.
void collect(const std::vector<Cause>& causes, const std::string& what, std::vector<const Cause*>& found) {
    for (const Cause& cause : causes)
        if (cause.what == what)
            found.push_back(&cause);
        else
            collect(cause.parts, what, found);
}

QString amountOf(const Cause& cause, Amount amount, double clock_hz) {
    const std::optional<double>& value = cause.*amount;
    if (!value)
        return {};
    return amount == &Cause::bytes ? formatBytesDifference(*value)
                                   : formatDifference(*value, formatTime(*value, clock_hz));
}

/// What the changes of it are made of, more of it than the list of causes has: what each is of, and of which
/// kind; why stands there.
void addCauses(DetailTable& table, const QString& name, const std::vector<Cause>& causes,
               const std::string& what, Amount amount, double clock_hz,
               const std::map<std::string, std::int64_t>& operations) {
    std::vector<const Cause*> found;
    collect(causes, what, found);
    QStringList lines;
    for (const Cause* cause : found) {
        for (const Cause& part : cause->parts) {
            const auto operation = operations.find(part.what);
            lines << CompareView::tr("%1 %2, %3")
                         .arg(asHtml(amountOf(part, amount, clock_hz)),
                              subjectLink(Subject::Operation,
                                          operation == operations.end() ? -1 : operation->second,
                                          text(name_text(part))),
                              asHtml(to_string(part.kind)));
        }
        if (cause->parts.empty())
            lines << CompareView::tr("%1 %2%3").arg(
                asHtml(amountOf(*cause, amount, clock_hz)), asHtml(to_string(cause->kind)),
                cause->why.empty() ? QString() : QStringLiteral(": ") + asHtml(cause->why));
    }
    table.list(name, lines, most_lines);
}

QStringList plainLines(const std::vector<std::string>& names) {
    QStringList lines;
    for (const std::string& name : names)
        lines << asHtml(name);
    return lines;
}

} // namespace

/// Of a layer, or of an operation and the layer that it is of.
QString CompareView::detailsOf(const analyse::CostDifference& cost, std::int64_t operation,
                               std::int64_t layer) const {
    DetailTable table;
    const QString per = text(analyse::per(told_->basis));
    if (operation >= 0)
        table.richRow(tr("Operation"), subjectLink(Subject::Operation, operation, text(cost.name)));
    for (const auto& [name, id] : layer_ids_)
        if (id == layer)
            table.richRow(tr("Layer"), subjectLink(Subject::Layer, layer, text(name)));
    table.row(tr("In the base"), cost.base_name == cost.name ? QString() : text(cost.base_name));
    addDifference(table, tr("Cycles"), cost.cycles, per, clock_hz_);
    addDifference(table, tr("Live at the peak step"), cost.memory, {}, clock_hz_);
    addCauses(table, tr("Its time, because"), told_->causes, cost.name, &Cause::cycles, clock_hz_,
              operation_ids_);
    addCauses(table, tr("Its bytes, because"), told_->memory_causes, cost.name, &Cause::bytes, clock_hz_,
              operation_ids_);
    return table.html(text(name_text(cost)));
}

/// With all layers that it is of.
QString CompareView::detailsOf(const analyse::BridgePart& part) const {
    const auto time = [](double us) { return formatDifference(us, formatSeconds(us / us_per_second)); };
    DetailTable table;
    table.row(tr("Change"), tr("%1 %2").arg(time(part.us), text(analyse::per(told_->basis))));
    QStringList lines;
    for (const analyse::BridgePart& each : part.parts) {
        const auto layer = layer_ids_.find(each.name);
        lines << tr("%1, %2").arg(
            subjectLink(Subject::Layer, layer == layer_ids_.end() ? -1 : layer->second, text(each.name)),
            asHtml(time(each.us)));
    }
    table.list(tr("Of it"), lines, lines.size());
    return table.html(text(part.name));
}

QString CompareView::detailsOfAll() const {
    const auto link = [](Subject subject, const std::map<std::string, std::int64_t>& ids,
                         const std::string& name) {
        const auto found = ids.find(name);
        return subjectLink(subject, found == ids.end() ? -1 : found->second, text(name));
    };
    DetailTable table;
    QStringList changed, added, renamed;
    for (const analyse::CostDifference& layer : told_->layers)
        if (layer.cycles.by() != 0)
            changed << tr("%1, %2").arg(link(Subject::Layer, layer_ids_, layer.name),
                                        asHtml(relativeText(layer.cycles, clock_hz_)));
    for (const std::string& name : told_->added_operations)
        added << link(Subject::Operation, operation_ids_, name);
    for (const auto& [base, now] : told_->renamed_layers)
        renamed << tr("%1, was %2").arg(link(Subject::Layer, layer_ids_, now), asHtml(base));
    table.list(tr("Layers that change"), changed, most_lines);
    table.list(tr("Added operations"), added, most_lines);
    table.list(tr("Removed operations"), plainLines(told_->removed_operations), most_lines);
    table.list(tr("Renamed layers"), renamed, most_lines);
    if (changed.isEmpty() && added.isEmpty() && told_->removed_operations.empty() && renamed.isEmpty())
        table.row(tr("Layers"), told_->both_compiled() ? tr("all take as long as in the base")
                                                       : tr("not compared: one run has no compilation"));
    return table.html(tr("%1 against %2").arg(names_[static_cast<qsizetype>(front_) + 1], names_.front()));
}

void CompareView::tellDetails() {
    if (!isVisible() || !told_)
        return;
    const Selection s = selection() == nullptr ? Selection() : selection()->current();
    const auto name_of = [](const std::map<std::string, std::int64_t>& ids, std::int64_t id) {
        const auto found =
            std::find_if(ids.begin(), ids.end(), [id](const auto& each) { return each.second == id; });
        return id < 0 || found == ids.end() ? std::string() : found->first;
    };
    const auto of = [](const std::vector<analyse::CostDifference>& costs, const std::string& name) {
        const auto found = std::find_if(costs.begin(), costs.end(), [&](const auto& cost) {
            return cost.cycles.now && cost.name == name;
        });
        return found == costs.end() ? nullptr : &*found;
    };
    const analyse::BridgePart* part = bridge_->chosenPart();
    const std::string layer = name_of(layer_ids_, s.layer);
    if (part != nullptr && bridge_at_)
        return Q_EMIT detailsChanged(detailsOf(*part));
    if (const auto* cost = of(told_->operations, name_of(operation_ids_, s.operation)))
        return Q_EMIT detailsChanged(detailsOf(*cost, s.operation, s.layer));
    if (const auto* cost = of(told_->layers, layer))
        return Q_EMIT detailsChanged(detailsOf(*cost, -1, s.layer));
    Q_EMIT detailsChanged(detailsOfAll());
}

} // namespace tilescope::ui
