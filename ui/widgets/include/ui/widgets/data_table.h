// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QMenu>
#include <QPointer>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVariantMap>
#include <QWidget>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

class QAction;
class QLineEdit;
class QLabel;
class QTimer;

namespace tilescope::ui {

/// A cell: what is shown, and the number that sorting and bars go by (texts sort by their text).
struct Cell {
    /// What the number is of, where a copy of the table has it exactly. Other: it has the text that is shown.
    /// Cycles: in seconds or cycles, as they are shown. Course: of numbers, drawn as a line; its text is
    /// told, not shown.
    enum class Unit { Other, Count, Bytes, Seconds, Share, Cycles, Course };
    QString text; ///< as it is shown; empty: what is shown follows from the number and its unit
    double number = 0;
    bool numeric = false;
    Unit unit = Unit::Other; ///< Share: of a whole, which is 1: so is its bar
    double clock_hz = 0;     ///< of cycles
    QString exact =
        {}; ///< as copies have it, where neither its number nor its text is: of a short text, its tip
    bool by_size = false; ///< rows are sorted by how much it is, whichever way it goes
    int judged = 0; ///< 1: better than what it is compared with, -1: worse, which its colour says; 0: neither
    double rank() const; ///< what they are sorted by
    QString shown() const;
    bool isAbsent() const;
};
/// As copies and CSV files have it: the number in whole, in its unit; "" where it is absent.
QString exactText(const Cell& cell);
QString unitHead(Cell::Unit unit); ///< what the head of its column says of it there: " (bytes)"; "": nothing
Cell textCell(const QString& text);
/// Of no unit: no amount, but what is sorted by a number, as a date or the "never" among steps.
Cell numberCell(const QString& text, double number);
Cell countCell(std::int64_t value);  ///< "1,234"
Cell amountCell(double value);       ///< "1,234" or "0.25"
Cell samplesCell(double per_second); ///< throughput: "2,048", "12.3"
Cell bytesCell(double bytes);        ///< "64 KiB"
Cell bytesCell(std::int64_t bytes);
Cell secondsCell(double seconds);                   ///< "1.94 ms"
Cell shareCell(const std::optional<double>& share); ///< "12.5 %"; absent where there is none
Cell cyclesCell(double cycles, double clock_hz);    ///< "1.5 ms" or "2,775,000 cycles"
/// The course of a figure, which is drawn: over files, or runs. `told`: in words, for tips and readers.
Cell courseCell(const std::vector<std::optional<double>>& values, const QString& told);
Cell writtenCell(const QString& text, Cell amount); ///< an amount that is shown as this
/// Runs per basis of which an execution has `count`: "128", "1 in 3".
Cell runsCell(std::int64_t runs, std::int64_t count);
/// What differs from a base (formatDifference), as an amount of that unit; sorted by how much it is.
Cell differenceCell(Cell by);
Cell bytesDifferenceCell(std::int64_t by);
/// How much it differs from a base, of that (formatChange); sorted by how much it is.
Cell changeCell(double base, double now);
Cell absentCell(); ///< "–", below every number when it is sorted

struct Column {
    QString title;
    bool bar = false;  ///< draws a bar for the share of what the column adds up to
    bool wide = false; ///< takes what the others leave, in place of the first
    bool operator==(const Column&) const = default;
};

/// Rows as plain data; `key` is what the selection knows a row by.
struct TableRow {
    std::int64_t key = -1;
    std::vector<Cell> cells;
    std::int64_t within = -1; ///< key of the row that it is folded into, which stands before it; -1: none
};

/// The model of every table of the window.
class DataTableModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    /// FoldRole: a `Fold`; HoldsRole: whether others are folded into the row.
    /// CourseRole: numbers (QVariantList) that are drawn, invalid where there is none.
    enum Role { SortRole = Qt::UserRole, ShareRole, KeyRole, FoldRole, HoldsRole, CourseRole };
    enum Fold { Flat, Folded, Unfolded, Within }; ///< Flat: no row of the table is folded into another
    explicit DataTableModel(std::vector<Column> columns, QObject* parent = nullptr);
    bool setColumns(std::vector<Column> columns); ///< and no rows, if they are others; whether they are
    void setRows(std::vector<TableRow> rows);
    const std::vector<TableRow>& rows() const { return rows_; }
    /// The one that takes what the others leave; -1: none, since figures are best read close together.
    int wideColumn() const;
    bool isBar(int column) const { return columns_[static_cast<std::size_t>(column)].bar; }
    /// Of all of its amounts; else Other.
    Cell::Unit unitOf(int column) const { return units_[static_cast<std::size_t>(column)]; }
    QString longest(int column) const;           ///< about the widest of its texts
    void setMarked(std::set<std::int64_t> keys); ///< rows that stand on a tint
    /// Row that a row is folded into; -1: into none.
    int headOf(int row) const { return heads_[static_cast<std::size_t>(row)]; }
    int headOf(std::int64_t key) const;                                         ///< of the row of that key
    bool holds(int row) const { return holds_[static_cast<std::size_t>(row)]; } ///< others are folded into it
    bool isUnfolded(int row) const;
    void setUnfolded(int row, bool unfolded);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<Column> columns_;
    std::vector<TableRow> rows_;
    std::vector<double> whole_;     ///< what rows that are in no other add up to, by column
    std::vector<Cell::Unit> units_; ///< of amounts, by column
    mutable std::vector<std::optional<QString>> longest_; ///< by column, once it was asked for
    std::set<std::int64_t> marked_;
    std::vector<int> heads_;
    std::vector<bool> holds_;
    bool folds_ = false;              ///< any holds others
    std::set<std::int64_t> unfolded_; ///< keys; they stay so when rows are read anew
};

