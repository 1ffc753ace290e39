// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_tables.h"

#include "analyse/figures.h"
#include "analyse/settings.h"
#include "base/share.h"
#include "base/text.h"
#include "ui/session/format.h"
#include "ui/widgets/judged_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::Comparison;
using analyse::CostDifference;
using analyse::Difference;
using analyse::FigureUnit;

QString tr(const char* source) {
    return QCoreApplication::translate("CompareView", source);
}

using analyse::Sense;

/// How a figure of the unit has changed: faster or slower, more or less, and only where it is neither time
/// nor an amount, as an accuracy, better or worse.
QString wordOf(const Difference& d, int better) {
    if (d.unit == FigureUnit::Us || d.unit == FigureUnit::SamplesPerS)
        return better > 0 ? tr("faster") : tr("slower");
    if (d.unit == FigureUnit::Bytes || d.unit == FigureUnit::Cycles)
        return *d.now > *d.base ? tr("more") : tr("less");
    return better > 0 ? tr("better") : tr("worse");
}

/// In words, too: colours alone reach neither all eyes nor a screen reader.
Cell changeCell(const Difference& d, Sense sense) {
    const int better = d.change().value_or(0) == 0 ? 0 : analyse::judged(*d.base, *d.now, sense);
    const QString change = text(analyse::relative_text(d));
    const auto share = d.change() ? relative_change(*d.base, *d.now) : std::nullopt;
    Cell cell = share ? shareCell(share) : numberCell({}, 0);
    cell.text = better == 0 ? change : judgedText(change, wordOf(d, better));
    cell.by_size = true;
    cell.judged = better;
    return cell;
}

Cell figureCell(const std::optional<double>& value, FigureUnit unit) {
    return value ? numberCell(text(analyse::figure_text(value, unit)), *value) : absentCell();
}

/// Of a column whose figures are all of that unit.
Cell costCell(const std::optional<double>& value, FigureUnit unit) {
    return !value ? absentCell() : unit == FigureUnit::Bytes ? bytesCell(*value) : amountCell(*value);
}

/// Of the base, and of one run after the other, in the order of their columns.
Cell courseOf(const std::vector<const Difference*>& differences) {
    std::vector<std::optional<double>> values(1 + differences.size());
    FigureUnit unit = FigureUnit::None;
    for (std::size_t i = 0; i < differences.size(); ++i)
        if (const Difference* d = differences[i]) {
            values[0] = values[0] ? values[0] : d->base;
            values[i + 1] = d->now;
            unit = d->unit;
        }
    QStringList told;
    for (const auto& value : values)
        told << (value ? text(analyse::figure_text(value, unit)) : QStringLiteral("–"));
    return courseCell(values, told.join(QStringLiteral(" → ")));
}

/// A figure of the base, and of each run with its change. `differences`: by run; null: it has none.
void addFigures(std::vector<Cell>& cells, const std::vector<const Difference*>& differences, Sense sense,
                Cell (*cell)(const std::optional<double>& value, FigureUnit unit) = figureCell) {
    const Difference* any = nullptr;
    for (const Difference* d : differences)
        if (d != nullptr && (any == nullptr || (!any->base && d->base)))
            any = d;
    cells.push_back(any != nullptr ? cell(any->base, any->unit) : absentCell());
    for (const Difference* d : differences) {
        cells.push_back(d != nullptr ? cell(d->now, d->unit) : absentCell());
        cells.push_back(d != nullptr ? changeCell(*d, sense) : absentCell());
    }
    if (differences.size() > 1)
        cells.push_back(courseOf(differences));
}

void addColumns(std::vector<Column>& columns, const QString& first, const QStringList& names, bool bars,
                const QString& course) {
    columns.push_back({first, bars});
    for (const QString& name : names) {
        columns.push_back({names.size() > 1 ? name : tr("new"), bars});
        columns.push_back({tr("change")});
    }
    if (names.size() > 1)
        columns.push_back({course, true});
}

