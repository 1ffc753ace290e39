// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/keras/layer_fixture.h"

#include <algorithm>
#include <cmath>

/// Layers with three field dimensions against sums written out element by element.
namespace tilescope::keras {
namespace {

using KerasVolumes = KerasLayerTest;

std::vector<float> varied(std::int64_t count, double phase) {
    std::vector<float> result;
    for (std::int64_t i = 0; i < count; ++i)
        result.push_back(static_cast<float>(std::sin(1.3 * static_cast<double>(i) + phase)));
    return result;
}

/// [depth, height, width, channels] of one sample.
struct Volume {
    Shape shape;
    std::vector<double> values;
    explicit Volume(Shape of)
        : shape(std::move(of)), values(static_cast<std::size_t>(graph::element_count(shape))) {}
    Volume(Shape of, const std::vector<float>& from)
        : shape(std::move(of)), values(from.begin(), from.end()) {}
    bool holds(const Shape& at) const {
        return std::equal(at.begin(), at.end(), shape.begin(),
                          [](auto a, auto n) { return a >= 0 && a < n; });
    }
    double& at(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t c) {
        return values[static_cast<std::size_t>(((z * shape[1] + y) * shape[2] + x) * shape[3] + c)];
    }
};

/// Calls `visit` with every output place, kernel place and the input place where they meet.
template<class Visit>
void meet(const Shape& outputs, const Shape& kernel, const Shape& strides, const Shape& before, Visit visit) {
    for (std::int64_t i = 0; i < outputs[0] * outputs[1] * outputs[2]; ++i)
        for (std::int64_t j = 0; j < kernel[0] * kernel[1] * kernel[2]; ++j) {
            const Shape o{i / (outputs[1] * outputs[2]), i / outputs[2] % outputs[1], i % outputs[2]};
            const Shape k{j / (kernel[1] * kernel[2]), j / kernel[2] % kernel[1], j % kernel[2]};
            Shape in(3);
            for (std::size_t d = 0; d < 3; ++d)
                in[d] = o[d] * strides[d] + k[d] - before[d];
            visit(o, k, in);
        }
}

TEST_F(KerasVolumes, AreConvolved) {
    // 4 x 3 x 5 with two channels; a kernel of 3 x 2 x 3 for three filters; strides 2, 1, 2; "same" pads one
    // slice behind in depth ((2 - 1) 2 + 3 - 4 = 1), one row behind, one column on either side.
    const std::vector<float> x = varied(4 * 3 * 5 * 2, 0.1);
    const std::vector<float> w = varied(3 * 2 * 3 * 2 * 3 + 3, 0.7);
    Volume in({4, 3, 5, 2}, x);
    Volume out({2, 3, 3, 3});
    for (std::size_t i = 0; i < out.values.size(); ++i)
        out.values[i] = static_cast<double>(w[w.size() - 3 + i % 3]); // biases
    meet(out.shape, {3, 2, 3}, {2, 1, 2}, {0, 0, 1}, [&](const Shape& o, const Shape& k, const Shape& at) {
        if (!in.holds(at))
            return;
        for (std::int64_t c = 0; c < 2; ++c)
            for (std::int64_t f = 0; f < 3; ++f)
                out.at(o[0], o[1], o[2], f) +=
                    in.at(at[0], at[1], at[2], c) *
                    static_cast<double>(
                        w[static_cast<std::size_t>((((k[0] * 2 + k[1]) * 3 + k[2]) * 2 + c) * 3 + f)]);
    });
    const Json config{
        {"filters", 3}, {"kernel_size", {3, 2, 3}}, {"strides", {2, 1, 2}}, {"padding", "same"}};
    expect_output(output({1, 4, 3, 5, 2}, {layer("Conv3D", config)}, x, w), {1, 2, 3, 3, 3}, out.values);
}

TEST_F(KerasVolumes, AreSpreadByTransposedConvolutions) {
    // Each element of 2 x 2 x 1 adds to a block of 2 x 3 x 2; strides 2, 1, 3. Blocks in width are 3 - 2
    // apart.
    const std::vector<float> x = varied(2 * 2 * 1 * 2, 0.1);
    const std::vector<float> w = varied(2 * 3 * 2 * 1 * 2, 0.7);
    Volume in({2, 2, 1, 2}, x);
    Volume out({4, 4, 3, 1});
    meet({2, 2, 1}, {2, 3, 2}, {2, 1, 3}, {0, 0, 0}, [&](const Shape& i, const Shape& k, const Shape& at) {
        for (std::int64_t c = 0; c < 2; ++c)
            out.at(at[0], at[1], at[2], 0) +=
                in.at(i[0], i[1], i[2], c) *
                static_cast<double>(w[static_cast<std::size_t>(((k[0] * 3 + k[1]) * 2 + k[2]) * 2 + c)]);
    });
    const Json config{
        {"filters", 1}, {"kernel_size", {2, 3, 2}}, {"strides", {2, 1, 3}}, {"use_bias", false}};
    expect_output(output({1, 2, 2, 1, 2}, {layer("Conv3DTranspose", config)}, x, w), {1, 4, 4, 3, 1},
                  out.values);
}

TEST_F(KerasVolumes, ArePooled) {
    const std::vector<float> x = varied(3 * 4 * 2 * 2, 0.4);
    Volume in({3, 4, 2, 2}, x);
    Volume largest({2, 2, 1, 2});
    Volume mean({2, 2, 1, 2});
    std::fill(largest.values.begin(), largest.values.end(), -2);
    std::vector<double> counts(mean.values.size());
    // Windows of 2 x 2 x 2 with "same": the second in depth has one slice only.
    meet({2, 2, 1}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, [&](const Shape& o, const Shape&, const Shape& at) {
        for (std::int64_t c = 0; c < 2 && in.holds(at); ++c) {
            double& best = largest.at(o[0], o[1], o[2], c);
            best = std::max(best, in.at(at[0], at[1], at[2], c));
            double& sum = mean.at(o[0], o[1], o[2], c);
            sum += in.at(at[0], at[1], at[2], c);
            ++counts[static_cast<std::size_t>(&sum - mean.values.data())];
        }
    });
    for (std::size_t i = 0; i < counts.size(); ++i)
        mean.values[i] /= counts[i];
    const Json same{{"pool_size", 2}, {"padding", "same"}};
    expect_output(output({1, 3, 4, 2, 2}, {layer("MaxPooling3D", same)}, x), {1, 2, 2, 1, 2}, largest.values);
    expect_output(output({1, 3, 4, 2, 2}, {layer("AveragePooling3D", same)}, x), {1, 2, 2, 1, 2},
                  mean.values);
    expect_output(output({1, 2, 1, 2, 2}, {layer("GlobalAveragePooling3D", {})}), {1, 2}, {3, 4});
    expect_output(output({1, 2, 1, 2, 2}, {layer("GlobalMaxPooling3D", {})}), {1, 2}, {6, 7});
}

TEST_F(KerasVolumes, ArePaddedCroppedAndRepeated) {
    expect_output(output({1, 1, 1, 2, 1}, {layer("ZeroPadding3D", {{"padding", {{1, 0}, {0, 0}, {0, 1}}}})}),
                  {1, 2, 1, 3, 1}, {0, 0, 0, 0, 1, 0});
    expect_output(output({1, 3, 3, 3, 1}, {layer("Cropping3D", {{"cropping", 1}})}), {1, 1, 1, 1, 1}, {13});
    expect_output(output({1, 2, 1, 2, 1}, {layer("UpSampling3D", {{"size", {2, 1, 2}}})}), {1, 4, 1, 4, 1},
                  {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
}

TEST_F(KerasVolumes, ThatDoNotFitAreRefused) {
    const auto conv = [](const Json& more) {
        Json config{{"filters", 2}, {"kernel_size", 3}};
        config.update(more);
        return std::vector<Json>{layer("Conv3D", config)};
    };
    expect_parts(refusal({1, 4, 4, 2}, conv(Json::object())), {"layer layer", "depth, height, width"});
    expect_parts(refusal({1, 2, 4, 4, 2}, conv(Json::object())), {"window of 3"});
    expect_parts(refusal({1, 4, 4, 4, 3}, conv({{"groups", 2}})), {"3 channels", "2 groups"});
}

} // namespace
} // namespace tilescope::keras
