// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison_file.h"

#include <QString>
#include <QStringList>
#include <map>
#include <utility>

namespace tilescope::ui {

/// What was said by hand to be the same of pairs of files, by their paths. Base and new may be swapped. The
/// settings keep it at once, for the next time that the two are compared.
class HandMatching {
  public:
    HandMatching(); ///< with what the settings keep
    analyse::HandMatches of(const QString& base, const QString& now) const;
    void set(const QString& base, const QString& now, const analyse::HandMatches& by_hand);

    void set(const analyse::SavedComparison& comparison); ///< its matches hold from now on
    /// The same comparison with the matches that hold.
    analyse::SavedComparison asNow(analyse::SavedComparison comparison) const;

    /// A file has this now: it was saved there, or read from there. Files that have the same pairs are not
    /// asked about any more.
    void setSaved(const QString& file, const analyse::SavedComparison& comparison);
    const analyse::SavedComparison& saved(const QString& file) const { return saved_.at(file); }
    bool changed(const QString& file) const; ///< other matches hold than those that it has
    QStringList changedFiles() const;
    /// Some matches that hold are neither those of `comparison` nor in a file that is known.
    bool wouldLose(const analyse::SavedComparison& comparison) const;

  private:
    void keep(const QString& base, const QString& now, const analyse::HandMatches& by_hand);
    std::map<std::pair<QString, QString>, analyse::HandMatches> pairs_;
    std::map<QString, analyse::SavedComparison> saved_; ///< by file
};

} // namespace tilescope::ui
