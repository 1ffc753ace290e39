// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_text.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/path_delegate.h"

#include <QApplication>
#include <QFontMetrics>
#include <QTableView>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

QFontMetrics metrics() {
    return QFontMetrics(QApplication::font());
}

/// Of `text` in as many pixels as `shorter` takes.
std::string in(const char* shorter, const char* text) {
    const int width = metrics().horizontalAdvance(QString::fromUtf8(shorter));
    return shortened(QString::fromUtf8(text), metrics(), width).toStdString();
}

} // namespace

TEST(Shortened, PartsGoFromTheMiddleOfAPathAndTheLastStaysWithWhatIsBehindIt) {
    for (const auto& [shorter, text] :
         {std::pair("layer_*/Gelu/gradient/gelu_gradient × 24", "layer_*/Gelu/gradient/gelu_gradient × 24"),
          std::pair("layer_*/…/gradient/gelu_gradient × 24",
                    "layer_*/intermediate/output/Gelu/gradient/gelu_gradient × 24"),
          std::pair("…/gelu_gradient × 24", "layer_*/Gelu/gradient/gelu_gradient × 24"),
          std::pair("…/gelu_gradient  × 1,024", "layer_*/Gelu/gradient/gelu_gradient  × 1,024"),
          std::pair("bert/…/input in order", "bert/kernel/update/read_by_all/input in order"),
          std::pair("…/exchange(input)", "layer_2/MatMul/exchange(input)")})
        EXPECT_EQ(in(shorter, text), shorter);
}

TEST(Shortened, OfASentenceTheEndGoes) {
    const std::string cut = in("Nothing is laid out", "Nothing is laid out of dense/MatMul in this run");
    EXPECT_TRUE(cut.starts_with("Nothing is")) << cut;
    EXPECT_TRUE(cut.ends_with("…")) << cut;
}

TEST(Shortened, WhatHasNoRoomForItsLastPartKeepsItsCount) {
    const std::string name = in("…/gradient × 24", "layer_*/Gelu/gradient/gelu_gradient × 24");
    EXPECT_TRUE(name.starts_with("gel")) << name;
    EXPECT_TRUE(name.ends_with("gradient × 24") || name.ends_with("ient × 24")) << name;
    EXPECT_NE(name.find("…"), std::string::npos) << name;
}

TEST(Shortened, NeverIsWiderThanItsRoom) {
    for (const char* text : {"layer_2_intermediate/MatMul/gradient/matmul/exchange(input)", "accumulator × 9",
                             "lamb/word_embeddings/unscale/all_reduce in order", "one name without a path"}) {
        const QString whole = QString::fromUtf8(text);
        for (int width = 60; width < metrics().horizontalAdvance(whole); width += 7)
            EXPECT_LE(metrics().horizontalAdvance(shortened(whole, metrics(), width)), width) << text;
    }
}

TEST(DataTable, ACutNameIsDrawnWithItsLastPartAndItsCount) {
    DataTable table(QStringLiteral("Steps"), {{QStringLiteral("Step")}, {QStringLiteral("Cycles")}});
    table.setRows(
        {{0, {textCell(QStringLiteral("layer_*/intermediate/Gelu/gelu_gradient × 24")), countCell(1)}},
         {1, {textCell(QStringLiteral("layer_*/intermediate/Gelu/gelu_gradient")), countCell(1)}}});
    table.resize(400, 200);
    table.show();
    QTest::qWait(1);
    table.view()->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.view()->setColumnWidth(0, metrics().horizontalAdvance(QStringLiteral("…/gelu_gradient × 24")) + 30);
    QStringList drawn;
    for (const tests::DrawnText& each : tests::drawn_texts(*table.view()->viewport()))
        drawn << each.text;
    EXPECT_TRUE(drawn.contains(QStringLiteral("…/gelu_gradient × 24"))) << drawn.join(u'|').toStdString();
    EXPECT_TRUE(drawn.contains(QStringLiteral("layer_*/…/gelu_gradient")) ||
                drawn.contains(QStringLiteral("…/gelu_gradient")))
        << drawn.join(u'|').toStdString();
}

} // namespace tilescope::ui
