// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/summary/summary_view.h"

#include "analyse/figures.h"
#include "analyse/first_update.h"
#include "analyse/layer_loss.h"
#include "analyse/phases.h"
#include "analyse/training_metrics.h"
#include "base/text.h"
#include "diagnosis_panel.h"
#include "summary_details.h"
#include "ui/insights/insight_place.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/session/subject_link.h"
#include "ui/session/whole_options.h"
#include "ui/summary/insight_list.h"
#include "ui/theme/theme.h"
#include "ui/theme/themed_label.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/phase_look.h"
#include "ui/widgets/run_status.h"
#include "ui/widgets/share_bar.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int cycles_of_base = 4;       // column of the layers, the change beside it
constexpr int lost_cycles = 8;          // by which they are sorted at first
constexpr int letters_for_cards = 143;  // beside each other, of a width in which their remarks stay short
constexpr int letters_for_two = 100;    // columns below the cards
constexpr std::int64_t gone_layer = -2; // key of rows that only the base has

} // namespace

SummaryView::SummaryView(QWidget* parent)
    : View(parent), heading_(new ThemedLabel(this)), subheading_(new QLabel(this)),
      answer_(new ThemedLabel(this)), step_(new FigureCard(tr("Step time"))),
      throughput_(new FigureCard(tr("Throughput"))), memory_(new FigureCard(tr("Fullest tile"))),
      rate_(new FigureCard(tr("Arithmetic"))), result_(new FigureCard(tr("Result"))), phases_(new ShareBar),
      phases_card_(new Card({})), no_phases_(new QLabel), loss_(new LineChart(tr("epoch"))),
      accuracy_(new LineChart(tr("epoch"))), curves_card_(new Card({})),
      outputs_(new DataTable(tr("Outputs"), {{tr("Name")}, {tr("Shape")}, {tr("Values")}, {tr("Expected")}})),
      outputs_card_(new Card({})), layers_(new DataTable(tr("Layers"), {{tr("Layer")},
                                                                        {tr("Kind")},
                                                                        {tr("Parameters")},
                                                                        {tr("Cycles")},
                                                                        {tr("Base")},
                                                                        {tr("Change")},
                                                                        {tr("Share"), true},
                                                                        {tr("FLOP"), true},
                                                                        {tr("Lost cycles"), true},
                                                                        {tr("Always live"), true},
                                                                        {tr("Live at peak step"), true}})),
      beside_insights_(new QWidget), insights_(new InsightList),
      insights_card_(new Card(tr("What to look at first"))), diagnosis_(new DiagnosisPanel) {
    QFont big = heading_->font();
    big.setPointSizeF(big.pointSizeF() * 1.6);
    big.setWeight(QFont::DemiBold);
    heading_->setFont(big);
    subheading_->setWordWrap(true);
    subheading_->setForegroundRole(QPalette::PlaceholderText);

    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(24, 20, 24, 24);
    column->setSpacing(14);
    column->addWidget(makeHead());
    column->addWidget(subheading_);
    answer_->setObjectName(QStringLiteral("answer"));
    answer_->setWordWrap(true);
    QFont larger = answer_->font();
    larger.setPointSizeF(larger.pointSizeF() * 1.2);
    answer_->setFont(larger);
    cards_ = new QGridLayout;
    cards_->setSpacing(14);
    placeCards();
    auto* top = new QVBoxLayout;
    top->setSpacing(14);
    top->addWidget(answer_);
    top->addLayout(cards_);
    top->addWidget(diagnosis_);
    diagnosis_->hide();
    column->addLayout(top);
    makeLinks();
    phases_card_->body()->addWidget(phases_);
    no_phases_->setForegroundRole(QPalette::PlaceholderText);
    no_phases_->setWordWrap(true);
    phases_card_->body()->addWidget(no_phases_);
    makeGauges();
    phases_card_->body()->addStretch();
    insights_card_->body()->addWidget(insights_);
    insights_card_->body()->addStretch();
    makeCurves();
    auto* left = new QVBoxLayout(beside_insights_);
    left->setContentsMargins({});
    left->setSpacing(14);
    left->addWidget(phases_card_, 1);
    left->addWidget(curves_card_, 1);
    middle_ = new QHBoxLayout;
    middle_->setSpacing(14);
    middle_->addWidget(beside_insights_, 1);
    middle_->addWidget(insights_card_, 1);
    column->addLayout(middle_);
    outputs_card_->body()->setContentsMargins(1, 1, 1, 1);
    outputs_card_->body()->addWidget(outputs_);
    outputs_->showAllRows();
    column->addWidget(outputs_card_);
    auto* layers_card = new Card({});
    layers_card->body()->setContentsMargins(1, 1, 1, 1);
    layers_card->body()->addWidget(layers_);
    layers_->setObjectName(QStringLiteral("summaryLayers"));
    layers_->showAllRows();
    column->addWidget(layers_card);
    column->addStretch(1);
    fillScrolling(this, page);
    connect(insights_, &InsightList::placeChosen, this, &SummaryView::showPlace);
    connect(insights_, &InsightList::findingChosen, this, [this](const std::string& finding) {
        if (selection() != nullptr) {
            Selection s = selection()->current();
            s.finding = finding;
            selection()->set(s);
        }
        Q_EMIT viewRequested(QStringLiteral("insights"));
    });
    connect(insights_, &InsightList::allChosen, this,
            [this] { Q_EMIT viewRequested(QStringLiteral("insights")); });
    connect(insights_, &InsightList::helpChosen, this,
            [this](const QString& heading) { Q_EMIT helpRequested(QStringLiteral("insights"), heading); });
    layers_->view()->sortByColumn(lost_cycles, Qt::DescendingOrder);
    layers_->setSubjects([](std::int64_t layer) { return linkTo(Subject::Layer, layer); });
    connect(layers_, &DataTable::keyChosen, this, [this](std::int64_t layer) {
        if (selection() == nullptr || layer == gone_layer)
            return;
        Selection s = selection()->current();
        s.layer = layer;
        s.operation = s.program = s.variable = -1;
        selection()->set(s);
    });
}

