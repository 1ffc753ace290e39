// SPDX-License-Identifier: GPL-3.0-or-later
#include "range_picture.h"

#include "ui/session/in_background.h"
#include "ui/theme/chart_style.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/legend.h"

#include <QLabel>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {

RangePicture::RangePicture(const Wanted& wanted, const QString& path, QWidget* parent)
    : QWidget(parent, Qt::Window), wanted_(wanted), path_(path) {
    setAttribute(Qt::WA_DontShowOnScreen); // what is hidden has no size
    setAttribute(Qt::WA_QuitOnClose, false);
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Window);
    heading_ = new QLabel(wanted.heading, this);
    timeline_ = new TimelineWidget(this);
    timeline_->setAnimated(false);
    timeline_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 12);
    layout->addWidget(heading_);
    layout->addWidget(legend_ = TraceView::legend(this));
    layout->addWidget(timeline_, 1);
    resize(wanted.width, wanted.like->height());
    QWidget::show();
    timeline_->lookLike(*wanted.like);
    timeline_->show(wanted.from, wanted.to);
    for (const TraceFeed* like : {wanted.now, wanted.base}) {
        if (like == nullptr)
            continue;
        auto* feed = feeds_.emplace_back(new TraceFeed(like->shared(), like->base(), this));
        feed->setLanes(wanted.lanes, wanted.tiles);
        feed->setShift(like->shift());
        connect(feed, &TraceFeed::slicesRead, this, &RangePicture::take, Qt::QueuedConnection);
        connect(feed, &TraceFeed::failed, this, &RangePicture::done);
        connect(feed, &TraceFeed::tablesRead, this, [this, feed] {
            feed->want(wanted_.from, wanted_.to, timeline_->view().cyclesPerPixel(), {});
        });
        feed->refresh();
    }
}

void RangePicture::take() {
    const bool all = std::all_of(feeds_.begin(), feeds_.end(), [](const TraceFeed* feed) {
        return feed->hasAllSeen() && feed->hasCounters();
    });
    if (painter_.isActive() || !all)
        return;
    for (const TraceFeed* feed : feeds_)
        feed->disconnect(this);
    timeline_->setGroups(TraceView::groupsOf(feeds_.front(), feeds_.size() > 1 ? feeds_.back() : nullptr));
    resize(width(), height() - timeline_->height() + timeline_->wholeHeight());
    timeline_->show(wanted_.from, wanted_.to);
    begin();
}

void RangePicture::begin() {
    if (isSvg(path_)) {
        svg_.open(QIODevice::WriteOnly);
        generator_.setOutputDevice(&svg_);
        generator_.setSize(size());
        generator_.setViewBox(rect());
        generator_.setTitle(QStringLiteral("Tilescope"));
        painter_.begin(&generator_);
    } else {
        constexpr double largest = 32000; // pixels on a side that a QPainter can draw
        const double scale = std::min({2.0, largest / width(), largest / height()});
        image_ = QImage((QSizeF(size()) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
        image_.setDevicePixelRatio(scale);
        painter_.begin(&image_);
    }
    painter_.fillRect(rect(), palette().window());
    for (QWidget* each : {static_cast<QWidget*>(heading_), static_cast<QWidget*>(legend_)})
        each->render(&painter_, each->pos(), {}, DrawChildren);
    painter_.translate(timeline_->pos());
    painter_.fillRect(timeline_->rect(), ChartStyle(timeline_).background);
    QTimer::singleShot(0, this, &RangePicture::drawNext);
}

void RangePicture::drawNext() {
    timeline_->paintPart(painter_, next_++);
    if (next_ < timeline_->parts())
        return QTimer::singleShot(0, this, &RangePicture::drawNext);
    painter_.end();
    write();
}

void RangePicture::write() {
    inBackground(
        this, [path = path_, svg = svg_.data(), image = image_] { return writePicture(svg, image, path); },
        [this](const Result<void>& written) {
            Q_EMIT done(written ? QString() : QString::fromStdString(written.error().line()));
        });
}

} // namespace tilescope::ui
