// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runs_view.h"

#include "analyse/setting_curve.h"
#include "run_details.h"
#include "run_reader.h"
#include "run_text.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/joining_split.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/parallel_axes.h"
#include "ui/widgets/scatter_plot.h"
#include "ui/widgets/view_action.h"
#include "what_if_panel.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <unordered_map>

namespace tilescope::ui {

using analyse::RunEntry;
using analyse::RunFigure;

namespace {

ScatterAxis::Kind kindOf(const QString& axis) {
    return axis == recorded_axis                        ? ScatterAxis::Kind::Date
           : axis == figureAxis(RunFigure::FullestTile) ? ScatterAxis::Kind::Bytes
                                                        : ScatterAxis::Kind::Number;
}

} // namespace

/// What the table of changes shows. Threads read `history` while the window's fills `causes`.
struct RunsView::RunHistory {
    RunFigure figure;
    analyse::History history;
    std::vector<QString> causes;
    std::vector<std::int64_t> keys; ///< of the entries' runs
};

RunsView::RunsView(QWidget* parent) : View(parent), reader_(new RunReader(this)) {
    plot_ = new ScatterPlot(tr("Runs"), tr("Run"));
    plot_->setObjectName(QStringLiteral("runsPlot"));
    axes_chart_ = new ParallelAxes(tr("Runs over their settings and figures"), tr("Run"));
    axes_chart_->setObjectName(QStringLiteral("runsAxes"));
    axes_chart_->setNothing(tr("No run can be read."));
    charts_ = new QStackedWidget;
    charts_->addWidget(plot_);
    auto* scrolled = new QScrollArea; // sideways, where axes would be too close
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setWidgetResizable(true);
    scrolled->setWidget(axes_chart_);
    scrolled->setFocusProxy(axes_chart_);
    charts_->addWidget(scrolled);
    QWidget* head = makeHead();
    constexpr int least_lines = 34;
    parts_ = new JoiningSplit(Qt::Vertical, charts_, JoiningSplit::Side::Before, tr("Chart"), makeTabs(),
                              least_lines);
    parts_->setChildrenCollapsible(false);
    connect(parts_, &JoiningSplit::arranged, this, &RunsView::leadFocus);
    connect(tabs_, &QTabWidget::currentChanged, this, &RunsView::leadFocus);
    pages_ = new PageStack(headedPage({head}, parts_), this);
    pages_->setText(tr("All profiles below a folder, by their settings and figures: choose one with "
                       "<b>Folder</b> (O)."));
    leadFocus();
    setFocusPolicy(Qt::StrongFocus);
    makeActions();
    connect(reader_, &RunReader::changed, this, &RunsView::showRuns);
    connect(plot_, &ScatterPlot::chosen, this, &RunsView::choose);
    connect(plot_, &ScatterPlot::activated, this, &RunsView::open);
    connect(axes_chart_, &ParallelAxes::chosen, this, &RunsView::choose);
    connect(axes_chart_, &ParallelAxes::activated, this, &RunsView::open);
    makeMenu();
}

QWidget* RunsView::makeHead() {
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("runsHeading"));
    heading_->setWordWrap(true);
    progress_ = new QProgressBar;
    progress_->setMaximumWidth(140);
    progress_->setTextVisible(false);
    cancel_ = new QPushButton(tr("Cancel"));
    cancel_->setAccessibleName(tr("Stop reading the files"));
    connect(cancel_, &QPushButton::clicked, reader_, &RunReader::cancel);
    up_ = new QComboBox;
    up_->setObjectName(QStringLiteral("runsUp"));
    up_->setAccessibleName(tr("Figure that is drawn upwards"));
    across_ = new QComboBox;
    across_->setObjectName(QStringLiteral("runsAcross"));
    across_->setAccessibleName(tr("What is drawn across"));
    for (const RunFigure figure : analyse::run_figures)
        up_->addItem(runFigureName(figure), static_cast<int>(figure));
    up_->setCurrentIndex(up_->findData(static_cast<int>(RunFigure::Throughput)));
    color_ = new QComboBox;
    color_->setObjectName(QStringLiteral("runsColour"));
    color_->setAccessibleName(tr("What the colours tell"));
    color_->addItems({tr("whether it fits"), tr("workload")});
    offerAxes({});
    connect(up_, &QComboBox::activated, this, &RunsView::showRuns);
    connect(across_, &QComboBox::activated, this, &RunsView::showPlot);
    connect(color_, &QComboBox::activated, this, &RunsView::showRuns);
    QList<QWidget*> choosers;
    for (const auto& [name, box] :
         {std::pair{tr("up"), up_}, {tr("across"), across_}, {tr("colour"), color_}}) {
        auto* label = new QLabel(name);
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setBuddy(box);
        choosers << label << box;
    }
    return headRow(headRow(heading_, {progress_, cancel_}), choosers); // which keep their room meanwhile
}

