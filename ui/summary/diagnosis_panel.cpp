// SPDX-License-Identifier: GPL-3.0-or-later
#include "diagnosis_panel.h"

#include "analyse/changes_to_try.h"
#include "base/share.h"
#include "filled_tile.h"
#include "ui/insights/insight_place.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/line_chart.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPointF>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <initializer_list>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int rows_shown = 6;
constexpr int category = 1; // column of what fills the tile
constexpr int spacing = 10;
constexpr int least_of_bar = 60; // beside the figure that it is of

/// "available_memory_proportion=0.1" of "ipu_config.convolution_options.available_memory_proportion=0.1".
QString lastPart(const QString& change) {
    const qsizetype key = change.section(QLatin1Char('='), 0, 0).lastIndexOf(QLatin1Char('.'));
    return change.mid(key + 1);
}

/// Pixels that a column needs for its head and its texts, shown or not.
int widthOf(const DataTable& table, int column) {
    constexpr int around = 16;
    const QAbstractItemView* rows = table.view();
    const QString head = rows->model()->headerData(column, Qt::Horizontal).toString();
    return std::max({rows->sizeHintForColumn(column) + around,
                     table.view()->horizontalHeader()->sectionSizeHint(column),
                     rows->fontMetrics().horizontalAdvance(head) + 2 * around});
}

/// Pixels with which no figure of a table is cut, the bar of a figure aside, and names have so many letters.
int leastWidth(const DataTable& table, int letters, std::initializer_list<int> figures) {
    int width = std::min(widthOf(table, 0), letters * table.fontMetrics().averageCharWidth()) +
                table.view()->verticalScrollBar()->sizeHint().width();
    for (const int column : figures)
        width += widthOf(table, column);
    return width;
}

} // namespace

DiagnosisPanel::DiagnosisPanel(QWidget* parent)
    : QFrame(parent), why_(new ThemedLabel), bar_(new FilledTile),
      filling_(new LineChart(tr("program step"))),
      fills_(
          new DataTable(tr("What fills it then"), {{tr("Variable")}, {tr("Category")}, {tr("Bytes"), true}})),
      tried_(new DataTable(tr("What was tried"),
                           {{tr("Change")}, {tr("Verdict")}, {tr("Fullest tile")}, {tr("Step")}})) {
    setProperty("card", true);
    setObjectName(QStringLiteral("diagnosis"));
    why_->setWordWrap(true);
    why_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    fills_->setObjectName(QStringLiteral("diagnosisFills"));
    fills_->setSubjects([](std::int64_t variable) { return linkTo(Subject::Variable, variable); });
    tried_->setObjectName(QStringLiteral("diagnosisTried"));
    auto* buttons = new QHBoxLayout;
    const auto button = [&](const QString& text, const QString& tip, auto done) {
        auto* push = new QPushButton(text);
        push->setToolTip(tip);
        buttons->addWidget(push);
        connect(push, &QPushButton::clicked, this, done);
        return push;
    };
    button(tr("Show the tile"), tr("In Memory, with all that is on it"), &DiagnosisPanel::tileRequested);
    button(tr("Show when"), tr("In Liveness: what is live at which step"), &DiagnosisPanel::timeRequested);
    run_with_ = button(tr("Run with this…"), QString(), [this] { Q_EMIT runRequested(chosenChanges()); });
    run_with_->setObjectName(QStringLiteral("runWithThis"));
    connect(tried_, &DataTable::keyActivated, this, [this](std::int64_t row) {
        if (fit_.at(static_cast<std::size_t>(row)))
            Q_EMIT runRequested(chosenChanges());
    });
    // Advice is what was seen to fit.
    connect(tried_, &DataTable::keyChosen, this, [this](std::int64_t row) {
        run_with_->setEnabled(row >= 0 && fit_.at(static_cast<std::size_t>(row)));
    });
    buttons->addStretch();
    auto* copy = new QAction(tr("Copy as --set option"), tried_);
    connect(copy, &QAction::triggered, this, [this] {
        if (const QStringList changes = chosenChanges(); !changes.empty())
            QApplication::clipboard()->setText(setOptions(changes));
    });
    tried_->addAction(copy);
    tables_ = new QBoxLayout(QBoxLayout::LeftToRight);
    tables_->setSpacing(spacing);
    filling_->setObjectName(QStringLiteral("tileFilling"));
    for (QWidget* part : std::initializer_list<QWidget*>{fills_, filling_, tried_})
        tables_->addWidget(part);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->addWidget(why_);
    layout->addWidget(bar_);
    layout->addLayout(tables_);
    layout->addLayout(buttons);
}

QStringList DiagnosisPanel::chosenChanges() const {
    const QVariant row = tried_->view()->currentIndex().siblingAtColumn(0).data(DataTableModel::KeyRole);
    return row.isValid() ? changes_.at(row.toULongLong()) : QStringList();
}

