// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_text.h"
#include "ui/liveness/liveness_curve.h"
#include "ui/theme/theme.h"

#include <QImage>
#include <gtest/gtest.h>
#include <memory>

namespace tilescope::ui {

// The first step that is over, the peak and the step that is looked at lie so close to each other that the
// name of each has no room before the line of the next.
TEST(LivenessMarks, NoLineGoesThroughANameOfAnother) {
    auto live = std::make_shared<analyse::Liveness>();
    live->bytes_per_tile = 1000;
    live->tiles = 4;
    for (std::int64_t step = 0; step < 100; ++step) {
        const std::int64_t bytes = 2000 - 10 * std::abs(step - 50);
        live->points.push_back({step, 100, bytes, step >= 48 ? 1200 : 300, step});
        live->step_names.push_back("step");
    }
    LivenessCurve curve;
    curve.setData(live, nullptr, false);
    curve.setStep(53);
    curve.resize(900, 300);
    const QImage image = curve.grab().toImage();
    const Theme& theme = Theme::light();
    int named = 0;
    for (const tests::DrawnText& name : tests::drawn_texts(curve)) {
        if (name.text != QStringLiteral("first over: step 48") && name.text != QStringLiteral("peak step") &&
            name.text != QStringLiteral("step 53"))
            continue;
        ++named;
        const QRect place = name.place.toRect();
        for (int x = place.left(); x <= place.right(); ++x)
            for (const QColor& line : {theme.bad, theme.muted, theme.accent}) {
                int high = 0;
                for (int y = place.top(); y <= place.bottom(); ++y)
                    high += image.pixelColor(x, y) == line ? 1 : 0;
                EXPECT_LT(high, place.height()) << name.text.toStdString() << " at " << x;
            }
    }
    EXPECT_EQ(named, 3);
}

} // namespace tilescope::ui