/// A column that rows are sorted by.
struct SortKey {
    int column = -1;
    Qt::SortOrder order = Qt::DescendingOrder;
    bool operator==(const SortKey&) const = default;
};

class FoldingProxy;
struct ColumnAmounts;

/// A table with sorting by one column or several, a filter, copying (tab-separated) and export as CSV. Rows
/// that are folded into another are there once it is unfolded (Right, Left, a click on its arrow), or when
/// the filter finds them.
class DataTable : public QWidget {
    Q_OBJECT
  public:
    DataTable(const QString& title, std::vector<Column> columns, QWidget* parent = nullptr);
    void setColumns(std::vector<Column> columns); ///< and no rows, if they are others
    void setRows(std::vector<TableRow> rows);
    /// Selects the row of that key, also in rows that come later; -1: none.
    void selectKey(std::int64_t key);
    void unfoldTo(std::int64_t key); ///< the row that it is folded into is unfolded
    /// Lights up the rows that belong to what is selected elsewhere, and scrolls to the first of them.
    void markKeys(const std::set<std::int64_t>& keys);
    void setCaption(const QString& caption); ///< beside the title
    void setLead(QWidget* lead);             ///< stands at the left above the table, which then owns it
    void hideHead();                         ///< for tables without a title that are short at all times
    void showColumn(int column, bool shown); ///< what is not shown is not copied or exported either
    void wrapTexts(); ///< rows as high as their texts, in place of one line each: for few rows
    /// As high as all of its rows, in a page that scrolls in its place.
    void showAllRows();
    /// Of the columns, by title, as they were dragged, 0 where one was hidden by hand; empty: each is as wide
    /// as its texts need.
    const QVariantMap& widths() const { return widths_; }
    void setWidths(const QVariantMap& widths);
    /// What rows are sorted by: where they are equal by the first, by the second, and so on. Empty: they
    /// stand as they came.
    std::vector<SortKey> sortKeys() const;
    void sortBy(std::vector<SortKey> keys);
    /// Shift and a click on its head: the column is added to those that rows are sorted by, then turned, then
    /// taken out again.
    void sortAlsoBy(int column);
    /// Which columns there are, of a view that chooses them itself: part of the heads' menu in place of the
    /// table's own choice.
    void setChooser(QMenu* columns) { chooser_ = columns; }
    /// What asks the file for the same rows, offered in the menu; "": nothing does.
    void setSql(const QString& sql);
    /// What a row names, by its key, as linkTo() says it: the menu leads to the other views that show it. "":
    /// it names nothing.
    void setSubjects(std::function<QString(std::int64_t key)> link) { link_of_ = std::move(link); }
    QTableView* view() const { return view_; }
    /// How the amounts of a column are spread over the rows that are shown. -1: of the column that rows are
    /// sorted by, if it has amounts, else of the first that has.
    void showHistogram(int column);
    /// All rows that the filter leaves as text, cells parted by `separator`, with a header. Numbers are
    /// exact, their unit is in the head; what is absent is empty.
    QString toText(QChar separator) const;
    void focusFilter();

