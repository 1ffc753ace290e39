// SPDX-License-Identifier: GPL-3.0-or-later
#include "what_if_panel.h"

#include "analyse/figures.h"
#include "analyse/headline.h"
#include "analyse/phases.h"
#include "base/text.h"
#include "base/try.h"
#include "base/wait_text.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/judged_text.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/page_wheel.h"
#include "ui/widgets/phase_look.h"
#include "ui/widgets/share_bar.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int range = 32; ///< of a slider, in sixteenths of a doubling: a quarter to four times
constexpr int moment_ms = 400;

std::size_t placeOf(TargetFigure figure) {
    return static_cast<std::size_t>(figure);
}

QString valueText(double value) {
    return formatNumber(value);
}

} // namespace

WhatIfPanel::WhatIfPanel(QWidget* parent) : QWidget(parent) {
    soon_.setSingleShot(true);
    soon_.setInterval(moment_ms);
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("whatIfHeading"));
    heading_->setWordWrap(true);
    progress_ = new QProgressBar;
    progress_->setRange(0, 100);
    progress_->setTextVisible(false);
    progress_->setMaximumWidth(140);
    progress_->setAccessibleName(tr("Compilation of the estimate"));
    stop_ = new QPushButton(tr("Cancel"));
    stop_->setObjectName(QStringLiteral("whatIfStop"));
    connect(stop_, &QPushButton::clicked, this, &WhatIfPanel::cancel);
    escape_ = addKeyAction(this, tr("Cancel the estimate"), Qt::Key_Escape, [this] { cancel(); });
    stop_->addAction(escape_);
    heading_->setMinimumHeight(stop_->sizeHint().height()); // also while it does not stand there
    auto* head = new QHBoxLayout;
    head->addWidget(heading_, 1);
    head->addWidget(progress_, 0, Qt::AlignTop);
    head->addWidget(stop_, 0, Qt::AlignTop);
    auto* parts = new QHBoxLayout;
    parts->setSpacing(24);
    parts->addWidget(makeFigures(), 3);
    parts->addWidget(makeResult(), 4);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(16, 10, 16, 10);
    column->addLayout(head);
    column->addLayout(parts);
    column->addStretch();
    auto* scrolled = new QWidget;
    leaveWheelToPage(*page);
    fillScrolling(scrolled, page);
    pages_ = new PageStack(scrolled, this);
    setFocusProxy(rows_.front().slider);
    connect(&soon_, &QTimer::timeout, this, &WhatIfPanel::compile);
    connect(&estimate_, &Estimate::finished, this, &WhatIfPanel::ended);
    connect(&estimate_, &Estimate::progressed, this, &WhatIfPanel::showResult);
    setRun({});
}

QWidget* WhatIfPanel::makeFigures() {
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins({});
    grid->setColumnStretch(1, 1);
    grid->setVerticalSpacing(6);
    for (const TargetFigure figure : target_figures) {
        const int at = static_cast<int>(placeOf(figure));
        Row& row = rows_[placeOf(figure)];
        row = {new QLabel(targetFigureName(figure)), new QSlider(Qt::Horizontal), new QLineEdit, new QLabel};
        row.slider->setObjectName(QStringLiteral("whatIfSlider%1").arg(at));
        row.slider->setRange(-range, range);
        row.slider->setPageStep(8);
        row.slider->setTickPosition(QSlider::TicksBelow);
        row.slider->setTickInterval(16);
        row.slider->setMinimumWidth(90);
        row.slider->setToolTip(
            tr("%1. From a quarter of its own to four times.").arg(targetFigureTip(figure)));
        row.slider->setAccessibleName(targetFigureName(figure));
        row.value->setObjectName(QStringLiteral("whatIfValue%1").arg(at));
        row.value->setAlignment(Qt::AlignRight);
        row.value->setFixedWidth(fontMetrics().horizontalAdvance(QStringLiteral("16,777,216")) + 16);
        row.value->setToolTip(targetFigureTip(figure));
        row.value->setAccessibleName(
            targetFigureUnit(figure).isEmpty()
                ? targetFigureName(figure)
                : tr("%1, %2").arg(targetFigureName(figure), targetFigureUnit(figure)));
        row.name->setBuddy(row.value);
        row.of->setForegroundRole(QPalette::PlaceholderText);
        auto* unit = new QLabel(targetFigureUnit(figure));
        grid->addWidget(row.name, at, 0);
        grid->addWidget(row.slider, at, 1);
        grid->addWidget(row.value, at, 2);
        grid->addWidget(unit, at, 3);
        grid->addWidget(row.of, at, 4);
        connect(row.slider, &QSlider::valueChanged, this, [this, figure](int sixteenths) {
            setValue(figure, target_.at(figure, sixteenths));
            changed();
        });
        connect(row.value, &QLineEdit::editingFinished, this, [this, figure] { typed(figure); });
    }
    grid->setColumnMinimumWidth(4, fontMetrics().horizontalAdvance(QStringLiteral("0.25 × 16,777,216")));
    reset_ = new QPushButton(tr("&Reset"));
    reset_->setObjectName(QStringLiteral("whatIfReset"));
    reset_->setToolTip(tr("All figures as the run has them"));
    connect(reset_, &QPushButton::clicked, this, &WhatIfPanel::reset);
    run_with_ = new QPushButton(tr("Run with this…"));
    run_with_->setObjectName(QStringLiteral("whatIfRun"));
    run_with_->setToolTip(tr("Set up a run in Live with these figures"));
    connect(run_with_, &QPushButton::clicked, this, [this] {
        if (now_)
            Q_EMIT runRequested(again_.workload, again_.changes + target_.changes(values_));
    });
    save_ = new QPushButton(tr("Save as run…"));
    save_->setObjectName(QStringLiteral("whatIfSave"));
    save_->setToolTip(tr("Keep the profile of the estimate"));
    connect(save_, &QPushButton::clicked, this, &WhatIfPanel::save);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(reset_);
    buttons->addStretch();
    buttons->addWidget(run_with_);
    buttons->addWidget(save_);
    grid->addLayout(buttons, static_cast<int>(target_figures.size()), 0, 1, 5);
    grid->setRowStretch(static_cast<int>(target_figures.size()) + 1, 1);
    return box;
}

