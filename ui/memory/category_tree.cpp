// SPDX-License-Identifier: GPL-3.0-or-later
#include "category_tree.h"

#include "ui/session/format.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QHeaderView>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
CategoryTree::CategoryTree(QWidget* parent) : QTreeWidget(parent) {
    setAccessibleName(tr("Categories"));
    setRootIsDecorated(true);
    setTabKeyNavigation(false);
    setUniformRowHeights(true);
    header()->setStretchLastSection(false);
    addChartActions(this, tr("Categories"), [this](QChar separator) { return toText(separator); });
}

void CategoryTree::show(const std::vector<analyse::MemoryNode>& nodes,
                        const std::vector<std::int64_t>& columns, std::int64_t tiles) {
    QStringList heads{tr("Memory")};
    for (const std::int64_t tile : columns)
        heads << tr("tile %1").arg(tile);
    if (columns.empty())
        heads << tr("%1 tiles").arg(formatCount(tiles));
    if (columns.size() == 2)
        heads << tr("Second less first");
    clear();
    setColumnCount(static_cast<int>(heads.size()));
    setHeaderLabels(heads);
    std::vector<QTreeWidgetItem*> above; // by depth
    for (const analyse::MemoryNode& node : nodes) {
        // A damaged file may have parts of what it has nothing of: they stand under what is above that.
        const std::size_t depth = std::min(static_cast<std::size_t>(node.depth), above.size());
        above.resize(depth + 1);
        auto* item = depth == 0 ? new QTreeWidgetItem(this) : new QTreeWidgetItem(above[depth - 1]);
        above[depth] = item;
        item->setText(0, tr(node.name.c_str()));
        for (std::size_t c = 0; c < node.bytes.size(); ++c) {
            item->setText(static_cast<int>(c) + 1, formatBytes(node.bytes[c]));
            item->setToolTip(static_cast<int>(c) + 1, tr("%1 bytes").arg(formatCount(node.bytes[c])));
        }
        if (columns.size() == 2)
            item->setText(3, formatBytesDifference(static_cast<double>(node.bytes[1] - node.bytes[0])));
        for (int c = 1; c < columnCount(); ++c)
            item->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
    }
    expandAll();
    for (int c = 0; c < columnCount(); ++c) {
        headerItem()->setTextAlignment(c, c == 0 ? Qt::AlignLeft | Qt::AlignVCenter
                                                 : Qt::AlignRight | Qt::AlignVCenter);
        resizeColumnToContents(c);
        header()->resizeSection(c, header()->sectionSize(c) + 24);
    }
    if (topLevelItemCount() > 0)
        setCurrentItem(topLevelItem(0));
}

QString CategoryTree::toText(QChar separator) const {
    QStringList line;
    for (int c = 0; c < columnCount(); ++c)
        line << headerItem()->text(c);
    QString text = tableLine(line, separator);
    for (QTreeWidgetItemIterator at(const_cast<CategoryTree*>(this)); *at != nullptr; ++at) {
        line.clear();
        for (int c = 0; c < columnCount(); ++c)
            line << (*at)->text(c);
        text += tableLine(line, separator);
    }
    return text;
}

} // namespace tilescope::ui
