// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of tile memory, and the context menu of the tiles.
#include "memory_bar.h"
#include "tile_tabs.h"
#include "ui/memory/memory_view.h"
#include "ui/session/format.h"
#include "ui/session/subject_menu.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QShortcut>
#include <utility>

namespace tilescope::ui {

QAction* MemoryView::addKey(const QString& text, const QKeySequence& key, const QString& tip,
                            std::function<void()> done) {
    QAction* action = addKeyAction(this, text, key, std::move(done));
    action->setToolTip(tip);
    return action;
}

void MemoryView::makeActions() {
    addViewAction(this, tr("Fullest tile"), {}, Qt::Key_X, tr("Go to the fullest tile of the run (X)"),
                  [this] { goToFullest(false); })
        ->setObjectName(QStringLiteral("fullest"));
    addKey(tr("Next fullest"), Qt::SHIFT | Qt::Key_X,
           tr("Go to the fullest tile of the next fullest IPU (Shift+X)"), [this] { goToFullest(true); });
    by_number_ =
        addViewAction(this, tr("By number"), {}, Qt::Key_I,
                      tr("Draw the tiles of all IPUs by their numbers alone, each as on the IPU where "
                         "it holds the most, or one IPU after the other (I)"),
                      [this] {
                          if (!isByNumber())
                              Q_EMIT message(tr("Only all IPUs of a run with several are drawn so."));
                          showParts();
                          showOverlay();
                          markTiles();
                      });
    by_number_->setObjectName(QStringLiteral("byNumber"));
    by_number_->setCheckable(true);
    addKey(tr("Map order"), Qt::Key_O, tr("Draw the tiles as they lie on the chip, or by their numbers (O)"),
           [this] {
               bar_->setOrder(bar_->order() == analyse::TileOrder::Physical ? analyse::TileOrder::Numeric
                                                                            : analyse::TileOrder::Physical);
           });
    addKey(tr("Draw variable"), Qt::Key_V,
           tr("Part the bars by the selected variable beside those chosen before, or no longer (V)"),
           [this] { drawVariable(); });
    auto* always =
        addKey(tr("Always live only"), Qt::Key_L, tr("Show and list only what is always live (L)"), nullptr);
    always->setCheckable(true);
    connect(always, &QAction::toggled, this, [this](bool only) {
        bar_->choose(only ? analyse::LiveWhen::Always : analyse::LiveWhen::OwnPeak);
        tabs_->listAlways(only);
    });
    connect(bar_, &MemoryBar::askedAnew, always,
            [this, always] { always->setChecked(bar_->when() == analyse::LiveWhen::Always); });
    auto* ever = addKey(tr("Ever live"), Qt::Key_E,
                        tr("List every variable that is ever on these tiles, not only those live at their "
                           "peak (E)"),
                        nullptr);
    ever->setCheckable(true);
    connect(ever, &QAction::toggled, tabs_, &TileTabs::listEver);
    fold_ =
        addKey(tr("Fold alike"), Qt::SHIFT | Qt::Key_E,
               tr("List variables whose names differ in numbers alone, as those of the layers of a stack, "
                  "as one row (Shift+E)"),
               nullptr);
    fold_->setCheckable(true);
    fold_->setChecked(true);
    connect(fold_, &QAction::toggled, tabs_, &TileTabs::fold);
    for (const auto& [key, by] : {std::pair(Qt::Key_PageDown, 1), std::pair(Qt::Key_PageUp, -1)}) {
        auto* tab = new QShortcut(Qt::CTRL | key, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(tab, &QShortcut::activated, this, [this, by = by] { tabs_->move(by); });
    }
}

void MemoryView::makeMenu() {
    const auto show = [this](QWidget& picture, const QPoint& global) { showMenu(picture, global); };
    offerMenuOf(chart_, show);
    offerMenuOf(map_, show);
}

void MemoryView::showMenu(QWidget& picture, const QPoint& global) {
    SubjectMenu menu(*this);
    const Selection s = selection() == nullptr ? Selection{} : selection()->current();
    if (!s.tiles.empty()) {
        menu.goTo({QStringLiteral("liveness"), QStringLiteral("exchange"), QStringLiteral("program"),
                   QStringLiteral("sharding")});
        menu.add(tr("Let go of the tiles"), [this, ipu = s.ipu] { select(ipu, {}); });
        menu.copy(tr("Copy name"), tilesText(parts_.run_ipus() > 1 ? s.ipu : std::int64_t{-1}, s.tiles));
    }
    menu.add(findChild<QAction*>(QStringLiteral("fullest")));
    menu.save(picture);
    menu.popup(global);
}

} // namespace tilescope::ui
