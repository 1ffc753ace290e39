// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/run_page.h"

#include "analyse/devices.h"
#include "analyse/summary.h"
#include "analyse/training_metrics.h"
#include "base/text.h"
#include "base/wait_text.h"
#include "profile_writer.h"
#include "progress_strip.h"
#include "ui/live/phase_chart.h"
#include "ui/session/also_text.h"
#include "ui/session/format.h"
#include "ui/session/whole_options.h"
#include "ui/theme/theme.h"
#include "ui/theme/themed_label.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/ipu_gauges.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/run_status.h"
#include "ui/widgets/share_bar.h"
#include "ui/widgets/view_action.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGridLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int clock_ms = 1000;
constexpr int widest_card = 480;
constexpr int tables_lines = 12;       // of text, at least
constexpr int letters_for_two = 143;   // pictures beside each other, of a width
constexpr int letters_for_three = 200; // and the tabs beside them
constexpr int letters_for_bars = 90;   // beside the numbers of a gauge
constexpr int lanes_lines = 6;         // at least: a lane and the axis of time

std::int64_t nowMs() {
    return QDateTime::currentMSecsSinceEpoch();
}

QLabel* remark() {
    auto* label = new QLabel;
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

RunPage::RunPage(QWidget* parent)
    : QWidget(parent), heading_(new ThemedLabel), subheading_(new QLabel), error_(new QLabel),
      cancel_(new QPushButton(tr("Stop…"))), held_(new QLabel), strip_(new ProgressStrip),
      loss_figure_(new FigureCard(tr("Loss"))), metric_figure_(new FigureCard(QString())),
      step_figure_(new FigureCard(tr("Step"))), speed_figure_(new FigureCard(tr("This simulation"))),
      curves_(new Card({})), curves_title_(new QLabel), loss_(new LineChart(tr("epoch"))),
      metric_(new LineChart(tr("epoch"))), no_curves_(remark()), shares_(new ShareBar),
      phases_(new PhaseChart), no_phases_(remark()),
      ipus_(new Card(tr("Fullest tile and busy time, per IPU"))), gauges_(new IpuGauges),
      devices_(new DataTable({}, {{tr("Device")},
                                  {tr("Type")},
                                  {tr("Machine")},
                                  {tr("IPU#")},
                                  {tr("Routing")},
                                  {tr("State")},
                                  {tr("PID")},
                                  {tr("Command")},
                                  {tr("User")},
                                  {tr("Time")},
                                  {tr("Clock")},
                                  {tr("Compute"), true}})),
      log_(new DataTable({}, {{tr("Time")}, {tr("Level")}, {tr("Message")}})), tabs_(new QTabWidget),
      workload_(new QPlainTextEdit), command_(new QLabel), command_of_(new QLabel) {
    QFont big = heading_->font();
    big.setPointSizeF(big.pointSizeF() * 1.6);
    big.setWeight(QFont::DemiBold);
    heading_->setFont(big);
    subheading_->setForegroundRole(QPalette::PlaceholderText);
    subheading_->setWordWrap(true);
    error_->setWordWrap(true);
    error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    error_->setMargin(10);
    error_->setProperty("error", QStringLiteral("box"));
    error_->hide();
    cancel_->setIcon(themeIcon(QStringLiteral("stop"), &Theme::bad));
    cancel_->setObjectName(QStringLiteral("cancel"));
    cancel_->setToolTip(tr("End the run cleanly: its profile keeps what it has recorded"));
    held_->setObjectName(QStringLiteral("held"));
    held_->setMargin(6);
    held_->setAutoFillBackground(true);
    held_->setBackgroundRole(QPalette::Highlight);
    held_->setForegroundRole(QPalette::HighlightedText);
    held_->hide();
    auto* another = new QPushButton(themeIcon(QStringLiteral("play"), &Theme::accent), tr("New run…"));
    cancel_->setAccessibleName(tr("Stop the run…"));
    another->setObjectName(QStringLiteral("new run"));

    auto* page = new QWidget;
    auto* grid = grid_ = new QGridLayout(page);
    grid->setContentsMargins(24, 20, 24, 24);
    grid->setSpacing(14);
    auto* top = new QHBoxLayout;
    auto* titles = new QVBoxLayout;
    titles->addWidget(heading_);
    titles->addWidget(subheading_);
    top->addLayout(titles, 1);
    top->addWidget(cancel_, 0, Qt::AlignTop);
    top->addWidget(another, 0, Qt::AlignTop);
    grid->addLayout(top, 0, 0, 1, 4);
    grid->addWidget(strip_, 1, 0, 1, 4);
    auto* notes = new QVBoxLayout;
    notes->addWidget(held_);
    notes->addWidget(error_);
    grid->addLayout(notes, 2, 0, 1, 4);
    auto* cards = new QHBoxLayout; // those that there are stand from the left on
    cards->setSpacing(14);
    for (FigureCard* card : {loss_figure_, metric_figure_, step_figure_, speed_figure_}) {
        card->setMaximumWidth(widest_card);
        cards->addWidget(card, 1);
    }
    cards->addStretch();
    grid->addLayout(cards, 3, 0, 1, 4);

    QFont bold = curves_title_->font(); // as the titles of the other cards
    bold.setWeight(QFont::DemiBold);
    curves_title_->setFont(bold);
    curves_->body()->addWidget(curves_title_);
    auto* charts = new QHBoxLayout;
    charts->addWidget(loss_, 1);
    charts->addWidget(metric_, 1);
    curves_->body()->addLayout(charts, 1);
    curves_->body()->addWidget(no_curves_, 1);
    curves_->setObjectName(QStringLiteral("curves"));
    auto* utilisation = new Card(tr("Where the time goes, over simulated time"));
    shares_of_ = remark();
    shares_of_->setAlignment(Qt::AlignLeft);
    utilisation->body()->addWidget(shares_of_);
    utilisation->body()->addWidget(shares_);
    shares_->setChoosing(tr("Show what takes it"));
    connect(shares_, &ShareBar::partChosen, this, &RunPage::phaseChosen);
    auto* lanes = new QScrollArea;
    lanes->setWidget(phases_);
    lanes->setWidgetResizable(true);
    lanes->setFrameShape(QFrame::NoFrame);
    lanes->setMinimumHeight(lanes_lines * fontMetrics().height());
    lanes->viewport()->setAutoFillBackground(false);
    connect(lanes->verticalScrollBar(), &QScrollBar::valueChanged, phases_,
            qOverload<>(&QWidget::update)); // its axis stays where it is
    phases_->setAutoFillBackground(false);
    utilisation->body()->addWidget(lanes, 1);
    utilisation->body()->addWidget(no_phases_, 1);
    utilisation->setObjectName(QStringLiteral("utilisation"));
    pictures_ = new QHBoxLayout; // the phases have all of it where there are no curves
    pictures_->setSpacing(14);
    pictures_->addWidget(curves_, 1);
    pictures_->addWidget(utilisation, 1);
    grid->addLayout(pictures_, 4, 0, 1, 4);

    gauges_->setObjectName(QStringLiteral("gauges"));
    gauges_of_ = remark();
    gauges_of_->setAlignment(Qt::AlignLeft);
    ipus_->body()->addWidget(gauges_of_);
    ipus_->body()->addWidget(gauges_);
    grid->addWidget(ipus_, 5, 0, 1, 4);

    lower_ = new Card({});
    lower_->setObjectName(QStringLiteral("runTabsCard"));
    lower_->body()->setContentsMargins(1, 1, 1, 1);
    lower_->body()->addWidget(makeTabs());
    lower_->setMinimumHeight(tables_lines * fontMetrics().height());
    grid->addWidget(lower_, 6, 0, 1, 4);
    grid->setRowStretch(4, 3);
    grid->setRowStretch(6, 2);
    for (int c = 0; c < 4; ++c)
        grid->setColumnStretch(c, 1);
    fillScrolling(this, page);

    clock_.setInterval(clock_ms);
    connect(&clock_, &QTimer::timeout, this, &RunPage::showHeading);
    connect(cancel_, &QPushButton::clicked, this, &RunPage::cancelRequested);
    connect(another, &QPushButton::clicked, this, &RunPage::newRunRequested);
}

/// In a narrow window one column, in a very narrow one with gauges as numbers; in a wide one the tabs stand
/// beside, not under.
void RunPage::placeParts() {
    const int letters = width() / std::max(1, fontMetrics().averageCharWidth());
    const bool narrow = letters < letters_for_two;
    const bool wide = letters >= letters_for_three;
    gauges_->setNumbersAlone(letters < letters_for_bars);
    if (const auto shape = std::pair(narrow, wide); shape == std::exchange(shape_, shape))
        return;
    pictures_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    const int across = wide ? 3 : 4;
    grid_->removeItem(pictures_);
    pictures_->setParent(nullptr);
    grid_->addLayout(pictures_, 4, 0, 1, across);
    grid_->removeWidget(ipus_);
    grid_->addWidget(ipus_, 5, 0, 1, across);
    grid_->removeWidget(lower_);
    if (wide)
        grid_->addWidget(lower_, 4, 3, 2, 1);
    else
        grid_->addWidget(lower_, 6, 0, 1, 4);
    grid_->setRowStretch(6, wide ? 0 : 2);
}

void RunPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeParts();
}

