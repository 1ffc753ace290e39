// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pipeline/stage_panel.h"

#include "base/share.h"
#include "ui/session/format.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/joining_split.h"
#include "ui/widgets/view_action.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;
using analyse::PipelineCycles;

constexpr int leading = 2; // columns before the activities: stage, IPU

std::vector<Column> columns(const QStringList& rest) {
    std::vector<Column> all{{StagePanel::tr("Stage")}, {StagePanel::tr("IPU")}};
    for (const PipelineActivity activity : analyse::pipeline_activities) {
        QString name = activityName(activity);
        name[0] = name[0].toUpper();
        all.push_back({name});
    }
    for (const QString& name : rest)
        all.push_back({name});
    return all;
}

/// The last two columns compare.
int firstOfBase() {
    return leading + static_cast<int>(analyse::pipeline_activities.size()) + 4;
}

Cell pointsCell(double base, double now) {
    Cell cell = differenceCell(shareCell(now - base));
    cell.text = formatPoints(base, now);
    return cell;
}

/// One stage, or all of them where `stage` is -1.
struct Row {
    std::int64_t stage = -1;
    QString ipus;
    PipelineCycles cycles;
    double bubble = 0;
    std::int64_t stash = 0;           ///< -1: not known
    std::optional<std::int64_t> host; ///< cycles within its passes and update; nullopt: not known
    bool of_ipus = false;             ///< of all, of which some have several stages
};

std::vector<Row> rowsOf(const PipelineData& data, const StagePanel::Range& range) {
    std::vector<Row> rows;
    std::vector<PipelineCycles> within;
    if (range)
        within = analyse::pipeline_cycles(data.records, range->first, range->second);
    const auto stashed = [&](std::int64_t stage) {
        return data.described ? analyse::stash_figures(data.stashes, stage).bytes : -1;
    };
    const auto hosted = [&](std::int64_t stage) { // of the whole update alone
        return range ? std::nullopt : data.hostCycles(stage);
    };
    for (std::size_t i = 0; i < data.update.stages.size(); ++i) {
        const analyse::PipelineStage& stage = data.update.stages[i];
        rows.push_back({stage.stage, data.ipuNames(stage.stage), range ? within[i] : stage.cycles,
                        data.update.bubble(stage), stashed(stage.stage), hosted(stage.stage)});
    }
    Row all;
    all.stash = stashed(-1);
    all.cycles =
        range ? analyse::sum_of(analyse::pipeline_cycles(data.ipu_records, range->first, range->second))
              : data.ipu_update.all_stages();
    all.bubble = data.ipu_update.bubble();
    all.of_ipus = data.stagesShareIpus();
    all.host = hosted(-1);
    if (rows.size() > 1)
        rows.push_back(all);
    return rows;
}

const Row* rowOf(const std::vector<Row>& rows, std::int64_t stage) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.stage == stage; });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<Cell> names(const Row& row) {
    return {textCell(row.stage >= 0 ? StagePanel::tr("Stage %1").arg(row.stage)
                     : row.of_ipus  ? StagePanel::tr("All IPUs")
                                    : StagePanel::tr("All stages")),
            textCell(row.ipus)};
}

TableRow shareRow(const Row& row, const Row* base, bool range) {
    TableRow line{row.stage, names(row)};
    for (const PipelineActivity activity : analyse::pipeline_activities)
        line.cells.push_back(shareCell(row.cycles.share(activity)));
    const double used = row.cycles.utilisation();
    line.cells.push_back(shareCell(used));
    line.cells.push_back(range ? absentCell() : shareCell(row.bubble));
    line.cells.push_back(row.stash < 0 ? absentCell() : bytesCell(row.stash));
    line.cells.push_back(shareCell(row.host ? share_of(*row.host, row.cycles.total()) : std::nullopt));
    line.cells.push_back(base != nullptr ? shareCell(base->cycles.utilisation()) : absentCell());
    line.cells.push_back(base != nullptr ? pointsCell(base->cycles.utilisation(), used) : absentCell());
    return line;
}

