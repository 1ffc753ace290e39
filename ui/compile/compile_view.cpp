// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compile/compile_view.h"

#include "analyse/change_sum.h"
#include "analyse/plan_choice.h"
#include "base/share.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QScrollArea>
#include <QTabWidget>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

namespace tilescope::ui {
namespace {

Result<CompileView::Read> read(const profile::Profile& file) {
    CompileView::Read read;
    TRY(auto time, analyse::read_compile_time(file));
    read.time = std::make_shared<const analyse::CompileTime>(std::move(time));
    TRY(read.plans, analyse::chosen_plans(file));
    TRY(read.executable, analyse::executable_facts(file));
    TRY(read.operations, file.operations());
    read.fused = read.operations.those([](const auto& operation) { return !operation.parts.empty(); });
    std::stable_sort(read.fused.begin(), read.fused.end(),
                     [](const auto& a, const auto& b) { return a.parts.size() > b.parts.size(); });
    TRY(read.removed, file.removed_operations());
    TRY(const auto layers, file.layers());
    for (const auto& layer : layers)
        read.layers[layer.id] = text(layer.name);
    return read;
}

Cell wallTimeCell(std::int64_t us) {
    constexpr double second = 1e6; // us
    return {formatWallTime(us), static_cast<double>(us) / second, true, Cell::Unit::Seconds};
}

/// What a pass that took less than the clock tells is less than, up to a tenth of a percent.
double shareOfMicrosecond(const analyse::CompileTime& time) {
    constexpr double parts = 1000; // tenths of a percent
    const auto all = static_cast<double>(std::max<std::int64_t>(1, time.parts.front().event.duration_us));
    return std::min(1.0, std::ceil(parts / all) / parts);
}

Cell lessThan(double share) {
    return numberCell(QStringLiteral("<") + formatPercent(share), 0);
}

/// Whether it had to be compiled for this run.
QString cacheText(const analyse::ExecutableFacts& facts) {
    const QString key = text(facts.key);
    if (!facts.cache)
        return CompileView::tr("Whether a cache was used is not recorded.");
    switch (*facts.cache) {
    case profile::CacheUse::Taken:
        return CompileView::tr("Taken from the cache, key %1.").arg(key);
    case profile::CacheUse::Kept:
        return CompileView::tr("Not in the cache, where it is kept now, key %1.").arg(key);
    case profile::CacheUse::Replaced:
        return CompileView::tr("What the cache had could not be used; compiled again, key %1.").arg(key);
    case profile::CacheUse::NotKept:
        return CompileView::tr("Not in the cache, which could not keep it; see Messages in Live.");
    case profile::CacheUse::Unused:
        break;
    }
    return CompileView::tr("No cache was used.");
}

/// Why it was not chosen; empty where that cannot be told.
QString runnerUp(const analyse::ChosenPlan& plan) {
    if (!plan.other)
        return {};
    const auto chosen = analyse::plan_choice(plan.record);
    const auto other = analyse::plan_choice(*plan.other);
    return chosen && other
               ? CompileView::tr("%1: %2").arg(text(other->summary), text(analyse::against(*chosen, *other)))
               : QString();
}

} // namespace

CompileView::CompileView(QWidget* parent)
    : View(parent), heading_(new ThemedLabel), chart_(new FlameChart), tabs_(new QTabWidget),
      passes_(new DataTable({}, {{tr("Pass")},
                                 {tr("Wall time"), true},
                                 {tr("Share")},
                                 {tr("Base")},
                                 {tr("Difference")},
                                 {tr("Change")},
                                 {tr("What it changed"), false, true}})),
      plans_(new DataTable({}, {{tr("First product")},
                                {tr("Products")},
                                {tr("Plan")},
                                {tr("Cycles of one run"), true},
                                {tr("Temporary")},
                                {tr("Runner-up"), false, true}})),
      changed_(new DataTable({}, {{tr("Operation")},
                                  {tr("Change")},
                                  {tr("Operators"), true},
                                  {tr("Which")},
                                  {tr("Layer")},
                                  {tr("Phase")},
                                  {tr("IPU")}})),
      executable_(new DataTable(
          {},
          {{tr("What is loaded")}, {tr("Sort")}, {tr("Bytes"), true}, {tr("Share")}, {tr("Always live")}})) {
    heading_->setObjectName(QStringLiteral("compileHeading"));
    heading_->setWordWrap(true);
    heading_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    chart_->setObjectName(QStringLiteral("compileChart"));
    passes_->setObjectName(QStringLiteral("passes"));
    connect(passes_, &DataTable::sqlWanted, this, &View::sqlRequested);
    plans_->setObjectName(QStringLiteral("plans"));
    changed_->setObjectName(QStringLiteral("changed"));
    executable_->setObjectName(QStringLiteral("executable"));
    chart_area_ = new QScrollArea;
    chart_area_->setObjectName(QStringLiteral("compileChartArea"));
    chart_area_->setWidgetResizable(true);
    chart_area_->setFrameShape(QFrame::NoFrame);
    chart_area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    chart_area_->setWidget(chart_);
    chart_area_->setFocusPolicy(Qt::NoFocus);
    tabs_->setDocumentMode(true);
    tabs_->addTab(passes_, tr("Passes"));
    tabs_->addTab(plans_, tr("Plans"));
    tabs_->addTab(changed_, tr("What changed"));
    tabs_->addTab(executable_, tr("Executable"));
    addTabKeys(this, tabs_);
    pages_ = new PageStack(headedPage({heading_}, chart_area_, tabs_, 1, 3), this);
    setFocusProxy(chart_);
    makeActions();
    connect(chart_, &FlameChart::partChosen, this, &CompileView::choosePart);
    connect(chart_, &FlameChart::partActivated, this, &CompileView::goToPart);
    connect(passes_, &DataTable::keyChosen, this, [this](std::int64_t event) {
        chart_->choose(event);
        choosePart(event);
    });
    connect(plans_, &DataTable::keyChosen, this, [this](std::int64_t row) {
        plan_ = row;
        tellDetails();
    });
    connect(passes_, &DataTable::keyActivated, this, &CompileView::goToPart);
    connect(plans_, &DataTable::keyActivated, this, &CompileView::goToPlan);
    changed_->setSubjects([this](std::int64_t key) { return changedLink(key); });
    connect(changed_, &DataTable::keyActivated, this, [this](std::int64_t key) {
        if (const QString link = changedLink(key); !link.isEmpty())
            goTo(QStringLiteral("graph"), link);
    });
    connect(changed_, &DataTable::sqlWanted, this, &View::sqlRequested);
    offerSubjectOf(*this, chart_, [this] { return subject(); });
    passes_->setSubjects([this](std::int64_t event) {
        const analyse::CompilePart* part = read_ ? read_->time->part(event) : nullptr;
        return part == nullptr ? QString() : linkTo(Subject::Layer, part->layer_id);
    });
    plans_->setSubjects([this](std::int64_t row) {
        return !read_ || row < 0 || row >= std::ssize(read_->plans)
                   ? QString()
                   : linkTo(Subject::Operation,
                            read_->plans[static_cast<std::size_t>(row)].operations.front());
    });
}

/// The chosen part, and the layer that it is of.
PictureSubject CompileView::subject() const {
    const analyse::CompilePart* part = read_ ? read_->time->part(chart_->chosen()) : nullptr;
    return part == nullptr ? PictureSubject()
                           : PictureSubject{text(part->event.name), linkTo(Subject::Layer, part->layer_id)};
}

void CompileView::makeActions() {
    constexpr double zoom_step = 1.5;
    constexpr double pan_step = 0.1;
    constexpr double all_of_it = 1e6; // widths of the view
    addViewAction(this, tr("Zoom in"), QStringLiteral("zoom-in"), Qt::Key_W, tr("Less time (W)"),
                  [this] { chart_->zoomBy(zoom_step); });
    addViewAction(this, tr("Zoom out"), QStringLiteral("zoom-out"), Qt::Key_S, tr("More time (S)"),
                  [this] { chart_->zoomBy(1 / zoom_step); });
    addViewAction(this, tr("Earlier"), QStringLiteral("earlier"), Qt::Key_A, tr("Earlier (A)"),
                  [this] { chart_->panBy(-pan_step); });
    addViewAction(this, tr("Later"), QStringLiteral("later"), Qt::Key_D, tr("Later (D)"),
                  [this] { chart_->panBy(pan_step); });
    addViewAction(this, tr("All"), QStringLiteral("whole"), Qt::Key_0, tr("Show the whole compilation (0)"),
                  [this] { chart_->showAll(); });
    addViewAction(this, tr("Frame"), QStringLiteral("fit"), Qt::Key_F,
                  tr("Fill the chart with the chosen pass (F)"), [this] { chart_->frameChosen(); });
    addKeyAction(chart_, tr("Next part"), Qt::Key_Right, [this] {
        chart_->step(1);
    })->setShortcuts({Qt::Key_Right, Qt::Key_Period});
    addKeyAction(chart_, tr("Part before"), Qt::Key_Left, [this] {
        chart_->step(-1);
    })->setShortcuts({Qt::Key_Left, Qt::Key_Comma});
    addKeyAction(chart_, tr("To the beginning"), Qt::Key_Home, [this] { chart_->panBy(-all_of_it); });
    addKeyAction(chart_, tr("To the end"), Qt::Key_End, [this] { chart_->panBy(all_of_it); });
    addKeyAction(chart_, tr("First of its parts"), Qt::Key_Down, [this] { chart_->climb(1); });
    addKeyAction(chart_, tr("What it is a part of"), Qt::Key_Up, [this] { chart_->climb(-1); });
    addKeyAction(chart_, tr("Show its layer in Graph, or fill the chart with it"), Qt::Key_Return,
                 [this] { goToPart(chart_->chosen()); });
}

void CompileView::choosePart(std::int64_t event) {
    plan_ = -1;
    passes_->selectKey(event);
    tellDetails();
}

void CompileView::startOver(bool another) {
    plan_ = another ? -1 : plan_;
    followed_pass_ = another ? -1 : followed_pass_;
    read_.reset();
    base_.reset();
    fresh_ = fresh_ || another;
    pages_->showText(sources().current ? tr("Reading what was compiled …")
                                       : tr("Open a profile to see what compiling took."));
}

void CompileView::refresh() {
    if (!sources().current)
        return;
    sources().current->ask<Read>(this, QStringLiteral("compile"), read, [this](Result<Read> now) {
        if (now) {
            read_ = std::move(*now);
            return showRead();
        }
        pages_->setText(now.error());
    });
    if (sources().base)
        sources().base->ask<Read>(this, QStringLiteral("compile of base"), read,
                                  [this](const Result<Read>& then) {
                                      base_ = then ? then->time : nullptr;
                                      if (read_)
                                          showRead();
                                  });
}

void CompileView::showRead() {
    if (read_->time->parts.empty())
        return showNothingYet(*pages_, *this, tr("<h3>Nothing was compiled</h3>No pass is recorded."));
    pages_->showPage();
    const bool first = std::exchange(fresh_, false);
    chart_->setData(read_->time, base_, !first);
    fitChart();
    showHeading();
    showPasses();
    showPlans();
    showChanged();
    showExecutable();
    tellDetails();
    if (first)
        followNow();
}

/// All its rows are seen, unless they would leave less than half of the height to the tables.
void CompileView::fitChart() {
    chart_area_->setMinimumHeight(std::min(chart_->minimumHeight(), height() / 2));
}

void CompileView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitChart();
}

