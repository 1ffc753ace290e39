// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/query/sql_examples.h"

#include <QFile>
#include <QRegularExpression>

namespace tilescope::ui {

std::vector<SqlExample> sqlExamples(const QString& markdown) {
    static const QRegularExpression block(QStringLiteral("```sql\\n(.*?)```"),
                                          QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression question(QStringLiteral("(?:^|[.!?)]\\s)([A-Z][^.?!]*\\?)[^?]*$"));
    std::vector<SqlExample> examples;
    qsizetype before = 0;
    for (auto it = block.globalMatch(markdown); it.hasNext();) {
        const auto match = it.next();
        const QString sql = match.captured(1).trimmed();
        const QString text =
            markdown.mid(before, match.capturedStart() - before).section(QStringLiteral("\n\n"), -2);
        before = match.capturedEnd();
        if (!sql.startsWith(QLatin1String("SELECT"), Qt::CaseInsensitive))
            continue;
        const auto asked = question.match(text.simplified());
        examples.push_back(
            {asked.hasMatch() ? asked.captured(1) : sql.section(QLatin1Char('\n'), 0, 0), sql});
    }
    return examples;
}

std::vector<SqlExample> documentedExamples() {
    QFile page(QStringLiteral(":/docs/schema.md"));
    return page.open(QIODevice::ReadOnly) ? sqlExamples(QString::fromUtf8(page.readAll()))
                                          : std::vector<SqlExample>();
}

} // namespace tilescope::ui
