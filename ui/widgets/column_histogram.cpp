// SPDX-License-Identifier: GPL-3.0-or-later
#include "column_histogram.h"

#include "base/share.h"
#include "row_filter.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/table_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <utility>

namespace tilescope::ui {

ColumnHistogram::ColumnHistogram(const QString& table, const std::map<int, QString>& columns, int column,
                                 Amounts amounts, QWidget* parent)
    : QDialog(parent), amounts_of_(std::move(amounts)), columns_(new QComboBox),
      grow_(new QCheckBox(tr("&Growing classes"))), facts_(new ThemedLabel),
      bars_(new ClassBars(&Theme::muted)), only_(new QPushButton(tr("&Show only these rows"))) {
    setObjectName(QStringLiteral("columnHistogram"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Histogram: %1").arg(table));
    auto* label = new QLabel(tr("&Column"));
    label->setBuddy(columns_);
    for (const auto& [at, name] : columns) {
        columns_->addItem(name, at);
        if (at == column)
            columns_->setCurrentIndex(columns_->count() - 1);
    }
    grow_->setToolTip(tr("Each class is a multiple of the one before, and 0 is apart: where most rows have "
                         "little and some have much"));
    facts_->setObjectName(QStringLiteral("histogramFacts"));
    facts_->setWordWrap(true);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bars_->setObjectName(QStringLiteral("histogramBars"));
    bars_->setAccessibleName(tr("Rows by class"));
    addChartActions(bars_, windowTitle(), [this](QChar separator) { return toText(separator); });
    only_->setAutoDefault(false);
    auto* close = new QPushButton(tr("Close"));
    close->setAutoDefault(false);
    auto* choice = new QHBoxLayout;
    choice->addWidget(label);
    choice->addWidget(columns_);
    choice->addStretch();
    choice->addWidget(grow_);
    auto* ends = new QHBoxLayout;
    ends->addStretch();
    ends->addWidget(only_);
    ends->addWidget(close);
    auto* all = new QVBoxLayout(this);
    all->addLayout(choice);
    all->addWidget(facts_);
    all->addWidget(bars_, 1);
    all->addLayout(ends);
    constexpr int letters = 80, lines = 20;
    resize(letters * fontMetrics().averageCharWidth(), lines * fontMetrics().height());
    connect(columns_, &QComboBox::currentIndexChanged, this, &ColumnHistogram::showColumn);
    connect(grow_, &QCheckBox::toggled, this, &ColumnHistogram::showClasses);
    connect(bars_, &ClassBars::classChosen, this, [this] { only_->setEnabled(!column_.named.isEmpty()); });
    connect(bars_, &ClassBars::classActivated, this, &ColumnHistogram::filterByClass);
    connect(only_, &QPushButton::clicked, this, &ColumnHistogram::filterByClass);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    showColumn();
    bars_->setFocus();
}

void ColumnHistogram::showColumn() {
    column_ = amounts_of_(columns_->currentData().toInt());
    only_->setToolTip(column_.named.isEmpty()
                          ? tr("The filter cannot tell this column from another")
                          : tr("Those of the class that is chosen (Enter), by the table's filter"));
    const analyse::Distribution equal = analyse::distribution(column_.amounts, {});
    const QSignalBlocker quiet(grow_);
    grow_->setEnabled(equal.least >= 0 && equal.most > 0);
    grow_->setChecked(equal.crowded());
    showClasses();
}

/// Where cycles are shown as time, classes begin at whole numbers of seconds and their parts.
void ColumnHistogram::showClasses() {
    const bool as_time =
        column_.kind.unit == Cell::Unit::Cycles && !units().cycles && column_.kind.clock_hz > 0;
    spread_ = analyse::distribution(
        column_.amounts, {grow_->isChecked(), column_.kind.unit == Cell::Unit::Bytes && !units().whole_bytes,
                          as_time ? column_.kind.clock_hz : 1});
    only_->setEnabled(false);
    const auto value = [this](double amount) { return cell(amount).shown(); };
    const QString absent =
        column_.absent == 0
            ? QString()
            : tr("; %1").arg(formatCounted(column_.absent, tr("row has none"), tr("rows have none")));
    facts_->setHtml(
        inHtml(spread_.count == 0
                   ? tr("<b>%1</b>%6")
                   : tr("<b>%1</b>: least <b>%2</b>, median <b>%3</b>, mean <b>%4</b>, most <b>%5</b>%6"),
               {column_.rows, value(spread_.least), value(spread_.median), value(spread_.mean),
                value(spread_.most), absent}));
    ClassBars::Classes classes;
    for (const analyse::Distribution::Class& each : spread_.classes) {
        classes.counts.push_back(each.count);
        classes.texts << textOf(each);
        classes.edges << value(each.from);
    }
    if (spread_.count > 0)
        classes.edges << value(spread_.classes.back().to);
    classes.heading = tr("Arrows or a click choose a class");
    classes.leads = column_.named.isEmpty() ? QString() : tr("; Enter shows only these");
    bars_->setClasses(std::move(classes), tr("No row has an amount here."));
}

Cell ColumnHistogram::cell(double amount) const {
    Cell of = column_.kind;
    of.number = amount;
    return of;
}

QString ColumnHistogram::textOf(const analyse::Distribution::Class& of) const {
    const QString rows = formatCounted(of.count, tr("row"), tr("rows"));
    const QString share = formatPercent(share_of(of.count, spread_.count).value_or(0));
    const bool one_amount = (grow_->isChecked() && of.from == 0) ||
                            (column_.kind.unit == Cell::Unit::Count && of.to - of.from == 1);
    return one_amount ? tr("%1 (%2): %3").arg(rows, share, cell(of.from).shown())
                      : tr("%1 (%2): %3 to less than %4")
                            .arg(rows, share, cell(of.from).shown(), cell(of.to).shown());
}

void ColumnHistogram::filterByClass() {
    const auto index = bars_->chosenClass();
    if (!index || column_.named.isEmpty())
        return;
    const analyse::Distribution::Class& of = spread_.classes[*index];
    const auto bound = [this](double amount) { return filterNumber(amount, column_.kind.unit); };
    const QString words = QStringLiteral("%1>=%2 %1<%3").arg(column_.named, bound(of.from), bound(of.to));
    Q_EMIT filterWanted(words);
    accept();
}

QString ColumnHistogram::toText(QChar separator) const {
    const QString unit = unitHead(column_.kind.unit);
    const auto exact = [this](double amount) { return exactText(cell(amount)); };
    QString text = tableLine({tr("from") + unit, tr("to less than") + unit, tr("rows")}, separator);
    for (const analyse::Distribution::Class& each : spread_.classes)
        text += tableLine({exact(each.from), exact(each.to), QString::number(each.count)}, separator);
    return text;
}

} // namespace tilescope::ui
