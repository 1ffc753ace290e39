// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_backdrop.h"

#include "ui/graph/graph_painter.h"
#include "ui/session/in_background.h"

#include <QPainter>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double more_around = 0.25; ///< of the view on each side, so that a short pan finds it painted

GraphPainter painter_of(const GraphBackdrop::Content& content, double scale) {
    GraphPainter painter(*content.graph, *content.scene, content.theme, content.font, scale);
    painter.compareWith(content.base.get(), content.difference);
    painter.colorBy(content.shades);
    return painter;
}

QImage picture_of(const GraphBackdrop::Content& content, const QRectF& area, double scale) {
    QImage image((area.size() * scale * content.ratio).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
    image.setDevicePixelRatio(content.ratio);
    image.fill(content.theme.window);
    QPainter painter(&image);
    painter.scale(scale, scale);
    painter.translate(-area.topLeft());
    GraphMarks marks;
    marks.hits = content.hits;
    painter_of(content, scale).paint(painter, marks, area);
    return image;
}

} // namespace

GraphBackdrop::GraphBackdrop(Ask content, QObject* parent) : QObject(parent), content_(std::move(content)) {}

void GraphBackdrop::forget() {
    picture_ = {};
    outdated_ = false;
    ++round_;
}

bool GraphBackdrop::holds(const QRectF& visible, double scale) const {
    return !picture_.isNull() && !outdated_ && scale_ == scale && area_.contains(visible);
}

void GraphBackdrop::paint(QPainter& painter, const QRectF& visible, double scale) {
    const auto at = [&](const QPointF& scene) { return (scene - visible.topLeft()) * scale; };
    if (!area_.contains(visible) || picture_.isNull()) {
        const Content content = content_();
        painter.save();
        painter.scale(scale, scale);
        painter.translate(-visible.topLeft());
        painter_of(content, scale).paintSmall(painter);
        painter.restore();
    }
    if (!picture_.isNull()) {
        if (scale_ == scale) // pixel by pixel
            painter.drawImage(at(area_.topLeft()).toPoint(), picture_);
        else
            painter.drawImage(QRectF(at(area_.topLeft()), area_.size() * scale), picture_);
    }
    if (!holds(visible, scale))
        ask(visible, scale);
}

void GraphBackdrop::ask(const QRectF& visible, double scale) {
    if (std::exchange(asked_, true))
        return; // once that one is there, what is seen then is asked for
    outdated_ = false;
    const double x = visible.width() * more_around;
    const double y = visible.height() * more_around;
    const QRectF area = visible.adjusted(-x, -y, x, y);
    inBackground(
        this, [content = content_(), area, scale] { return picture_of(content, area, scale); },
        [this, area, scale, round = round_](QImage picture) {
            asked_ = false;
            if (round == round_) {
                picture_ = std::move(picture);
                area_ = area;
                scale_ = scale;
            }
            Q_EMIT arrived();
        });
}

} // namespace tilescope::ui