/// What the run tells of itself, and what was asked of it.
QTabWidget* RunPage::makeTabs() {
    tabs_->setObjectName(QStringLiteral("runTabs"));
    tabs_->setDocumentMode(true);
    workload_->setObjectName(QStringLiteral("run workload"));
    workload_->setAccessibleName(tr("Workload"));
    workload_->setReadOnly(true);
    workload_->setFrameShape(QFrame::NoFrame);
    workload_->setTabChangesFocus(true);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF()); // as large as other text
    workload_->setFont(fixed);
    command_->setObjectName(QStringLiteral("run command"));
    command_->setFont(fixed);
    command_->setWordWrap(true);
    command_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    command_of_->setWordWrap(true);
    command_of_->setForegroundRole(QPalette::PlaceholderText);
    auto* copy = new QPushButton(tr("Copy"));
    copy->setAccessibleName(tr("Copy the command of the run"));
    copy->setObjectName(QStringLiteral("copy run command"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(command_->text()); });
    auto* command = new QWidget;
    command->setFocusProxy(command_);
    auto* column = new QVBoxLayout(command);
    column->setContentsMargins(12, 10, 12, 10);
    auto* line = new QHBoxLayout;
    line->addWidget(command_, 1);
    line->addWidget(copy, 0, Qt::AlignTop);
    column->addLayout(line);
    column->addWidget(command_of_);
    column->addStretch();
    connect(log_, &DataTable::keyChosen, this, &RunPage::lineChosen);
    addTabKeys(this, tabs_);
    tabs_->addTab(log_, tr("Messages"));
    tabs_->addTab(devices_, tr("Devices"));
    tabs_->addTab(workload_, tr("Workload"));
    tabs_->addTab(command, tr("Command"));
    return tabs_;
}