QTabWidget* RunsView::makeTabs() {
    table_ = new DataTable({}, {{tr("Workload")}});
    table_->setObjectName(QStringLiteral("runsTable"));
    history_ = new DataTable({}, {{tr("Recorded")}});
    history_->setObjectName(QStringLiteral("runsHistory"));
    for (DataTable* table : {table_, history_}) {
        table->view()->setTextElideMode(Qt::ElideMiddle);
        connect(table, &DataTable::keyActivated, this, &RunsView::open);
    }
    connect(table_->view()->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (choosing_)
            return;
        std::set<std::int64_t> keys;
        for (const QModelIndex& row : table_->view()->selectionModel()->selectedRows())
            keys.insert(row.data(DataTableModel::KeyRole).toLongLong());
        choose(keys);
    });
    tabs_ = new QTabWidget;
    tabs_->setObjectName(QStringLiteral("runsTabs"));
    tabs_->setDocumentMode(true);
    tabs_->addTab(table_, tr("Runs"));
    tabs_->addTab(history_, tr("History"));
    what_if_panel_ = new WhatIfPanel;
    what_if_panel_->setObjectName(QStringLiteral("whatIf"));
    tabs_->addTab(what_if_panel_, tr("What if"));
    addTabKeys(this, tabs_);
    connect(tabs_, &QTabWidget::currentChanged, this, &RunsView::showHistory);
    connect(tabs_, &QTabWidget::currentChanged, this, &RunsView::showWhatIf);
    connect(what_if_panel_, &WhatIfPanel::runRequested, this, &RunsView::runRequested);
    connect(what_if_panel_, &WhatIfPanel::saved, this, [this](const QString& path) {
        Q_EMIT message(tr("Saved as %1").arg(QDir::toNativeSeparators(path)));
        if (!folder_.isEmpty())
            readFolder(folder_);
    });
    constexpr int together_ms = 200; // causes come one by one
    causes_told_ = new QTimer(this);
    causes_told_->setSingleShot(true);
    causes_told_->setInterval(together_ms);
    connect(causes_told_, &QTimer::timeout, this, &RunsView::fillHistory);
    return tabs_;
}

void RunsView::makeActions() {
    addViewAction(this, tr("Folder"), QStringLiteral("open"), Qt::Key_O,
                  tr("Read the profiles below a folder (O)"), [this] { chooseFolder(); });
    addViewAction(this, tr("Read again"), QStringLiteral("again"), Qt::Key_R,
                  tr("Look for profiles that are new or have changed (R)"), [this] {
                      if (!folder_.isEmpty())
                          readFolder(folder_);
                  });
    compare_ = addViewAction(this, tr("Compare"), QStringLiteral("compare"), Qt::Key_C,
                             tr("Compare the two runs that are chosen, the later with the earlier (C)"),
                             [this] { compareChosen(); });
    compare_->setEnabled(false);
    what_if_ = addViewAction(this, tr("What if…"), QStringLiteral("whatif"), Qt::Key_W,
                             tr("What the run that is chosen would be on another target (W)"),
                             [this] { askWhatIf(); });
    what_if_->setEnabled(false);
    parallel_ =
        addViewAction(this, tr("All axes"), QStringLiteral("axes"), Qt::Key_P,
                      tr("Each run as a line over all settings that differ, and all figures (P)"), {});
    parallel_->setCheckable(true);
    connect(parallel_, &QAction::toggled, this, &RunsView::drawAxes);
}

void RunsView::drawAxes(bool parallel) {
    const bool focused = charts_->isAncestorOf(QApplication::focusWidget());
    charts_->setCurrentIndex(parallel ? 1 : 0);
    leadFocus();
    for (QWidget* box : {up_, across_})
        box->setEnabled(!parallel);
    if (focused)
        charts_->currentWidget()->setFocus();
    showHeading();
}

