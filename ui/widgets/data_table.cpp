// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/data_table.h"

#include "bar_delegate.h"
#include "folding_proxy.h"
#include "frozen_table.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

/// Its own, else that of the tab that it is in.
QString titleOf(const QWidget& table, const QString& own) {
    if (!own.isEmpty())
        return own;
    for (const QWidget* page = &table; page->parentWidget() != nullptr; page = page->parentWidget())
        if (const auto* stack = qobject_cast<const QStackedWidget*>(page->parentWidget()))
            if (const auto* tabs = qobject_cast<const QTabWidget*>(stack->parentWidget()))
                return tabs->tabText(tabs->indexOf(page));
    return DataTable::tr("Table");
}

} // namespace

DataTable::DataTable(const QString& title, std::vector<Column> columns, QWidget* parent)
    : QWidget(parent), title_(title), model_(new DataTableModel(std::move(columns), this)),
      proxy_(new FoldingProxy(model_, this)), view_(new FrozenTable(this)), head_(new QWidget(this)),
      filter_(new QLineEdit(this)), caption_(new QLabel(this)), nothing_(new QLabel(view_)),
      sum_(new QLabel(this)), filtering_(new QTimer(this)) {
    proxy_->setSortRole(DataTableModel::SortRole);
    view_->setModel(proxy_);
    followSorting();
    view_->setSortingEnabled(true);
    view_->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setAlternatingRowColors(false);
    view_->setShowGrid(false);
    view_->viewport()->installEventFilter(this);
    view_->installEventFilter(this);
    view_->setTabKeyNavigation(false); // Tab leaves the table; arrows move in it
    setFocusProxy(view_);
    tellKeys(
        view_, tr("Tables"),
        {{tr("Arrows, PageUp, PageDown, Home, End"), tr("move; with Shift the rows between are chosen, too")},
         {tr("Left, Right"), tr("closes, opens a row that has others below it")},
         {tr("Return"), tr("goes where the row is about")},
         {tr("Menu, Shift+F10"), tr("what can be done with the row; by which columns rows are sorted")},
         {tr("letters"), tr("to the next row that begins so, where they are no command")}});
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
    filter_->setObjectName(QStringLiteral("filter"));
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setAccessibleName(filter_->placeholderText());
    filter_->setToolTip(
        tr("Words that a row must have (/): matmul -gradient kind:execute cycles>1000 bytes>=2MiB"));
    leaveFieldBy({Qt::Key_Escape, Qt::Key_Return, Qt::Key_Enter, Qt::Key_Down}, filter_, [this] {
        if (filtering_->isActive())
            filterNow();
        view_->setFocus(Qt::OtherFocusReason);
    });
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
    layout->addWidget(sum_);
    sum_->setObjectName(QStringLiteral("selectionSum"));
    sum_->setContentsMargins(12, 2, 12, 4);
    sum_->setForegroundRole(QPalette::PlaceholderText);
    sum_->hide();
    nothing_->setObjectName(QStringLiteral("nothingMatches"));
    nothing_->setAlignment(Qt::AlignCenter);
    nothing_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    nothing_->hide();
    connect(nothing_, &QLabel::linkActivated, filter_, &QLineEdit::clear);
    filtering_->setSingleShot(true);
    connect(filtering_, &QTimer::timeout, this, &DataTable::filterNow);
    view_->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(view_->horizontalHeader(), &QWidget::customContextMenuRequested, this, &DataTable::showHeadMenu);

    connect(view_->horizontalHeader(), &QHeaderView::sectionResized, this, [this] {
        if (!fitting_ && (QApplication::mouseButtons() & Qt::LeftButton) != 0 &&
            view_->horizontalHeader()->underMouse())
            takeWidths();
    });
    connect(filter_, &QLineEdit::textChanged, this, [this] {
        constexpr int many = 2000;
        constexpr int rest_ms = 120; // while one types, rows stay
        model_->rowCount() > many && !filter_->text().isEmpty() ? filtering_->start(rest_ms) : filterNow();
    });
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
        sumSelection();
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
    auto* copy = new QAction(tr("Copy rows"), this);
    copy->setObjectName(QStringLiteral("copy"));
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(copy, &QAction::triggered, this, &DataTable::copyRows);
    addAction(copy);
    auto* copy_all = new QAction(tr("Copy table"), this);
    connect(copy_all, &QAction::triggered, this,
            [this] { QApplication::clipboard()->setText(toText(QLatin1Char('\t'))); });
    addAction(copy_all);
    to_filter_ = new QAction(tr("Filter"), this);
    to_filter_->setObjectName(QStringLiteral("search"));
    to_filter_->setShortcut(Qt::Key_Slash);
    to_filter_->setShortcutContext(Qt::WidgetShortcut); // a view may have a search of its own
    connect(to_filter_, &QAction::triggered, this, &DataTable::focusFilter);
    addAction(to_filter_);
    auto* fit = new QAction(tr("Fit columns to their texts"), this);
    connect(fit, &QAction::triggered, this, [this] { setWidths({}); });
    addAction(fit);
    histogram_ = new QAction(tr("Histogram of a column…"), this);
    histogram_->setObjectName(QStringLiteral("histogram"));
    histogram_->setVisible(false);
    connect(histogram_, &QAction::triggered, this, [this] { showHistogram(-1); });
    addAction(histogram_);
    auto* save = new QAction(tr("Export table as CSV…"), this);
    save->setObjectName(QStringLiteral("save csv"));
    save->setShortcut(csvKeys());
    save->setShortcutContext(Qt::WidgetWithChildrenShortcut);
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
    view_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 9);
    fitNewRows();
}

