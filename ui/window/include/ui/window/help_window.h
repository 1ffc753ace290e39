// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/help_pages.h"

#include <QDialog>
#include <QStringList>
#include <map>

class QLabel;
class QLineEdit;
class QListWidget;
class QUrl;

namespace tilescope::ui {

class PageBrowser;

/// The documentation: its contents with a search at the left, the page at the right. While something is
/// searched, the contents are the pages that have it, with the number of hits.
class HelpWindow : public QDialog {
    Q_OBJECT
  public:
    explicit HelpWindow(QWidget* parent = nullptr, const QString& folder = QStringLiteral(":/docs"));

    /// Shows a page by name, from the heading on where one is given.
    void showPage(const QString& name, const QString& heading = {});
    QString page() const; ///< name of the page that is shown

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void makeActions();
    void listPages();
    void setPage(const HelpPage& page);
    const QString& textOf(const HelpPage& page);
    void readTexts();
    void markHits();
    void goToHit(int step); ///< 1: the next, -1: the previous; on to another page behind the last
    void follow(const QUrl& link);
    void showPicture(const QString& path);
    void go(int step); ///< -1: back, 1: forward

    QList<HelpPage> pages_;
    std::map<QString, QString> texts_; ///< by page, as they are needed
    int shown_ = -1;
    int hit_ = -1;
    QStringList visited_; ///< names of pages
    int place_ = -1;      ///< of the page that is shown in them
    QLineEdit* search_;
    QLabel* found_;
    QListWidget* contents_;
    PageBrowser* text_;
    QAction* back_ = nullptr;
    QAction* forward_ = nullptr;
};

} // namespace tilescope::ui
