// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/program/program_tree.h"
#include "ui/theme/theme.h"

#include <QAbstractItemModel>
#include <optional>

namespace tilescope::ui {

/// The program tree as rows and columns. With a base, two columns (empty without) compare
/// the cycles of the step of the same name at the same place.
class ProgramModel : public QAbstractItemModel {
    Q_OBJECT
  public:
    enum Column {
        Step,
        Cycles,
        Base,
        Change,
        Share,
        Runs,
        Compute,
        Exchange,
        Sync,
        Host,
        Bytes,
        Balance,
        Kind
    };
    /// ShareRole: the length of the bar, 0 … 1.
    enum Role { CyclesRole = Qt::UserRole, ShareRole, SearchRole };
    explicit ProgramModel(QObject* parent = nullptr);

    void setTree(ProgramTree tree);
    void setBase(const std::optional<ProgramTree>& base);
    /// Rows that belong to the selected operation or layer are tinted.
    void setMarked(std::int64_t operation, std::int64_t layer);
    void setTheme(const Theme& theme) { theme_ = theme; }
    const ProgramTree& tree() const { return tree_; }
    QModelIndex indexOf(std::size_t step, int column = 0) const;
    std::size_t stepAt(const QModelIndex& index) const { return index.internalId(); }
    bool comparing() const { return base_.has_value(); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString textOf(const ProgramStep& step, int column, std::size_t index) const;
    QColor colorOf(const ProgramStep& step) const;
    std::optional<std::int64_t> baseCycles(std::size_t step) const;

    ProgramTree tree_;
    std::optional<std::map<QString, std::int64_t>> base_; ///< cycles by path
    Theme theme_ = Theme::light();
    std::int64_t operation_ = -1;
    std::int64_t layer_ = -1;
};

} // namespace tilescope::ui
