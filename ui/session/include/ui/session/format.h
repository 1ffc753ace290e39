// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>

/// The texts of base/text.h as Qt's; how figures are written is said there.
namespace tilescope::ui {

/// How the window writes amounts, as its user has chosen.
struct Units {
    bool cycles = false;      ///< time as cycles
    bool whole_bytes = false; ///< memory as a whole number of bytes
    bool operator==(const Units&) const = default;
};
Units units();              ///< as remembered by the settings; from any thread
void setUnits(Units units); ///< and remembers them; what is shown has to be written anew

QString text(const std::string& utf8);
/// A text as it stands in rich text, where "<0.1 %" and the name of a layer may be read as tags. Texts are
/// plain everywhere; they are escaped here and nowhere else, as they become rich. Options ("--estimate") are
/// kept whole.
QString asHtml(const QString& plain);
QString asHtml(const std::string& utf8);
/// What is rich text already.
struct Html {
    QString html;
};
/// What inHtml() fills in.
class HtmlPart {
  public:
    HtmlPart(const QString& plain) : html_(asHtml(plain)) {}
    HtmlPart(const std::string& utf8) : html_(asHtml(utf8)) {}
    HtmlPart(QChar letter) : html_(asHtml(QString(letter))) {}
    HtmlPart(const Html& rich) : html_(rich.html) {}
    HtmlPart(std::integral auto number) : html_(QString::number(number)) {}
    const QString& html() const { return html_; }

  private:
    QString html_;
};
/// Rich text with these in the places of "%1", "%2" and so on: inHtml(tr("<b>%1</b>"), {layer.name}).
QString inHtml(const QString& rich, std::initializer_list<HtmlPart> parts);
QString asHead(const QString& name); ///< with a large first letter: "Throughput, samples/s"
QString formatCount(std::int64_t value);
/// "1 step", "1,204 steps"
QString formatCounted(std::integral auto count, const QString& one, const QString& many) {
    return formatCount(static_cast<std::int64_t>(count)) + QLatin1Char(' ') + (count == 1 ? one : many);
}
QString formatSteps(std::int64_t first, std::int64_t last); ///< "step 7", "steps 1–8,192"
QString formatBytes(double bytes);
QString formatBytes(std::integral auto bytes) {
    return formatBytes(static_cast<double>(bytes));
}
QString formatSignedBytes(double bytes); ///< a difference: "+64 KiB"
/// A difference, and its text with a minus where it is less: "+3", "−3", "=" where nothing differs.
QString formatDifference(double by, const QString& amount);
QString formatBytesDifference(double bytes);
QString formatCycles(std::int64_t cycles);
QString formatSeconds(double seconds);
/// Of what took that many whole microseconds by the host's clock; "<1 µs" of what took less than one.
QString formatWallTime(std::int64_t microseconds);
QString formatPercent(double share);
QString formatWholePercent(double share);
QString formatNumber(double value);
QString formatAmount(double value);
QString formatRate(double per_second, const QString& unit); ///< "3.20 GFLOP/s"
QString formatChange(double base, double now);
QString formatPoints(double base, double now);
/// Cycles as simulated time, or as cycles where these are wanted or there is no clock.
QString formatTime(double cycles, double clock_hz);
QString formatTime(std::int64_t cycles, double clock_hz);
/// "2,276,184 cycles (1.71 ms)"; the cycles alone where these are wanted or there is no clock.
QString formatCyclesAndTime(double cycles, double clock_hz);
QString formatCyclesAndTime(std::int64_t cycles, double clock_hz);

} // namespace tilescope::ui