void DataTable::setColumns(std::vector<Column> columns) {
    choosing_ = true;
    if (model_->setColumns(std::move(columns)))
        sortFurtherBy({});
    choosing_ = false;
}

void DataTable::setRows(std::vector<TableRow> rows) {
    choosing_ = true;
    model_->setRows(std::move(rows));
    choosing_ = false;
    selectKey(selected_);
    fitNewRows();
    sumSelection();
    tellSorting();
    histogram_->setVisible(!amountColumns().empty());
    nothing_->setVisible(proxy_->filters() && proxy_->rowCount() == 0);
}

void DataTable::focusFilter() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

/// What was chosen stays so, where it is left.
void DataTable::filterNow() {
    filtering_->stop();
    const QModelIndex current = view_->currentIndex();
    const std::int64_t key =
        current.isValid() ? current.data(DataTableModel::KeyRole).toLongLong() : selected_;
    const std::int64_t wanted = selected_;
    choosing_ = true;
    proxy_->filterBy(filter_->text());
    choosing_ = false;
    selectKey(key);
    selected_ = wanted;
    fitNewRows();
    sumSelection();
    nothing_->setText(inHtml(tr("Nothing matches “%1”. <a href='clear'>Clear</a>"), {filter_->text()}));
    nothing_->setVisible(proxy_->filters() && proxy_->rowCount() == 0);
    nothing_->setGeometry(view_->viewport()->geometry());
    view_->setAccessibleDescription(
        proxy_->filters() ? formatCounted(proxy_->rowCount(), tr("hit"), tr("hits")) : caption_->text());
}

/// What the columns that are parts of a whole add up to in the rows that are selected.
void DataTable::sumSelection() {
    const QModelIndexList selected = view_->selectionModel()->selectedRows();
    std::set<int> rows; // of the model
    for (const QModelIndex& row : selected)
        rows.insert(proxy_->mapToSource(row).row());
    QStringList parts;
    for (int c = 0; c < model_->columnCount() && rows.size() > 1; ++c) {
        const Cell::Unit unit = model_->unitOf(c);
        if (!model_->isBar(c) || view_->isColumnHidden(c) || unit == Cell::Unit::Other)
            continue;
        Cell sum{{}, 0, true, unit};
        for (const int row : rows) {
            const auto& cells = model_->rows()[static_cast<std::size_t>(row)].cells;
            if (static_cast<std::size_t>(c) >= cells.size()) // it ends before
                continue;
            const Cell& cell = cells[static_cast<std::size_t>(c)];
            if (cell.unit != unit || cell.isAbsent() || rows.contains(model_->headOf(row)))
                continue;
            sum.number += cell.number;
            sum.clock_hz = cell.clock_hz;
        }
        parts << QStringLiteral("%1 %2").arg(nameOf(c), sum.shown());
    }
    sum_->setVisible(rows.size() > 1);
    parts.prepend(tr("%1 rows").arg(formatCount(static_cast<std::int64_t>(rows.size()))));
    sum_->setText(parts.join(QStringLiteral("  ·  ")));
}