/// What a row of costs is called; what one run calls otherwise is said.
QString nameOf(const analyse::CostsOfRuns& row, std::size_t front) {
    const CostDifference* here = row.runs[front];
    return text(here == nullptr ? row.name : analyse::name_text(*here));
}

} // namespace

std::vector<Column> figureColumns(const QString& base, const QStringList& names) {
    std::vector<Column> columns{{tr("Figure")}};
    if (names.size() < 2)
        return {{tr("Figure")}, {tr("Base")}, {tr("New")}, {tr("Change")}};
    addColumns(columns, base, names, false, tr("Course"));
    return columns;
}

std::vector<TableRow> figureRows(const std::vector<Comparison>& runs) {
    std::vector<std::pair<std::string, std::vector<const Difference*>>> figures;
    std::map<std::string, std::size_t> row_of;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (const Difference& d : runs[i].headline) {
            const auto [row, is_new] = row_of.emplace(d.name, figures.size());
            if (is_new)
                figures.emplace_back(d.name, std::vector<const Difference*>(runs.size(), nullptr));
            figures[row->second].second[i] = &d;
        }
    std::vector<TableRow> rows;
    for (const auto& [name, differences] : figures) {
        const auto any = std::find_if(differences.begin(), differences.end(),
                                      [](const Difference* d) { return d != nullptr; });
        rows.push_back({-1, {textCell(text(analyse::figure_label(**any)))}});
        addFigures(rows.back().cells, differences, analyse::sense_of(name));
    }
    return rows;
}

std::vector<Column> costColumns(const QString& what, const QString& base, const QStringList& names) {
    const QString of = names.size() > 1 ? base : tr("base");
    std::vector<Column> columns{{what}};
    addColumns(columns, tr("Cycles, %1").arg(of), names, true, tr("Course of cycles"));
    addColumns(columns, tr("Live at the peak step, %1").arg(of), names, true, tr("Course of live bytes"));
    return columns;
}

std::vector<TableRow> costRows(const std::vector<Comparison>& runs, std::size_t front,
                               std::vector<CostDifference> Comparison::*costs,
                               const std::map<std::string, std::int64_t>& ids) {
    std::vector<const Comparison*> all;
    all.reserve(runs.size());
    for (const Comparison& run : runs)
        all.push_back(&run);
    std::vector<analyse::CostsOfRuns> sorted = analyse::costs_of_runs(all, costs);
    const auto largest = [](const analyse::CostsOfRuns& of) {
        double most = 0;
        for (const CostDifference* cost : of.runs)
            if (cost != nullptr)
                most =
                    std::max(most, std::fabs(cost->cycles.now.value_or(0) - cost->cycles.base.value_or(0)));
        return most;
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const auto& a, const auto& b) { return largest(a) > largest(b); });
    std::vector<TableRow> rows;
    rows.reserve(sorted.size());
    const std::size_t columns = costColumns({}, {}, QStringList(static_cast<qsizetype>(runs.size()))).size();
    for (const analyse::CostsOfRuns& of : sorted) {
        std::vector<const Difference*> cycles, memory;
        for (const CostDifference* cost : of.runs) {
            cycles.push_back(cost != nullptr ? &cost->cycles : nullptr);
            memory.push_back(cost != nullptr ? &cost->memory : nullptr);
        }
        const auto id = of.runs[front] != nullptr ? ids.find(of.runs[front]->name) : ids.end();
        std::vector<Cell>& cells = rows.emplace_back().cells;
        rows.back().key = id == ids.end() ? -1 : id->second;
        cells.reserve(columns); // they stay
        cells.push_back(textCell(nameOf(of, front)));
        addFigures(cells, cycles, Sense::LessIsBetter, costCell);
        addFigures(cells, memory, Sense::LessIsBetter, costCell);
    }
    return rows;
}

