// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/query/query_view.h"

#include "base/try.h"
#include "saved_queries.h"
#include "ui/query/answer_chart.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/veil.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QJsonObject>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::int64_t rows_at_once = 100000; ///< that are kept to be shown, until more are wanted

Result<QueryView::Tables> readTables(const profile::Profile& file) {
    QueryView::Tables tables;
    TRY(const auto names, file.table_names());
    for (const std::string& name : names) {
        TRY(const auto columns, file.query("SELECT name, type FROM pragma_table_info('" + name + "')"));
        for (const auto& row : columns.rows) {
            tables.columns[text(name)] << text(row[0].text.value_or(""));
            tables.types[text(name)] << text(row[1].text.value_or("")).toLower();
        }
    }
    return tables;
}

Result<QueryView::Answer> ask(const profile::Profile& file, const std::string& sql, std::int64_t most) {
    QueryView::Answer answer;
    TRY(file.query(
        sql, [&](const std::vector<std::string>& columns) { answer.kept.columns = columns; },
        [&](const std::vector<profile::QueryCell>& row) {
            if (answer.rows++ < most)
                answer.kept.rows.push_back(row);
        }));
    if (const auto target = file.target())
        answer.tiles_per_ipu = target->tiles_per_ipu;
    if (const auto plan = file.query("EXPLAIN QUERY PLAN " + sql))
        for (const auto& row : plan->rows)
            answer.plan.push_back(row.back().text.value_or(""));
    return answer;
}

/// Whether a column names things, whose numbers are no amounts: "id", "operation_id", "tile".
bool namesThings(const std::string& column) {
    return column == "id" || column.ends_with("_id") || column == "tile" || column == "ipu";
}

/// Whole numbers have commas, but for those that name things, and in copies; others stay as exact as they
/// are.
Cell cellOf(const profile::QueryCell& cell, bool names) {
    if (!cell.text)
        return textCell(QStringLiteral("NULL"));
    const QString words = text(*cell.text);
    if (!cell.number)
        return textCell(words);
    bool whole = false;
    const qlonglong value = words.toLongLong(&whole);
    return {.text = whole && !names ? formatCount(value) : words,
            .number = words.toDouble(),
            .numeric = true,
            .unit = names ? Cell::Unit::Other : Cell::Unit::Count,
            .exact = words};
}

std::optional<double> numberOf(const profile::QueryCell& cell) {
    return cell.number && cell.text ? std::optional(text(*cell.text).toDouble()) : std::nullopt;
}

Cell cellOfDifference(const profile::QueryCell& now, const profile::QueryCell& base) {
    if (!numberOf(now) || !numberOf(base))
        return absentCell();
    const double by = *numberOf(now) - *numberOf(base);
    return differenceCell(amountCell(by));
}

} // namespace

QueryView::QueryView(QWidget* parent) : View(parent) {
    auto* split = new QSplitter(Qt::Horizontal, this);
    // Not the view's own: its bar would show them, which are buttons below the editor.
    auto* ask = addKeyAction(split, tr("Run the query"), Qt::CTRL | Qt::Key_Return,
                             [this] { run(editor_->toPlainText()); });
    ask->setShortcuts({Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter}); // from the answer, too
    escape_ = addKeyAction(split, tr("Cancel the query"), Qt::Key_Escape, [this] { cancel(); });
    escape_->setEnabled(false); // Esc is others' where nothing is asked
    split->addWidget(makeSide());
    split->addWidget(makeMain());
    run_->addAction(ask);
    cancel_->addAction(escape_);
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setSizes({320, 900});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(split);
    setFocusProxy(editor_);
    makeSideMenu();
    arrangeSide();
}

