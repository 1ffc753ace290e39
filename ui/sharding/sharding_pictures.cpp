// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/link_matrix.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/widgets/legend.h"

#include <QComboBox>
#include <QEvent>
#include <QSplitter>

namespace tilescope::ui {

QWidget* ShardingView::makePictures() {
    canvas_ = new SystemCanvas;
    canvas_->setObjectName(QStringLiteral("shardingCanvas"));
    matrix_ = new LinkMatrix;
    matrix_->setObjectName(QStringLiteral("shardingMatrix"));
    pictures_ = new QSplitter(Qt::Horizontal);
    pictures_->setChildrenCollapsible(false);
    pictures_->addWidget(canvas_);
    pictures_->addWidget(matrix_);
    constexpr int boxes = 700, cells = 300; // pixels, where there are as many: bytes need room beside arrows
    pictures_->setSizes({boxes, cells});
    pictures_->setStretchFactor(0, 7);
    pictures_->setStretchFactor(1, 3);
    picture_ = new QComboBox;
    picture_->setObjectName(QStringLiteral("shardingPicture"));
    picture_->setAccessibleName(tr("Show"));
    picture_->setToolTip(tr("Boxes with arrows, or a matrix of what goes from IPU to IPU (M)"));
    picture_->addItem(tr("links"));
    picture_->addItem(tr("matrix"));
    connect(picture_, &QComboBox::activated, this, [this](int index) { choosePicture(index == 1); });
    return pictures_;
}

bool ShardingView::hasMatrix() const {
    return map_.ipus.size() > 1 &&
           (!map_.traffic.links.empty() || (map_.base && !map_.base->traffic.links.empty()));
}

bool ShardingView::showsBoth() const {
    constexpr int lines = 88; // across: then the boxes are no smaller for it
    return hasMatrix() && width() >= lines * fontMetrics().height();
}

/// What has the focus and goes gives it to the other.
void ShardingView::arrangePictures() {
    const bool matrix = hasMatrix() && (showsBoth() || picture_->currentIndex() == 1);
    const bool boxes = showsBoth() || !matrix;
    const bool focus = (!matrix && matrix_->hasFocus()) || (!boxes && canvas_->hasFocus());
    const bool others = canvas_->isHidden() == boxes;
    matrix_->setVisible(matrix);
    canvas_->setVisible(boxes);
    if (others && sources().current && !map_.ipus.empty())
        showHeading();
    picture_->setVisible(hasMatrix() && !showsBoth());
    QWidget* first = boxes ? static_cast<QWidget*>(canvas_) : matrix_;
    setFocusProxy(first);
    if (focus)
        first->setFocus();
}

/// Where both are seen, the keys go there.
void ShardingView::choosePicture(bool matrix) {
    if (!hasMatrix())
        return;
    picture_->setCurrentIndex(matrix ? 1 : 0);
    arrangePictures();
    (matrix ? static_cast<QWidget*>(matrix_) : canvas_)->setFocus();
}

void ShardingView::showMatrix() {
    if (!hasMatrix())
        return;
    matrix_->setMap(std::make_shared<const SystemMap>(map_), legend_->hidden(), sources().difference);
    matrix_->setLink(link_);
    if (selection() != nullptr)
        matrix_->setSelected({selection()->current().ipu});
}

void ShardingView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    arrangePictures();
}

void ShardingView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::FontChange && pictures_ != nullptr)
        arrangePictures();
}

QJsonObject ShardingView::saveState() const {
    return {{QStringLiteral("matrix"), picture_->currentIndex() == 1}};
}

void ShardingView::restoreState(const QJsonObject& state) {
    picture_->setCurrentIndex(state[QStringLiteral("matrix")].toBool() ? 1 : 0);
    arrangePictures();
}

} // namespace tilescope::ui
