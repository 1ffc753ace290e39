// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QListWidget;
class QTextBrowser;

namespace tilescope::ui {

/// The documentation of resources/docs, page by page.
class HelpWindow : public QDialog {
    Q_OBJECT
  public:
    explicit HelpWindow(QWidget* parent = nullptr);

  private:
    void showPage(const QString& name);
    QListWidget* pages_;
    QTextBrowser* text_;
};

} // namespace tilescope::ui
