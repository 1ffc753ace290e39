// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/program/program_model.h"

#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/session/step_kind.h"
#include "ui/theme/chart_style.h"
#include "ui/widgets/phase_look.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace tilescope::ui {

ProgramModel::ProgramModel(QObject* parent) : QAbstractItemModel(parent) {}

void ProgramModel::setTree(ProgramTree tree) {
    beginResetModel();
    freeInBackground(std::exchange(tree_, std::move(tree)));
    makeParents();
    findHits();
    rows_ = TreeRows(parents_, shown_hits_.shown, sorted());
    endResetModel();
}

void ProgramModel::setFlat(bool flat) {
    beginResetModel();
    flat_ = flat;
    makeParents();
    findHits();
    rows_ = TreeRows(parents_, shown_hits_.shown, sorted());
    endResetModel();
}

void ProgramModel::makeParents() {
    parents_ = tree_.parents();
    holder_.assign(tree_.steps.size(), false);
    for (std::size_t s = 0; flat_ && s < tree_.steps.size(); ++s) {
        const ProgramStep& step = tree_.steps[s];
        holder_[s] = !step.ofOperation() && !step.leaf();
        if (step.parent != no_row && holder_[step.parent])
            parents_[s] = no_row;
    }
}

void ProgramModel::setBase(const ProgramTree* base) {
    Q_EMIT layoutAboutToBeChanged(); // rows and folding stay
    base_.reset();
    if (base) {
        base_.emplace().loops = base->loops;
        base_->clock_hz = base->clock_hz;
        for (const ProgramStep& step : base->steps)
            base_->cycles.emplace(step.key, step.time.elapsed);
        std::unordered_set<std::uint64_t> here;
        for (const ProgramStep& step : tree_.steps)
            here.insert(step.key);
        for (const ProgramStep& step : base->steps)
            if (!here.contains(step.key) &&
                (step.parent == no_row || here.contains(base->steps[step.parent].key)))
                base_->gone.push_back(step.time);
    }
    Q_EMIT layoutChanged();
}

