// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/session/view.h"

#include <QTest>
#include <functional>
#include <gtest/gtest.h>

namespace tilescope::tests {

/// A view with a made-up profile, shown, its questions answered; and the selection that it shares.
template<class V>
class ShownView {
  public:
    using Record = std::function<Result<void>(const std::string& path)>;
    explicit ShownView(const FixtureSize& size = small_fixture, QSize window = {1200, 800})
        : ShownView([&](const std::string& path) { return record_fixture(path, size); }, window) {}
    explicit ShownView(const Record& record, QSize window = {1200, 800}) {
        const std::string path = folder_ / "run.tilescope";
        EXPECT_TRUE(record(path));
        source = ui::ProfileSource::open(QString::fromStdString(path));
        view.resize(window);
        view.setSelection(&selection);
        view.setSources({source, nullptr});
        view.show();
        settle();
    }
    ~ShownView() { view.setSources({}); }

    /// Lets the view work until nothing is asked any more, and it shows what it was told.
    void settle() {
        const auto rests = [this] {
            if constexpr (requires { view.atRest(); })
                if (!view.atRest())
                    return false;
            return source->pending() == 0;
        };
        for (int round = 0; round < 2; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor(rests, 20000));
        }
    }

  private:
    TemporaryFolder folder_;

  public:
    std::shared_ptr<ui::ProfileSource> source;
    ui::SelectionModel selection;
    V view;
};

} // namespace tilescope::tests