TableRow cyclesRow(const Row& row, const Row* base) {
    TableRow line{row.stage, names(row)};
    for (const PipelineActivity activity : analyse::pipeline_activities)
        line.cells.push_back(countCell(row.cycles[activity]));
    line.cells.push_back(countCell(row.cycles.work()));
    line.cells.push_back(countCell(row.cycles.total()));
    line.cells.push_back(countCell(row.cycles.lost()));
    line.cells.push_back(row.host ? countCell(*row.host) : absentCell());
    line.cells.push_back(base != nullptr ? countCell(base->cycles.work()) : absentCell());
    line.cells.push_back(base != nullptr ? changeCell(static_cast<double>(base->cycles.work()),
                                                      static_cast<double>(row.cycles.work()))
                                         : absentCell());
    return line;
}

} // namespace

StagePanel::StagePanel(QWidget* parent)
    : QWidget(parent), headline_(new QLabel(this)), clear_(new QToolButton(this)), tabs_(new QTabWidget),
      shares_(new DataTable({}, columns({tr("Utilisation"), tr("Bubble"), tr("Stashes"), tr("Host's part"),
                                         tr("Utilisation, base"), tr("change")}))),
      cycles_(new DataTable({}, columns({tr("Work"), tr("In all"), tr("Lost"), tr("Host's part"),
                                         tr("Work, base"), tr("change")}))),
      stashes_(new DataTable({}, {{tr("Tensor")},
                                  {tr("Stage")},
                                  {tr("IPU")},
                                  {tr("Depth")},
                                  {tr("Bytes"), true},
                                  {tr("Of each micro-batch")}})),
      life_(new DataTable({}, {{tr("Pass")},
                               {tr("Stage")},
                               {tr("IPU")},
                               {tr("Start, cycle")},
                               {tr("Length")},
                               {tr("Copies before"), true},
                               {tr("Waiting before"), true},
                               {tr("Kept for it"), true}})) {
    shares_->hideHead();
    cycles_->hideHead();
    shares_->setObjectName(QStringLiteral("stageShares"));
    cycles_->setObjectName(QStringLiteral("stageCycles"));
    stashes_->setObjectName(QStringLiteral("stashes"));
    life_->setObjectName(QStringLiteral("microBatchLife"));
    headline_->setObjectName(QStringLiteral("stageHeadline"));
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    headline_->setWordWrap(true);
    clear_->setText(tr("Clear range"));
    clear_->setToolTip(tr("Show the whole update (Esc)"));
    tabs_->setObjectName(QStringLiteral("stageTabs"));
    tabs_->setDocumentMode(true);
    tabs_->addTab(shares_, tr("Shares"));
    tabs_->addTab(cycles_, tr("Cycles"));
    tabs_->addTab(stashes_, tr("Stashes"));
    constexpr int least_lines = 100; // for the life beside the stages
    auto* parts = new JoiningSplit(Qt::Horizontal, life_, JoiningSplit::Side::Behind,
                                   tr("Life of a micro-batch"), tabs_, least_lines);
    parts->setSizes({3, 2});
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 12, 6);
    head->addWidget(headline_, 1);
    head->addWidget(clear_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(parts, 1);
    connect(clear_, &QToolButton::clicked, this, &StagePanel::rangeCleared);
    for (DataTable* table : {shares_, cycles_})
        connect(table, &DataTable::keyChosen, this, [this](std::int64_t stage) {
            if (stage >= 0)
                Q_EMIT stageChosen(stage);
        });
    connect(life_, &DataTable::keyChosen, this, [this](std::int64_t pass) {
        if (!stageOfPass(pass))
            return;
        const profile::PipelineSlotRecord& chosen = lived_.passes[static_cast<std::size_t>(pass)].pass;
        Q_EMIT passChosen(chosen.stage, chosen.activity);
    });
}

std::optional<std::int64_t> StagePanel::stageOfPass(std::int64_t row) const {
    return row < 0 || row >= std::ssize(lived_.passes)
               ? std::nullopt
               : std::optional(lived_.passes[static_cast<std::size_t>(row)].pass.stage);
}

void StagePanel::showTab(int by) {
    showTabBeside(*tabs_, by);
    tabs_->currentWidget()->setFocus();
}