void RunPage::setOwn(const RunRequest& request) {
    own_ = request;
}

void RunPage::showAsked() {
    const QByteArray json = QByteArray::fromStdString(state_.run.workload);
    const QJsonDocument document = QJsonDocument::fromJson(json);
    const QString told = document.isNull() ? QString::fromUtf8(json) : QString::fromUtf8(document.toJson());
    const QString shown = told.isEmpty() ? tr("This profile does not hold its workload.") : told;
    if (workload_->toPlainText() != shown) // else it would scroll back
        workload_->setPlainText(shown);
    const bool own = own_ && QFileInfo(own_->output).absoluteFilePath() == path_;
    RunRequest request;
    request.workload = QString::fromStdString(state_.run.workload_path);
    request.output = path_;
    request.estimate = state_.run.estimate;
    command_->setText(own                          ? own_->commandLine()
                      : request.workload.isEmpty() ? QString()
                                                   : request.commandLine());
    command_of_->setText(
        own ? tr("This is how the run was started.")
        : command_->text().isEmpty()
            ? tr("This profile does not say which file was run.")
            : tr("The run as far as its profile tells: settings that were given on the command "
                 "line are part of its workload, beside."));
}

void RunPage::show(const LiveState& state, const QString& path, const LiveState* base) {
    const bool same_log = path == path_ && state.log.size() == state_.log.size();
    state_ = state;
    path_ = path;
    if (state_.running())
        clock_.start();
    else
        clock_.stop();
    showHeading();
    strip_->setStages(stagesOf(state_), state_.run.status);
    showFigures();
    showCurves(base);
    showPhases();
    showGauges();
    showDevices();
    showAsked();
    if (!same_log)
        showLog();
}

