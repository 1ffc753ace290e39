// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/also_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace tilescope::ui {

QString alsoText(const std::vector<std::int64_t>& alike) {
    constexpr std::size_t most_named = 4; // with the first
    if (alike.size() < 2)
        return {};
    QStringList others;
    std::for_each(alike.begin() + 1, alike.end(), [&](std::int64_t ipu) { others << QString::number(ipu); });
    return alike.size() > most_named
               ? QCoreApplication::translate("AlikeIpus", " (also %1 more)").arg(others.size())
               : QCoreApplication::translate("AlikeIpus", " (also %1)")
                     .arg(others.join(QStringLiteral(", ")));
}

QString ipuName(std::int64_t ipu, const std::vector<std::int64_t>& alike, const QString& does) {
    const QString name = QCoreApplication::translate("AlikeIpus", "IPU %1").arg(ipu);
    return (does.isEmpty() ? name : name + QStringLiteral(", ") + does) + alsoText(alike);
}

} // namespace tilescope::ui
