// SPDX-License-Identifier: GPL-3.0-or-later
// What is read and worked out for the view, on another thread than the window's.
#include "base/try.h"
#include "ui/compare/compare_tables.h"
#include "ui/compare/compare_view.h"

#include <future>
#include <memory>

namespace tilescope::ui {

/// The tiles of an IPU, or of the one with the fullest tile of all.
Result<CompareView::Tiles> CompareView::readTiles(const profile::Profile& file, std::int64_t ipu) {
    Tiles tiles{ipu, {}};
    if (ipu == analyse::every_ipu) {
        TRY(const auto fullest, analyse::fullest_tile(file));
        tiles.ipu = fullest ? fullest->ipu : 0;
    }
    TRY(tiles.memory, analyse::memory_parts(file, {tiles.ipu}));
    return tiles;
}

Result<CompareView::Compared> CompareView::read(const profile::Profile& now, const Question& question) {
    const std::vector<std::string>& paths = question.paths;
    TRY(const auto base, profile::Profile::open(paths.front()));
    std::vector<std::unique_ptr<profile::Profile>> files;
    std::vector<const profile::Profile*> runs;
    for (std::size_t i = 1; i < paths.size(); ++i) {
        if (i - 1 == question.front) {
            runs.push_back(&now);
            continue;
        }
        TRY(auto file, profile::Profile::open(paths[i]));
        runs.push_back(file.get());
        files.push_back(std::move(file));
    }
    TRY(const auto parts, analyse::Parts::read(now));
    TRY(const auto base_parts, analyse::Parts::read(*base));
    auto matches = std::async(std::launch::async, [&] {
        return analyse::matched_parts(base_parts, parts, question.by_hand[question.front]);
    });
    TRY(auto comparisons, analyse::compare_all(*base, runs, question.ipu, question.basis, question.by_hand));
    TRY(const auto ipus, now.ipus());
    TRY(const auto target, base->target());
    TRY(auto tiles, readTiles(now, question.ipu));
    TRY(auto base_tiles, readTiles(*base, question.ipu));
    Compared compared{.runs = std::move(comparisons),
                      .tiles = std::move(tiles),
                      .base_tiles = std::move(base_tiles),
                      .matches = matches.get(),
                      .clock_hz = target.clock_hz};
    for (const profile::Profile* run : runs) {
        TRY(const auto other, run->target());
        if (other.clock_hz != target.clock_hz)
            compared.clock_hz = 0;
    }
    for (const auto& layer : parts.layers)
        compared.layers[layer.name] = layer.id;
    for (const auto& operation : parts.operations) {
        compared.operations[operation.name] = operation.id;
        compared.layer_of_operation[operation.id] = operation.layer_id;
    }
    for (const auto& record : ipus)
        compared.ipus.push_back(record.id);
    compared.layer_rows =
        costRows(compared.runs, question.front, &analyse::Comparison::layers, compared.layers);
    compared.operation_rows =
        costRows(compared.runs, question.front, &analyse::Comparison::operations, compared.operations);
    compared.cause_rows = causeRows(compared.runs, question.names, compared.layers, compared.clock_hz);
    compared.plan_rows = planRows(compared.runs, question.names, compared.operations, compared.clock_hz);
    return compared;
}

} // namespace tilescope::ui