QWidget* QueryView::makeMain() {
    editor_ = new SqlEditor;
    editor_->setObjectName(QStringLiteral("sql"));
    run_ = new QPushButton(tr("Run"));
    run_->setToolTip(tr("Ask the profile (Ctrl+Return)"));
    cancel_ = new QPushButton(tr("Cancel"));
    cancel_->setToolTip(tr("Stop asking (Esc)"));
    cancel_->setEnabled(false);
    copy_ = new QPushButton(tr("Copy"));
    copy_->setObjectName(QStringLiteral("copyError"));
    copy_->setToolTip(tr("Copy what is wrong"));
    copy_->setAccessibleName(copy_->toolTip());
    copy_->hide();
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(outcome_->text()); });
    more_ = new QPushButton(tr("Load more"));
    more_->setObjectName(QStringLiteral("loadMore"));
    more_->setToolTip(tr("Show as many rows again"));
    more_->hide();
    connect(more_, &QPushButton::clicked, this, [this] {
        if (!sources().current || asked_.isEmpty())
            return;
        most_rows_ += rows_at_once;
        askFiles();
    });
    auto* save = new QPushButton(tr("Save…"));
    save->setToolTip(tr("Keep the query under a name, with a note"));
    outcome_ = new QLabel;
    outcome_->setObjectName(QStringLiteral("outcome"));
    outcome_->setWordWrap(true);
    outcome_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(10, 4, 10, 4);
    side_menu_ = new QToolButton;
    side_menu_->setObjectName(QStringLiteral("queriesMenu"));
    side_menu_->setText(tr("Queries"));
    side_menu_->setToolTip(tr("Saved and documented queries, and tables"));
    side_menu_->setPopupMode(QToolButton::InstantPopup);
    side_menu_->setFocusPolicy(Qt::StrongFocus);
    buttons->addWidget(side_menu_);
    buttons->addWidget(run_);
    buttons->addWidget(cancel_);
    buttons->addWidget(save);
    buttons->addWidget(outcome_, 1);
    buttons->addWidget(more_);
    buttons->addWidget(copy_);
    auto* upper = new QWidget;
    auto* top = new QVBoxLayout(upper);
    top->setContentsMargins({});
    top->addWidget(editor_, 1);
    top->addLayout(buttons);

    nothing_ = new QLabel;
    nothing_->setObjectName(QStringLiteral("nothingAsked"));
    nothing_->setAlignment(Qt::AlignCenter);
    nothing_->setForegroundRole(QPalette::PlaceholderText);
    chart_ = new AnswerChart;
    connect(chart_, &AnswerChart::rowChosen, this, [this](std::int64_t row) {
        choose(row);
        if (auto* table = qobject_cast<DataTable*>(tabs_->widget(0)))
            table->selectKey(row);
    });
    connect(chart_, &AnswerChart::rowActivated, this, &QueryView::goToSubject);
    makeMenu();
    plan_ = new QLabel(tr("How the tables are read is told here once a question was asked."));
    plan_->setMargin(12);
    plan_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    plan_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    tabs_ = new QTabWidget;
    veil_ = new Veil(tabs_);
    tabs_->setDocumentMode(true);
    tabs_->addTab(nothing_, tr("Table"));
    tabs_->addTab(chart_, tr("Chart"));
    tabs_->addTab(plan_, tr("Plan"));
    addTabKeys(this, tabs_);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(upper);
    split->addWidget(tabs_);
    split->setSizes({180, 460});
    connect(run_, &QPushButton::clicked, this, [this] { run(editor_->toPlainText()); });
    connect(editor_, &SqlEditor::runRequested, this, [this] { run(editor_->toPlainText()); });
    connect(cancel_, &QPushButton::clicked, this, &QueryView::cancel);
    leaveFieldBy({Qt::Key_Escape}, editor_, [this] { running_ ? cancel() : leaveEditor(); });
    connect(save, &QPushButton::clicked, this, [this] { saved_->save(editor_->toPlainText().trimmed()); });
    return split;
}

/// To the answer, else to what can be asked: letters are keys of the window there.
void QueryView::leaveEditor() {
    const bool answered = nothing_ == nullptr;
    QWidget* aside = side_->isVisible() ? saved_ : static_cast<QWidget*>(side_menu_);
    (answered ? tabs_->currentWidget() : aside)->setFocus(Qt::OtherFocusReason);
}

QJsonObject QueryView::saveState() const {
    return {{QStringLiteral("sql"), editor_->toPlainText()}};
}

