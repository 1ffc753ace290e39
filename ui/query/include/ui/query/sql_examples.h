// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace tilescope::ui {

/// A question and the SQL that answers it.
struct SqlExample {
    QString question;
    QString sql;
};

/// The queries of a documentation page: each block of SQL that selects, asked by the last sentence before it
/// that ends with a question mark or, without one, by its first line.
std::vector<SqlExample> sqlExamples(const QString& markdown);

/// Those of the page about the profile file.
std::vector<SqlExample> documentedExamples();

} // namespace tilescope::ui
