// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/told_news.h"

#include <QAccessible>
#include <QLabel>

namespace tilescope::ui {

void tellNews(QLabel& label, const QString& text) {
    label.setText(text);
    label.setAccessibleName(text);
    if (text.isEmpty() || !QAccessible::isActive())
        return;
    QAccessibleEvent event(&label, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

} // namespace tilescope::ui