void QueryView::restoreState(const QJsonObject& state) {
    editor_->setPlainText(state.value(QLatin1String("sql")).toString());
}

void QueryView::startOver(bool another) {
    if (another)
        asked_.clear();
    again_ = !asked_.isEmpty();
    if (another)
        forgetCounts();
    row_ = -1;
    tellDetails();
    setRunning(false);
    run_->setEnabled(sources().current != nullptr);
    if (another)
        setStale(false);
    if (another)
        outcome_->setText(sources().current ? QString() : tr("Open a profile to ask it."));
}

void QueryView::refresh() {
    if (std::exchange(again_, false))
        askFiles();
    if (tables_->topLevelItemCount() > 0)
        return askCounts(); // a growing file gets rows, not tables
    sources().current->ask<Tables>(this, QStringLiteral("tables"), &readTables,
                                   [this](const Result<Tables>& tables) {
                                       if (!tables)
                                           return;
                                       showTables(*tables);
                                       askCounts();
                                   });
}

void QueryView::showTables(const Tables& tables) {
    editor_->setTables(tables.columns);
    tables_->clear();
    for (const auto& [name, columns] : tables.columns) {
        auto* table = new QTreeWidgetItem(tables_, {name});
        for (qsizetype i = 0; i < columns.size(); ++i)
            new QTreeWidgetItem(table, {columns[i], tables.types.at(name)[i]});
    }
}

void QueryView::run(const QString& sql) {
    if (editor_->toPlainText() != sql)
        editor_->setPlainText(sql);
    QString statement = sql.trimmed();
    while (statement.endsWith(QLatin1Char(';')))
        statement.chop(1);
    if (statement.isEmpty() || !sources().current)
        return;
    asked_ = statement;
    most_rows_ = rows_at_once;
    askFiles();
}

void QueryView::askFiles() {
    since_.start();
    setRunning(true);
    stopCounting();
    copy_->hide();
    more_->hide();
    outcome_->setText(tr("Asking …"));
    now_.reset();
    base_.reset();
    askFile(*sources().current, now_);
    if (sources().base)
        askFile(*sources().base, base_);
}

void QueryView::askFile(ProfileSource& file, std::optional<Result<Answer>>& answer) {
    file.ask<Answer>(
        this, QStringLiteral("query"),
        [sql = asked_.toStdString(), most = most_rows_](const profile::Profile& of) {
            return ask(of, sql, most);
        },
        [this, &answer](Result<Answer> came) {
            answer = std::move(came);
            if (now_ && (base_ || !sources().base))
                showAnswers();
        });
}

/// A newer question under the same topic stops the one that is under way.
void QueryView::cancel() {
    if (!running_ || !sources().current)
        return;
    running_ = false;
    const auto stop = [this](ProfileSource& file, const std::function<void(Result<int>)>& done) {
        file.ask<int>(
            this, QStringLiteral("query"), [](const profile::Profile&) -> Result<int> { return 0; }, done);
    };
    if (sources().base)
        stop(*sources().base, [](const Result<int>&) {});
    stop(*sources().current, [this](const Result<int>&) {
        setRunning(false);
        setStale(true);
        outcome_->setText(tr("Cancelled."));
    });
}

void QueryView::setRunning(bool running) {
    running_ = running;
    run_->setEnabled(!running);
    cancel_->setEnabled(running);
    escape_->setEnabled(running);
    countNext();
}

void QueryView::setStale(bool stale) {
    veil_->setVisible(stale);
}

void QueryView::showError(const Error& error) {
    outcome_->setText(tr("This could not be read: %1.").arg(text(error.message)));
    copy_->show();
    std::optional<qsizetype> at;
    if (error.offset) // in what was asked, which blanks may stand before
        at = std::max<qsizetype>(0, editor_->toPlainText().indexOf(asked_)) +
             text(asked_.toStdString().substr(0, *error.offset)).size();
    editor_->markError(at);
    setStale(true);
}