void SummaryView::follow(const Selection& s) {
    layers_->selectKey(s.layer);
}

void SummaryView::placeCards() {
    constexpr int in_row = 3; // of two rows
    const bool wide = width() >= letters_for_cards * fontMetrics().averageCharWidth();
    const std::array cards{step_, throughput_, memory_, rate_, result_};
    for (int i = 0; i < static_cast<int>(cards.size()); ++i) {
        FigureCard* card = cards[static_cast<std::size_t>(i)];
        cards_->removeWidget(card);
        if (wide)
            cards_->addWidget(card, 0, i);
        else if (i < in_row)
            cards_->addWidget(card, 0, 2 * i, 1, 2);
        else
            cards_->addWidget(card, 1, in_row * (i - in_row), 1, in_row);
    }
    if (middle_ != nullptr)
        middle_->setDirection(width() < letters_for_two * fontMetrics().averageCharWidth()
                                  ? QBoxLayout::TopToBottom
                                  : QBoxLayout::LeftToRight);
    for (int column = 0; column < 2 * in_row; ++column)
        cards_->setColumnStretch(column, !wide || column < static_cast<int>(cards.size()) ? 1 : 0);
}

void SummaryView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    if (cards_ != nullptr)
        placeCards();
}

void SummaryView::startOver(bool another) {
    if (another)
        freeInBackground(std::exchange(now_, {}));
    freeInBackground(std::move(base_));
    base_.reset();
    if (another) {
        course_ = {};
        offerRun();
    }
    base_course_ = {};
    tellDetails();
}

void SummaryView::refresh() {
    if (!sources().current)
        return;
    sources().current->ask<Range>(
        this, QStringLiteral("first update"), &analyse::first_update,
        [this](const Result<Range>& range) { first_update_ = range ? *range : std::nullopt; });
    askCourses();
    readRuns(
        this, sources(), basis(),
        [this](Result<ReadRun> now) {
            if (!now)
                return Q_EMIT message(QString::fromStdString(now.error().line()));
            now_ = std::move(*now);
            showRead();
        },
        [this](ReadBase base) {
            base_ = std::move(base);
            showRead();
        });
}