QWidget* WhatIfPanel::makeResult() {
    figures_ = new DataTable({}, {{tr("Figure")}, {tr("This run")}, {tr("What if")}, {tr("Change")}});
    figures_->setObjectName(QStringLiteral("whatIfFigures"));
    figures_->hideHead();
    figures_->view()->setSortingEnabled(false); // figures of several kinds
    figures_->setFixedHeight(6 * (fontMetrics().height() + 9) + 12);
    shares_ = new ShareBar;
    shares_->setObjectName(QStringLiteral("whatIfShares"));
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins({});
    column->addWidget(figures_);
    column->addWidget(shares_);
    column->addStretch();
    return box;
}

bool WhatIfPanel::working() const {
    return source_ || soon_.isActive() || estimate_.running();
}

void WhatIfPanel::cancel() {
    soon_.stop();
    stopped_ = true;
    result_.reset();
    compiled_.clear();
    estimate_.running() ? estimate_.cancel() : showResult();
}

void WhatIfPanel::setRun(const QString& path) {
    if (!path.isEmpty() && path == path_)
        return;
    soon_.stop();
    compiling_.clear();
    estimate_.cancel();
    path_ = path;
    now_.reset();
    result_.reset();
    source_.reset();
    pages_->showText(path.isEmpty()
                         ? tr("What would a run be with other tiles, memory, clock or links? Choose "
                              "one run above.")
                         : QString());
    if (!path.isEmpty())
        read();
}

void WhatIfPanel::read() {
    source_ = ProfileSource::open(path_);
    // It is the file that answers here, so that it may go when it has.
    const auto done = [this] { QTimer::singleShot(0, this, [read = std::exchange(source_, nullptr)] {}); };
    connect(source_.get(), &ProfileSource::failed, this, [this, done](const Error& failure) {
        pages_->showText(asHtml(failure.line()));
        done();
    });
    using Run = std::pair<analyse::Summary, RunAgain>;
    source_->ask<Run>(
        this, QStringLiteral("what if"),
        [](const profile::Profile& file) -> Result<Run> {
            TRY(auto summary, analyse::summarise(file));
            RunAgain again = runAgain(summary.run);
            return Run(std::move(summary), std::move(again));
        },
        [this, done](Result<Run> run) {
            if (run) {
                again_ = std::move(run->second);
                take(std::move(run->first));
            } else {
                pages_->showText(asHtml(run.error().line()));
            }
            done();
        });
}

void WhatIfPanel::take(analyse::Summary summary) {
    const auto target = RunTarget::of(summary);
    if (!target)
        return pages_->showText(asHtml(target.error().line()));
    now_ = std::move(summary);
    target_ = *target;
    values_ = target_.all();
    problem_.clear();
    stopped_ = false;
    const bool several = now_->target.ipus > 1;
    Row& links = rows_[placeOf(TargetFigure::Links)];
    for (QWidget* part : std::initializer_list<QWidget*>{links.name, links.slider, links.value, links.of})
        part->setEnabled(several);
    showValues();
    showResult();
    pages_->showPage();
}

