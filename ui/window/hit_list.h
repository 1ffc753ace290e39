// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/search/search_index.h"

#include <QAbstractTableModel>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// The rows of the search: hits, and below those of a kind of which there are more a row that asks for all.
class HitList : public QAbstractTableModel {
    Q_OBJECT
  public:
    using QAbstractTableModel::QAbstractTableModel;
    void setAnswer(SearchAnswer answer);
    const SearchAnswer& answer() const { return answer_; }
    const SearchHit* hit(int row) const;            ///< null: the row is none
    std::optional<HitKind> kind(int row) const;     ///< nullopt: there is no such row
    std::optional<HitKind> wantsAll(int row) const; ///< the kind of which the row asks for all

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

  private:
    struct Row {
        HitKind kind{};
        std::size_t hit = 0; ///< index in the answer; `rest`: it asks for all
    };
    static constexpr int of_kind = 0, of_name = 1; ///< columns, and behind them what is remarked
    static constexpr std::size_t rest = static_cast<std::size_t>(-1);
    QString textOf(const Row& row, int column) const;

    SearchAnswer answer_;
    std::vector<Row> rows_;
};

} // namespace tilescope::ui