void CompileView::showHeading() {
    const analyse::CompileTime& time = *read_->time;
    QString html = inHtml(tr("Compiled in <b>%1</b>"), {formatWallTime(time.total_us)});
    if (const analyse::CompilePart* longest = time.longest_pass())
        if (const auto share = time.share(*longest))
            html += inHtml(tr(", %1 of it in “%2”"), {formatPercent(*share), longest->event.name});
    if (read_->executable.cache == profile::CacheUse::Taken)
        html += inHtml(tr("; taken from the cache, key %1"), {read_->executable.key});
    if (time.run_us > time.total_us)
        html += tr("; all programs of the run in %1").arg(formatWallTime(time.run_us));
    html +=
        inHtml(tr(". <span style='color:@muted'>%1, %2, %3, %4, %5, once for all replicas; wall time of the "
                  "host</span>"),
               {formatCounted(time.made.operations, tr("operation"), tr("operations")),
                formatCounted(time.made.steps, tr("program step"), tr("program steps")),
                formatCounted(time.made.compute_sets, tr("compute set"), tr("compute sets")),
                formatCounted(time.made.exchanges, tr("exchange"), tr("exchanges")),
                formatCounted(time.made.variables, tr("variable"), tr("variables"))});
    heading_->setHtml(html);
}

