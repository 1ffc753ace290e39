// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/axis_text.h"
#include "base/csv_field.h"
#include "base/share.h"
#include "base/text.h"
#include "base/wait_text.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(Text, CountsAreWholeWithCommas) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1000), "1,000");
    EXPECT_EQ(count_text(1234567), "1,234,567");
    EXPECT_EQ(count_text(-788587), "−788,587");
    EXPECT_EQ(cycles_text(88547), "88,547 cycles");
    EXPECT_EQ(cycles_text(1), "1 cycle");
}

TEST(Text, BytesHaveThreeDigitsAndTheUnitTheyFit) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(1023), "1,023 B");
    EXPECT_EQ(bytes_text(65536), "64 KiB");      // whole: no more digits than needed
    EXPECT_EQ(bytes_text(1536), "1.50 KiB");     // 1.5 x 1,024
    EXPECT_EQ(bytes_text(53245), "52.0 KiB");    // 51.997
    EXPECT_EQ(bytes_text(622865), "608 KiB");    // 608.27
    EXPECT_EQ(bytes_text(1048064), "1.00 MiB");  // 1,023.5 KiB would read 1,024
    EXPECT_EQ(bytes_text(65796192), "62.7 MiB"); // 62.748
    EXPECT_EQ(bytes_text(3.0 * (1 << 30)), "3 GiB");
    EXPECT_EQ(bytes_text(-1536), "−1.50 KiB");
}

TEST(Text, TimesHaveThreeDigitsFromNanosecondsToSeconds) {
    EXPECT_EQ(time_text(0), "0 s");
    EXPECT_EQ(time_text(75.19e-9), "75.2 ns");
    EXPECT_EQ(time_text(178.1e-6), "178 µs");
    EXPECT_EQ(time_text(0.0019449), "1.94 ms");
    EXPECT_EQ(time_text(0.0099951), "10.0 ms");
    EXPECT_EQ(time_text(0.9997), "1.00 s"); // 1,000 ms would be another unit
    EXPECT_EQ(time_text(0.003), "3 ms");
    EXPECT_EQ(time_text(2.4), "2.40 s");
    EXPECT_EQ(time_text(1204), "1,204 s");
}

TEST(Text, LongWaitsAreInMinutes) {
    EXPECT_EQ(wait_text(41.4), "41.4 s");
    EXPECT_EQ(wait_text(119), "119 s");
    EXPECT_EQ(wait_text(119.5), "2 min");
    EXPECT_EQ(wait_text(1034), "17 min"); // 17.23
    EXPECT_EQ(wait_text(59.4 * 60), "59 min");
    EXPECT_EQ(wait_text(59.6 * 60), "1 h 00 min");
    EXPECT_EQ(wait_text(2 * 3600 + 5 * 60), "2 h 05 min");
    EXPECT_EQ(wait_text(3.6e6), "1,000 h 00 min");
}

TEST(Text, ASharesSmallestTextIsNotThatOfNone) {
    EXPECT_EQ(share_text(0), "0");
    EXPECT_EQ(share_text(1e-9), "<0.1 %");
    EXPECT_EQ(share_text(0.00049), "<0.1 %");
    EXPECT_EQ(share_text(0.0006), "0.1 %");
    EXPECT_EQ(share_text(0.432), "43.2 %");
    EXPECT_EQ(share_text(1), "100.0 %");
}

TEST(Text, ASharesWholeTextIsRounded) {
    EXPECT_EQ(whole_share_text(0), "0 %");
    EXPECT_EQ(whole_share_text(0.436), "44 %");
    EXPECT_EQ(whole_share_text(1), "100 %");
}

TEST(Text, RatiosAndAmountsHaveThreeDigits) {
    EXPECT_EQ(times_text(1.3), "1.30 times");
    EXPECT_EQ(times_text(3), "3 times");
    EXPECT_EQ(times_text(14.66), "14.7 times");
    EXPECT_EQ(amount_text(62.48), "62.5");
    EXPECT_EQ(amount_text(0.001234), "0.00123");
    EXPECT_EQ(amount_text(15302.4), "15,302");
}