namespace {

using Amount = std::optional<double> analyse::Cause::*;

QString signedTime(double cycles, double clock_hz) {
    return cycles == 0 ? QStringLiteral("0")
                       : text(signed_text(cycles, formatTime(cycles, clock_hz).toStdString()));
}

/// "▼ −2.45 ms faster"
QString judgedTime(double cycles, double clock_hz) {
    const QString amount = signedTime(cycles, clock_hz);
    return cycles == 0
               ? amount
               : judgedText(amount, cycles < 0 ? QCoreApplication::translate("CompareView", "faster")
                                               : QCoreApplication::translate("CompareView", "slower"));
}

/// The rows of the causes of cycles or of bytes of one file, with the largest of what they are made of, and
/// how far they explain its change.
class CauseRows {
  public:
    CauseRows(std::vector<TableRow>& rows, Amount amount, QString file,
              const std::map<std::string, std::int64_t>& layers, double clock_hz)
        : rows_(rows), amount_(amount), file_(std::move(file)), layers_(layers), clock_hz_(clock_hz) {}

    void add(const std::vector<analyse::Cause>& causes) {
        constexpr std::size_t most_parts = 3;
        for (const analyse::Cause& cause : analyse::folded(causes, amount_)) {
            const auto found = layers_.find(cause.alike > 1 ? cause.largest : cause.what);
            const std::int64_t layer = found == layers_.end() ? -1 : found->second;
            add(layer, text(name_text(cause)), cause.*amount_, shareCell(cause.share), text(cause.why));
            if (cause.parts.size() < 2)
                continue; // it says what its part would
            for (std::size_t i = 0; i < std::min(most_parts, cause.parts.size()); ++i) {
                const analyse::Cause& part = cause.parts[i];
                add(layer, tr("· %1").arg(text(name_text(part))), part.*amount_, absentCell(),
                    text(reason_text(part)));
            }
        }
        if (const auto sum = analyse::explained(causes, amount_))
            add(-1, tr("Not explained"), sum->unexplained, absentCell(),
                tr("Explained: %1 of %2").arg(signedText(sum->explained), signedText(sum->all())));
    }

  private:
    QString signedText(double value) const {
        return amount_ != &analyse::Cause::bytes ? signedTime(value, clock_hz_)
               : value == 0                      ? QStringLiteral("0")
                                                 : formatSignedBytes(value);
    }
    QString judgedAmount(double value) const {
        return amount_ != &analyse::Cause::bytes ? judgedTime(value, clock_hz_)
               : value == 0                      ? signedText(value)
                            : judgedText(signedText(value), value < 0 ? tr("less") : tr("more"));
    }
    void add(std::int64_t layer, const QString& what, const std::optional<double>& amount, const Cell& share,
             const QString& why) {
        const bool bytes = amount_ == &analyse::Cause::bytes;
        const Cell cell = !amount ? absentCell()
                                  : writtenCell(judgedAmount(*amount),
                                                bytes ? bytesCell(*amount) : cyclesCell(*amount, clock_hz_));
        rows_.push_back({layer,
                         {textCell(what), bytes ? absentCell() : cell, bytes ? cell : absentCell(), share,
                          textCell(file_), textCell(why)}});
    }
    static QString tr(const char* words) { return QCoreApplication::translate("CompareView", words); }

    std::vector<TableRow>& rows_;
    Amount amount_;
    QString file_;
    const std::map<std::string, std::int64_t>& layers_;
    double clock_hz_;
};

} // namespace

std::vector<TableRow> causeRows(const std::vector<Comparison>& runs, const QStringList& names,
                                const std::map<std::string, std::int64_t>& layers, double clock_hz) {
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const QString& file = names[static_cast<qsizetype>(i)];
        CauseRows(rows, &analyse::Cause::cycles, file, layers, clock_hz).add(runs[i].causes);
        CauseRows(rows, &analyse::Cause::bytes, file, layers, clock_hz).add(runs[i].memory_causes);
    }
    return rows;
}