void RunPage::showError(const QString& line) {
    error_text_ = line;
    showHeading();
}

void RunPage::setCancelling() {
    cancel_->setEnabled(false);
    cancel_->setText(tr("Cancelling…"));
}

void RunPage::showHeld(std::int64_t steps_behind, bool running) {
    const QString behind = formatCounted(steps_behind, tr("step"), tr("steps"));
    held_->setText(steps_behind > 0 ? tr("Held, %1 behind. Space shows what there is now.").arg(behind)
                   : running        ? tr("Held. Space shows what there is now.")
                                    : tr("Held; the run has ended. Space shows how."));
    held_->show();
}

void RunPage::endHold() {
    held_->hide();
}

void RunPage::showHeading() {
    if (path_.isEmpty())
        return; // nothing is known yet
    const profile::RunRecord& run = state_.run;
    const bool killed = run.status == profile::RunStatus::Killed;
    heading_->setHtml(
        headingText(QString::fromStdString(run.name), statusText(run.status), statusColor(run.status)));
    QStringList parts;
    const bool ended_early = !state_.running() && !profile::ran_to_its_end(run.status);
    parts << (ended_early ? tr("ended in: %1").arg(activityText(state_)) : activityText(state_));
    const std::int64_t until = run.finished_unix_ms > 0 ? run.finished_unix_ms
                               : state_.running()       ? nowMs()
                                                        : run.started_unix_ms + state_.progress.elapsed_ms;
    const auto tenths = (until - run.started_unix_ms) / 100;
    parts << (tenths > 0 ? tr("%1 elapsed").arg(text(wait_text(static_cast<double>(tenths) / 10)))
                         : tr("less than 0.1 s elapsed"));
    if (const auto left = state_.trainingSecondsLeft())
        parts << tr("about %1 of training left").arg(text(wait_text(std::max(1.0, std::round(*left)))));
    if (const auto left = state_.passSecondsLeft())
        parts << tr("about %1 of it left (estimate: as fast as so far)")
                     .arg(text(wait_text(std::max(1.0, std::round(*left)))));
    if (run.estimate)
        parts << tr("estimate: no values are computed");
    if (!run.data_note.empty())
        parts << QString::fromStdString(run.data_note);
    parts << path_;
    subheading_->setText(keepFiguresWhole(keepOptionsWhole(parts.join(QStringLiteral("  ·  ")))));
    cancel_->setVisible(state_.running() && writesProfile(path_, run.pid)); // else it is someone else's
    if (!state_.running()) {
        cancel_->setEnabled(true);
        cancel_->setText(tr("Stop…"));
    }
    // Summary has the rest of it, and what was tried is among the messages.
    const QString text =
        state_.too_full
            ? inHtml(QStringLiteral("%1 %2"), {state_.too_full->text(), Html{state_.too_full->links()}})
        : !run.error.empty() && run.status != profile::RunStatus::Cancelled
            ? QString::fromStdString(run.error)
        : killed ? tr("Process %1, which wrote this profile, is gone; what it recorded until then is "
                      "shown. Start the run again for the rest.")
                       .arg(run.pid)
                 : error_text_;
    error_->setText(text);
    error_->setVisible(!text.isEmpty());
}

