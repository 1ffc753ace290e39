// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

namespace tilescope::ui {

/// Details as they are read: names may break behind their parts, numbers stay with their units. Ctrl+C copies
/// what is selected of them, else all.
class DetailsText : public QTextBrowser {
    Q_OBJECT
  public:
    DetailsText();
    /// Rich text that may name colours by their role (Theme::filled); "": there is none, and `hint` is said.
    void showDetails(const QString& html, const QString& hint);
    /// The title, and a line of each row, its name and its value parted by a tab; of a value of several lines
    /// one of each.
    QString toText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    Q_INVOKABLE void copy(); // in place of that of all texts, which copies what is selected alone
    void copyAll();          ///< where there is something

  Q_SIGNALS:
    void allCopied();

  protected:
    QMimeData* createMimeDataFromSelection() const override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void write();
    int letters(int count) const;

    QString html_, hint_;
};

} // namespace tilescope::ui
