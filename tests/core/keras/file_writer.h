// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <hdf5.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <zip.h>

namespace tilescope::tests {

/// An HDF5 file that a test writes, with the calls that h5py makes for Keras.
class Hdf5Writer {
  public:
    explicit Hdf5Writer(const std::string& path)
        : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
        if (file_ < 0)
            throw std::runtime_error("cannot write " + path);
    }
    ~Hdf5Writer() { H5Fclose(file_); }
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    /// With the groups around it.
    void group(const std::string& path) {
        for (std::size_t end = 0; end != std::string::npos;) {
            end = path.find('/', end + 1);
            const std::string part = path.substr(0, end);
            if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0)
                H5Gclose(H5Gcreate2(file_, part.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        }
    }

    /// A text of variable length, as of a Python str.
    void text(const std::string& group, const std::string& name, const std::string& value) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
        const char* pointer = value.c_str();
        attribute(group, name, type, H5Screate(H5S_SCALAR), &pointer);
    }

    /// A list of texts, of fixed length as of NumPy's bytes, or of variable length.
    void texts(const std::string& group, const std::string& name, const std::vector<std::string>& values,
               bool fixed = true) {
        const hsize_t count = values.size();
        const hid_t type = H5Tcopy(H5T_C_S1);
        if (fixed) {
            std::size_t longest = 1;
            for (const std::string& value : values)
                longest = std::max(longest, value.size());
            std::vector<char> bytes(longest * values.size(), '\0');
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i].copy(bytes.data() + i * longest, longest);
            H5Tset_size(type, longest);
            H5Tset_strpad(type, H5T_STR_NULLPAD);
            attribute(group, name, type, H5Screate_simple(1, &count, nullptr), bytes.data());
            return;
        }
        std::vector<const char*> pointers;
        pointers.reserve(values.size());
        for (const std::string& value : values)
            pointers.push_back(value.c_str());
        H5Tset_size(type, H5T_VARIABLE);
        attribute(group, name, type, H5Screate_simple(1, &count, nullptr), pointers.data());
    }

    /// The empty list, which h5py takes for one of numbers.
    void no_texts(const std::string& group, const std::string& name) {
        const hsize_t none = 0;
        attribute(group, name, H5Tcopy(H5T_NATIVE_DOUBLE), H5Screate_simple(1, &none, nullptr), &none);
    }

    void floats(const std::string& path, const std::vector<hsize_t>& shape,
                const std::vector<float>& values) {
        group(path.substr(0, path.rfind('/')));
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t set =
            H5Dcreate2(file_, path.c_str(), H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Dclose(set);
        H5Sclose(space);
    }

    /// A data set of floats of which nothing is written: it takes no place in the file.
    void no_floats(const std::string& path, const std::vector<hsize_t>& shape) {
        group(path.substr(0, path.rfind('/')));
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        H5Dclose(
            H5Dcreate2(file_, path.c_str(), H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Sclose(space);
    }

  private:
    void attribute(const std::string& group, const std::string& name, hid_t type, hid_t space,
                   const void* values) {
        const hid_t at = H5Oopen(file_, group.empty() ? "/" : group.c_str(), H5P_DEFAULT);
        const hid_t made = H5Acreate2(at, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(made, type, values);
        H5Aclose(made);
        H5Oclose(at);
        H5Sclose(space);
        H5Tclose(type);
    }
    hid_t file_;
};

/// Writes a zip archive of (name, content).
inline void write_zip(const std::string& path,
                      const std::vector<std::pair<std::string, std::string>>& entries) {
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    if (archive == nullptr)
        throw std::runtime_error("cannot write " + path);
    for (const auto& [name, content] : entries)
        zip_file_add(archive, name.c_str(), zip_source_buffer(archive, content.data(), content.size(), 0),
                     ZIP_FL_OVERWRITE);
    if (zip_close(archive) != 0)
        throw std::runtime_error("cannot write " + path);
}

} // namespace tilescope::tests
