// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/data_table.h"

#include "folding_proxy.h"
#include "frozen_table.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <QSaveFile>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilescope::ui {
namespace {

/// Where the arrow of a row that holds others is; names begin right of it.
QRect arrowPlace(const QRect& cell) {
    constexpr int wide = 20;
    return {cell.left(), cell.top(), wide, cell.height()};
}

/// Points right where the row is folded, down where it is not.
void paintArrow(QPainter& painter, const QRect& place, bool unfolded, const QColor& color) {
    constexpr double wing = 3.5;
    const QPointF middle = QRectF(place).center() + QPointF(3, 0.5);
    const auto at = [&](double along, double across) {
        return middle + (unfolded ? QPointF(across, along) : QPointF(along, across));
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.5));
    painter.drawPolyline(QPolygonF({at(-wing / 2, -wing), at(wing / 2, 0), at(-wing / 2, wing)}));
    painter.restore();
}

/// Draws a soft bar behind the numbers of a bar column, and how a row is folded before its name.
class BarDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QVariant share = index.data(DataTableModel::ShareRole);
        if (share.isValid()) {
            const Theme& theme = Theme::of(option.widget);
            QRect bar = option.rect.adjusted(4, 4, -4, -4);
            bar.setWidth(std::max(1, static_cast<int>(bar.width() * share.toDouble())));
            QColor color = theme.accent;
            color.setAlpha(theme.dark ? 60 : 38);
            painter->save();
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(color);
            painter->drawRoundedRect(bar, 3, 3);
            painter->restore();
        }
        const auto fold = static_cast<DataTableModel::Fold>(index.data(DataTableModel::FoldRole).toInt());
        if (index.column() != 0 || fold == DataTableModel::Flat)
            return QStyledItemDelegate::paint(painter, option, index);
        // What is selected stands on one tint from edge to edge.
        QStyleOptionViewItem empty = option;
        initStyleOption(&empty, index);
        empty.text.clear();
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &empty, painter, option.widget);
        const QRect arrow = arrowPlace(option.rect);
        if (fold != DataTableModel::Within && index.data(DataTableModel::HoldsRole).toBool())
            paintArrow(*painter, arrow, fold == DataTableModel::Unfolded, Theme::of(option.widget).muted);
        QStyleOptionViewItem name = option;
        name.rect.setLeft(arrow.right() + 1 + (fold == DataTableModel::Within ? arrow.width() : 0));
        name.state &= ~QStyle::State_HasFocus;
        QStyledItemDelegate::paint(painter, name, index);
    }
};

QColor markTint() {
    QColor tint = Theme::current().accent;
    constexpr float soft = 0.09F;
    tint.setAlphaF(soft);
    return tint;
}

} // namespace

Cell textCell(const QString& text) {
    return {text, 0, false};
}
Cell numberCell(const QString& text, double number) {
    return {text, number, true};
}
Cell countCell(std::int64_t value) {
    return numberCell(formatCount(value), static_cast<double>(value));
}
Cell amountCell(double value) {
    return numberCell(formatNumber(value), value);
}
Cell bytesCell(double bytes) {
    return numberCell(formatBytes(bytes), bytes);
}
Cell bytesCell(std::int64_t bytes) {
    return bytesCell(static_cast<double>(bytes));
}
Cell shareCell(const std::optional<double>& share) {
    return share ? Cell{formatPercent(*share), *share, true, true} : absentCell();
}
Cell differenceCell(double by, const QString& amount) {
    return numberCell(formatDifference(by, amount), std::abs(by));
}
Cell bytesDifferenceCell(std::int64_t by) {
    return differenceCell(static_cast<double>(by), formatBytes(by));
}
Cell absentCell() {
    return numberCell(QStringLiteral("–"), std::numeric_limits<double>::lowest());
}

DataTableModel::DataTableModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)), largest_(columns_.size(), 0),
      longest_(columns_.size()) {}

void DataTableModel::setColumns(std::vector<Column> columns) {
    if (columns == columns_)
        return;
    beginResetModel();
    rows_.clear();
    columns_ = std::move(columns);
    largest_.assign(columns_.size(), 0);
    longest_.assign(columns_.size(), QString());
    endResetModel();
}