void WhatIfPanel::setValue(TargetFigure figure, double value) {
    values_[placeOf(figure)] = value;
    problem_.clear();
    showValues();
}

/// It stands as it is where it says what is shown already: fewer digits are shown than there are.
void WhatIfPanel::typed(TargetFigure figure) {
    const QString typed = rows_[placeOf(figure)].value->text();
    if (!now_)
        return;
    if (typed == valueText(values_[placeOf(figure)])) {
        problem_.clear();
        return showResult();
    }
    const auto value = typedNumber(typed, targetFigureUnit(figure));
    if (!value || *value <= 0) {
        problem_ = tr("“%1” is no number above 0.").arg(typed);
        return showResult();
    }
    setValue(figure, *value);
    changed();
}

void WhatIfPanel::showValues() {
    for (const TargetFigure figure : target_figures) {
        Row& row = rows_[placeOf(figure)];
        const double value = values_[placeOf(figure)];
        const double own = target_.own(figure);
        const QSignalBlocker quiet(row.slider);
        row.slider->setValue(RunTarget::sixteenths(value, own));
        row.value->setText(valueText(value));
        row.of->setText(value == own ? tr("its own")
                                     : tr("%1 × %2").arg(text(fixed_text(value / own, 2)), valueText(own)));
    }
}

void WhatIfPanel::reset() {
    if (!now_)
        return;
    values_ = target_.all();
    problem_.clear();
    showValues();
    changed();
}

void WhatIfPanel::changed() {
    stopped_ = false;
    soon_.start();
    showResult();
}

/// A newer wish ends the compilation of an older one.
void WhatIfPanel::compile() {
    if (!now_)
        return;
    const QStringList changes = target_.changes(values_);
    if (estimate_.running()) {
        if (changes != compiling_)
            estimate_.cancel();
    } else if (changes.isEmpty()) {
        result_.reset();
        compiled_.clear();
    } else if (!result_ || changes != compiled_) {
        compiling_ = changes;
        compiled_.clear(); // its file goes
        estimate_.start(now_->run.workload, changes);
    }
    showResult();
}

void WhatIfPanel::ended(const Estimated& result, bool cancelled) {
    if (!now_)
        return;
    if (!cancelled) {
        result_ = result;
        compiled_ = std::exchange(compiling_, {});
    } else if (!stopped_)
        return compile();
    compiling_.clear();
    showResult();
}

QString WhatIfPanel::sentence() const {
    const QString run = inHtml(QStringLiteral("<b>%1</b>"), {now_->run.name});
    if (!problem_.isEmpty())
        return inHtml(QStringLiteral("<span style='color:@bad'>%1</span>"), {problem_});
    if (estimate_.running() || soon_.isActive())
        return tr("%1 with another target: compiling an estimate, %2.")
            .arg(run, text(wait_text(std::floor(soon_.isActive() ? 0 : estimate_.seconds()))));
    if (stopped_)
        return tr("%1 with another target: stopped before it was compiled.").arg(run);
    if (!result_)
        return tr("What if %1 had another target? Move a slider or type a figure: the run is compiled anew "
                  "as "
                  "an estimate.")
            .arg(run);
    if (!result_->summary || !result_->summary->memory)
        return inHtml(QStringLiteral("<span style='color:@bad'>%1</span>"), {result_->error});
    const analyse::Headline told = analyse::headline(*result_->summary);
    QString all = inHtml(tr("%1 with another target, estimate: <b>%2</b>"), {Html{run}, told.memory});
    if (!told.time.empty())
        all += QStringLiteral(" ") + asHtml(told.time);
    if (result_->summary->run.tool_version != now_->run.tool_version)
        all += inHtml(tr(" <span style='color:@muted'>The run is of version %1, the estimate of %2.</span>"),
                      {now_->run.tool_version, result_->summary->run.tool_version});
    return all;
}