void StagePanel::setData(const PipelineData& pipeline, const PipelineData* base, const Range& range,
                         const QString& name, std::int64_t micro_batch) {
    const auto rows = rowsOf(pipeline, range);
    const auto base_rows = base != nullptr && !range ? rowsOf(*base, {}) : std::vector<Row>();
    std::vector<TableRow> shares;
    std::vector<TableRow> cycles;
    for (const Row& row : rows) {
        shares.push_back(shareRow(row, rowOf(base_rows, row.stage), range.has_value()));
        cycles.push_back(cyclesRow(row, rowOf(base_rows, row.stage)));
    }
    shares_->setRows(std::move(shares));
    cycles_->setRows(std::move(cycles));
    const auto recomputes = [](const std::vector<Row>& all) {
        return std::any_of(all.begin(), all.end(),
                           [](const Row& r) { return r.cycles[PipelineActivity::Recompute] > 0; });
    };
    for (DataTable* table : {shares_, cycles_}) {
        table->showColumn(leading + static_cast<int>(PipelineActivity::Recompute), recomputes(rows));
        table->showColumn(firstOfBase() - 1, !pipeline.host.empty());
        for (int c = firstOfBase(); c < firstOfBase() + 2; ++c)
            table->showColumn(c, !base_rows.empty());
    }
    showStashes(pipeline);
    showLife(pipeline, micro_batch);
    clear_->setVisible(range.has_value());
    const std::int64_t length = range ? range->second - range->first : pipeline.update.cycles;
    const QString span = formatCyclesAndTime(length, pipeline.clock_hz);
    QString text = inHtml(range                      ? tr("<b>Selected</b>: %1 of %2")
                          : pipeline.update.training ? tr("<b>One weight update</b>: %1 of %2")
                                                     : tr("<b>One engine run</b>: %1 of %2"),
                          {span, name});
    if (const auto [from, to] = analyse::micro_batch_span(pipeline.records, micro_batch); to > from)
        text += inHtml(tr("  ·  <b>micro-batch %1</b>: %2 from its first pass to its last"),
                       {micro_batch, formatCyclesAndTime(to - from, pipeline.clock_hz)});
    headline_->setText(keepFiguresWholeInHtml(text));
}

void StagePanel::showStashes(const PipelineData& pipeline) {
    std::vector<TableRow> rows;
    for (const analyse::Stash& stash : pipeline.stashes) {
        rows.push_back({static_cast<std::int64_t>(rows.size()),
                        {textCell(QString::fromStdString(stash.tensor)), countCell(stash.stage),
                         countCell(stash.ipu), countCell(stash.depth), bytesCell(stash.bytes),
                         stash.depth > 0 ? bytesCell(stash.bytes_each()) : absentCell()}});
    }
    stashes_->setCaption(!pipeline.described     ? tr("not recorded of this program")
                         : rows.empty()          ? tr("nothing waits for its backward pass in a FIFO")
                         : pipeline.replicas > 1 ? tr("of each replica")
                                                 : QString());
    stashes_->setRows(std::move(rows));
}

void StagePanel::showLife(const PipelineData& pipeline, std::int64_t micro_batch) {
    lived_ = analyse::micro_batch_life(pipeline.records, micro_batch);
    const auto time = [&](std::int64_t cycles) {
        return pipeline.clock_hz > 0 ? formatTime(cycles, pipeline.clock_hz) : formatCycles(cycles);
    };
    const auto cell = [&](std::int64_t cycles) {
        return cyclesCell(static_cast<double>(cycles), pipeline.clock_hz);
    };
    std::vector<TableRow> rows;
    for (const analyse::LifePass& part : lived_.passes) {
        const profile::PipelineSlotRecord& pass = part.pass;
        const bool first = rows.empty();
        rows.push_back(
            {static_cast<std::int64_t>(rows.size()),
             {textCell(activityName(pass.activity)), countCell(pass.stage),
              textCell(pipeline.ipuNames(pass.stage)), countCell(pass.start_cycle),
              cell(pass.end_cycle - pass.start_cycle), first ? absentCell() : cell(part.copied),
              first ? absentCell() : cell(part.waited), part.kept ? cell(*part.kept) : absentCell()}});
    }
    life_->setCaption(
        rows.empty()
            ? tr("Click a micro-batch, or choose one with N, to see its passes one by one.")
            : tr("Life of micro-batch %1: %2 = %3 of passes + %4 of copies + %5 of waiting")
                  .arg(micro_batch)
                  .arg(time(lived_.cycles()), time(lived_.work), time(lived_.copies), time(lived_.waiting)));
    life_->setRows(std::move(rows));
}

void StagePanel::selectStage(std::int64_t stage) {
    shares_->selectKey(stage);
    cycles_->selectKey(stage);
}

} // namespace tilescope::ui
