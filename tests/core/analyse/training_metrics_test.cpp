// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/figures.h"
#include "analyse/training_metrics.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

TEST(Metrics, AccuraciesOfEveryKindAreShares) {
    for (const char* name :
         {"accuracy", "acc", "sparse_categorical_accuracy", "binary_accuracy", "top_k_categorical_accuracy",
          "class_accuracy", "weighted_accuracy", "precision", "recall_1", "accuracy_2"}) {
        EXPECT_TRUE(is_share(name)) << name;
        EXPECT_FALSE(is_loss(name)) << name;
        EXPECT_EQ(sense_of(std::string("evaluation ") + name), Sense::MoreIsBetter) << name;
    }
    for (const char* name : {"loss", "class_loss", "mean_squared_error", "inaccuracy", "accuracy_loss", "mae",
                             "auc", "_1", "1", ""})
        EXPECT_FALSE(is_share(name)) << name;
}

TEST(Metrics, AreWrittenAsWhatTheyAre) {
    EXPECT_EQ(metric_text("sparse_categorical_accuracy", 0.975), "97.5 %");
    EXPECT_EQ(metric_text("loss", 0.03125), "0.03125");
    EXPECT_EQ(metric_title("sparse_categorical_accuracy"), "Sparse categorical accuracy");
    EXPECT_EQ(metric_title("loss"), "Loss");
}

TEST(Metrics, TheFirstIsNoLossOfAnOutput) {
    EXPECT_EQ(first_metric(std::vector<std::string>{"loss", "value_loss", "value_mae", "class_accuracy"}),
              "value_mae");
    EXPECT_EQ(first_metric(MetricValues{{"loss", 1}, {"kind_loss", 2}}), "");
}

} // namespace
} // namespace tilescope::analyse
