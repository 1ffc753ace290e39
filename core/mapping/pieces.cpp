// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/pieces.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::mapping {
namespace {

using Numbers = std::vector<std::int32_t>;

/// Cuts one dimension after the other, each between the boxes that have the same of those before.
class Cutter {
  public:
    explicit Cutter(const std::vector<const Box*>& boxes) : boxes_(boxes) {}

    std::vector<Piece> take() {
        Numbers all(boxes_.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<std::int32_t>(i);
        if (!all.empty()) {
            const std::size_t dims = boxes_.front()->begin.size();
            cut(all, 0, {Shape(dims, 0), Shape(dims, 0)});
        }
        return std::move(pieces_);
    }

  private:
    const Box& box(std::int32_t number) const { return *boxes_[static_cast<std::size_t>(number)]; }

    /// `cell`: what all of `among` share in the dimensions before d.
    void cut(const Numbers& among, std::size_t d, Box cell) {
        if (d == cell.begin.size())
            return keep(among, std::move(cell));
        if (among.size() == 1) {
            for (; d < cell.begin.size(); ++d) {
                cell.begin[d] = box(among[0]).begin[d];
                cell.end[d] = box(among[0]).end[d];
            }
            return keep(among, std::move(cell));
        }
        std::vector<std::int64_t> cuts;
        for (const std::int32_t number : among) {
            cuts.push_back(box(number).begin[d]);
            cuts.push_back(box(number).end[d]);
        }
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        Numbers coming = among; // by where they begin
        std::stable_sort(coming.begin(), coming.end(),
                         [&](std::int32_t a, std::int32_t b) { return box(a).begin[d] < box(b).begin[d]; });
        auto next = coming.begin();
        Numbers here;
        for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
            std::erase_if(here, [&](std::int32_t number) { return box(number).end[d] <= cuts[c]; });
            for (; next != coming.end() && box(*next).begin[d] == cuts[c]; ++next)
                here.insert(std::upper_bound(here.begin(), here.end(), *next), *next);
            if (here.empty())
                continue;
            cell.begin[d] = cuts[c];
            cell.end[d] = cuts[c + 1];
            cut(here, d + 1, cell);
        }
    }

    void keep(const Numbers& of, Box cell) {
        const auto [found, fresh] = numbers_.try_emplace(of, pieces_.size());
        if (fresh)
            pieces_.push_back({of, {}});
        pieces_[found->second].cells.push_back(std::move(cell));
    }

    const std::vector<const Box*>& boxes_;
    std::vector<Piece> pieces_;
    std::map<Numbers, std::size_t> numbers_; ///< of pieces, by the boxes that they are of
};

} // namespace

std::vector<Piece> pieces_of(const std::vector<const Box*>& boxes) {
    return Cutter(boxes).take();
}

} // namespace tilescope::mapping