void ProgramModel::setBasis(std::optional<analyse::Basis> basis) {
    Q_EMIT layoutAboutToBeChanged();
    wanted_ = basis;
    Q_EMIT layoutChanged();
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

analyse::Basis ProgramModel::basis() const {
    return analyse::common_basis(base_ ? &base_->loops : nullptr, tree_.loops, wanted_);
}

std::optional<std::pair<std::int64_t, double>> ProgramModel::gone() const {
    if (!base_ || base_->gone.empty())
        return {};
    return std::pair(static_cast<std::int64_t>(base_->gone.size()),
                     base_->loops.mean(analyse::elapsed_of(base_->gone), basis()));
}

double ProgramModel::comparedClock() const {
    return !base_ || base_->clock_hz == tree_.clock_hz ? tree_.clock_hz : 0;
}

double ProgramModel::perBasis(std::int64_t of_execution) const {
    return tree_.loops.mean(of_execution, basis());
}

void ProgramModel::setMarked(std::int64_t operation, std::int64_t layer) {
    operation_ = operation;
    layer_ = layer;
}

void ProgramModel::setFilter(const QString& text) {
    filter_ = text;
    findHits();
    arrange();
}

void ProgramModel::findHits() {
    const TextMatch match(filter_);
    filtered_ = !match.empty();
    hits_.clear();
    if (filtered_)
        hits_ = outermostHits(
            parents_, [&](std::size_t step) { return listed(step) && match(tree_.searchedOf(step)); });
    shown_hits_ = filtered_ ? showHits(parents_, hits_, 0, most_unfolded) : ShownHits{};
    if (flat_ && !filtered_)
        for (std::size_t step = 0; step < tree_.steps.size(); ++step)
            shown_hits_.shown.push_back(listed(step));
}

void ProgramModel::showHitsFrom(std::size_t hit) {
    shown_hits_ = showHits(parents_, hits_, hit, most_unfolded);
    arrange();
}

void ProgramModel::sort(int column, Qt::SortOrder order) {
    sort_column_ = column;
    sort_order_ = order;
    arrange();
}

void ProgramModel::arrange() {
    beginResetModel();
    rows_ = TreeRows(parents_, shown_hits_.shown, sorted());
    endResetModel();
}

double ProgramModel::figureOf(std::size_t step, int column) const {
    const ProgramStep& s = tree_.steps[step];
    switch (column) {
    case Runs:
        return perBasis(s.time.runs);
    case Each:
        return s.time.each();
    case InAll:
        return perBasis(s.time.elapsed);
    case Base:
        return differenceOf(step).base.value_or(-1);
    case Difference:
        return comparing() ? differenceOf(step).by() : 0;
    case Change:
        return differenceOf(step).times().value_or(0);
    case Share:
        return s.share;
    case Compute:
    case Exchange:
    case InterIpu:
    case Sync:
    case Host:
        return perBasis(s.time.ipu_time.*phaseLooks()[static_cast<std::size_t>(column - Compute)].cycles);
    case Bytes:
        return perBasis(s.time.bytes);
    case Balance:
        return s.balance;
    case Code:
        return static_cast<double>(s.time.code_bytes.value_or(-1));
    default:
        return 0;
    }
}

/// In a flat list nothing stands above it that would tell of what it is a part.
QString ProgramModel::labelOf(std::size_t step) const {
    const ProgramStep& of = tree_.steps[step];
    return parents_[step] == no_row && of.parent != no_row ? of.name : of.label;
}

/// All steps by the column that is sorted by.
std::vector<std::size_t> ProgramModel::sorted() const {
    if (sort_column_ < 0)
        return {};
    std::vector<std::size_t> order(tree_.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const bool ascending = sort_order_ == Qt::AscendingOrder;
    const auto by = [&](const auto& keys) {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return ascending ? keys[a] < keys[b] : keys[b] < keys[a];
        });
    };
    if (sort_column_ == Step || sort_column_ == Kind) {
        std::vector<QString> texts;
        for (std::size_t step = 0; step < order.size(); ++step)
            texts.push_back(sort_column_ == Step ? labelOf(step) : stepKindName(tree_.steps[step].kind));
        by(texts);
    } else {
        std::vector<double> figures;
        for (std::size_t step = 0; step < order.size(); ++step)
            figures.push_back(figureOf(step, sort_column_));
        by(figures);
    }
    return order;
}

QModelIndex ProgramModel::indexOf(std::size_t step, int column) const {
    const std::size_t place = step < tree_.steps.size() ? rows_.place(step) : no_row;
    return place == no_row ? QModelIndex() : createIndex(static_cast<int>(place), column, step);
}

QModelIndex ProgramModel::index(int row, int column, const QModelIndex& parent) const {
    const std::size_t above = parent.isValid() ? stepAt(parent) : no_row;
    const auto place = static_cast<std::size_t>(row);
    return row >= 0 && place < rows_.count(above) ? createIndex(row, column, rows_.child(above, place))
                                                  : QModelIndex();
}

QModelIndex ProgramModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOf(parents_[stepAt(child)]) : QModelIndex();
}

int ProgramModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0
                               : static_cast<int>(rows_.count(parent.isValid() ? stepAt(parent) : no_row));
}

Qt::ItemFlags ProgramModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    return index.isValid() && tree_.steps[stepAt(index)].leaf() ? flags | Qt::ItemNeverHasChildren : flags;
}

int ProgramModel::columnCount(const QModelIndex&) const {
    return Kind + 1;
}

analyse::StepDifference ProgramModel::differenceOf(std::size_t step) const {
    analyse::StepDifference difference{perBasis(tree_.steps[step].time.elapsed), {}};
    if (base_)
        if (const auto found = base_->cycles.find(tree_.steps[step].key); found != base_->cycles.end())
            difference.base = base_->loops.mean(found->second, basis());
    return difference;
}

