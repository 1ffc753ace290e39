// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/hdf5_file.h"
#include "tests/temporary_folder.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <hdf5.h>

namespace tilescope::formats {
namespace {

constexpr std::array<hsize_t, 1> two = {2};

/// A file with the data set "x" of 1 and 2.
void write_numbers(const std::string& path) {
    const std::array<float, 2> values = {1, 2};
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, two.data(), nullptr);
    const hid_t set = H5Dcreate2(file, "x", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

/// A file whose data set "x" is made by `how`, with the properties that it sets.
template<class How>
void write_set(const std::string& path, const How& how) {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, two.data(), nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    how(properties, space);
    const hid_t set = H5Dcreate2(file, "x", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    EXPECT_GE(set, 0);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Fclose(file);
}

/// The line that refuses it; "" where it is read.
std::string refusal(const std::string& path) {
    const auto file = Hdf5File::open(path);
    return file ? "" : file.error().message;
}

TEST(Hdf5File, IsNotReadWhereItTakesNumbersFromOtherFiles) {
    const tests::TemporaryFolder folder;
    const std::string other = folder / "other.h5", path = folder / "a.h5";
    write_numbers(other);
    const auto whole = Hdf5File::open(other);
    ASSERT_TRUE(whole) << whole.error().line();
    EXPECT_EQ(whole->floats("x")->floats()[1], 2);

    const std::string wanted = "the file takes what it holds from other files, which are not read";
    std::ofstream(folder / "secret", std::ios::binary) << "12345678";
    write_set(path, [&](hid_t properties, hid_t) {
        H5Pset_external(properties, (folder / "secret").c_str(), 0, 8);
    });
    EXPECT_EQ(refusal(path), wanted) << "raw values";
    write_set(path, [&](hid_t properties, hid_t space) {
        H5Pset_virtual(properties, space, other.c_str(), "/x", space);
    });
    EXPECT_EQ(refusal(path), wanted) << "a virtual data set";

    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "layer", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(other.c_str(), "/x", group, "x", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Fclose(file);
    EXPECT_EQ(refusal(path), wanted) << "a link";
}

} // namespace
} // namespace tilescope::formats