void RunPage::showFigures() {
    const std::string metric = state_.firstMetric();
    const auto show = [&](FigureCard* card, const std::string& name) {
        const auto value = name.empty() ? std::optional<double>() : state_.newest(name);
        card->setVisible(value.has_value());
        if (!value)
            return;
        const profile::ProgressRecord& at = state_.progress;
        const bool going_on = state_.running() && at.activity == profile::RunActivity::Train;
        const bool cut = !state_.running() && !profile::ran_to_its_end(state_.run.status) &&
                         at.activity == profile::RunActivity::Train && at.step < at.steps;
        const std::int64_t epoch = state_.course.points.back().epoch + 1;
        const auto tested = state_.evaluated(name);
        card->setName(text(analyse::metric_title(name)));
        card->setFigure(
            text(analyse::metric_text(name, *value)),
            tested
                ? tr("in epoch %1; on test data %2").arg(epoch).arg(text(analyse::metric_text(name, *tested)))
            : going_on ? tr("mean of epoch %1 so far").arg(epoch)
            : cut      ? tr("mean of epoch %1 until it was cut off").arg(epoch)
                       : tr("mean of epoch %1").arg(epoch));
    };
    show(loss_figure_, "loss");
    show(metric_figure_, metric);
    const auto with_rate = [&](const QString& what, double us) { // and how many samples a second those are
        const auto samples = analyse::samples_per_s(state_.run.batch_size, us);
        return samples ? tr("%1; %2 samples/s").arg(what, formatAmount(*samples)) : what;
    };
    const bool simulated = state_.run.device != profile::RunDevice::Cpu && state_.target.clock_hz > 0;
    const auto step = analyse::step_us(state_.run, state_.target, state_.main);
    step_figure_->setVisible(simulated && step.value_or(0) > 0);
    if (step.value_or(0) > 0)
        step_figure_->setFigure(formatSeconds(*step * 1e-6), with_rate(tr("simulated"), *step));
    const auto wall = analyse::wall_step_us(state_.run, state_.main);
    speed_figure_->setVisible(wall.has_value());
    if (wall)
        speed_figure_->setFigure(formatSeconds(*wall * 1e-6), with_rate(tr("wall time per step"), *wall));
}

void RunPage::showDevices() {
    const auto by_device = analyse::cycles_by_device(state_.ipus, state_.by_ipu);
    std::vector<TableRow> rows;
    for (const auto& d : state_.devices) {
        const profile::DeviceState state = analyse::device_state(d, state_.run);
        const bool ours = state == profile::DeviceState::Attached;
        const auto used = by_device.find(d.id);
        const QString none = QStringLiteral("–");
        Cell compute = absentCell();
        if (used != by_device.end())
            if (const auto share = analyse::utilisation(used->second))
                compute = shareCell(share);
        rows.push_back(
            {d.id,
             {countCell(d.id),
              textCell(d.multi ? tr("multi-IPU: %1").arg(QString::fromStdString(d.members))
                               : QString::fromStdString(d.type)),
              textCell(d.multi ? none : QString::fromStdString(d.machine)),
              d.multi ? absentCell() : countCell(d.ipu_number),
              textCell(d.multi || d.routing.empty() ? none : QString::fromStdString(d.routing)),
              textCell(QString::fromStdString(profile::to_string(state))),
              ours ? numberCell(QString::number(state_.run.pid), static_cast<double>(state_.run.pid))
                   : absentCell(),
              textCell(ours && state_.process ? QString::fromStdString(state_.process->command) : none),
              textCell(ours && state_.process ? QString::fromStdString(state_.process->user) : none),
              ours ? secondsCell(static_cast<double>(state_.progress.elapsed_ms) * 1e-3) : absentCell(),
              ours ? numberCell(text(clock_text(state_.target.clock_hz)), state_.target.clock_hz)
                   : absentCell(),
              compute}});
    }
    const QString count = formatCount(std::ssize(rows));
    tabs_->setTabText(1, state_.target.system.empty()
                             ? tr("Devices %1").arg(count)
                             : tr("Devices of %1: %2").arg(text(state_.target.system), count));
    devices_->setRows(std::move(rows));
    devices_->setCaption(state_.devices.empty()
                             ? tr("none: the host computes")
                             : tr("simulated system %1").arg(QString::fromStdString(state_.target.system)));
}

void RunPage::chooseLine(std::int64_t line) {
    tabs_->setCurrentWidget(log_);
    log_->selectKey(line);
    log_->view()->scrollTo(log_->view()->currentIndex());
}

void RunPage::showLog() {
    std::vector<TableRow> rows;
    for (const auto& line : state_.log)
        rows.push_back({static_cast<std::int64_t>(rows.size()),
                        {secondsCell(static_cast<double>(line.time_ms) * 1e-3),
                         textCell(QString::fromStdString(profile::to_string(line.level))),
                         textCell(QString::fromStdString(line.message))}});
    tabs_->setTabText(0, tr("Messages %1").arg(formatCount(std::ssize(rows))));
    const QScrollBar* bar = log_->view()->verticalScrollBar();
    const bool at_end = bar->value() == bar->maximum();
    log_->setRows(std::move(rows));
    auto* header = log_->view()->horizontalHeader();
    header->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(2, QHeaderView::Stretch);
    if (at_end)
        log_->view()->scrollToBottom();
}

} // namespace tilescope::ui