  Q_SIGNALS:
    void keyChosen(std::int64_t key);
    /// Several rows, or one again after several, were selected (Shift, Ctrl, Ctrl+A).
    void keysChosen(const std::vector<std::int64_t>& keys);
    void sqlWanted(const QString& sql);  ///< "Open as SQL"
    void keyActivated(std::int64_t key); ///< Enter or a double click on its row

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* of, QEvent* event) override;

  private:
    QString toText(QChar separator, const QModelIndexList& rows) const;
    QList<QStringList> exactLines(const QModelIndexList& rows) const; ///< the heads first
    QString exactText(int row, int column) const;
    QModelIndexList rowsToCopy() const; ///< those that are selected, or all
    void copyRows() const;
    void filterNow();
    void sumSelection();
    void showHeadMenu(const QPoint& at);
    QPointer<QMenu> chooser_; ///< null: the table's own
    void followSorting();     ///< by heads that are clicked
    void sortFurtherBy(std::vector<SortKey> keys);
    void tellSorting(); ///< in the tip of the heads
    void addSorting(QMenu& menu);
    QString nameOf(int column) const; ///< of its head, on one line
    bool isHiddenByHand(int column) const;
    void fitColumns();
    void fitNewRows(); ///< and columns
    void wrapRows();   ///< where the columns have other widths than when that was done last
    void fitHeight();
    bool foldByKey(int key);           ///< whether it did
    bool foldAt(const QPoint& at);     ///< where an arrow is
    void fold(int row, bool unfolded); ///< of the model
    void takeWidths();                 ///< those that were dragged just now
    bool fitting_ = false;
    bool fits_ = true; ///< else its columns wait until it is shown
    bool wraps_ = false;
    std::vector<int> wrapped_in_; ///< widths of the columns that the rows' heights are for; empty: for none
    bool all_rows_ = false;
    QVariantMap widths_;
    void showMenu(const QPoint& at);
    void addPlacesOfRow(QMenu& menu);
    void addCopies(QMenu& menu, const QModelIndex& cell);
    std::map<int, QString> amountColumns() const; ///< those of amounts of one unit, with their names
    ColumnAmounts amountsOf(int column) const;
    void filterFurther(const QString& words);
    QString title_;
    DataTableModel* model_;
    FoldingProxy* proxy_;
    QTableView* view_;
    QWidget* head_;
    QLineEdit* filter_;
    QLabel* caption_;
    QLabel* nothing_; ///< over the rows, where the filter leaves none
    QLabel* sum_;     ///< below them, of several that are selected
    QTimer* filtering_;
    QAction* to_filter_;
    QAction* open_sql_;
    QAction* histogram_;
    std::function<QString(std::int64_t key)> link_of_;
    std::set<int> off_;          ///< columns that are not shown now (showColumn)
    std::int64_t selected_ = -1; ///< by selectKey
    bool choosing_ = false;
    bool several_ = false; ///< rows are selected
};

} // namespace tilescope::ui