bool ProgramModel::isTime(int column) const {
    return column == Each || column == InAll || column == Base || column == Difference ||
           (column >= Compute && column <= Host);
}

QString ProgramModel::textOf(const ProgramStep& step, int column, std::size_t index) const {
    if (isTime(column)) {
        const double cycles = figureOf(index, column);
        return (column == Base || column == Difference) && !comparing() ? QString()
               : column == Base && cycles < 0                           ? QStringLiteral("–")
               : column == Difference ? formatDifference(cycles, formatTime(cycles, comparedClock()))
               : cycles == 0          ? QStringLiteral("0")
               : column == Base && comparedClock() != tree_.clock_hz
                   ? formatCycles(std::llround(cycles)) // another clock's: they take another time
               : tree_.clock_hz > 0 && !units().cycles ? formatTime(cycles, tree_.clock_hz)
                                                       : formatNumber(cycles);
    }
    switch (column) {
    case Step:
        return step.repeats > 1 ? tr("%1  × %2").arg(labelOf(index), formatCount(step.repeats))
                                : labelOf(index);
    case Kind:
        return stepKindName(step.kind);
    case Runs:
        return text(analyse::runs_text(step.time.runs, tree_.loops.count(basis())));
    case Share:
        return formatPercent(step.share);
    case Bytes:
        return step.time.bytes == 0 ? QString() : formatBytes(perBasis(step.time.bytes));
    case Balance:
        return step.balance < 0 ? QString() : formatPercent(step.balance);
    case Code:
        return step.time.code_bytes ? formatBytes(static_cast<double>(*step.time.code_bytes)) : QString();
    case Change: {
        const analyse::StepDifference of = differenceOf(index);
        return !comparing() ? QString() : of.base ? formatChange(*of.base, of.now) : tr("new");
    }
    default:
        return {};
    }
}

QString ProgramModel::exactOf(const ProgramStep& step, int column, std::size_t index) const {
    if (isTime(column))
        return column == Base && figureOf(index, column) < 0 ? QString()
                                                             : formatNumber(figureOf(index, column));
    return column == Bytes                          ? formatNumber(perBasis(step.time.bytes))
           : column == Code && step.time.code_bytes ? formatCount(*step.time.code_bytes)
                                                    : textOf(step, column, index);
}

/// What takes its time, in the colours of the phases.
ThemeColor ProgramModel::colorOf(const ProgramStep& step) const {
    using profile::StepKind;
    return step.kind == StepKind::Execute     ? &Theme::compute
           : leaves_ipus(step.kind)           ? &Theme::host
           : step.time.ipu_time.inter_ipu > 0 ? &Theme::inter_ipu
           : step.kind == StepKind::Exchange  ? &Theme::exchange
                                              : &Theme::waiting;
}

