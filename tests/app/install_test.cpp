// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

class Install : public CommandTest {
  protected:
    void SetUp() override {
        const Outcome installed =
            run_program({"cmake", "--install", TILESCOPE_BIN_DIR "/..", "--prefix", folder / "usr"});
        ASSERT_EQ(installed.exit_code, 0) << installed.err;
    }
    std::string path(const std::string& name) const { return folder / ("usr/" + name); }
    std::string only(const std::string& name) const { ///< of a file in lib/, whatever it is called here
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "usr"))
            if (entry.path().filename() == name)
                return entry.path().string();
        ADD_FAILURE() << "no " << name;
        return {};
    }
};

TEST_F(Install, TheProgramRunsFromWhereItLies) {
    const Outcome version = run_program({path("bin/tilescope"), "--version"});
    EXPECT_EQ(version.out, printed({"--version"}));
    const std::string profile = folder / "run.tilescope";
    const Outcome profiled =
        run_program({path("bin/tilescope"), "profile", path("share/tilescope/samples/tutorial_basic.json"),
                     "-o", profile});
    EXPECT_EQ(profiled.exit_code, 0) << profiled.err;
    const Outcome libraries = run_program({"ldd", path("bin/tilescope")});
    EXPECT_EQ(libraries.out.find(TILESCOPE_BIN_DIR), std::string::npos) << libraries.out;
    EXPECT_TRUE(holds(libraries.out, "libtilescope_kernels_v3.so => " + path("bin/"))) << libraries.out;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "an extension with a sanitizer needs a shell with it";
#endif
    const Outcome queried = run_program({"sqlite3", profile, ".load " + only("tilescope_sqlite.so"),
                                         "SELECT count(*) FROM tile_values('memory', 0, 0, 'total')"});
    EXPECT_EQ(queried.out, "1472\n") << queried.err;
}

TEST_F(Install, TheWindowIsKnownToTheDesktop) {
    const std::string id = "org.tilescope.tilescope";
    const std::string entry = read_file(path("share/applications/" + id + ".desktop"));
    EXPECT_TRUE(holds(entry, "Exec=tilescope-gui %F\n"));
    EXPECT_TRUE(std::filesystem::exists(path("bin/tilescope-gui")));
    EXPECT_TRUE(holds(entry, "Icon=" + id + "\n"));
    EXPECT_TRUE(std::filesystem::exists(path("share/icons/hicolor/scalable/apps/" + id + ".svg")));
    const std::string types = read_file(path("share/mime/packages/" + id + ".xml"));
    std::string all;
    for (const auto& [name, pattern] :
         {std::pair("profile", "*.tilescope"), std::pair("comparison", "*.tilescope-compare")}) {
        const std::string type = std::string("application/x-tilescope-") + name;
        all += type + ";";
        EXPECT_TRUE(holds(types, "\"" + type + "\""));
        EXPECT_TRUE(holds(types, "\"" + std::string(pattern) + "\""));
    }
    EXPECT_TRUE(holds(entry, "MimeType=" + all + "\n"));
}

TEST_F(Install, TheAppStreamDataAreValid) {
    const Outcome valid = run_program({"appstreamcli", "validate", "--no-net",
                                       path("share/metainfo/org.tilescope.tilescope.metainfo.xml")});
    if (valid.exit_code == 127)
        GTEST_SKIP() << "appstreamcli is not installed";
    EXPECT_EQ(valid.exit_code, 0) << valid.out << valid.err;
}

// The file manager tells a profile from any other database by its first bytes.
TEST_F(Install, AProfileHasTheMagicOfItsMimeType) {
    const std::string profile = read_file(record_tutorial());
    EXPECT_EQ(profile.substr(0, 16), std::string("SQLite format 3\0", 16));
    EXPECT_EQ(profile.substr(68, 4), "TSCP");
    EXPECT_TRUE(holds(read_file(path("share/mime/packages/org.tilescope.tilescope.xml")),
                      R"(offset="68" value="TSCP")"));
}

} // namespace
} // namespace tilescope::tests