namespace {

void add_plans(const std::vector<analyse::Cause>& causes, std::vector<analyse::Cause>& plans) {
    for (const analyse::Cause& cause : causes)
        if (cause.kind == analyse::CauseKind::Plan)
            plans.push_back(cause);
        else
            add_plans(cause.parts, plans);
}

} // namespace

std::vector<TableRow> planRows(const std::vector<Comparison>& runs, const QStringList& names,
                               const std::map<std::string, std::int64_t>& operations, double clock_hz) {
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::vector<analyse::Cause> plans;
        add_plans(runs[i].causes, plans);
        for (const analyse::Cause& plan : analyse::folded(plans, &analyse::Cause::cycles)) {
            const auto found = operations.find(plan.alike > 1 ? plan.largest : plan.what);
            rows.push_back({found == operations.end() ? -1 : found->second,
                            {textCell(text(name_text(plan))),
                             plan.cycles ? writtenCell(judgedTime(*plan.cycles, clock_hz),
                                                       cyclesCell(*plan.cycles, clock_hz))
                                         : absentCell(),
                             textCell(names[static_cast<qsizetype>(i)]), textCell(text(plan.why))}});
        }
    }
    return rows;
}

std::vector<TableRow> settingRows(const std::vector<Comparison>& runs, const QStringList& names) {
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (const analyse::SettingDifference& d : runs[i].settings)
            rows.push_back({-1,
                            {textCell(text(d.name)), textCell(text(analyse::setting_text(d.base, d.unit))),
                             textCell(text(analyse::setting_text(d.now, d.unit))),
                             textCell(names[static_cast<qsizetype>(i)]), textCell(text(d.key))}});
    return rows;
}

QString answersText(const std::vector<Comparison>& runs, const QString& base, const QStringList& names) {
    QStringList lines;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (const std::string line =
                analyse::answer(runs[i], base.toStdString(), names[static_cast<qsizetype>(i)].toStdString());
            !line.empty())
            lines << inHtml(QStringLiteral("<b>%1</b>"), {line});
    return lines.join(QStringLiteral("<br>"));
}

QString differencesText(const std::vector<Comparison>& runs, const QString& base, const QStringList& names,
                        qsizetype longest) {
    constexpr qsizetype most_settings = 6; // those that weigh most come first
    QStringList lines;
    const auto shown = [longest](const std::string& setting, FigureUnit unit) {
        QString value = text(analyse::setting_text(setting, unit));
        if (longest > 0 && value.size() > longest)
            value = value.left(longest) + QStringLiteral("…");
        return value;
    };
    const auto add = [&lines](const QString& name, const analyse::ComparedRun& run) {
        for (const std::string& caveat : analyse::caveats(run, name.toStdString()))
            lines << inHtml(tr("<b>%1.</b>"), {caveat});
    };
    add(base, runs.front().base);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Comparison& c = runs[i];
        const QString& name = names[static_cast<qsizetype>(i)];
        add(name, c.now);
        QStringList parts;
        std::int64_t more = 0;
        for (const auto& d : c.settings)
            if (d.key == "run.status")
                continue;
            else if (longest > 0 && parts.size() == most_settings)
                ++more;
            else
                parts << inHtml(QStringLiteral("%1 %2 → %3"),
                                {d.name, shown(d.base, d.unit), shown(d.now, d.unit)});
        if (more > 0)
            parts << inHtml(tr("%1 more in <i>Settings</i>"), {formatCount(more)});
        const QString of_run = runs.size() > 1 ? tr(" of %1").arg(name) : QString();
        const QString what = runs.size() > 1 ? tr("What differs in %1:").arg(name) : tr("What differs:");
        lines << (!analyse::differ(c) ? inHtml(tr("No difference in any figure%1."), {of_run})
                  : parts.empty()
                      ? inHtml(tr("Nothing differs in what was asked for%1."), {of_run})
                      : inHtml(QStringLiteral("%1 %2"), {what, Html{parts.join(QStringLiteral("  ·  "))}}));
    }
    return lines.join(QStringLiteral("<br>"));
}

} // namespace tilescope::ui