void QueryView::choose(std::int64_t row) {
    row_ = row;
    tellDetails();
    if (selection() == nullptr || row < 0 || row >= static_cast<std::int64_t>(shown_.rows.size()))
        return;
    Selection next = selection()->current();
    std::optional<std::int64_t> tile;
    for (std::size_t c = 0; c < shown_.columns.size(); ++c) {
        const auto value = numberOf(shown_.rows[static_cast<std::size_t>(row)][c]);
        if (!value)
            continue;
        const auto id = static_cast<std::int64_t>(*value);
        const std::string& column = shown_.columns[c];
        if (column == "operation_id")
            next.operation = id;
        else if (column == "layer_id")
            next.layer = id;
        else if (column == "program_id")
            next.program = id;
        else if (column == "variable_id")
            next.variable = id;
        else if (column == "ipu" && id >= 0)
            next.lookAt(id);
        else if (column == "tile")
            tile = id;
    }
    if (tile) // of the IPU of the row, wherever its column stands
        next.tiles = {*tile};
    selection()->set(next);
}

/// To the view of the first subject that the answer names: by its id, else by its name.
void QueryView::goToSubject(std::int64_t row) {
    choose(row);
    if (const QStringList views = viewsOfRow(); !views.isEmpty())
        return Q_EMIT viewRequested(views.front());
    if (row < 0 || row >= static_cast<std::int64_t>(shown_.rows.size()) || !sources().current)
        return;
    sources().current->ask<std::optional<Named>>(
        this, QStringLiteral("named"),
        [cells = shown_.rows[static_cast<std::size_t>(row)]](const profile::Profile& file) {
            return namedIn(file, cells);
        },
        [this](const Result<std::optional<Named>>& named) {
            if (named && *named)
                goToNamed(**named);
            else
                Q_EMIT message(tr("The row names no operation, layer, program step, variable or tile."));
        });
}

void QueryView::goToNamed(const Named& named) {
    if (selection() == nullptr)
        return;
    Selection next = selection()->current();
    next.operation = next.layer = next.program = next.variable = -1;
    if (named.ipu >= 0)
        next.lookAt(named.ipu);
    switch (named.what) {
    case Subject::Operation:
        next.operation = named.id;
        break;
    case Subject::Layer:
        next.layer = named.id;
        break;
    case Subject::Variable:
        next.variable = named.id;
        break;
    default:
        next.program = named.id;
        break;
    }
    selection()->set(next);
    Q_EMIT viewRequested(named.what == Subject::Operation  ? QStringLiteral("operations")
                         : named.what == Subject::Layer    ? QStringLiteral("graph")
                         : named.what == Subject::Variable ? QStringLiteral("memory")
                                                           : QStringLiteral("program"));
}

void QueryView::showAnswers() {
    setRunning(false);
    if (!*now_)
        return showError(now_->error());
    setStale(false);
    editor_->markError({});
    const Answer& now = **now_;
    const Answer* base =
        base_ && *base_ && !now.kept.columns.empty() && (*base_)->kept.columns == now.kept.columns ? &**base_
                                                                                                   : nullptr;
    QStringList outcome{outcomeText(now)};
    if (base_ && !*base_)
        outcome << tr("%1: %2").arg(sources().base->name(), text(base_->error().line()));
    if (base != nullptr) {
        const JoinedAnswer both = joined(now.kept, base->kept);
        outcome << tr("%1 in %2").arg(formatCount(base->rows), sources().base->name());
        if (now.rows <= most_rows_ && base->rows <= most_rows_) // else others may be there that are not kept
            outcome << tr("%1 only in the new file, %2 only in the base")
                           .arg(formatCount(both.only_now), formatCount(both.only_base));
        showTable(tableOf(both));
    } else {
        showTable(tableOf(now));
    }
    shown_ = now.kept; // whose rows come first in both tables
    outcome_->setText(outcome.join(QStringLiteral("; ")));
    more_->setVisible(now.rows > most_rows_ || (base != nullptr && base->rows > most_rows_));
    QStringList plan;
    for (const std::string& line : now.plan)
        plan << text(line) + (line.starts_with("SCAN") ? tr("   (reads all rows)") : QString());
    plan_->setText(plan.join(QLatin1Char('\n')));
    chart_->setTilesPerIpu(now.tiles_per_ipu);
    chart_->setAnswer(now.kept, base == nullptr ? nullptr : &base->kept);
    row_ = -1;
    tellDetails();
}

