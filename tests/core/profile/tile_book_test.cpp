// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tilescope::profile {
namespace {

using Tiles = std::vector<std::int64_t>;

/// A file of two replicas of two IPUs with these addresses of variables of the second IPU, by id.
class TileBook : public testing::Test {
  protected:
    void record(const std::vector<Tiles>& addresses) {
        auto recorder = *Recorder::create(path, {});
        for (std::int64_t ipu = 0; ipu < 4; ++ipu)
            recorder->add(IpuRecord{ipu, ipu, "", ipu / 2, ipu % 2});
        for (std::size_t id = 0; id < addresses.size(); ++id)
            recorder->add_tile_values("variable", static_cast<std::int64_t>(id), 1, "address", addresses[id]);
        ASSERT_TRUE(recorder->finish(RunStatus::Complete));
        profile = std::move(*Profile::open(path));
        for (std::size_t id = 0; id < addresses.size(); ++id)
            for (const std::int64_t ipu : {1, 3})
                EXPECT_EQ(*profile->tile_values("variable", static_cast<std::int64_t>(id), ipu, "address"),
                          addresses[id])
                    << id << " on IPU " << ipu;
        EXPECT_TRUE(profile->tile_values("variable", 0, 0, "address")->empty()) << "another shard";
        EXPECT_TRUE(profile->tile_values("variable", 0, 9, "address")->empty()) << "no IPU of the run";
    }
    std::string number(const std::string& sql) const { return *profile->query(sql)->rows[0][0].text; }

    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> profile;
    std::mt19937_64 random{7};
    Tiles noise() {
        Tiles values(1472);
        for (std::int64_t& value : values)
            value = static_cast<std::int64_t>(random() % 600'000);
        return values;
    }
};

TEST_F(TileBook, EqualNumbersAreOneBlob) {
    record({{1, 2, 3}, {1, 2, 3}, {1, 2, 4}, {1, 2, 3}, {1, 2, 3, 0}});
    EXPECT_EQ(number("SELECT count(*) FROM tile_blob"), "3");
    EXPECT_EQ(number("SELECT count(*) FROM tile_entry"), "5");
    EXPECT_EQ(number("SELECT count(*) FROM tile_array"), "10") << "of each of the replicas";
    EXPECT_EQ(number("SELECT sum(sum) FROM tile_array"), std::to_string(2 * (3 * 6 + 7 + 6)));
}

// As addresses do that follow from what is below them.
TEST_F(TileBook, NumbersThatDifferByLittleAreKeptAsTheDifference) {
    std::vector<Tiles> addresses = {noise(), noise()};
    for (int i = 0; i < 20; ++i) {
        addresses.push_back(addresses[static_cast<std::size_t>(i % 2)]);
        for (std::size_t t = 0; t < 1472; ++t)
            addresses.back()[t] += t < 700 ? 8 * i : 64;
    }
    addresses.push_back(Tiles(100, 5));
    record(addresses);
    EXPECT_EQ(number("SELECT count(*) FROM tile_blob WHERE base_id >= 0"), "20");
    EXPECT_EQ(number("SELECT count(*) FROM tile_blob b JOIN tile_blob base ON base.id = b.base_id WHERE "
                     "base.base_id >= 0"),
              "0");
    EXPECT_LT(std::stoi(number("SELECT max(length(data)) FROM tile_blob WHERE base_id >= 0")), 16);
}

TEST_F(TileBook, GivesBackWhateverItWasGiven) {
    std::vector<Tiles> addresses;
    for (int i = 0; i < 300; ++i) {
        Tiles values = i % 3 == 0 || addresses.empty() ? noise() : addresses[random() % addresses.size()];
        for (std::size_t changes = random() % 40; changes > 0; --changes)
            values[random() % values.size()] = static_cast<std::int64_t>(random() % 100) - 1;
        if (i % 50 == 49)
            values.resize(random() % 1472);
        addresses.push_back(std::move(values));
        addresses.push_back(addresses[random() % addresses.size()]);
    }
    record(addresses);
}

} // namespace
} // namespace tilescope::profile
