// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/program/program_model.h"

#include "ui/graph/operation_graph.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <numeric>

namespace tilescope::ui {
namespace {

QString count_or_nothing(std::int64_t value) {
    return value == 0 ? QString() : formatCount(value);
}

QPixmap swatch(const QColor& color) {
    QPixmap pixmap(32, 32);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(3, 3, 10, 10), 2.5, 2.5);
    return pixmap;
}

} // namespace

ProgramModel::ProgramModel(QObject* parent) : QAbstractItemModel(parent) {}

void ProgramModel::setTree(ProgramTree tree) {
    beginResetModel();
    tree_ = std::move(tree);
    parents_ = tree_.parents();
    findHits();
    rows_ = TreeRows(parents_, shown_hits_.shown, sorted());
    endResetModel();
}

void ProgramModel::setBase(const std::optional<ProgramTree>& base) {
    Q_EMIT layoutAboutToBeChanged(); // rows and folding stay
    base_.reset();
    if (base) {
        base_.emplace();
        for (const ProgramStep& step : base->steps)
            base_->emplace(step.key, step.cycles.total());
    }
    Q_EMIT layoutChanged();
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
        hits_ = outermostHits(parents_, [&](std::size_t step) { return match(tree_.searchedOf(step)); });
    shown_hits_ = filtered_ ? showHits(parents_, hits_, 0, most_unfolded) : ShownHits{};
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
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    switch (column) {
    case Cycles:
        return number(s.cycles.total());
    case Base:
        return number(baseCycles(step).value_or(-1));
    case Change: {
        const auto base = baseCycles(step);
        return base && *base > 0 ? number(s.cycles.total()) / number(*base) : 0;
    }
    case Share:
        return s.share;
    case Runs:
        return number(s.runs);
    case Compute:
        return number(s.cycles.compute);
    case Exchange:
        return number(s.cycles.exchange + s.cycles.inter_ipu);
    case Sync:
        return number(s.cycles.sync);
    case Host:
        return number(s.cycles.host);
    case Bytes:
        return number(s.bytes);
    case Balance:
        return s.balance;
    default:
        return 0;
    }
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
        std::vector<QStringView> texts;
        for (const ProgramStep& step : tree_.steps)
            texts.emplace_back(sort_column_ == Step ? step.label : step.kind);
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
    return child.isValid() ? indexOf(tree_.steps[stepAt(child)].parent) : QModelIndex();
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

std::optional<std::int64_t> ProgramModel::baseCycles(std::size_t step) const {
    if (!base_)
        return {};
    const auto found = base_->find(tree_.steps[step].key);
    return found == base_->end() ? std::nullopt : std::optional(found->second);
}

QString ProgramModel::textOf(const ProgramStep& step, int column, std::size_t index) const {
    switch (column) {
    case Step:
        return step.repeats > 1 ? tr("%1  × %2").arg(step.label, formatCount(step.repeats)) : step.label;
    case Kind:
        return stepKindName(step.kind);
    case Runs:
        return formatCount(step.runs);
    case Cycles:
        return formatCount(step.cycles.total());
    case Share:
        return formatPercent(step.share);
    case Compute:
        return count_or_nothing(step.cycles.compute);
    case Exchange:
        return count_or_nothing(step.cycles.exchange + step.cycles.inter_ipu);
    case Sync:
        return count_or_nothing(step.cycles.sync);
    case Host:
        return count_or_nothing(step.cycles.host);
    case Bytes:
        return step.bytes == 0 ? QString() : formatBytes(static_cast<double>(step.bytes));
    case Balance:
        return step.balance < 0 ? QString() : formatPercent(step.balance);
    default:
        break;
    }
    if (!comparing())
        return {};
    const auto base = baseCycles(index);
    if (column == Base)
        return base ? formatCount(*base) : QStringLiteral("–");
    return changeText(base, step.cycles.total());
}

/// What takes its time, in the colours of the phases.
QColor ProgramModel::colorOf(const ProgramStep& step) const {
    const Theme& theme = Theme::current();
    return step.kind == QLatin1String("execute")       ? theme.compute
           : step.kind == QLatin1String("stream_copy") ? theme.host
           : step.cycles.inter_ipu > 0                 ? theme.inter_ipu
           : step.kind == QLatin1String("exchange")    ? theme.exchange
           : step.kind == QLatin1String("sync")        ? theme.sync
                                                       : theme.waiting;
}

QVariant ProgramModel::data(const QModelIndex& index, int role) const {
    const Theme& theme = Theme::current();
    const ProgramStep& step = tree_.steps[stepAt(index)];
    switch (role) {
    case Qt::DisplayRole:
        return textOf(step, index.column(), stepAt(index));
    case Qt::ToolTipRole:
        return index.column() == Step ? step.name : QString();
    case Qt::DecorationRole:
        return index.column() == Step && step.cycles.total() > 0 && step.leaf()
                   ? QVariant(swatch(colorOf(step)))
                   : QVariant();
    case Qt::TextAlignmentRole:
        return static_cast<int>(
            (index.column() == Step || index.column() == Kind ? Qt::AlignLeft : Qt::AlignRight) |
            Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return index.column() == Kind || (index.column() == Runs && step.runs == 1) ? QVariant(theme.muted)
                                                                                    : QVariant();
    case Qt::BackgroundRole:
        return (operation_ >= 0 ? step.operation == operation_ : layer_ >= 0 && step.layer == layer_)
                   ? QVariant(ChartStyle::mixed(theme.panel, theme.accent_soft, 0.6))
                   : QVariant();
    case CyclesRole:
        return QVariant::fromValue(step.cycles);
    case ShareRole:
        return tree_.full_bar > 0 ? std::min(1.0, step.share / tree_.full_bar) : 0;
    default:
        return {};
    }
}

QVariant ProgramModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const std::pair<QString, QString> names[] = {
        {tr("Program step"), tr("As the IPU runs them, from top to bottom")},
        {tr("Cycles"), tr("Each time it runs; of a repeat, all its turns")},
        {tr("Base"), tr("Cycles of the same step in the base file")},
        {tr("Change"), tr("Of the cycles, against the base file")},
        {tr("Share"),
         tr("Of the cycles of one execution; the bar shows its phases, against the largest step")},
        {tr("Runs"), tr("How often it runs in one execution")},
        {tr("Compute"), tr("Cycles of the slowest tile")},
        {tr("Exchange"), tr("Cycles of exchanges within and between IPUs")},
        {tr("Sync"), tr("Cycles of waiting for all tiles")},
        {tr("Host"), tr("Cycles of transfers from and to the host")},
        {tr("Moved"), tr("Bytes that exchanges and stream copies move")},
        {tr("Balance"), tr("Mean cycles of all tiles over those of the slowest")},
        {tr("Kind"), tr("What the step is")}};
    switch (role) {
    case Qt::DisplayRole:
        return names[section].first;
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