TEST(Text, RatesAndClocksHaveTheirUnits) {
    EXPECT_EQ(rate_text(62.48e12, "FLOP/s"), "62.5 TFLOP/s");
    EXPECT_EQ(rate_text(999.7e6, "FLOP/s"), "1 GFLOP/s"); // not "1,000 MFLOP/s"
    EXPECT_EQ(rate_text(12, "B/s"), "12 B/s");
    EXPECT_EQ(clock_text(1.33e9), "1.33 GHz");
}

TEST(Text, NeighboursOnAnAxisAreToldApart) {
    EXPECT_EQ(time_text(2.5404e-3, 0.2e-6), "2.5404 ms");
    EXPECT_EQ(time_text(2.5404e-3, 0), "2.54 ms");
    EXPECT_EQ(time_text(2e-3, 0.5e-3), "2.0 ms");
    EXPECT_EQ(time_text(2e-3, 1e-3), "2 ms");
    EXPECT_EQ(time_text(0, 1e-3), "0 s");
    EXPECT_EQ(bytes_text(209.25 * 1024, 16), "209.25 KiB");
    EXPECT_EQ(bytes_text(17, 0.25), "17 B") << "no parts of a byte";
    EXPECT_EQ(amount_text(12584.5, 0.5), "12,584.5");
    EXPECT_EQ(amount_text(0.0014, 0.0002), "0.0014");
    EXPECT_EQ(amount_text(0.001434, 0), "0.00143");
}

TEST(Text, NumbersAlongAnAxisHaveAsManyPlacesAsItsStep) {
    EXPECT_EQ(fixed_text(1204.5, 2), "1,204.50");
    EXPECT_EQ(fixed_text(-0.0, 1), "0.0");
    EXPECT_EQ(fixed_text(-2.25, 2), "−2.25");
}

TEST(Text, NumbersWithoutAUnitHaveFiveDigits) {
    EXPECT_EQ(number_text(1.603512), "1.6035");
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(7), "7");
    EXPECT_EQ(number_text(514328.7), "514,329");
    EXPECT_EQ(number_text(-0.25), "−0.25");
    EXPECT_EQ(exact_text(196.36914), "196.36914");
    EXPECT_EQ(exact_text(1e11), "100,000,000,000");
    EXPECT_EQ(exact_text(1234.5), "1,234.5");
}

TEST(Text, ChangesHaveASignAndLargeOnesAreMultiples) {
    EXPECT_EQ(change_text(200, 200), "=");
    EXPECT_EQ(change_text(200, 206.2), "+3.1 %");
    EXPECT_EQ(change_text(200, 176), "−12.0 %");
    EXPECT_EQ(change_text(10000, 10001), "+<0.1 %");
    EXPECT_EQ(change_text(10000, 9999), "−<0.1 %");
    EXPECT_EQ(change_text(10, 147.3), "14.7 times"); // +1,373 %
    EXPECT_EQ(change_text(-2, -1), "+50.0 %");       // of the base's size
    EXPECT_EQ(change_text(0, 5), "");
    EXPECT_EQ(relative_change(200, 176), -0.12);
    EXPECT_EQ(relative_change(-2, -1), 0.5);
    EXPECT_FALSE(relative_change(0, 5));
    EXPECT_EQ(points_text(0.40, 0.431), "+3.1 points");
    EXPECT_EQ(points_text(0.431, 0.40), "−3.1 points");
    EXPECT_EQ(points_text(0.4, 0.40001), "+<0.1 points");
    EXPECT_EQ(points_text(0.40001, 0.4), "−<0.1 points");
    EXPECT_EQ(points_text(0.4, 0.4), "=");
}

// The rules of RFC 4180.
TEST(CsvField, IsQuotedWhereItMustBe) {
    EXPECT_EQ(csv_field("plain text"), "plain text");
    EXPECT_EQ(csv_field("[64, 10]"), "\"[64, 10]\"");
    EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
    EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(csv_field("two\r"), "\"two\r\"");
}

} // namespace
} // namespace tilescope
