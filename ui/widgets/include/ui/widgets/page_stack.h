// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QStackedWidget>
#include <functional>

class QLabel;
class QPushButton;

namespace tilescope::ui {

/// The page of a view, or a text in its place, where the view has nothing to show.
class PageStack : public QStackedWidget {
    Q_OBJECT
  public:
    /// Fills the whole of `view`. The text, which is empty, is shown first.
    PageStack(QWidget* page, QWidget* view);
    void setText(const QString& html); ///< plain or rich text, its lines from the left
    void setText(const Error& error);  ///< but for one that was cancelled
    void showText() { setCurrentIndex(0); }
    void showText(const QString& html);
    /// With a button below that does something about it.
    void showText(const QString& html, const QString& offer, std::function<void()> done);
    void showPage() { setCurrentIndex(1); }

  private:
    QLabel* text_;
    QPushButton* offer_;
    std::function<void()> done_; ///< by the button
};

} // namespace tilescope::ui
