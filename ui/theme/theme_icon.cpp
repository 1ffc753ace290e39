// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"

#include <QBuffer>
#include <QFile>
#include <QIconEngine>
#include <QImageReader>
#include <QPainter>
#include <QPixmapCache>

namespace tilescope::ui {
namespace {

QPixmap drawn(const QByteArray& lines, const QColor& color, const QSize& size) {
    QByteArray svg = lines;
    svg.replace("currentColor", color.name().toUtf8());
    QBuffer buffer(&svg);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer, "svg");
    reader.setScaledSize(size);
    return QPixmap::fromImage(reader.read());
}

/// Looks its colour up whenever it is drawn.
class ThemeIconEngine : public QIconEngine {
  public:
    ThemeIconEngine(const QString& name, const QByteArray& lines, ThemeColor off, ThemeColor on)
        : name_(name), lines_(lines), off_(off), on_(on) {}
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        const Theme& theme = Theme::current();
        QColor color = (state == QIcon::On ? on_ : off_).in(theme);
        if (mode == QIcon::Disabled)
            color = ChartStyle::mixed(theme.panel, theme.muted, 0.45);
        const QString key = QStringLiteral("tilescope icon %1 %2 %3x%4")
                                .arg(name_, color.name())
                                .arg(size.width())
                                .arg(size.height());
        QPixmap picture;
        if (!QPixmapCache::find(key, &picture)) {
            picture = drawn(lines_, color, size);
            QPixmapCache::insert(key, picture);
        }
        return picture;
    }
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const double scale = painter->device()->devicePixelRatio();
        painter->drawPixmap(rect, pixmap((QSizeF(rect.size()) * scale).toSize(), mode, state));
    }
    QIconEngine* clone() const override { return new ThemeIconEngine(*this); }
    QList<QSize> availableSizes(QIcon::Mode, QIcon::State) override {
        return {{16, 16}, {24, 24}, {32, 32}, {48, 48}};
    }

  private:
    QString name_;
    QByteArray lines_;
    ThemeColor off_;
    ThemeColor on_;
};

} // namespace

QIcon themeIcon(const QString& name, ThemeColor color) {
    return themeIcon(name, color, color);
}

QIcon themeIcon(const QString& name, ThemeColor off, ThemeColor on) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? QIcon(new ThemeIconEngine(name, file.readAll(), off, on))
                                          : QIcon();
}

} // namespace tilescope::ui
