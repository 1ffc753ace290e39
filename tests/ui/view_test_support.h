// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/session/view.h"

#include <QTest>
#include <algorithm>
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

    /// Lets the view work until none of its files is asked anything any more, and it shows what it was told:
    /// what is asked of one file may follow from the answer of another.
    void settle() {
        const auto rests = [this] {
            const auto answered = [](const std::shared_ptr<ui::ProfileSource>& file) {
                return file == nullptr || file->pending() == 0;
            };
            const ui::Sources& shown = view.sources();
            return view.atRest() && answered(source) && answered(shown.current) && answered(shown.base) &&
                   std::ranges::all_of(shown.compared, answered);
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