bool DataTable::isHiddenByHand(int column) const {
    const QVariant width =
        widths_.value(model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    return width.isValid() && width.toInt() == 0;
}

bool DataTable::eventFilter(QObject* of, QEvent* event) {
    if (of == view_ && event->type() == QEvent::Show) {
        view_->setAccessibleName(titleOf(*this, title_));
        if (!fits_)
            fitColumns();
    }
    if (of == view_->viewport() && event->type() == QEvent::Resize) {
        nothing_->setGeometry(view_->viewport()->geometry());
        if (!fitting_)
            fitColumns();
    }
    if (of == view_ && event->type() == QEvent::KeyPress &&
        to_filter_->shortcuts().contains(static_cast<QKeyEvent*>(event)->keyCombination()) &&
        filter_->isVisible()) {
        focusFilter();
        return true;
    }
    if (of == view_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_F10 &&
        static_cast<QKeyEvent*>(event)->modifiers() == Qt::ShiftModifier) {
        showMenu(view_->visualRect(view_->currentIndex()).center());
        return true;
    }
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
    if (wraps_)
        fitNewRows();
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
            view_->selectionModel()->setCurrentIndex( // whatever keys are down
                proxy_->index(row, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
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
    caption_->setText(keepFiguresWhole(caption));
    if (!proxy_->filters())
        view_->setAccessibleDescription(caption);
}

void DataTable::hideHead() {
    head_->hide();
}

void DataTable::showColumn(int column, bool shown) {
    shown ? static_cast<void>(off_.erase(column)) : static_cast<void>(off_.insert(column));
    const bool hidden = !shown || isHiddenByHand(column);
    if (view_->isColumnHidden(column) == hidden)
        return;
    view_->setColumnHidden(column, hidden);
    fitColumns(); // the others share the room
}

QString DataTable::toText(QChar separator) const {
    QModelIndexList rows;
    rows.reserve(proxy_->rowCount());
    for (int row = 0; row < proxy_->rowCount(); ++row)
        rows << proxy_->index(row, 0);
    return toText(separator, rows);
}

QString DataTable::toText(QChar separator, const QModelIndexList& rows) const {
    QString text;
    for (const QStringList& line : exactLines(rows))
        text += tableLine(line, separator);
    return text;
}

QList<QStringList> DataTable::exactLines(const QModelIndexList& rows) const {
    std::vector<int> columns;
    for (int c = 0; c < proxy_->columnCount(); ++c)
        if (!view_->isColumnHidden(c))
            columns.push_back(c);
    QList<QStringList> lines(1);
    for (const int c : columns)
        lines.front() << nameOf(c) + unitHead(model_->unitOf(c));
    for (const QModelIndex& row : rows) {
        QStringList line;
        for (const int c : columns)
            line << exactText(row.row(), c);
        lines << line;
    }
    return lines;
}

/// Of a row as it is shown.
QString DataTable::exactText(int row, int column) const {
    const int at = proxy_->mapToSource(proxy_->index(row, 0)).row();
    const auto& cells = model_->rows()[static_cast<std::size_t>(at)].cells;
    return column < static_cast<int>(cells.size()) ? ui::exactText(cells[static_cast<std::size_t>(column)])
                                                   : QString();
}

} // namespace tilescope::ui
