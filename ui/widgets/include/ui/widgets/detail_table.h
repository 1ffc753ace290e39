// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace tilescope::ui {

/// A table of names and values for the panel at the side; rows with an empty value are left out.
class DetailTable {
  public:
    /// `name` may be rich text.
    void row(const QString& name, const QString& value);
    /// A value that is rich text, as a link to what it names (subjectLink).
    void richRow(const QString& name, const QString& html);
    /// Values that are rich text, a line each, in their order; of more than `most` the row says how many more
    /// there are.
    void list(const QString& name, const QStringList& html, qsizetype most);
    /// The same of `count` lines, of which only those are made that are shown: line(0), line(1) and so on.
    template<class Line>
    void list(const QString& name, std::size_t count, qsizetype most, const Line& line) {
        QStringList first;
        for (std::size_t i = 0; i < count && first.size() < most; ++i)
            first << line(i);
        firstOf(name, first, static_cast<qsizetype>(count));
    }
    void firstOf(const QString& name, const QStringList& html, qsizetype count); ///< of so many lines these
    QString html(const QString& title) const;

  private:
    QString rows_;
};

} // namespace tilescope::ui
