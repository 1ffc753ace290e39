// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>
#include <QSize>
#include <QString>
#include <QTextBrowser>
#include <QUrl>

namespace tilescope::ui {

/// A page of the help. Its lines and pictures keep a width that reads well, however wide the window is; of
/// pictures, which pages name in light, those of the theme are shown, as soon as they are read.
class PageBrowser : public QTextBrowser {
    Q_OBJECT
  public:
    static constexpr int margin = 32;

    /// `folder`: what the names of pictures are relative to.
    explicit PageBrowser(const QString& folder) : folder_(folder) {}
    QVariant loadResource(int type, const QUrl& name) override;
    void startOver() { pictures_.clear(); }    ///< another page is set
    QString pathOf(const QUrl& picture) const; ///< in the theme

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QSize sizeOf(const QString& picture) const; ///< in pixels of the screen: as wide as the text, at most
    void read(const QUrl& picture);

    QString folder_;
    QSet<QUrl> pictures_; ///< of the page
};

} // namespace tilescope::ui
