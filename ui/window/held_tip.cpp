// SPDX-License-Identifier: GPL-3.0-or-later
#include "held_tip.h"

#include <QApplication>
#include <QCursor>
#include <QPalette>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

bool HeldTip::hold(QWidget* window) {
    const QString text = QToolTip::text();
    if (!QToolTip::isVisible() || text.isEmpty())
        return false;
    QPoint at = QCursor::pos();
    for (const QWidget* each : QApplication::topLevelWidgets())
        if (each->isVisible() && each->windowType() == Qt::ToolTip)
            at = each->pos();
    QToolTip::hideText();
    (new HeldTip(text, at, window))->show();
    return true;
}

HeldTip::HeldTip(const QString& text, const QPoint& at, QWidget* window) : QFrame(window, Qt::Popup) {
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    setPalette(QToolTip::palette());
    auto* shown = new QTextBrowser;
    shown->setObjectName(QStringLiteral("heldTip"));
    shown->setAccessibleName(tr("Tip"));
    shown->setFrameShape(QFrame::NoFrame);
    shown->setPalette(QToolTip::palette());
    shown->setOpenLinks(false);
    Qt::mightBeRichText(text) ? shown->setHtml(text) : shown->setPlainText(text);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2, 2, 2, 2);
    layout->addWidget(shown);
    constexpr int most_letters = 90;
    QTextDocument& document = *shown->document();
    document.setTextWidth(-1);
    const double most = most_letters * fontMetrics().averageCharWidth();
    document.setTextWidth(std::min(document.idealWidth(), most));
    const int more = 2 * fontMetrics().averageCharWidth(); // than the words have: they must not break again
    shown->setFixedSize(static_cast<int>(std::ceil(document.textWidth())) + more,
                        static_cast<int>(std::ceil(document.size().height())) + 2);
    adjustSize();
    move(at);
    shown->selectAll(); // Ctrl+C copies it
    shown->setFocus();
}

} // namespace tilescope::ui