/// To the chart where it is seen, else to the table.
void RunsView::leadFocus() {
    QWidget* front = parts_->joined() ? tabs_->currentWidget() : charts_;
    const auto* table = qobject_cast<DataTable*>(front);
    setFocusProxy(table != nullptr ? table->view() : front == charts_ ? charts_->currentWidget() : front);
}

QJsonObject RunsView::saveState() const {
    return {{QStringLiteral("folder"), folder_},
            {QStringLiteral("up"), up_->currentData().toInt()},
            {QStringLiteral("across"), across_->currentData().toString()},
            {QStringLiteral("colour"), color_->currentIndex()},
            {QStringLiteral("all axes"), parallel_->isChecked()}};
}

void RunsView::restoreState(const QJsonObject& state) {
    folder_ = state[QStringLiteral("folder")].toString();
    const int up = up_->findData(state[QStringLiteral("up")].toInt(static_cast<int>(RunFigure::Throughput)));
    up_->setCurrentIndex(std::max(0, up));
    if (const int across = across_->findData(state[QStringLiteral("across")].toString()); across >= 0)
        across_->setCurrentIndex(across);
    color_->setCurrentIndex(std::clamp(state[QStringLiteral("colour")].toInt(), 0, color_->count() - 1));
    parallel_->setChecked(state[QStringLiteral("all axes")].toBool());
}

/// The folder that was read last, else that of the file which is shown.
void RunsView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (reader_->reading() || !reader_->runs().empty())
        return;
    const QString folder = !folder_.isEmpty()  ? folder_
                           : sources().current ? QFileInfo(sources().current->path()).absolutePath()
                                               : QString();
    if (!folder.isEmpty() && QDir(folder).exists())
        readFolder(folder);
}

void RunsView::chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Read the profiles below"), folder_);
    if (!folder.isEmpty())
        readFolder(folder);
}

std::optional<std::pair<std::int64_t, std::int64_t>> RunsView::reading() const {
    if (!reader_->reading())
        return {};
    return std::pair(std::ssize(reader_->runs()), std::int64_t{reader_->found()});
}

int RunsView::pending() const {
    return reader_->pending() + static_cast<int>(causes_told_->isActive()) +
           static_cast<int>(what_if_panel_->working());
}

void RunsView::cancelReading() {
    reader_->cancel();
}

void RunsView::readFolder(const QString& folder) {
    folder_ = folder;
    chosen_.clear();
    front_ = -1;
    tellDetails();
    reader_->read(folder);
    showRuns();
}

void RunsView::showRuns() {
    progress_->setVisible(reader_->reading());
    cancel_->setVisible(reader_->reading());
    progress_->setRange(0, reader_->found());
    progress_->setValue(static_cast<int>(reader_->runs().size()));
    if (reader_->runs().empty() && !reader_->reading()) {
        pages_->showText(
            inHtml(tr("No profiles in %1 or below it. Choose another folder with <b>Folder</b> (O), or "
                      "record one: <tt>tilescope profile WORKLOAD.json -o NAME.tilescope</tt>."),
                   {folder_}));
        return;
    }
    pages_->showPage();
    const auto differing = analyse::differing_settings(reader_->runs());
    offerAxes(differing);
    showTable(settingColumns(differing));
    showAxes(settingColumns(differing));
    showPlot();
    showHistory();
    if (!reader_->reading()) // the run before is one of all of them
        tellDetails();
}

/// Filled again only where others are offered: the list may be open.
void RunsView::offerAxes(const std::vector<analyse::Setting>& differing) {
    const auto& runs = reader_->runs();
    std::vector<std::pair<QString, QString>> axes{{tr("when it was recorded"), recorded_axis}};
    for (const RunFigure figure : analyse::run_figures)
        axes.emplace_back(runFigureName(figure), figureAxis(figure));
    for (const analyse::Setting& setting : differing)
        if (std::any_of(runs.begin(), runs.end(),
                        [&](const RunEntry& run) { return run.number(setting.key).has_value(); }))
            axes.emplace_back(text(setting.name), text(setting.key));
    if (axes == axes_)
        return;
    axes_ = axes;
    const QString chosen = across_->currentData().toString();
    across_->clear();
    for (const auto& [name, key] : axes)
        across_->addItem(name, key);
    const int index = across_->findData(chosen);
    across_->setCurrentIndex(index >= 0 ? index : across_->findData(figureAxis(RunFigure::FullestTile)));
}