void SummaryView::showRead() {
    if (now_)
        showRun(now_->summary, base_ ? &base_->run.summary : nullptr);
    tellDetails();
}

void SummaryView::basisChosen() {
    refresh();
}

void SummaryView::showRun(const analyse::Summary& s, const analyse::Summary* base) {
    heading_->setHtml(
        headingText(QString::fromStdString(s.run.name), statusText(s.run.status), statusColor(s.run.status)));
    QStringList parts;
    if (s.target.tiles_per_ipu > 0)
        parts << tr("%1 × %2, %3 tiles of %4 at %5")
                         .arg(s.target.ipus)
                         .arg(QString::fromStdString(s.target.generation),
                              formatCount(s.target.tiles_per_ipu), formatBytes(s.target.bytes_per_tile),
                              text(clock_text(s.target.clock_hz))) +
                     (s.io.tiles > 0 ? tr(", the last %1 of each IPU for I/O").arg(s.io.tiles) : QString());
    else
        parts << tr("computed on the host");
    if (s.run.batch_size)
        parts << tr("batch %1").arg(formatCount(*s.run.batch_size));
    parts << (s.run.steps_per_execution == 1
                  ? tr("1 step per execution")
                  : tr("%1 steps per execution").arg(formatCount(s.run.steps_per_execution)))
          << tr("seed %1").arg(s.run.seed);
    if (s.compile_s)
        parts << tr("compiled in %1").arg(formatSeconds(*s.compile_s));
    if (s.run.estimate)
        parts << tr("estimate: no values were computed");
    if (!s.run.data_note.empty())
        parts << QString::fromStdString(s.run.data_note);
    if (!s.run.trimmed.empty())
        parts << tr("trimmed to %1: its figures are of these").arg(text(s.run.trimmed));
    if (base != nullptr)
        parts << tr("compared with %1").arg(sources().base->name());
    if (!s.run.error.empty() && s.run.status != profile::RunStatus::OutOfMemory) // the diagnosis says it
        parts << text(s.run.error);
    subheading_->setText(keepFiguresWhole(keepOptionsWhole(parts.join(QStringLiteral("  ·  ")))));
    workload_ = text(s.run.workload_path);
    tellWhoseTime(s);
    showAnswer(s, base);
    showFigures(s, base);
    showResult(s, base);
    showCurves(s, base);
    beside_insights_->setVisible(!phases_card_->isHidden() || !curves_card_->isHidden());
    ipus_ = s.ipus;
    fullest_ = s.memory ? std::optional(s.memory->fullest_with_gaps) : std::nullopt;
    insights_->setInsights(s, base_);
    showLayers(s, base);
}

/// Of the whole run, or of what the run is for, where it does something else beside that, as it evaluates.
void SummaryView::tellWhoseTime(const analyse::Summary& s) {
    const bool others = s.cycles && s.cycles_total && *s.cycles < *s.cycles_total;
    const QString of = !others                                      ? tr("the run")
                       : s.kind == profile::ExecutionKind::Train    ? tr("training")
                       : s.kind == profile::ExecutionKind::Evaluate ? tr("evaluation")
                                                                    : tr("prediction");
    phases_card_->setTitle(tr("Where the time goes, all IPU time of %1").arg(of));
}