void CompileView::showPasses() {
    std::map<std::string, std::int64_t> before; // by name; parts of the same name do not occur twice
    if (base_)
        for (const analyse::CompilePart& part : base_->parts)
            before[part.event.name] = part.event.duration_us;
    std::vector<TableRow> rows;
    for (const analyse::CompilePart& part : read_->time->parts) {
        const auto then = before.find(part.event.name);
        const QString indent(2 * static_cast<qsizetype>(part.depth), QChar(QChar::Nbsp));
        const auto now = static_cast<double>(part.event.duration_us);
        TableRow row{part.event.id,
                     {textCell(indent + text(part.event.name)), wallTimeCell(part.event.duration_us),
                      part.event.duration_us == 0 ? lessThan(shareOfMicrosecond(*read_->time))
                                                  : shareCell(read_->time->share(part))}};
        if (then == before.end()) {
            row.cells.insert(row.cells.end(), 3, absentCell());
        } else {
            const auto was = static_cast<double>(then->second);
            const std::int64_t by =
                analyse::change_of(std::optional(then->second), std::optional(part.event.duration_us));
            row.cells.push_back(wallTimeCell(then->second));
            row.cells.push_back(differenceCell(wallTimeCell(by)));
            row.cells.push_back(changeCell(was, now));
        }
        row.cells.push_back(textCell(text(part.event.detail)));
        rows.push_back(std::move(row));
    }
    for (const int column : {3, 4, 5})
        passes_->showColumn(column, base_ != nullptr);
    passes_->setCaption(tr("parts of a pass: all their pieces together; Enter leads to the layer in Graph"));
    passes_->setRows(std::move(rows));
    passes_->setSql(QStringLiteral("SELECT name, start_us, duration_us, detail FROM compile_event\n"
                                   "ORDER BY start_us"));
}