/// Other columns only where other settings differ: the order of the rows is the user's.
void RunsView::layTable(std::vector<Column> columns) {
    QStringList titles;
    for (const Column& column : columns)
        titles << column.title;
    if (titles == titles_)
        return;
    titles_ = titles;
    choosing_ = true;
    table_->setColumns(std::move(columns));
    choosing_ = false;
    table_->view()->sortByColumn(recordedColumn(), Qt::DescendingOrder);
}

void RunsView::showTable(const std::vector<analyse::Setting>& settings) {
    const auto& runs = reader_->runs();
    const bool labelled =
        std::any_of(runs.begin(), runs.end(), [](const RunEntry& run) { return !run.label.empty(); });
    layTable(runColumns(settings, labelled));
    const auto figure = static_cast<RunFigure>(up_->currentData().toInt());
    const analyse::History history = analyse::history_of(runs, figure);
    std::unordered_map<std::string, std::size_t> entries; // by path
    for (std::size_t i = 0; i < history.entries.size(); ++i)
        entries.emplace(history.entries[i].path, i);
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto entry = entries.find(runs[i].path);
        rows.push_back(
            {static_cast<std::int64_t>(i),
             runCells(runs[i], settings, labelled, folder_,
                      entry == entries.end() ? absentCell() : courseUpTo(history, entry->second, figure))});
    }
    choosing_ = true;
    table_->setRows(std::move(rows));
    choosing_ = false;
    const auto unread =
        std::count_if(runs.begin(), runs.end(), [](const RunEntry& run) { return !run.error.empty(); });
    const QString course =
        tr("course: %1 of the runs of the workload, up to each").arg(runFigureName(figure));
    table_->setCaption(unread > 0 ? tr("%1 cannot be read; %2").arg(formatCount(unread), course) : course);
}

ThemeColor RunsView::colorOf(const RunEntry& run, const std::vector<std::string>& workloads) const {
    if (color_->currentIndex() != 1)
        return fitColor(run.fit);
    const auto known = std::find(workloads.begin(), workloads.end(), run.workload);
    return ThemeColor::series(static_cast<int>(known - workloads.begin()));
}

/// What differs, then what came of it.
void RunsView::showAxes(const std::vector<analyse::Setting>& settings) {
    const auto& runs = reader_->runs();
    const std::vector<std::string> workloads = workloadsOf(runs);
    std::vector<ParallelAxis> axes;
    axes.reserve(settings.size());
    for (const analyse::Setting& setting : settings)
        axes.push_back(settingAxis(setting, runs));
    for (const RunFigure figure : analyse::run_figures)
        axes.push_back(
            {runFigureName(figure), [figure](double value) { return runFigureText(figure, value); }, {}});
    std::vector<ParallelLine> lines;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i].error.empty())
            continue;
        ParallelLine line{
            static_cast<std::int64_t>(i), {}, colorOf(runs[i], workloads), runTip(runs[i], folder_)};
        for (std::size_t s = 0; s < settings.size(); ++s)
            line.values.push_back(settingPlace(runs[i], settings[s], axes[s]));
        for (const RunFigure figure : analyse::run_figures)
            line.values.push_back(runs[i][figure]);
        lines.push_back(std::move(line));
    }
    axes_chart_->setLines(std::move(axes), std::move(lines));
    axes_chart_->setChosen(chosen_);
}