void DataTableModel::setRows(std::vector<TableRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    std::fill(largest_.begin(), largest_.end(), 0);
    std::fill(longest_.begin(), longest_.end(), QString());
    heads_.assign(rows_.size(), -1);
    holds_.assign(rows_.size(), false);
    folds_ = false;
    for (std::size_t i = 0, head = 0; i < rows_.size(); ++i) {
        if (rows_[i].within < 0) {
            head = i;
        } else if (rows_[head].key == rows_[i].within) {
            heads_[i] = static_cast<int>(head);
            holds_[head] = folds_ = true;
        }
    }
    for (const TableRow& row : rows_)
        for (std::size_t c = 0; c < row.cells.size() && c < columns_.size(); ++c) {
            largest_[c] = std::max(largest_[c], row.cells[c].number);
            if (widerText(row.cells[c].text, longest_[c]))
                longest_[c] = row.cells[c].text;
        }
    endResetModel();
}

int DataTableModel::wideColumn() const {
    const auto wide = std::find_if(columns_.begin(), columns_.end(), [](const Column& c) { return c.wide; });
    if (wide != columns_.end())
        return static_cast<int>(wide - columns_.begin());
    const auto of_number = [](const TableRow& row) { return !row.cells.empty() && row.cells[0].numeric; };
    return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(), of_number) ? -1 : 0;
}

const QString& DataTableModel::longest(int column) const {
    return longest_.at(static_cast<std::size_t>(column));
}

void DataTableModel::setMarked(std::set<std::int64_t> keys) {
    marked_ = std::move(keys);
    if (!rows_.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::BackgroundRole});
}

int DataTableModel::headOf(std::int64_t key) const {
    if (!folds_)
        return -1;
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const TableRow& row) { return row.key == key; });
    return found == rows_.end() ? -1 : heads_[static_cast<std::size_t>(found - rows_.begin())];
}

bool DataTableModel::isUnfolded(int row) const {
    return unfolded_.contains(rows_[static_cast<std::size_t>(row)].key);
}

void DataTableModel::setUnfolded(int row, bool unfolded) {
    const std::int64_t key = rows_[static_cast<std::size_t>(row)].key;
    unfolded ? static_cast<void>(unfolded_.insert(key)) : static_cast<void>(unfolded_.erase(key));
    Q_EMIT dataChanged(index(row, 0), index(row, 0), {FoldRole});
}

int DataTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int DataTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant DataTableModel::data(const QModelIndex& index, int role) const {
    const auto i = static_cast<std::size_t>(index.row());
    const TableRow& row = rows_[i];
    const auto c = static_cast<std::size_t>(index.column());
    if (c >= row.cells.size())
        return {};
    const Cell& cell = row.cells[c];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return cell.text;
    case SortRole:
        return cell.numeric ? QVariant(cell.number) : QVariant(cell.text);
    case Qt::TextAlignmentRole:
        return static_cast<int>((cell.numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case ShareRole:
        return columns_[c].bar && cell.numeric && cell.number > 0
                   ? QVariant(cell.share ? std::min(1.0, cell.number) : cell.number / largest_[c])
                   : QVariant();
    case KeyRole:
        return QVariant::fromValue(static_cast<qlonglong>(row.key));
    case FoldRole:
        return !folds_ ? Flat : heads_[i] >= 0 ? Within : isUnfolded(index.row()) ? Unfolded : Folded;
    case HoldsRole:
        return holds(index.row());
    case Qt::BackgroundRole:
        return marked_.contains(row.key) ? QVariant(markTint()) : QVariant();
    default:
        return {};
    }
}

QVariant DataTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const auto c = static_cast<std::size_t>(section);
    if (role == Qt::DisplayRole)
        return columns_[c].title;
    if (role == Qt::TextAlignmentRole) {
        const bool numeric =
            !rows_.empty() && c < rows_.front().cells.size() && rows_.front().cells[c].numeric;
        return static_cast<int>((numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    return {};
}

DataTable::DataTable(const QString& title, std::vector<Column> columns, QWidget* parent)
    : QWidget(parent), title_(title), model_(new DataTableModel(std::move(columns), this)),
      proxy_(new FoldingProxy(model_, this)), view_(new FrozenTable(this)), head_(new QWidget(this)),
      filter_(new QLineEdit(this)), caption_(new QLabel(this)) {
    proxy_->setSortRole(DataTableModel::SortRole);
    proxy_->setFilterKeyColumn(-1);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    view_->setModel(proxy_);
    view_->setSortingEnabled(true);
    view_->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setAlternatingRowColors(false);
    view_->setShowGrid(false);
    view_->viewport()->installEventFilter(this);
    view_->installEventFilter(this);
    view_->setTabKeyNavigation(false); // Tab leaves the table; arrows move in it
    view_->setWordWrap(false);
    view_->setTextElideMode(Qt::ElideMiddle); // the first and the last parts of a path tell it from others
    view_->verticalHeader()->hide();
    view_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 9);
    view_->horizontalHeader()->setStretchLastSection(false);
    view_->horizontalHeader()->setHighlightSections(false);
    view_->horizontalHeader()->setMinimumSectionSize(56);
    view_->setItemDelegate(new BarDelegate(view_));
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(220);
    auto* heading = new QLabel(title_, this);
    QFont bold = heading->font();
    bold.setWeight(QFont::DemiBold);
    heading->setFont(bold);
    caption_->setForegroundRole(QPalette::PlaceholderText);
    caption_->setWordWrap(true); // it must not widen the window
    auto* head = new QHBoxLayout(head_);
    head->setContentsMargins(12, 8, 12, 6);
    head->setSpacing(8);
    heading->setVisible(!title_.isEmpty());
    head->addWidget(heading);
    head->addWidget(caption_, 1);
    head->addWidget(filter_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(head_);
    layout->addWidget(view_);

    connect(view_->horizontalHeader(), &QHeaderView::sectionResized, this, [this] {
        if (!fitting_ && (QApplication::mouseButtons() & Qt::LeftButton) != 0 &&
            view_->horizontalHeader()->underMouse())
            takeWidths();
    });
    connect(filter_, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
    connect(view_, &QWidget::customContextMenuRequested, this, &DataTable::showMenu);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                // With Shift or Ctrl more rows are selected: keysChosen() tells all of them.
                const bool more =
                    (QApplication::keyboardModifiers() & (Qt::ShiftModifier | Qt::ControlModifier)) != 0;
                if (index.isValid() && !choosing_ && !more)
                    Q_EMIT keyChosen(index.data(DataTableModel::KeyRole).toLongLong());
            });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = view_->selectionModel()->selectedRows();
        if (choosing_ || (!std::exchange(several_, rows.size() > 1) && rows.size() < 2))
            return;
        std::vector<std::int64_t> keys;
        for (const QModelIndex& row : rows)
            keys.push_back(row.data(DataTableModel::KeyRole).toLongLong());
        Q_EMIT keysChosen(keys);
    });
    connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT keyActivated(index.data(DataTableModel::KeyRole).toLongLong());
    });
    auto* copy = new QAction(tr("Copy table"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(copy, &QAction::triggered, this,
            [this] { QApplication::clipboard()->setText(toText(QLatin1Char('\t'))); });
    addAction(copy);
    auto* fit = new QAction(tr("Fit columns to their texts"), this);
    connect(fit, &QAction::triggered, this, [this] { setWidths({}); });
    addAction(fit);
    auto* save = new QAction(tr("Export table as CSV…"), this);
    connect(save, &QAction::triggered, this, [this] { saveTextAs(*this, title_, toText(QLatin1Char(','))); });
    addAction(save);
    addPictureActions(this, title_);
    open_sql_ = new QAction(tr("Open as SQL"), this);
    open_sql_->setVisible(false);
    connect(open_sql_, &QAction::triggered, this, [this] { Q_EMIT sqlWanted(open_sql_->data().toString()); });
    addAction(open_sql_);
}

void DataTable::setSql(const QString& sql) {
    open_sql_->setData(sql);
    open_sql_->setVisible(!sql.isEmpty());
}

void DataTable::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    fitColumns();
    view_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 9);
}

