// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/liveness.h"
#include "analyse/phases.h"
#include "base/text.h"
#include "base/try.h"
#include "export/page.h"
#include "markup.h"
#include "roofline_picture.h"

#include <algorithm>
#include <array>
#include <map>

namespace tilescope::exports {
namespace {

constexpr double width = 800;
constexpr double height = 170;
constexpr double top = 20; ///< above a plot, for the text of its limit
constexpr std::size_t columns = 800;

std::string drawing(const std::string& title, double high, const std::string& content) {
    return "<svg viewBox=\"0 0 " + pixels(width) + " " + pixels(high) + "\" role=\"img\"><title>" +
           markup_text(title) + "</title>" + content + "</svg>";
}

/// The largest value of each column of a picture, where there are more values than columns.
std::vector<std::int64_t> by_column(const std::vector<std::int64_t>& values) {
    if (values.size() <= columns)
        return values;
    std::vector<std::int64_t> out(columns, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        out[i * columns / values.size()] = std::max(out[i * columns / values.size()], values[i]);
    return out;
}

/// Steps from the left to the right of a plot, filled down to its ground, which is `most` below its top.
std::string area(const std::vector<std::int64_t>& values, std::int64_t most, const char* colour) {
    const double step = width / static_cast<double>(values.size());
    const double ground = height - top;
    std::string path = "M0 " + pixels(ground);
    for (std::size_t i = 0; i < values.size(); ++i)
        path += "V" +
                pixels(ground - (ground - top) * static_cast<double>(values[i]) /
                                    static_cast<double>(std::max<std::int64_t>(1, most))) +
                "H" + pixels(step * static_cast<double>(i + 1));
    return "<path style=\"fill:var(" + std::string(colour) + ")\" d=\"" + path + "V" + pixels(ground) +
           "Z\"/>";
}

Result<PagePicture> memory_of_tiles(const profile::Profile& profile, const analyse::Summary& summary) {
    const std::int64_t ipu = summary.memory ? summary.memory->fullest_with_gaps.ipu : 0;
    PagePicture picture{"Memory of each tile of IPU " + std::to_string(ipu) + ", gaps included", {}, {}};
    TRY(const auto fullest, profile.tile_values("memory", 0, ipu, "total_with_gaps"));
    if (fullest.empty())
        return picture;
    const std::int64_t limit = summary.target.bytes_per_tile;
    const std::int64_t most = std::max(limit, *std::max_element(fullest.begin(), fullest.end()));
    const double line =
        height - top - (height - 2 * top) * static_cast<double>(limit) / static_cast<double>(most);
    picture.svg =
        drawing(picture.title, height,
                area(by_column(fullest), most, "--accent") + "<path class=\"limit\" d=\"M0 " + pixels(line) +
                    "H" + pixels(width) + "\"/>" +
                    svg_text(width, line - 5, "end", bytes_text(static_cast<double>(limit)) + " of a tile") +
                    svg_text(0, height - 4, "start", "tile 0") +
                    svg_text(width, height - 4, "end", "tile " + std::to_string(fullest.size() - 1)));
    return picture;
}

/// Of the IPU that holds the most at once.
Result<PagePicture> live_memory(const profile::Profile& profile) {
    TRY(const auto ipus, profile.ipus());
    TRY(const analyse::LiveCourse live, analyse::fullest_course(profile, ipus));
    PagePicture picture{"Live memory of IPU " + std::to_string(live.ipu) + " over the program steps",
                        {},
                        {{"always live", "--host"}, {"not always live", "--accent"}}};
    if (live.most > 0)
        picture.svg = drawing(
            picture.title, height,
            area(by_column(live.all), live.most, "--accent") +
                area(by_column(live.always), live.most, "--host") +
                svg_text(width, top - 6, "end", "at most " + bytes_text(static_cast<double>(live.most))) +
                svg_text(0, height - 4, "start", "first step") +
                svg_text(width, height - 4, "end", "last step"));
    return picture;
}

Result<PagePicture> time_by_phase(const profile::Profile& profile, const analyse::Summary& summary) {
    PagePicture picture{"Time by phase over the whole run", {}, {}};
    constexpr std::array<const char*, analyse::phases.size()> colours = {
        "--compute", "--exchange", "--inter-ipu", "--sync", "--host", "--border"};
    constexpr double bar = 18;
    constexpr double label = 60;
    std::array<bool, colours.size()> used{};
    std::string content;
    double y = 0;
    for (const analyse::IpuSummary& ipu : summary.ipus) {
        TRY(const auto cycles, profile.phase_cycles({}, ipu.id));
        if (cycles.total() == 0)
            continue;
        content += svg_text(0, y + bar - 5, "start", "IPU " + std::to_string(ipu.id));
        double x = label;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            const double wide =
                (width - label) * analyse::phase_share(cycles, analyse::phases[i].cycles).value_or(0);
            used[i] = used[i] || wide > 0;
            if (wide > 0)
                content += "<rect x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" + pixels(wide) +
                           "\" height=\"" + pixels(bar) + "\" style=\"fill:var(" + colours[i] + ")\"/>";
            x += wide;
        }
        y += bar + 4;
    }
    for (std::size_t i = 0; i < colours.size(); ++i)
        if (used[i])
            picture.legend.emplace_back(analyse::phases[i].name, colours[i]);
    if (!content.empty())
        picture.svg = drawing(picture.title, y, content);
    return picture;
}

Result<PagePicture> pipeline(const profile::Profile& profile) {
    using profile::PipelineActivity;
    PagePicture picture{"What each stage of the pipeline does in one weight update", {}, {}};
    TRY(const auto slots, profile.pipeline_slots());
    const std::vector<std::pair<PipelineActivity, const char*>> activities = {
        {PipelineActivity::Forward, "--exchange"}, {PipelineActivity::Recompute, "--inter-ipu"},
        {PipelineActivity::Backward, "--compute"}, {PipelineActivity::Copy, "--sync"},
        {PipelineActivity::Update, "--good"},      {PipelineActivity::Waiting, "--border"}};
    constexpr double bar = 24;
    constexpr double label = 60;
    std::int64_t end = 0;
    std::int64_t stages = 0;
    for (const auto& slot : slots) {
        end = std::max(end, slot.end_cycle);
        stages = std::max(stages, slot.stage + 1);
    }
    if (end == 0)
        return picture;
    std::map<PipelineActivity, std::string> paths;
    for (const auto& slot : slots) {
        const double scale = (width - label) / static_cast<double>(end);
        const double wide = scale * static_cast<double>(slot.end_cycle - slot.start_cycle);
        paths[slot.activity] += "M" + pixels(label + scale * static_cast<double>(slot.start_cycle)) + " " +
                                pixels(static_cast<double>(slot.stage) * (bar + 4)) + "h" + pixels(wide) +
                                "v" + pixels(bar) + "h" + pixels(-wide) + "z";
    }
    std::string content;
    for (std::int64_t stage = 0; stage < stages; ++stage)
        content += svg_text(0, static_cast<double>(stage) * (bar + 4) + bar - 8, "start",
                            "stage " + std::to_string(stage));
    for (const auto& [activity, colour] : activities)
        if (const auto path = paths.find(activity); path != paths.end()) {
            content += "<path style=\"fill:var(" + std::string(colour) + ")\" d=\"" + path->second + "\"/>";
            picture.legend.emplace_back(to_string(activity), colour);
        }
    picture.svg = drawing(picture.title, static_cast<double>(stages) * (bar + 4), content);
    return picture;
}

Result<PagePicture> rooflines(const profile::Profile& profile, const analyse::Summary& summary) {
    TRY(const auto costs, analyse::Costs::read(profile));
    TRY(const auto operations, analyse::operation_figures(profile, costs));
    const auto roofline = analyse::roofline(summary.target, operations);
    return roofline ? roofline_picture(*roofline) : PagePicture{};
}

} // namespace

Result<void> add_pictures(Page& page, const profile::Profile& profile, const analyse::Summary& summary) {
    const std::vector<std::pair<const char*, Result<PagePicture>>> pictures = {
        {"memory", memory_of_tiles(profile, summary)},
        {"memory", live_memory(profile)},
        {"timing", time_by_phase(profile, summary)},
        {"ipus", pipeline(profile)},
        {"layers", rooflines(profile, summary)}};
    for (const auto& [section, picture] : pictures) {
        TRY(const auto drawn, picture);
        for (PageSection& place : page.sections)
            if (place.name == section && !place.empty() && !drawn.svg.empty())
                place.pictures.push_back(drawn);
    }
    return {};
}

} // namespace tilescope::exports