void CompileView::showPlans() {
    std::vector<TableRow> rows;
    for (const analyse::ChosenPlan& plan : read_->plans) {
        const auto choice = analyse::plan_choice(plan.record);
        const auto count = static_cast<std::int64_t>(plan.operations.size());
        rows.push_back({static_cast<std::int64_t>(rows.size()),
                        {textCell(text(plan.record.product)), countCell(count),
                         textCell(choice ? text(choice->summary) : QString()), countCell(plan.record.cycles),
                         bytesCell(plan.record.temporary_bytes), textCell(runnerUp(plan))}});
    }
    tabs_->setTabText(1, tr("Plans %1").arg(formatCount(static_cast<std::int64_t>(rows.size()))));
    plans_->setCaption(tr("%1 products; each plan once, the dearest in all first; Enter leads to Operations")
                           .arg(formatCount(analyse::products_of(read_->plans))));
    plans_->setRows(std::move(rows));
}

/// Operations that do the work of several operators, of which those of most come first, and those that a pass
/// removed, whose keys count down from -2.
void CompileView::showChanged() {
    const auto layer_of = [this](std::int64_t id) {
        const auto layer = read_->layers.find(id);
        return textCell(layer == read_->layers.end() ? QString() : layer->second);
    };
    std::vector<TableRow> rows;
    for (const profile::OperationRecord& operation : read_->fused) {
        QStringList parts;
        for (const std::string& part : operation.parts)
            parts << text(part);
        rows.push_back({operation.id,
                        {textCell(text(operation.name)), textCell(tr("fused")),
                         countCell(static_cast<std::int64_t>(operation.parts.size())),
                         textCell(parts.join(QStringLiteral(", "))), layer_of(operation.layer_id),
                         textCell(text(profile::to_string(operation.phase))), countCell(operation.ipu)}});
    }
    std::map<std::int64_t, QString> passes;
    for (const analyse::CompilePart& part : read_->time->parts)
        passes[part.event.id] = text(part.event.name);
    for (std::size_t i = 0; i < read_->removed.size(); ++i) {
        const profile::RemovedOperationRecord& removed = read_->removed[i];
        rows.push_back(
            {-2 - static_cast<std::int64_t>(i),
             {textCell(text(removed.name)),
              textCell(tr("removed by “%1”").arg(passes[removed.compile_event_id])), absentCell(),
              textCell(text(removed.kind)), layer_of(removed.layer_id), absentCell(), absentCell()}});
    }
    const int tab = tabs_->indexOf(changed_);
    tabs_->setTabText(tab, tr("What changed %1").arg(formatCount(static_cast<std::int64_t>(rows.size()))));
    changed_->setCaption(
        rows.empty()
            ? tr("no operation was fused or removed, or the version that made this file does not say; "
                 "see Passes for what else changed")
            : tr("%1 fused: several operators run as one, and what lies between them is not stored; "
                 "%2 removed: not needed, or part of another now; Enter leads to Graph")
                  .arg(formatCount(std::ssize(read_->fused)), formatCount(std::ssize(read_->removed))));
    changed_->setRows(std::move(rows));
    changed_->setSql(
        QStringLiteral("SELECT o.name, 'fused' AS change, count(*) AS operators,\n"
                       "    group_concat(p.kind, ', ') AS which\n"
                       "FROM operation o JOIN operation_part p ON p.operation_id = o.id GROUP BY o.id\n"
                       "UNION ALL SELECT r.name, 'removed by ' || e.name, NULL, r.kind\n"
                       "FROM removed_operation r JOIN compile_event e ON e.id = r.compile_event_id\n"
                       "ORDER BY operators DESC"));
}