void DataTable::setColumns(std::vector<Column> columns) {
    choosing_ = true;
    model_->setColumns(std::move(columns));
    choosing_ = false;
}

void DataTable::setRows(std::vector<TableRow> rows) {
    choosing_ = true;
    model_->setRows(std::move(rows));
    choosing_ = false;
    selectKey(selected_);
    fitColumns();
}

/// Each column is as wide as its longest text, whatever is in view, but for one that takes what is left: to
/// measure every text, as the header's own mode does, takes too long. Where less is left than names need to
/// be told apart, the table scrolls, and names stay in sight.
void DataTable::fitColumns() {
    constexpr int least = 150;    // of the column of names
    constexpr double fair = 0.36; // of the table, for names that are longer
    constexpr int least_of_bar = 120;
    auto* header = view_->horizontalHeader();
    constexpr int padding = 5; // of a cell, by the style sheet
    const int margin = style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, view_) + 1;
    const int beside = 2 * (margin + padding) + 8;
    const auto needed = [&](int c) {
        return std::max({header->sectionSizeHint(c),
                         view_->fontMetrics().horizontalAdvance(model_->longest(c)) + beside,
                         model_->isBar(c) ? least_of_bar : 0});
    };
    const auto dragged = [&](int c) { // 0: not
        return widths_.value(model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString()).toInt();
    };
    fitting_ = true;
    int wide = model_->wideColumn();
    if (wide >= 0 && dragged(wide) > 0)
        wide = -1; // it is as wide as it was dragged
    int left = view_->viewport()->width();
    for (int c = 0; c < model_->columnCount(); ++c) {
        if (c == wide || view_->isColumnHidden(c))
            continue;
        header->setSectionResizeMode(c, QHeaderView::Interactive);
        header->resizeSection(c, dragged(c) > 0 ? dragged(c) : needed(c));
        left -= header->sectionSize(c);
    }
    if (wide >= 0) {
        const int names = std::max(least, static_cast<int>(fair * view_->viewport()->width()));
        const int whole = wraps_ ? header->sectionSizeHint(wide) : std::min(names, needed(wide));
        header->setSectionResizeMode(wide, left >= whole ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (left < whole)
            header->resizeSection(wide, whole);
    }
    if (wraps_)
        view_->resizeRowsToContents();
    fitting_ = false;
}

/// The one that takes what is left goes on doing so, until it is dragged itself.
void DataTable::takeWidths() {
    const auto* header = view_->horizontalHeader();
    for (int c = 0; c < model_->columnCount(); ++c)
        if (!view_->isColumnHidden(c) && header->sectionResizeMode(c) != QHeaderView::Stretch)
            widths_[model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString()] =
                header->sectionSize(c);
}

void DataTable::setWidths(const QVariantMap& widths) {
    widths_ = widths;
    fitColumns();
}

void DataTable::wrapTexts() {
    wraps_ = true;
    view_->setWordWrap(true);
    view_->setTextElideMode(Qt::ElideNone);
    fitColumns();
}

bool DataTable::eventFilter(QObject* of, QEvent* event) {
    if (of == view_->viewport() && event->type() == QEvent::Resize && !fitting_)
        fitColumns();
    if (of == view_ && event->type() == QEvent::KeyPress && !view_->currentIndex().isValid() &&
        proxy_->rowCount() > 0)
        if (const int key = static_cast<QKeyEvent*>(event)->key();
            key == Qt::Key_Return || key == Qt::Key_Enter) // of the first row, where none is chosen
            view_->setCurrentIndex(proxy_->index(0, 0));
    if (of == view_ && event->type() == QEvent::KeyPress && foldByKey(static_cast<QKeyEvent*>(event)->key()))
        return true;
    if (of == view_->viewport() && event->type() == QEvent::MouseButtonPress &&
        foldAt(static_cast<QMouseEvent*>(event)->pos()))
        return true;
    return QWidget::eventFilter(of, event);
}

void DataTable::fold(int row, bool unfolded) {
    model_->setUnfolded(row, unfolded);
    choosing_ = true; // rows come and go, none is chosen
    proxy_->foldingChanged();
    choosing_ = false;
}