QVariant ProgramModel::data(const QModelIndex& index, int role) const {
    const Theme& theme = Theme::current();
    const ProgramStep& step = tree_.steps[stepAt(index)];
    switch (role) {
    case Qt::DisplayRole:
        return textOf(step, index.column(), stepAt(index));
    case ExactRole:
        return exactOf(step, index.column(), stepAt(index));
    case Qt::ToolTipRole:
        return index.column() == Step    ? step.time.at_once
                                               ? tr("%1\nParts of it run at the same time: they take "
                                                       "longer together than it does.")
                                                  .arg(step.name)
                                               : step.name
               : isTime(index.column())  ? tr("%1 cycles").arg(exactOf(step, index.column(), stepAt(index)))
               : index.column() == Bytes ? tr("%1 bytes").arg(formatNumber(perBasis(step.time.bytes)))
               : index.column() == Code && step.time.code_bytes
                   ? tr("%1 bytes").arg(formatCount(*step.time.code_bytes))
                   : QString();
    case Qt::DecorationRole:
        return index.column() == Step && step.time.elapsed > 0 && step.leaf()
                   ? QVariant(themeIcon(QStringLiteral("square"), colorOf(step)))
                   : QVariant();
    case Qt::TextAlignmentRole:
        return static_cast<int>(
            (index.column() == Step || index.column() == Kind ? Qt::AlignLeft : Qt::AlignRight) |
            Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return index.column() == Kind || (index.column() == Runs && step.time.runs == 1)
                   ? QVariant(theme.muted)
                   : QVariant();
    case Qt::BackgroundRole:
        return (operation_ >= 0 ? step.operation == operation_ : layer_ >= 0 && step.layer == layer_)
                   ? QVariant(ChartStyle::mixed(theme.panel, theme.accent_soft, 0.6))
                   : QVariant();
    case PhasesRole:
        return QVariant::fromValue(step.time.ipu_time);
    case ShareRole:
        return std::min(1.0, step.share);
    default:
        return {};
    }
}

QVariant ProgramModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    // Where several IPUs are at work, the phases of a step are those of all of them.
    const QString ipus = tree_.ipus > 1 ? tr(" · IPU time") : QString();
    const auto phase = [&](int column) {
        return phaseLooks()[static_cast<std::size_t>(column - Compute)].title + ipus;
    };
    const QString per = QString::fromStdString(analyse::per(basis()));
    const QString whose = tree_.ipus > 1
                              ? tr(", %1, of all %2 IPUs of a replica added up").arg(per).arg(tree_.ipus)
                              : tr(", %1").arg(per);
    const std::pair<QString, QString> names[] = {
        {tr("Program step"), tr("As the IPUs run them, from top to bottom")},
        {tr("Runs"), tr("How often it runs %1").arg(per)},
        {tr("Each"), tr("Time from the begin of a run to its end")},
        {tr("In all"),
         tr("Of all its runs %1, as time passes: what IPUs do at the same time is not added").arg(per)},
        {tr("Base"), tr("Time of the same step in the base file, %1").arg(per)},
        {tr("Difference"), tr("Its time less that in the base file, %1").arg(per)},
        {tr("Change"), tr("Of its time %1, against the base file").arg(per)},
        {tr("Share"),
         tr("Of the time that an execution takes; the bar is that share of its cell, in the colours "
            "of its phases")},
        {phase(Compute), tr("Of the slowest tile") + whose},
        {phase(Exchange), tr("Within IPUs") + whose},
        {phase(InterIpu), tr("Of both ends of a copy") + whose},
        {phase(Sync), tr("Waiting for all tiles") + whose},
        {phase(Host), tr("Transfers from and to the host") + whose},
        {tr("Moved"), tr("Bytes that exchanges and stream copies move %1").arg(per)},
        {tr("Balance"), tr("Mean cycles of all tiles over those of the slowest")},
        {tr("Code"), tr("Of control and exchange that it adds, over all tiles; vertices share theirs")},
        {tr("Kind"), tr("What the step is")}};
    switch (role) {
    case Qt::DisplayRole: // two lines where there are two parts
        return QString(names[section].first).replace(QStringLiteral(" · "), QStringLiteral("\n"));
    case ExactRole: {
        const QString unit = isTime(section)                       ? tr(" (cycles)")
                             : section == Bytes || section == Code ? tr(" (bytes)")
                                                                   : QString();
        return names[section].first + unit;
    }
    case Qt::ToolTipRole:
        return names[section].second;
    case Qt::TextAlignmentRole:
        return static_cast<int>((section == Step || section == Kind ? Qt::AlignLeft : Qt::AlignRight) |
                                Qt::AlignVCenter);
    case Qt::InitialSortOrderRole: // of figures the largest first
        return static_cast<int>(section == Step || section == Kind ? Qt::AscendingOrder
                                                                   : Qt::DescendingOrder);
    default:
        return {};
    }
}

} // namespace tilescope::ui