QString CompileView::changedLink(std::int64_t key) const {
    const auto removed = static_cast<std::size_t>(-2 - key);
    if (key >= 0)
        return linkTo(Subject::Operation, key);
    return key < -1 && read_ && removed < read_->removed.size()
               ? linkTo(Subject::Layer, read_->removed[removed].layer_id)
               : QString();
}

/// What all IPUs load, and whether an earlier run had compiled it.
void CompileView::showExecutable() {
    const analyse::ExecutableFacts& facts = read_->executable;
    const std::int64_t all = facts.total_bytes();
    std::vector<TableRow> rows;
    for (const auto& part : facts.parts)
        rows.push_back({static_cast<std::int64_t>(rows.size()),
                        {textCell(text(to_string(part.bytes.category))),
                         textCell(part.code ? tr("code") : tr("data")), bytesCell(part.total()),
                         shareCell(share_of(part.total(), all)), bytesCell(part.bytes.always_live)}});
    const QString sums = tr("%1 on all IPUs, each tile at its own peak; %2 of it code")
                             .arg(formatBytes(all), formatBytes(facts.code_bytes()));
    executable_->setCaption(rows.empty() ? cacheText(facts) : sums + QStringLiteral(". ") + cacheText(facts));
    executable_->setRows(std::move(rows));
}

void CompileView::goToPart(std::int64_t event) {
    const analyse::CompilePart* found = read_ ? read_->time->part(event) : nullptr;
    if (found == nullptr)
        return;
    if (found->layer_id < 0 || selection() == nullptr) {
        chart_->choose(event);
        return chart_->frameChosen();
    }
    Selection next = selection()->current();
    next.layer = found->layer_id;
    next.operation = next.program = -1;
    selection()->set(next);
    Q_EMIT viewRequested(QStringLiteral("graph"));
}

void CompileView::goToPlan(std::int64_t row) {
    if (!read_ || row < 0 || static_cast<std::size_t>(row) >= read_->plans.size() || selection() == nullptr)
        return;
    Selection next = selection()->current();
    next.operation = read_->plans[static_cast<std::size_t>(row)].operations.front();
    selection()->set(next);
    Q_EMIT viewRequested(QStringLiteral("operations"));
}

void CompileView::follow(const Selection& selection) {
    if (!read_)
        return;
    std::set<std::int64_t> marked;
    for (const analyse::CompilePart& part : read_->time->parts)
        if (part.layer_id >= 0 && part.layer_id == selection.layer)
            marked.insert(part.event.id);
    passes_->markKeys(marked);
    if (std::exchange(followed_pass_, selection.pass) != selection.pass && selection.pass >= 0) {
        chart_->choose(selection.pass);
        choosePart(selection.pass);
        tabs_->setCurrentIndex(0);
    }
    marked.clear();
    for (std::size_t i = 0; i < read_->plans.size(); ++i)
        if (const auto& all = read_->plans[i].operations;
            std::find(all.begin(), all.end(), selection.operation) != all.end())
            marked.insert(static_cast<std::int64_t>(i));
    plans_->markKeys(marked);
}

} // namespace tilescope::ui