/// Does it fit, how tightly, and what takes the time; of what does not fit, why.
void SummaryView::showAnswer(const analyse::Summary& s, const analyse::Summary* base) {
    const analyse::Headline line = analyse::headline(s);
    const char* color = line.fit == analyse::Fit::DoesNotFit ? "@bad"
                        : line.fit == analyse::Fit::Tight    ? "@warning"
                                                             : "@good";
    const bool too_large = line.fit == analyse::Fit::DoesNotFit;
    QStringList sentences;
    if (base != nullptr && base->run.batch_size && s.run.batch_size &&
        base->run.batch_size != s.run.batch_size)
        sentences << inHtml(
            tr("Batch %1 against batch %2 of %3: a step is not the same work."),
            {formatCount(*s.run.batch_size), formatCount(*base->run.batch_size), sources().base->name()});
    for (const std::string& sentence : {line.memory, line.time})
        if (!sentence.empty())
            sentences << asHtml(sentence);
    if (too_large && !s.by_phase)
        sentences << inHtml(tr("It has no times: %1."), {s.why_absent("timing.by_phase")});
    answer_->setVisible(!sentences.isEmpty());
    answer_->setHtml(inHtml(QStringLiteral("<span style='color:%1'>●</span> %2"),
                            {QString(QLatin1String(color)), Html{sentences.join(QLatin1Char(' '))}}));
    for (FigureCard* card : {step_, throughput_, memory_, rate_, result_})
        card->setVisible(!too_large);
    diagnosis_->setVisible(too_large && s.memory->fullest_with_gaps.bytes > s.target.bytes_per_tile);
    phases_card_->setVisible(!too_large);
    if (!too_large)
        return;
    sources().current->ask<std::optional<analyse::Diagnosis>>(
        this, QStringLiteral("diagnosis"),
        [s](const profile::Profile& file) { return analyse::diagnose(file, s); },
        [this](const Result<std::optional<analyse::Diagnosis>>& found) {
            if (found && *found)
                diagnosis_->setDiagnosis(**found, ipus_.size() > 1);
        });
}

void SummaryView::showLayers(const analyse::Summary& s, const analyse::Summary* base) {
    const bool compared = base != nullptr && base->basis == s.basis; // cycles are per the same
    std::map<std::int64_t, const analyse::LayerCost*> left;          // of the base, by id
    for (std::size_t i = 0; compared && i < base->layers.size(); ++i)
        left[base->layers[i].id] = &base->layers[i];
    /// What the base has of it, which is then no longer left; null: it is new.
    const auto before = [&](std::int64_t id) -> const analyse::LayerCost* {
        if (base_ && id >= 0) {
            const auto match = base_->matching.layers.find(id);
            if (match == base_->matching.layers.end())
                return nullptr;
            id = match->second;
        }
        const auto found = left.extract(id);
        return found.empty() ? nullptr : found.mapped();
    };
    /// It is a part of another layer of the base.
    const auto split = [this](std::int64_t id) { return base_ && base_->matching.split.contains(id); };
    const bool measured = s.run.device != profile::RunDevice::Cpu; // else what is absent is no 0
    const auto figure = [measured](Cell cell) { return measured ? std::move(cell) : absentCell(); };
    const auto name = [](const analyse::LayerCost& layer) {
        return textCell(layer.id < 0 ? tr("(no layer)") : QString::fromStdString(layer.name));
    };
    std::vector<TableRow> rows;
    for (const analyse::LayerCost& layer : analyse::by_loss(s.layers)) {
        const auto lost = analyse::lost_by(layer);
        const std::int64_t cycles = layer.cycles.total();
        const analyse::LayerCost* there = before(layer.id);
        const auto was = there == nullptr ? 0.0 : static_cast<double>(there->cycles.total());
        const auto is = static_cast<double>(cycles);
        rows.push_back(
            {layer.id,
             {name(layer), textCell(QString::fromStdString(layer.kind)), countCell(layer.parameters),
              figure(countCell(cycles)), there == nullptr ? absentCell() : amountCell(was),
              there == nullptr ? numberCell(split(layer.id) ? tr("split off") : tr("new"), is)
                               : changeCell(was, is),
              figure(shareCell(layer.share_or_planned)), figure(countCell(layer.flops)),
              figure(lost ? countCell(*lost) : absentCell()), figure(bytesCell(layer.memory.always)),
              figure(bytesCell(layer.memory.at_peak))}});
    }
    for (const auto& [id, layer] : left) {
        const auto was = static_cast<double>(layer->cycles.total());
        const bool merged = base_ && base_->matching.merged.contains(id);
        rows.push_back({gone_layer,
                        {name(*layer), textCell(QString::fromStdString(layer->kind)), absentCell(),
                         absentCell(), amountCell(was), numberCell(merged ? tr("merged") : tr("gone"), was),
                         absentCell(), absentCell(), absentCell(), absentCell(), absentCell()}});
    }
    for (const int column : {cycles_of_base, cycles_of_base + 1})
        layers_->showColumn(column, compared);
    layers_->setRows(std::move(rows));
    const QString per = QString::fromStdString(analyse::per(s.basis));
    layers_->setCaption(
        !measured
            ? text(s.why_absent("timing.cycles_total"))
            : (s.loops.replicas > 1 ? tr("%1, one of %2 replicas").arg(per).arg(s.loops.replicas) : per) +
                  (s.planned_cycles(s.basis) ? tr("; shares of the planned time of the IPUs that run them")
                                             : tr("; shares of the time of the IPUs that run them")));
}