/// Right unfolds; Left folds, also from within.
bool DataTable::foldByKey(int key) {
    const QModelIndex current = view_->currentIndex();
    if (!current.isValid() || (key != Qt::Key_Right && key != Qt::Key_Left))
        return false;
    const int row = proxy_->mapToSource(current).row();
    const int head = model_->headOf(row);
    if (key == Qt::Key_Left && head >= 0) {
        view_->setCurrentIndex(proxy_->mapFromSource(model_->index(head, current.column())));
        fold(head, false);
        return true;
    }
    if (!model_->holds(row) || model_->isUnfolded(row) == (key == Qt::Key_Right))
        return false;
    fold(row, key == Qt::Key_Right);
    return true;
}

bool DataTable::foldAt(const QPoint& at) {
    const QModelIndex index = view_->indexAt(at);
    if (!index.isValid() || index.column() != 0)
        return false;
    const int row = proxy_->mapToSource(index).row();
    QRect cell = view_->visualRect(index);
    cell.moveLeft(std::max(0, cell.left())); // the column stays where it is
    if (!model_->holds(row) || !arrowPlace(cell).contains(at))
        return false;
    fold(row, !model_->isUnfolded(row));
    return true;
}

void DataTable::unfoldTo(std::int64_t key) {
    if (const int head = model_->headOf(key); head >= 0 && !model_->isUnfolded(head))
        fold(head, true);
}

/// Of a row that is folded into another, that one.
void DataTable::selectKey(std::int64_t key) {
    selected_ = key;
    if (const int head = model_->headOf(key); head >= 0 && !model_->isUnfolded(head))
        key = model_->rows()[static_cast<std::size_t>(head)].key;
    for (int row = 0; key >= 0 && row < proxy_->rowCount(); ++row)
        if (proxy_->index(row, 0).data(DataTableModel::KeyRole).toLongLong() == key) {
            choosing_ = true;
            view_->selectRow(row);
            choosing_ = false;
            return;
        }
    choosing_ = true;
    view_->setCurrentIndex({});
    view_->clearSelection();
    choosing_ = false;
}

void DataTable::markKeys(const std::set<std::int64_t>& keys) {
    model_->setMarked(keys);
    if (view_->selectionModel()->hasSelection())
        return;
    for (int row = 0; row < proxy_->rowCount(); ++row)
        if (keys.contains(proxy_->index(row, 0).data(DataTableModel::KeyRole).toLongLong()))
            return view_->scrollTo(proxy_->index(row, 0));
}

void DataTable::setLead(QWidget* lead) {
    auto* head = static_cast<QHBoxLayout*>(head_->layout());
    head->setContentsMargins(0, 4, 0, 4);
    head->insertWidget(0, lead);
    // In a narrow window the field makes room for it.
    filter_->setSizePolicy(QSizePolicy::Ignored, filter_->sizePolicy().verticalPolicy());
    filter_->setMinimumWidth(fontMetrics().horizontalAdvance(filter_->placeholderText()) + 40);
    head->setStretchFactor(filter_, 1);
}

void DataTable::setCaption(const QString& caption) {
    caption_->setText(caption);
}

void DataTable::hideHead() {
    head_->hide();
}

void DataTable::showColumn(int column, bool shown) {
    if (view_->isColumnHidden(column) != shown)
        return;
    view_->setColumnHidden(column, !shown);
    fitColumns(); // the others share the room
}

QString DataTable::toText(QChar separator) const {
    QStringList line;
    std::vector<int> columns;
    for (int c = 0; c < proxy_->columnCount(); ++c)
        if (!view_->isColumnHidden(c))
            columns.push_back(c);
    for (const int c : columns)
        line << proxy_->headerData(c, Qt::Horizontal).toString();
    QString text = tableLine(line, separator);
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        line.clear();
        for (const int c : columns)
            line << proxy_->index(row, c).data().toString();
        text += tableLine(line, separator);
    }
    return text;
}

void DataTable::showMenu(const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(actions());
    menu->popup(view_->viewport()->mapToGlobal(at)); // not exec: an answer may delete the table meanwhile
}

} // namespace tilescope::ui
