// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/help_pages.h"

#include <QDialog>
#include <QStringList>
#include <functional>
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

    /// Shows a page by name, from the heading on where one is given, as soon as it is set.
    void showPage(const QString& name, const QString& heading = {});
    QString page() const;                              ///< name of the page that is shown, or is to be
    bool atRest() const { return set_turn_ == turn_; } ///< it is shown

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void makeActions();
    void listPages();
    void setPage(const HelpPage& page, std::function<void()> then); ///< `then`: once it is shown
    void showPage(const QString& name, const std::function<void()>& then);
    void goToHeading(const QString& heading);
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
    int turn_ = 0;     ///< of the pages that were asked for
    int set_turn_ = 0; ///< of the page that is seen
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