void WhatIfPanel::showResult() {
    if (!now_)
        return;
    const bool busy = estimate_.running() || soon_.isActive();
    progress_->setVisible(busy);
    stop_->setVisible(busy);
    escape_->setEnabled(busy);
    progress_->setValue(static_cast<int>(estimate_.running() ? estimate_.share() * 100 : 0));
    heading_->setHtml(sentence());
    const QStringList changes = target_.changes(values_);
    const analyse::Summary* then = result_ && result_->summary ? &*result_->summary : nullptr;
    reset_->setEnabled(!changes.isEmpty());
    run_with_->setEnabled(!busy && !changes.isEmpty() && then != nullptr && result_->complete());
    save_->setEnabled(!busy && changes == compiled_ && then != nullptr);
    figures_->setColumns({{tr("Figure")},
                          {now_->run.estimate ? tr("This run, estimate") : tr("This run")},
                          {tr("What if, estimate")},
                          {tr("Change")}});
    std::vector<TableRow> rows;
    const auto line = [&](const QString& name, const Cell& was, const Cell& is, const Cell& change) {
        rows.push_back({static_cast<std::int64_t>(rows.size()), {textCell(name), was, is, change}});
    };
    const auto figure = [&](const QString& name, auto get, const auto& write, analyse::Sense sense) {
        const std::optional<double> was = get(*now_);
        const std::optional<double> is = then != nullptr ? get(*then) : std::optional<double>();
        const auto cell = [&](const std::optional<double>& value) {
            return value ? write(*value) : absentCell();
        };
        line(name, cell(was), cell(is),
             was && is ? textCell(judgedText(formatChange(*was, *is), analyse::judged(*was, *is, sense)))
                       : absentCell());
    };
    figure(
        tr("Step time"), [](const analyse::Summary& s) { return s.step_us; },
        [](double us) { return secondsCell(us * 1e-6); }, analyse::Sense::LessIsBetter);
    figure(
        tr("Samples per second"), [](const analyse::Summary& s) { return s.samples_per_s; }, samplesCell,
        analyse::Sense::MoreIsBetter);
    figure(
        tr("Fullest tile"),
        [](const analyse::Summary& s) {
            return s.memory ? std::optional(static_cast<double>(s.memory->fullest_with_gaps.bytes))
                            : std::nullopt;
        },
        [](double bytes) { return bytesCell(bytes); }, analyse::Sense::LessIsBetter);
    const auto word = [&](const QString& name, const auto& say) {
        line(name, say(*now_), then != nullptr ? say(*then) : absentCell(), textCell({}));
    };
    word(tr("Memory"), [](const analyse::Summary& s) {
        if (!s.memory || s.target.bytes_per_tile <= 0)
            return absentCell();
        const auto bytes = s.memory->fullest_with_gaps.bytes;
        const QString share =
            formatPercent(s.memory->fullest_with_gaps.share(s.target.bytes_per_tile).value_or(0));
        switch (analyse::headline(s).fit) {
        case analyse::Fit::Fits:
            return numberCell(tr("fits, %1").arg(share), static_cast<double>(bytes));
        case analyse::Fit::Tight:
            return numberCell(tr("fits, tightly, %1").arg(share), static_cast<double>(bytes));
        case analyse::Fit::DoesNotFit:
            return numberCell(tr("does not fit, %1").arg(share), static_cast<double>(bytes));
        case analyse::Fit::Unknown:
            break;
        }
        return absentCell();
    });
    word(tr("Limited by"), [](const analyse::Summary& s) {
        const auto limit = analyse::headline(s).largest;
        return limit ? numberCell(tr("%1, %2").arg(text(analyse::phase_words(limit->name)),
                                                   formatPercent(limit->share)),
                                  limit->share)
                     : absentCell();
    });
    figures_->setRows(std::move(rows));
    figures_->setEnabled(!busy || then == nullptr);
    const bool timed = then != nullptr && then->by_phase && now_->by_phase;
    shares_->setVisible(timed);
    shares_->setEnabled(!busy);
    if (timed)
        shares_->setParts(phaseShares(*then->by_phase, &*now_->by_phase), tr("what if"), tr("this run"));
}

void WhatIfPanel::save() {
    const QFileInfo run(path_);
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Keep the profile of the estimate"),
        run.absolutePath() + QLatin1Char('/') + tr("%1_what_if.tilescope").arg(run.completeBaseName()),
        tr("Profiles (*.tilescope)"));
    if (path.isEmpty())
        return;
    // While it grew it was read, and so what was written last may still be in the log beside it.
    for (const QString& part : {QString(), QStringLiteral("-wal")}) {
        QFile::remove(path + part);
        if (QFile::exists(estimate_.path() + part) && !QFile::copy(estimate_.path() + part, path + part)) {
            problem_ = tr("%1 cannot be written.").arg(path);
            return showResult();
        }
    }
    Q_EMIT saved(path);
}

} // namespace tilescope::ui
