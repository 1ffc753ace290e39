// SPDX-License-Identifier: GPL-3.0-or-later
#include "hand_matching.h"

#include "ui/session/format.h"

#include <QSettings>
#include <algorithm>

namespace tilescope::ui {
namespace {

using analyse::HandMatches;
using analyse::SavedComparison;

constexpr const char* key = "compare/matches";
constexpr const char* place = "/"; ///< to which paths in the settings are relative
constexpr qsizetype most_pairs = 500;

/// Of pairs of files, those that were changed last first.
QList<SavedComparison> kept() {
    QList<SavedComparison> pairs;
    for (const QString& written : QSettings().value(QLatin1String(key)).toStringList())
        if (const auto pair = analyse::parse_comparison(written.toStdString(), place))
            pairs << *pair;
    return pairs;
}

bool isOf(const SavedComparison& pair, const QString& base, const QString& now) {
    const QString first = text(pair.base), second = text(pair.front);
    return (first == base && second == now) || (first == now && second == base);
}

bool sharesPair(const SavedComparison& a, const SavedComparison& b) {
    const auto of_b = [&b](const std::string& base, const std::string& now) {
        return std::any_of(b.runs.begin(), b.runs.end(), [&](const SavedComparison::Run& run) {
            return (b.base == base && run.path == now) || (b.base == now && run.path == base);
        });
    };
    return std::any_of(a.runs.begin(), a.runs.end(),
                       [&](const SavedComparison::Run& run) { return of_b(a.base, run.path); });
}

} // namespace

HandMatching::HandMatching() {
    for (const SavedComparison& pair : kept())
        pairs_[{text(pair.base), text(pair.front)}] = pair.runs.front().matches;
}

HandMatches HandMatching::of(const QString& base, const QString& now) const {
    if (const auto found = pairs_.find({base, now}); found != pairs_.end())
        return found->second;
    const auto other = pairs_.find({now, base});
    return other == pairs_.end() ? HandMatches() : swapped(other->second);
}

void HandMatching::set(const QString& base, const QString& now, const HandMatches& by_hand) {
    if (of(base, now) == by_hand)
        return;
    pairs_.erase({now, base});
    pairs_[{base, now}] = by_hand;
    keep(base, now, by_hand);
}

/// What other windows have kept meanwhile stays.
void HandMatching::keep(const QString& base, const QString& now, const HandMatches& by_hand) {
    QList<SavedComparison> pairs = kept();
    pairs.removeIf([&](const SavedComparison& pair) { return isOf(pair, base, now); });
    if (!by_hand.empty())
        pairs.prepend({base.toStdString(), {{now.toStdString(), by_hand}}, now.toStdString()});
    QStringList written;
    for (const SavedComparison& pair : pairs.mid(0, most_pairs))
        written << text(analyse::comparison_text(pair, place));
    QSettings().setValue(QLatin1String(key), written);
}

void HandMatching::set(const SavedComparison& comparison) {
    for (const SavedComparison::Run& run : comparison.runs)
        set(text(comparison.base), text(run.path), run.matches);
}

SavedComparison HandMatching::asNow(SavedComparison comparison) const {
    for (SavedComparison::Run& run : comparison.runs)
        run.matches = of(text(comparison.base), text(run.path));
    return comparison;
}

void HandMatching::setSaved(const QString& file, const SavedComparison& comparison) {
    std::erase_if(saved_, [&](const auto& known) { return sharesPair(known.second, comparison); });
    saved_[file] = comparison;
}

bool HandMatching::changed(const QString& file) const {
    const auto found = saved_.find(file);
    return found != saved_.end() &&
           std::any_of(found->second.runs.begin(), found->second.runs.end(),
                       [&](const SavedComparison::Run& run) {
                           return of(text(found->second.base), text(run.path)) != run.matches;
                       });
}

QStringList HandMatching::changedFiles() const {
    QStringList files;
    for (const auto& [file, comparison] : saved_)
        if (changed(file))
            files << file;
    return files;
}

bool HandMatching::wouldLose(const SavedComparison& comparison) const {
    const auto kept_by = [this](const SavedComparison& file, const QString& base, const QString& now) {
        return std::any_of(file.runs.begin(), file.runs.end(), [&](const SavedComparison::Run& run) {
            return text(file.base) == base && text(run.path) == now && run.matches == of(base, now);
        });
    };
    const QString base = text(comparison.base);
    return std::any_of(comparison.runs.begin(), comparison.runs.end(), [&](const SavedComparison::Run& run) {
        const QString now = text(run.path);
        return !of(base, now).empty() && of(base, now) != run.matches &&
               std::none_of(saved_.begin(), saved_.end(),
                            [&](const auto& known) { return kept_by(known.second, base, now); });
    });
}

} // namespace tilescope::ui