namespace {

/// "; typical error ×1.2" against what is published: of predicted figures, where the file says so.
QString band(const analyse::Summary& s, FigureKind kind) {
    const QString error = text(analyse::typical_error(s.error_bands, {kind}));
    return error.isEmpty() ? QString() : QStringLiteral("; ") + error;
}

} // namespace

void SummaryView::showFigures(const analyse::Summary& s, const analyse::Summary* base) {
    const QString none = QStringLiteral("–");
    const bool simulated = s.run.device != profile::RunDevice::Cpu;
    step_->setFigure(
        !s.step_us  ? none
        : simulated ? formatTime(*s.step_us * 1e-6 * s.target.clock_hz, s.target.clock_hz)
                    : formatSeconds(*s.step_us * 1e-6),
        !s.step_us ? whyAbsent(s, CardFigure::StepTime)
        : s.run.device == profile::RunDevice::Cpu
            ? tr("wall time of the host")
            : tr("per step; simulated, %1").arg(formatCounted(s.steps, tr("step"), tr("steps"))) +
                  band(s, FigureKind::Host));
    showTips(s);
    phases_->setToolTip(bandText(s, FigureKind::Compute));
    throughput_->setFigure(s.samples_per_s ? tr("%1 /s").arg(formatAmount(*s.samples_per_s)) : none,
                           s.samples_per_s ? tr("samples") : whyAbsent(s, CardFigure::Throughput));
    if (s.memory) {
        const analyse::FullestTile& tile = s.memory->fullest_with_gaps;
        memory_->setFigure(
            formatPercent(tile.share(s.target.bytes_per_tile).value_or(0)),
            tr("%1tile %2: %3 of %4 with gaps; sum of tile peaks %5")
                    .arg(s.ipus.size() > 1 ? tr("IPU %1 ").arg(tile.ipu) : QString())
                    .arg(tile.tile)
                    .arg(formatBytes(tile.bytes), formatBytes(s.target.bytes_per_tile),
                         formatBytes(s.memory->total_bytes)) +
                (s.memory->streaming_bytes > 0
                     ? tr(", %1 in streaming memory").arg(formatBytes(s.memory->streaming_bytes))
                     : QString()) +
                band(s, FigureKind::Memory));
    } else {
        memory_->setFigure(none, whyAbsent(s, CardFigure::FullestTile));
    }
    const auto rate = analyse::flops_per_s(s);
    const auto rate_of_each = analyse::flops_per_s_per_ipu(s);
    rate_->setFigure(rate ? formatRate(*rate, tr("FLOP/s")) : none,
                     !rate ? whyAbsent(s, CardFigure::Rate)
                     : s.peak_share
                         ? tr("%1 of the peak of its number formats").arg(formatPercent(*s.peak_share))
                     : s.ipus.size() > 1 && rate_of_each
                         ? tr("%1 of each IPU").arg(formatRate(*rate_of_each, tr("FLOP/s")))
                         : tr("as the operations count"));
    for (FigureCard* card : {step_, throughput_, memory_, rate_}) {
        const CardFigure figure = figureOf(card);
        card->setChange({}, 0);
        if (base == nullptr)
            continue;
        const auto now = valueOf(s, figure);
        const auto before = valueOf(*base, figure);
        const auto sense =
            card == step_ || card == memory_ ? analyse::Sense::LessIsBetter : analyse::Sense::MoreIsBetter;
        if (now && before)
            card->setChange(formatChange(*before, *now), analyse::judged(*before, *now, sense));
    }
    showPhases(s, base);
    showGauges(s);
}