void RunsView::showPlot() {
    const auto& runs = reader_->runs();
    const auto up = static_cast<RunFigure>(up_->currentData().toInt());
    const QString across = across_->currentData().toString();
    const std::vector<std::string> workloads = workloadsOf(runs);
    std::vector<ScatterPoint> points;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto x = acrossOf(runs[i], across);
        if (!x || !runs[i][up])
            continue;
        points.push_back({static_cast<std::int64_t>(i), *x, *runs[i][up], colorOf(runs[i], workloads),
                          runTip(runs[i], folder_)});
    }
    std::vector<std::vector<std::int64_t>> best;
    if (const auto figure = figureOfAxis(across); figure && *figure != up)
        for (const std::string& workload : workloads) {
            auto& line = best.emplace_back();
            for (const std::size_t run : analyse::best_runs(runs, workload, *figure, up))
                line.push_back(static_cast<std::int64_t>(run));
        }
    knees_.clear();
    if (!figureOfAxis(across) && across != recorded_axis)
        for (const std::string& workload : workloads) {
            const auto curve = analyse::setting_curve(runs, workload, across.toStdString(), up);
            auto& line = best.emplace_back();
            for (const std::size_t run : curve.runs)
                line.push_back(static_cast<std::int64_t>(run));
            if (curve.knee)
                knees_ += tellKnee(runs[curve.runs[curve.knee->at]], runs[curve.runs.back()],
                                   curve.knee->share, across);
        }
    plot_->setAxes(
        {across_->currentText(),
         [across](double value, double apart) { return acrossText(across, value, apart); }, kindOf(across)},
        {up_->currentText(), [up](double value, double apart) { return axisText(up, value, apart); },
         kindOf(figureAxis(up))});
    lacking_ = static_cast<std::int64_t>(runs.size() - points.size());
    plot_->setNothing(reader_->reading() ? tr("Reading the profiles …") : tr("No run has both of these."));
    plot_->setPoints(std::move(points), best);
    plot_->setChosen(chosen_);
    showHeading();
}

/// "Past batch 32 cnn gains little: 87.5 % of what it has at 128."
QString RunsView::tellKnee(const RunEntry& knee, const RunEntry& last, double share,
                           const QString& across) const {
    const std::string key = across.toStdString();
    return inHtml(tr(" Past %1 %2 <b>%3</b> gains little: there it has %4 of what it has at %5."),
                  {across_->currentText(), formatNumber(*knee.number(key)), knee.workload,
                   formatPercent(share), formatNumber(*last.number(key))});
}

void RunsView::showHeading() {
    const auto count = static_cast<std::int64_t>(reader_->runs().size());
    const QString runs = reader_->reading()
                             ? tr("%1 of %2 runs").arg(formatCount(count), formatCount(reader_->found()))
                             : formatCounted(count, tr("run"), tr("runs"));
    const QString what = parallel_->isChecked()
                             ? tr("%1 over all that differs").arg(runs)
                             : tr("%1: %2 over %3").arg(runs, up_->currentText(), across_->currentText());
    QString html = inHtml(tr("<b>%1</b> <span style='color:@muted'>below %2</span>"),
                          {what, QDir::toNativeSeparators(folder_)});
    if (lacking_ > 0 && !parallel_->isChecked() && !reader_->reading())
        html += inHtml(tr("<span style='color:@muted'>; not both: %1</span>"), {formatCount(lacking_)});
    if (!parallel_->isChecked())
        html += knees_;
    html += QStringLiteral(" &nbsp; ") + colourLegend(reader_->runs(), color_->currentIndex() == 1);
    if (chosen_.size() > 1)
        html += inHtml(tr(" <span style='color:@muted'>· %1 chosen</span>"), {chosen_.size()});
    heading_->setHtml(html);
}

/// The table of changes is worked out when it is looked at; a cause compares two whole profiles.
void RunsView::showHistory() {
    if (tabs_->currentWidget() != history_ || reader_->reading())
        return;
    const auto figure = static_cast<RunFigure>(up_->currentData().toInt());
    std::unordered_map<std::string, std::int64_t> places;
    for (const RunEntry& run : reader_->runs())
        places.emplace(run.path, static_cast<std::int64_t>(places.size()));
    const auto shown = std::make_shared<RunHistory>(
        RunHistory{figure, analyse::history_of(reader_->runs(), figure), {}, {}});
    const auto& entries = shown->history.entries;
    shown->causes.resize(entries.size());
    for (const auto& entry : entries)
        shown->keys.push_back(places.at(entry.path));
    shown_history_ = shown;
    history_->setColumns(historyColumns(figure));
    fillHistory();
    for (std::size_t i = entries.size(); i-- > 0;)
        if (entries[i].changed)
            reader_->work(
                [shown, i] {
                    const auto cause = analyse::cause_of(shown->history, shown->history.entries[i]);
                    return text(cause ? *cause : cause.error().line());
                },
                [this, shown, i](const QString& cause) {
                    shown->causes[i] = cause.isEmpty() ? tr("not known") : cause;
                    if (shown == shown_history_ && !causes_told_->isActive())
                        causes_told_->start();
                });
}