void DiagnosisPanel::setDiagnosis(const analyse::Diagnosis& d, bool several) {
    const QString tile =
        several ? tr("IPU %1 tile %2").arg(d.worst.ipu).arg(d.worst.tile) : tr("Tile %1").arg(d.worst.tile);
    QString why =
        inHtml(tr("<b>%1 is too full</b> by %2: %3 of %4, gaps included."),
               {tile, formatBytes(d.excess()), formatBytes(d.worst.bytes), formatBytes(d.bytes_per_tile)});
    why += inHtml(QStringLiteral(" %1"), {analyse::over_text(d)});
    why_->setHtml(why);
    std::vector<TableRow> rows;
    std::vector<FilledTile::Part> parts;
    for (const profile::VariableOnTiles& v : d.largest) {
        parts.push_back({text(v.variable.name), v.bytes, ThemeColor::category(v.variable.category)});
        rows.push_back({v.variable.id,
                        {textCell(text(v.variable.name)), textCell(text(to_string(v.variable.category))),
                         bytesCell(v.bytes)}});
    }
    parts.push_back({tr("all others"), d.others(), &Theme::muted});
    parts.push_back({tr("gaps"), d.gaps(), &Theme::grid});
    bar_->setParts(std::move(parts), d.bytes_per_tile);
    showFilling(d);
    const int height = 76 + rows_shown * (fontMetrics().height() + 9);
    fills_->setRows(std::move(rows));
    fills_->setFixedHeight(height);
    rows.clear();
    std::int64_t fits = -1; // the first that does
    changes_.clear();
    fit_.clear();
    for (const profile::RemedyRecord& change : d.tried) {
        if (change.fits && fits < 0)
            fits = static_cast<std::int64_t>(rows.size());
        changes_.push_back(settingsOf(change));
        fit_.push_back(change.fits);
        const QString whole = text(analyse::remedy_text(change, d.cut_by_hand));
        Cell name = textCell(lastPart(whole));
        name.exact = whole;
        const double share = share_of(change.max_tile_bytes, d.bytes_per_tile).value_or(0);
        rows.push_back(
            {static_cast<std::int64_t>(rows.size()),
             {std::move(name), writtenCell(change.fits ? tr("fits") : formatPercent(share), shareCell(share)),
              bytesCell(change.max_tile_bytes), secondsCell(change.step_us * 1e-6)}});
    }
    tried_->setVisible(!rows.empty());
    run_with_->setVisible(!rows.empty());
    tried_->setRows(std::move(rows));
    run_with_->setEnabled(fits >= 0);
    run_with_->setToolTip(fits >= 0 ? tr("Set up a run in Live with the change that is chosen")
                                    : tr("With none of these changes it fits"));
    if (fits >= 0)
        tried_->selectKey(fits);
    tried_->setFixedHeight(height);
    filling_->setFixedHeight(height);
    makeRoom();
}

/// Beside each other the tables have what their figures need, else they stand one below the other. The curve,
/// which Liveness has as well, and categories, which the bar has in its colours, are there where there is
/// room.
void DiagnosisPanel::makeRoom() {
    constexpr int curve_letters = 30;
    constexpr int name_letters = 26;    // "conv1_conv/…/recompute"
    constexpr int setting_letters = 40; // which its end does not tell
    const bool any_tried = !tried_->isHidden();
    const int fills = leastWidth(*fills_, name_letters, {2}) + least_of_bar;
    const int tried = any_tried ? leastWidth(*tried_, setting_letters, {1, 2, 3}) + spacing : 0;
    const int curve = curve_letters * fontMetrics().averageCharWidth();
    const QMargins around = layout()->contentsMargins();
    int left = width() - around.left() - around.right() - fills - tried;
    const bool beside = left >= 0;
    if (!beside)
        left += tried;
    const bool with_curve = has_filling_ && beside && left >= curve + spacing;
    if (with_curve)
        left -= curve + spacing;
    const bool with_category = left >= widthOf(*fills_, category);
    tables_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    tables_->setStretchFactor(fills_, fills + (with_category ? widthOf(*fills_, category) : 0));
    tables_->setStretchFactor(filling_, curve);
    tables_->setStretchFactor(tried_, std::max(1, tried));
    filling_->setVisible(with_curve);
    fills_->showColumn(category, with_category);
}

void DiagnosisPanel::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    makeRoom();
}

/// What is live on the tile over the program, under the memory that it has.
void DiagnosisPanel::showFilling(const analyse::Diagnosis& d) {
    constexpr double kib = 1024;
    has_filling_ = d.filling.size() > 1;
    if (!has_filling_)
        return;
    const auto first = static_cast<double>(d.filling.front().first);
    const auto last = static_cast<double>(d.filling.back().first);
    const double limit = static_cast<double>(d.bytes_per_tile) / kib;
    Curve live{tr("live on the tile, KiB"), &Theme::accent, {}};
    for (const auto& [step, bytes] : d.filling)
        live.points << QPointF(static_cast<double>(step), static_cast<double>(bytes) / kib);
    filling_->setCurves(
        {std::move(live), {tr("limit"), &Theme::bad, {{first, limit}, {last, limit}}, false, false, true}},
        std::pair(first, last));
}

} // namespace tilescope::ui
