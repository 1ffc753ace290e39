// SPDX-License-Identifier: GPL-3.0-or-later
#include "page_browser.h"

#include "ui/session/in_background.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QImage>
#include <QImageReader>
#include <QTextDocument>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int widest_text = 860; ///< longer lines are hard to read

} // namespace

QString PageBrowser::pathOf(const QUrl& picture) const {
    QString path = QDir::cleanPath(folder_ + QLatin1Char('/') + picture.path());
    if (Theme::current().dark)
        path.replace(QLatin1String("/light/"), QLatin1String("/dark/"));
    return path;
}

QSize PageBrowser::sizeOf(const QString& picture) const {
    const QSize whole = QImageReader(picture).size();
    const int width = qRound((lineWrapColumnOrWidth() - 2 * margin) * devicePixelRatioF());
    return width <= 0 || whole.width() <= width ? whole
                                                : QSize(width, whole.height() * width / whole.width());
}

/// Its place is kept free, and it comes there.
QVariant PageBrowser::loadResource(int type, const QUrl& name) {
    if (type != QTextDocument::ImageResource)
        return QTextBrowser::loadResource(type, name);
    const QSize size = sizeOf(pathOf(name));
    if (size.isEmpty())
        return {};
    pictures_.insert(name);
    read(name);
    QImage place(size, QImage::Format_RGB32);
    place.fill(Theme::current().window);
    place.setDevicePixelRatio(devicePixelRatioF());
    return place;
}

void PageBrowser::read(const QUrl& picture) {
    const QString path = pathOf(picture);
    inBackground(
        this,
        [path, size = sizeOf(path), ratio = devicePixelRatioF()] {
            QImage image = QImage(path).convertToFormat(QImage::Format_RGB32);
            if (image.size() != size)
                image = image.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
            image.setDevicePixelRatio(ratio);
            return image;
        },
        [this, picture, path](const QImage& image) {
            if (pathOf(picture) != path || sizeOf(path) != image.size())
                return; // theme or width are others by now, and it is read again
            document()->addResource(QTextDocument::ImageResource, picture, image);
            viewport()->update();
        });
}

void PageBrowser::resizeEvent(QResizeEvent* event) {
    setLineWrapMode(QTextEdit::FixedPixelWidth);
    const int before = lineWrapColumnOrWidth();
    setLineWrapColumnOrWidth(std::min(viewport()->width(), widest_text));
    if (lineWrapColumnOrWidth() != before && !pictures_.isEmpty()) {
        for (const QUrl& name : std::as_const(pictures_))
            document()->addResource(QTextDocument::ImageResource, name,
                                    loadResource(QTextDocument::ImageResource, name));
        document()->markContentsDirty(0, document()->characterCount());
    }
    QTextBrowser::resizeEvent(event);
}

} // namespace tilescope::ui
