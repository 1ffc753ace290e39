// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace tilescope::profile {

/// Rows of a table that were read once for all who ask for them. They never change, whatever becomes of the
/// file: a copy of this is another hold on the same rows, on any thread.
template<class Row>
class SharedRows {
  public:
    using value_type = Row;
    using const_iterator = typename std::vector<Row>::const_iterator;

    SharedRows() : SharedRows(std::vector<Row>()) {}
    SharedRows(std::vector<Row> rows) // NOLINT(google-explicit-constructor): these are the rows
        : rows_(std::make_shared<const std::vector<Row>>(std::move(rows))) {}

    /// For who takes a vector: valid as long as a hold on the rows is.
    operator const std::vector<Row>&() const& { return *rows_; } // NOLINT(google-explicit-constructor)
    operator const std::vector<Row>&() const&& = delete;
    /// Copies of those for which `wanted(row)` holds.
    template<class Wanted>
    std::vector<Row> those(const Wanted& wanted) const {
        std::vector<Row> some;
        std::copy_if(begin(), end(), std::back_inserter(some), wanted);
        return some;
    }

    const_iterator begin() const { return rows_->begin(); }
    const_iterator end() const { return rows_->end(); }
    std::size_t size() const { return rows_->size(); }
    bool empty() const { return rows_->empty(); }
    const Row& operator[](std::size_t i) const { return (*rows_)[i]; }
    const Row& at(std::size_t i) const { return rows_->at(i); }
    const Row& front() const { return rows_->front(); }
    const Row& back() const { return rows_->back(); }
    /// Whether they are the same read.
    bool shares(const SharedRows& other) const { return rows_ == other.rows_; }

  private:
    std::shared_ptr<const std::vector<Row>> rows_;
};

} // namespace tilescope::profile