void SummaryView::showPhases(const analyse::Summary& s, const analyse::Summary* base) {
    const bool compared = base != nullptr && base->by_phase;
    const profile::PhaseCycles now = s.by_phase.value_or(profile::PhaseCycles{});
    phases_->setVisible(s.by_phase.has_value());
    no_phases_->setVisible(!s.by_phase.has_value());
    no_phases_->setText(QStringLiteral("– ") + QString::fromStdString(s.why_absent("timing.by_phase")));
    phases_->setParts(phaseShares(now, compared ? &*base->by_phase : nullptr),
                      compared ? sources().current->name() : QString(),
                      compared ? sources().base->name() : QString());
}

void SummaryView::showResult(const analyse::Summary& s, const analyse::Summary* base) {
    std::vector<TableRow> outputs;
    for (const auto& o : s.outputs)
        outputs.push_back(
            {-1,
             {textCell(QString::fromStdString(o.name)), textCell(QString::fromStdString(o.shape)),
              textCell(QString::fromStdString(o.values)), textCell(QString::fromStdString(o.expected))}});
    outputs_card_->setVisible(!outputs.empty());
    result_->setLink(s.run.estimate && !workload_.isEmpty()
                         ? tr("Run it: set up the run in Live, with values")
                         : QString());
    const analyse::MetricValues last_epoch =
        s.epochs.empty() ? analyse::MetricValues() : s.epochs.back().metrics;
    const analyse::MetricValues& told = s.evaluation.empty() ? last_epoch : s.evaluation;
    std::string chosen = analyse::first_metric(told);
    if (chosen.empty() && !told.empty())
        chosen = told.front().first; // a loss is all there is
    const QString shown = text(spaced_text(chosen));
    const auto evaluated = analyse::metric_value(s.evaluation, chosen);
    const auto trained = analyse::metric_value(last_epoch, chosen);
    const auto valueText = [&](double value) { return text(analyse::metric_text(chosen, value)); };
    if (evaluated)
        result_->setFigure(valueText(*evaluated),
                           trained ? tr("%1 on test data; training %2").arg(shown, valueText(*trained))
                                   : tr("%1 on test data").arg(shown));
    else if (trained)
        result_->setFigure(valueText(*trained),
                           (profile::ran_to_its_end(s.run.status) ? tr("%1 in the last epoch")
                                                                  : tr("%1 in the last epoch that ended"))
                               .arg(shown));
    else if (!s.outputs.empty())
        result_->setFigure(QString::fromStdString(s.outputs.front().values).left(16),
                           s.outputs.front().expected.empty()
                               ? QString::fromStdString(s.outputs.front().name)
                               : tr("%1; expected %2")
                                     .arg(QString::fromStdString(s.outputs.front().name),
                                          QString::fromStdString(s.outputs.front().expected)));
    else if (s.run.estimate)
        result_->setFigure(QStringLiteral("–"),
                           workload_.isEmpty()
                               ? tr("not computed: this is an estimate")
                               : tr("Not computed: this is an estimate. Run it to get values."));
    else if (const std::string why = s.why_absent("result.epochs"); !why.empty())
        result_->setFigure(QStringLiteral("–"), QString::fromStdString(why));
    else
        result_->setFigure(QStringLiteral("–"), tr("no losses, metrics or outputs were recorded"));
    const auto before =
        base != nullptr ? analyse::metric_value(base->evaluation, chosen) : std::optional<double>();
    if (evaluated && before)
        result_->setChange(analyse::is_share(chosen) ? formatPoints(*before, *evaluated)
                                                     : formatChange(*before, *evaluated),
                           analyse::judged(*before, *evaluated, analyse::sense_of("evaluation " + chosen)));
    else
        result_->setChange({}, 0);
    outputs_->setRows(std::move(outputs));
}

} // namespace tilescope::ui
