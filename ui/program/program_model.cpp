// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/program/program_model.h"

#include "ui/graph/operation_graph.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>

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
    endResetModel();
}

void ProgramModel::setBase(const std::optional<ProgramTree>& base) {
    beginResetModel();
    base_.reset();
    if (base) {
        base_.emplace();
        for (std::size_t s = 0; s < base->steps.size(); ++s)
            base_->try_emplace(base->path(s), base->steps[s].cycles.total());
    }
    endResetModel();
}

void ProgramModel::setMarked(std::int64_t operation, std::int64_t layer) {
    operation_ = operation;
    layer_ = layer;
    for (std::size_t s = 0; s < tree_.steps.size(); ++s) // views repaint what they show of it
        if (tree_.steps[s].row == 0) {
            const QModelIndex first = indexOf(s);
            const int last = rowCount(first.parent()) - 1;
            Q_EMIT dataChanged(first, index(last, columnCount() - 1, first.parent()), {Qt::BackgroundRole});
        }
}

QModelIndex ProgramModel::indexOf(std::size_t step, int column) const {
    return step < tree_.steps.size() ? createIndex(static_cast<int>(tree_.steps[step].row), column, step)
                                     : QModelIndex();
}

QModelIndex ProgramModel::index(int row, int column, const QModelIndex& parent) const {
    const auto& siblings = parent.isValid() ? tree_.steps[stepAt(parent)].children : tree_.roots;
    const auto at = static_cast<std::size_t>(row);
    return row >= 0 && at < siblings.size() ? createIndex(row, column, siblings[at]) : QModelIndex();
}

QModelIndex ProgramModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOf(tree_.steps[stepAt(child)].parent) : QModelIndex();
}

int ProgramModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0)
        return 0;
    return static_cast<int>(parent.isValid() ? tree_.steps[stepAt(parent)].children.size()
                                             : tree_.roots.size());
}

int ProgramModel::columnCount(const QModelIndex&) const {
    return Kind + 1;
}

std::optional<std::int64_t> ProgramModel::baseCycles(std::size_t step) const {
    if (!base_)
        return {};
    const auto found = base_->find(tree_.path(step));
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
    return step.kind == QLatin1String("execute")       ? theme_.compute
           : step.kind == QLatin1String("stream_copy") ? theme_.host
           : step.cycles.inter_ipu > 0                 ? theme_.inter_ipu
           : step.kind == QLatin1String("exchange")    ? theme_.exchange
           : step.kind == QLatin1String("sync")        ? theme_.sync
                                                       : theme_.waiting;
}

QVariant ProgramModel::data(const QModelIndex& index, int role) const {
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
        return index.column() == Kind || (index.column() == Runs && step.runs == 1) ? QVariant(theme_.muted)
                                                                                    : QVariant();
    case Qt::BackgroundRole:
        return (operation_ >= 0 ? step.operation == operation_ : layer_ >= 0 && step.layer == layer_)
                   ? QVariant(ChartStyle::mixed(theme_.panel, theme_.accent_soft, 0.6))
                   : QVariant();
    case CyclesRole:
        return QVariant::fromValue(step.cycles);
    case ShareRole:
        return tree_.full_bar > 0 ? std::min(1.0, step.share / tree_.full_bar) : 0;
    case SearchRole: {
        const auto layer = tree_.layers.find(step.layer);
        return QString(step.name + QLatin1Char('\n') + stepKindName(step.kind) + QLatin1Char('\n') +
                       (layer == tree_.layers.end() ? QString() : layer->second));
    }
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
    default:
        return {};
    }
}

} // namespace tilescope::ui
