// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tilescope::ui {

/// A table of names and values for the panel at the side; rows with an empty value are left out.
class DetailTable {
  public:
    /// `name` may be rich text.
    void row(const QString& name, const QString& value);
    /// A value that is rich text, as a link to what it names (subjectLink).
    void richRow(const QString& name, const QString& html);
    QString html(const QString& title) const;

  private:
    QString rows_;
};

} // namespace tilescope::ui
