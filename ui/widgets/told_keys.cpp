// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/told_keys.h"

#include <QVariant>
#include <QWidget>

namespace tilescope::ui {
namespace {
constexpr const char* told = "toldKeys"; ///< the name, then keys and what they do by turns
} // namespace

void tellKeys(QWidget* part, const QString& name, const QList<ToldKeys>& keys) {
    QStringList all{name};
    for (const ToldKeys& each : keys)
        all << each.keys << each.does;
    part->setProperty(told, all);
}

KeysOfPart toldKeys(const QWidget& part) {
    const QStringList all = part.property(told).toStringList();
    if (all.isEmpty())
        return {};
    KeysOfPart of{all.front(), {}};
    for (qsizetype i = 1; i + 1 < all.size(); i += 2)
        of.keys << ToldKeys{all[i], all[i + 1]};
    return of;
}

} // namespace tilescope::ui