void RunsView::fillHistory() {
    const RunHistory& shown = *shown_history_;
    std::vector<TableRow> rows;
    for (std::size_t i = shown.history.entries.size(); i-- > 0;) // the newest first
        rows.push_back(
            {shown.keys[i], historyCells(shown.history, i, shown.figure, shown.causes[i], folder_)});
    history_->setRows(std::move(rows));
}

void RunsView::choose(const std::set<std::int64_t>& runs) {
    for (const std::int64_t run : runs)
        if (!chosen_.contains(run) || runs.size() == 1)
            front_ = run;
    if (!runs.contains(front_))
        front_ = runs.empty() ? -1 : *runs.begin();
    chosen_ = runs;
    choosing_ = true;
    plot_->setChosen(runs);
    axes_chart_->setChosen(runs);
    table_->markKeys(runs);
    choosing_ = false;
    compare_->setEnabled(runs.size() == 2);
    what_if_->setEnabled(runs.size() == 1);
    showHeading();
    showWhatIf();
    tellDetails();
}

/// Another file or base: a run may be compared with another one now.
void RunsView::startOver(bool another) {
    static_cast<void>(another);
    tellDetails();
}

/// What is told of it stands against the other one where two are chosen, else against the base of the window
/// where that is one of the runs, else against the run before.
void RunsView::tellDetails() {
    if (!isVisible())
        return;
    const int turn = ++told_;
    const auto& runs = reader_->runs();
    if (front_ < 0 || front_ >= std::ssize(runs))
        return Q_EMIT detailsChanged({});
    const auto at = static_cast<std::size_t>(front_);
    std::optional<RunReference> against;
    if (const auto before = analyse::run_before(runs, at))
        against = {runs[*before], tr("the run before")};
    if (sources().base)
        for (const RunEntry& run : runs)
            if (text(run.path) == sources().base->path() && run.path != runs[at].path)
                against = {run, tr("the base")};
    if (chosen_.size() == 2) {
        const std::int64_t other = *chosen_.begin() == front_ ? *chosen_.rbegin() : *chosen_.begin();
        against = {runs[static_cast<std::size_t>(other)], tr("the other one that is chosen")};
    }
    if (against && !against->run.error.empty())
        against.reset();
    const auto told = [run = runs[at], against, folder = folder_](const analyse::RunResults& results) {
        return detailsOf(run, results, against, folder);
    };
    Q_EMIT detailsChanged(told({})); // losses come once they are read
    if (runs[at].error.empty())
        reader_->work(
            [told, path = runs[at].path] {
                const auto results = analyse::read_results(path);
                return results ? told(*results) : QString();
            },
            [this, turn](const QString& html) {
                if (turn == told_ && isVisible() && !html.isEmpty())
                    Q_EMIT detailsChanged(html);
            });
}

void RunsView::open(std::int64_t run) {
    if (chosen_.size() == 2 && chosen_.contains(run))
        return compareChosen();
    const auto& runs = reader_->runs();
    if (run >= 0 && run < static_cast<std::int64_t>(runs.size()))
        Q_EMIT fileRequested(text(runs[static_cast<std::size_t>(run)].path));
}

void RunsView::askWhatIf() {
    tabs_->setCurrentWidget(what_if_panel_);
    what_if_panel_->setFocus();
}

/// Of the one run that is chosen; where none or several are, the one before stays.
void RunsView::showWhatIf() {
    if (tabs_->currentWidget() == what_if_panel_ && chosen_.size() == 1)
        what_if_panel_->setRun(text(reader_->runs()[static_cast<std::size_t>(*chosen_.begin())].path));
}

void RunsView::compareChosen() {
    if (chosen_.size() != 2)
        return;
    const RunEntry* base = &reader_->runs()[static_cast<std::size_t>(*chosen_.begin())];
    const RunEntry* now = &reader_->runs()[static_cast<std::size_t>(*chosen_.rbegin())];
    if (now->started_unix_ms < base->started_unix_ms)
        std::swap(base, now);
    Q_EMIT comparisonRequested({text(base->path), text(now->path)});
}

} // namespace tilescope::ui
