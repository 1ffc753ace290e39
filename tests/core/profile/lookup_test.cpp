// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/lookup.h"
#include "tests/profile_fixture.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::profile {
namespace {

/// As the rows of the program say.
std::set<std::int64_t> streaming_by_rows(const Profile& file) {
    std::set<std::int64_t> ipus;
    const auto program = file.program().value();
    for (const ProgramRecord& step : program)
        if (step.kind == StepKind::StreamCopy)
            ipus.insert(step.ipu);
    return ipus;
}

} // namespace

TEST(Lookup, WhichIpusStreamIsToldWithoutTheProgram) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "one.tilescope"));
    ASSERT_TRUE(tests::record_system(folder / "none.tilescope", {}));
    for (const auto& [name, any] : {std::pair("one.tilescope", true), std::pair("none.tilescope", false)}) {
        const auto file = Profile::open(folder / name);
        ASSERT_TRUE(file);
        const auto ipus = streaming_ipus(**file);
        ASSERT_TRUE(ipus);
        EXPECT_EQ(*ipus, streaming_by_rows(**file));
        EXPECT_EQ(!ipus->empty(), any) << name;
    }
}

} // namespace tilescope::profile
