// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/text_output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace tilescope::app {
namespace {

std::string format(const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

/// Characters that a terminal shows, for UTF-8 text.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

std::string thousands(std::int64_t value) {
    const std::string digits = std::to_string(value < 0 ? -value : value);
    std::string text = value < 0 ? "-" : "";
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            text += ',';
        text += digits[i];
    }
    return text;
}

std::string bytes_text(double bytes) {
    const double size = std::fabs(bytes);
    if (size < 1024)
        return format("%.0f B", bytes);
    if (size < 1024.0 * 1024)
        return format("%.1f KiB", bytes / 1024);
    if (size < 1024.0 * 1024 * 1024)
        return format("%.1f MiB", bytes / 1024 / 1024);
    return format("%.2f GiB", bytes / 1024 / 1024 / 1024);
}

std::string microseconds_text(double us) {
    if (us < 1000)
        return format("%.1f us", us);
    if (us < 1e6)
        return format("%.2f ms", us / 1e3);
    return format("%.2f s", us / 1e6);
}

std::string number_text(double value) {
    if (value == std::floor(value) && std::fabs(value) < 1e15)
        return thousands(static_cast<std::int64_t>(value));
    return format("%.5g", value);
}

std::string percent_text(double share) {
    return format("%.1f %%", share * 100);
}

TextTable::TextTable(std::vector<std::string> header, std::vector<bool> right) : right_(std::move(right)) {
    rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
    rows_.push_back(std::move(row));
}

void TextTable::print(std::ostream& out, const std::string& indent) const {
    std::vector<std::size_t> widths(right_.size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width(row[i]));
    for (const auto& row : rows_) {
        std::string line = indent;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - width(row[i]), ' ');
            line += (i == 0 ? "" : "  ") + (right_[i] ? pad + row[i] : row[i] + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

Result<void> write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        return system_failure("the file cannot be written", path, "check the folder and its free space");
    return {};
}

} // namespace tilescope::app
