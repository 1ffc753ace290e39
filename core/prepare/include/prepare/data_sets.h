// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "formats/idx_file.h"
#include "run/data_set.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>

namespace tilescope::prepare {

enum class Split { Train, Test };

/// Whether read_idx would find its files.
bool has_idx(const std::string& folder, const std::string& name, Split split);

/// Reads FOLDER/NAME/{train,t10k}-{images-idx3,labels-idx1}-ubyte, plain or .gz (or the same files in
/// FOLDER). Errors: BadInput for missing files (and where they were looked for), a wrong magic number, a file
/// cut short or longer than its header says, images and labels that differ in number.
Result<run::DataSet> read_idx(const std::string& folder, const std::string& name, Split split);

/// The same as bytes: [images, rows, columns], and [labels].
struct IdxBytes {
    formats::IdxFile images, labels;
};
Result<IdxBytes> read_idx_bytes(const std::string& folder, const std::string& name, Split split);

/// Data of one's own, by the file's ending: .npz with the arrays x and y; .npy with the labels in another;
/// .csv with the class in the last column. Labels are classes from 0 on, or one-hot rows; unsigned bytes are
/// scaled to 0 … 1. A folder is one of images, a file with "sequence" one of texts. Errors: BadInput for what
/// cannot be read, for samples without a label, for labels that are no classes.
/// `words_from`: the file whose words texts are told by; "" for their own.
Result<run::DataSet> read_own_data(const workload::DataSpec& spec, const std::string& words_from = {});

/// PNG and JPEG files in a folder for each class, in the order of the folders' names, scaled to 0 … 1.
/// Images are scaled bilinearly to `spec.image_size` where it is given; else they are of one size.
Result<run::DataSet> read_image_folder(const workload::DataSpec& spec);

/// A text on each line, after its class and a tab, as `spec.sequence` tokens: cut, or filled with 0. Tokens
/// are numbers, or with `spec.vocabulary` words, as Keras' TextVectorization numbers them: in lower case,
/// without punctuation, 1 for words that are not among the most frequent ones of `words_from`, which begin
/// with 2.
Result<run::DataSet> read_texts(const workload::DataSpec& spec, const std::string& words_from);

/// Numbers from 0 to 1 and classes, both uniform, drawn from the seed.
run::DataSet random_data(const graph::Shape& shape, std::int64_t classes, std::int64_t count,
                         std::uint64_t seed);

/// The built-in digits: 28 x 28, ten classes, strokes drawn with a random affine distortion, thickness and
/// noise. Sample i depends on seed, split and i only.
run::DataSet synthetic_digits(std::int64_t count, Split split, std::uint64_t seed);

} // namespace tilescope::prepare
