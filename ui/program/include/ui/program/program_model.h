// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/program/program_tree.h"
#include "ui/theme/theme.h"
#include "ui/widgets/tree_rows.h"

#include <QAbstractItemModel>
#include <optional>
#include <unordered_map>

namespace tilescope::ui {

/// What the program of the base takes.
struct ProgramBaseline {
    std::unordered_map<std::uint64_t, std::int64_t> cycles; ///< of an execution, by key
    analyse::Loops loops;
    double clock_hz = 0;
    std::vector<analyse::StepTime> gone; ///< outermost steps that are not here
};

/// The program tree as rows and columns. With a base, three columns (empty without) compare the time of the
/// step that is the same. Figures are per what both files have (setBasis).
class ProgramModel : public QAbstractItemModel {
    Q_OBJECT
  public:
    enum Column {
        Step,
        Runs,
        Each,
        InAll,
        Base,
        Difference,
        Change,
        Share,
        Compute, ///< from here to Host the phases, in the order of analyse::phases
        Exchange,
        InterIpu,
        Sync,
        Host,
        Bytes,
        Balance,
        Code,
        Kind
    };
    /// ShareRole: the length of the bar, 0 … 1. ExactRole: a figure without rounding, as text: cycles, bytes.
    enum Role { PhasesRole = Qt::UserRole, ShareRole, ExactRole };
    static constexpr std::size_t most_unfolded = 2000; ///< rows that a filter unfolds by itself
    explicit ProgramModel(QObject* parent = nullptr);

    void setTree(ProgramTree tree);
    void setBase(const ProgramTree* base); ///< null: none
    /// What figures are per, where the file (and its base) has it; nullopt: the usual basis.
    void setBasis(std::optional<analyse::Basis> basis);
    analyse::Basis basis() const; ///< what they are per
    /// A figure of an execution as one per basis().
    /// Of what is held against the base. 0, which leaves cycles, where it has another clock.
    double comparedClock() const;
    double perBasis(std::int64_t of_execution) const;
    /// Rows that belong to the selected operation or layer are tinted from the next painting on.
    void setMarked(std::int64_t operation, std::int64_t layer);
    /// Shows the outermost steps that match, with what is above and below them; "": all steps.
    void setFilter(const QString& text);
    /// Shows operations, and steps of none, beside each other rather than in what holds them.
    void setFlat(bool flat);
    bool flat() const { return flat_; }
    bool filtered() const { return filtered_; }
    const std::vector<std::size_t>& hits() const { return hits_; } ///< steps, in order of execution
    const ShownHits& shownHits() const { return shown_hits_; }
    void showHitsFrom(std::size_t hit);
    const ProgramTree& tree() const { return tree_; }
    QModelIndex indexOf(std::size_t step, int column = 0) const;
    std::size_t stepAt(const QModelIndex& index) const { return index.internalId(); }
    /// Of the base's steps that are not here, without what is in them: how many, and their cycles per
    /// basis(); nullopt: all are here.
    std::optional<std::pair<std::int64_t, double>> gone() const;
    bool comparing() const { return base_.has_value(); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Siblings by a column; -1: as they are executed.
    void sort(int column, Qt::SortOrder order) override;

  private:
    void makeParents();
    void findHits();
    bool listed(std::size_t step) const { return !flat_ || !holder_[step]; }
    void arrange();
    QString labelOf(std::size_t step) const;
    std::vector<std::size_t> sorted() const;
    double figureOf(std::size_t step, int column) const;
    QString textOf(const ProgramStep& step, int column, std::size_t index) const;
    QString exactOf(const ProgramStep& step, int column, std::size_t index) const;
    bool isTime(int column) const;
    ThemeColor colorOf(const ProgramStep& step) const;
    analyse::StepDifference differenceOf(std::size_t step) const;

    ProgramTree tree_;
    Parents parents_; ///< of the rows
    bool flat_ = false;
    std::vector<bool> holder_; ///< steps that hold operations: they have no row in a flat list
    TreeRows rows_;
    int sort_column_ = -1;
    Qt::SortOrder sort_order_ = Qt::AscendingOrder;
    bool filtered_ = false;
    QString filter_;
    std::vector<std::size_t> hits_;
    ShownHits shown_hits_;
    std::optional<ProgramBaseline> base_;
    std::optional<analyse::Basis> wanted_; ///< to be shown
    std::int64_t operation_ = -1;
    std::int64_t layer_ = -1;
};

} // namespace tilescope::ui
