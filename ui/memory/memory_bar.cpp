// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_bar.h"

#include "ui/session/format.h"
#include "ui/session/ipu_choices.h"
#include "ui/tiles/tile_field.h"
#include "ui/widgets/flow_layout.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

namespace tilescope::ui {
namespace {

constexpr int step_choice = 2; ///< of `when`: the selected step

} // namespace

MemoryBar::MemoryBar(QWidget* parent)
    : QWidget(parent), tiles_(new TileField(QStringLiteral("memoryTiles"))), gaps_(new QCheckBox(tr("gaps"))),
      limit_(new QCheckBox(tr("limit"))) {
    setLayout(new FlowLayout(14, 4));
    ipus_ = combo(QStringLiteral("memoryIpus"), tr("IPUs"), tr("Whose tiles are shown"));
    layout()->addWidget(tiles_);
    by_ = combo(QStringLiteral("memoryParts"), tr("By"), tr("What the bytes of a tile are parted by"));
    by_->addItems({tr("category"), tr("region"), tr("liveness"), tr("chosen variables")});
    when_ =
        combo(QStringLiteral("memoryWhen"), tr("Live"), tr("Which bytes are shown: those that live then"));
    when_->addItems({tr("at each tile's own peak"), tr("at the peak step of its IPU"),
                     tr("at the selected step"), tr("always")});
    order_ = combo(QStringLiteral("memoryOrder"), tr("Map"),
                   tr("Tiles as they lie on the chip, or by their numbers (O)"));
    order_->addItems({tr("floor plan"), tr("by number")});
    gaps_->setObjectName(QStringLiteral("memoryGaps"));
    gaps_->setChecked(true);
    gaps_->setToolTip(tr("The end of each tile's highest allocation, which must fit: drawn dotted"));
    limit_->setChecked(true);
    limit_->setToolTip(tr("The memory of a tile"));
    auto* drawn = new QWidget; // they stay together where there is no room for both in the line
    auto* both = new QHBoxLayout(drawn);
    both->setContentsMargins({});
    both->addWidget(gaps_);
    both->addWidget(limit_);
    layout()->addWidget(drawn);
    connect(ipus_, &QComboBox::activated, this,
            [this] { Q_EMIT ipuChosen(ipus_->currentData().toLongLong()); });
    connect(tiles_, &TileField::typed, this, &MemoryBar::tilesTyped);
    connect(tiles_, &TileField::left, this, &MemoryBar::tilesLeft);
    connect(by_, &QComboBox::currentIndexChanged, this, [this] {
        when_->setEnabled(by() != analyse::PartsBy::Region); // else it is not recorded
        Q_EMIT askedAnew();
    });
    connect(when_, &QComboBox::currentIndexChanged, this, &MemoryBar::askedAnew);
    connect(order_, &QComboBox::currentIndexChanged, this, &MemoryBar::orderChosen);
    connect(gaps_, &QCheckBox::toggled, this, &MemoryBar::drawnAnew);
    connect(limit_, &QCheckBox::toggled, this, &MemoryBar::drawnAnew);
}

QComboBox* MemoryBar::combo(const QString& name, const QString& label, const QString& tip) {
    auto* pair = new QWidget;
    auto* line = new QHBoxLayout(pair);
    line->setContentsMargins({});
    auto* box = new QComboBox;
    box->setObjectName(name);
    box->setAccessibleName(label);
    box->setToolTip(tip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    line->addWidget(new QLabel(label));
    line->addWidget(box);
    layout()->addWidget(pair);
    return box;
}

void MemoryBar::setIpus(const std::vector<std::int64_t>& ipus, std::int64_t shown) {
    offerIpus(*ipus_, tr("all %1").arg(ipus.size()), ipus);
    ipus_->setEnabled(ipus.size() > 1);
    ipus_->setCurrentIndex(std::max(0, ipus_->findData(static_cast<qlonglong>(shown))));
}

void MemoryBar::setTiles(const QString& text) {
    tiles_->setText(text);
}

void MemoryBar::setWrong(const QString& text) {
    tiles_->setWrong(text);
}

void MemoryBar::setStep(std::int64_t step) {
    when_->setItemText(step_choice,
                       step < 0 ? tr("at the selected step") : tr("at step %1").arg(formatCount(step)));
}

void MemoryBar::choose(analyse::PartsBy by) {
    by_->setCurrentIndex(static_cast<int>(by));
}

void MemoryBar::choose(analyse::LiveWhen when) {
    when_->setCurrentIndex(static_cast<int>(when));
}

void MemoryBar::setOrder(analyse::TileOrder order) {
    order_->setCurrentIndex(static_cast<int>(order));
}

analyse::PartsBy MemoryBar::by() const {
    return static_cast<analyse::PartsBy>(by_->currentIndex());
}

analyse::LiveWhen MemoryBar::when() const {
    return by() == analyse::PartsBy::Region ? analyse::LiveWhen::OwnPeak
                                            : static_cast<analyse::LiveWhen>(when_->currentIndex());
}

QString MemoryBar::whenText() const {
    switch (when()) {
    case analyse::LiveWhen::IpuPeak:
        return tr("at the peak step of its IPU");
    case analyse::LiveWhen::Step:
        return when_->itemText(step_choice);
    case analyse::LiveWhen::Always:
        return tr("always live");
    case analyse::LiveWhen::OwnPeak:
        break;
    }
    return by() == analyse::PartsBy::Variables ? tr("whether live or not") : tr("each tile at its own peak");
}

bool MemoryBar::gaps() const {
    return gaps_->isChecked();
}

void MemoryBar::setGaps(bool drawn) {
    gaps_->setChecked(drawn);
}

bool MemoryBar::limit() const {
    return limit_->isChecked();
}

analyse::TileOrder MemoryBar::order() const {
    return static_cast<analyse::TileOrder>(order_->currentIndex());
}

} // namespace tilescope::ui