QString QueryView::outcomeText(const Answer& answer) const {
    const QString time = formatSeconds(static_cast<double>(since_.elapsed()) / 1000);
    return answer.rows > most_rows_
               ? tr("%1 rows in %2; the first %3 are shown")
                     .arg(formatCount(answer.rows), time, formatCount(most_rows_))
               : tr("%1 in %2").arg(formatCounted(answer.rows, tr("row"), tr("rows")), time);
}

void QueryView::showTable(DataTable* table) {
    table->setObjectName(QStringLiteral("answer"));
    const int current = tabs_->currentIndex();
    QWidget* before = tabs_->widget(0);
    tabs_->removeTab(0);
    before->deleteLater();
    tabs_->insertTab(0, table, tr("Table"));
    tabs_->setCurrentIndex(current);
}

DataTable* QueryView::tableOf(const Answer& answer) {
    std::vector<Column> columns;
    for (const std::string& name : answer.kept.columns)
        columns.push_back({text(name)});
    auto* table = new DataTable(tr("Answer"), std::move(columns));
    std::vector<TableRow> rows;
    rows.reserve(answer.kept.rows.size());
    for (const auto& row : answer.kept.rows) {
        TableRow shown{static_cast<std::int64_t>(rows.size()), {}};
        for (const auto& cell : row)
            shown.cells.push_back(cellOf(cell, namesThings(answer.kept.columns[shown.cells.size()])));
        rows.push_back(std::move(shown));
    }
    table->setRows(std::move(rows));
    connect(table, &DataTable::keyChosen, this, &QueryView::choose);
    connect(table, &DataTable::keyActivated, this, &QueryView::goToSubject);
    return table;
}

/// The first column, then of each other what the new file and the base have, and of numbers by how much they
/// differ. What one of them has not is told by the last.
DataTable* QueryView::tableOf(const JoinedAnswer& answer) {
    const std::size_t width = answer.columns.size();
    std::vector<Column> columns{{text(answer.columns.front())}};
    std::vector<bool> numbers(width, false);
    for (std::size_t c = 1; c < width; ++c) {
        const QString name = text(answer.columns[c]);
        columns.push_back({name});
        columns.push_back({tr("%1, base").arg(name)});
        numbers[c] = answer.numeric(c);
        if (numbers[c])
            columns.push_back({tr("difference")});
    }
    columns.push_back({tr("In")});
    auto* table = new DataTable(tr("Answer"), std::move(columns));
    std::vector<TableRow> rows;
    rows.reserve(answer.rows.size());
    for (const JoinedAnswer::Row& row : answer.rows) {
        TableRow shown{static_cast<std::int64_t>(rows.size()),
                       {cellOf(row.key(), namesThings(answer.columns.front()))}};
        for (std::size_t c = 1; c < width; ++c) {
            const bool names = namesThings(answer.columns[c]);
            shown.cells.push_back(row.now == nullptr ? absentCell() : cellOf((*row.now)[c], names));
            shown.cells.push_back(row.base == nullptr ? absentCell() : cellOf((*row.base)[c], names));
            if (!numbers[c])
                continue;
            shown.cells.push_back(row.now == nullptr || row.base == nullptr
                                      ? absentCell()
                                      : cellOfDifference((*row.now)[c], (*row.base)[c]));
        }
        shown.cells.push_back(textCell(row.base == nullptr  ? tr("new")
                                       : row.now == nullptr ? tr("base")
                                                            : tr("both")));
        rows.push_back(std::move(shown));
    }
    table->setRows(std::move(rows));
    connect(table, &DataTable::keyChosen, this, &QueryView::choose);
    connect(table, &DataTable::keyActivated, this, &QueryView::goToSubject);
    return table;
}

} // namespace tilescope::ui
