// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/overview_picture.h"
#include "ui/timeline/overview_strip.h"
#include "ui/timeline/timeline_lane.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/timeline_viewport.h"
#include "ui/widgets/painted_parts.h"

#include <QAbstractScrollArea>
#include <QBasicTimer>
#include <QElapsedTimer>
#include <QFont>
#include <QPixmap>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// A time line: overview strip, axis, and groups of lanes. It draws what it was given last and says which
/// cycles it shows; whoever owns it brings finer slices. Wheel zooms at the cursor, Shift and wheel or the
/// middle button pan, dragging selects a range, whose ends snap to the edges of the lane (not with Alt), Ctrl
/// and dragging moves the base's lanes against the others, a click chooses a slice, the overview moves the
/// view and its handles the view's ends. Where lanes can be arranged, their names and the heads of IPUs are
/// dragged to other places, and the lower edges of names to other heights. Fixed groups stay below the axis
/// where they leave room for others, and so does the head of the topmost group that is seen.
/// Cycles are those of the axis; slices that are told keep their own. Where the first group has a scale, the
/// axis is of its places, and stands there no more: sections say what is where.
class TimelineWidget : public QAbstractScrollArea, public PaintedParts {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ zoom WRITE setZoom)
  public:
    explicit TimelineWidget(QWidget* parent = nullptr);

    void setClock(double hz); ///< 0: the axis counts cycles only
    /// What the run gets through, which the ruler tells; nullopt: it is not known.
    void setSamplesPerSecond(std::optional<double> samples) { samples_per_s_ = samples; }
    void setLimits(std::int64_t from, std::int64_t to);
    void setGroups(std::vector<TimelineGroup> groups);
    /// `ipus`: how many of them the cycles of a piece are of.
    void setOverview(std::vector<OverviewPiece> pieces, std::int64_t ipus = 1);
    /// Parts of the time line, in order, with a row of their own above the lanes; empty: no such row.
    void setSections(const QString& name, std::vector<TimelineSection> sections);
    /// What the heads of IPUs say at their right, of the base's where second is true.
    void setHeadRemarks(std::map<std::pair<std::int64_t, bool>, QString> remarks);
    QString headRemark(std::int64_t ipu, bool base) const;
    void setCurrentLane(std::int64_t key); ///< whose name stands out; -1: none
    /// Rich text about a slice, or about several that are drawn as one.
    using Describer = std::function<QString(const TimelineSlice&, const TimelineLane&, const TimelineGroup&)>;
    void setDescriber(Describer describer) { describer_ = std::move(describer); }
    /// `base`: in the groups of the base, whose ids are others.
    void setHighlight(const TimelineHighlight& highlight, const TimelineHighlight& base = {});
    const TimelineHighlight& highlight() const { return highlight_; }
    const TimelineHighlight& baseHighlight() const { return base_highlight_; }
    void setRange(std::optional<std::pair<std::int64_t, std::int64_t>> range);
    void setMarks(std::vector<TimelineMark> marks);
    void setFlows(std::vector<TimelineFlow> flows);                         ///< between lanes of IPUs
    void setHits(std::vector<std::int64_t> starts, std::ptrdiff_t current); ///< of a search
    void setEmptyText(const QString& text); ///< shown in the middle where there are no groups
    const QString& emptyText() const { return empty_text_; }
    void setAnimated(bool animated) { animated_ = animated; }
    void setArrangeable(bool arrangeable) { arrangeable_ = arrangeable; }
    /// Those that are none of them are as tall as they usually are; all are, and taller where there is room,
    /// while it is empty.
    void setHeights(LaneHeights heights, OwnLaneHeights own);
    const LaneHeights& heights() const { return heights_; }
    const OwnLaneHeights& ownHeights() const { return own_heights_; }
    /// Of the kinds that are there, as they are drawn now.
    LaneHeights heightsNow() const;
    static constexpr double least_height = 0.75; ///< rows of text
    static constexpr double most_height = 24;
    void setColour(SliceColour colour);
    SliceColour colour() const { return colour_; }

    /// As another one looks, but for what is of the moment there: pointer, range, hits, ruler.
    void lookLike(const TimelineWidget& other);
    /// That shows all lanes at once.
    int wholeHeight() const { return headHeight() + contentHeight(); }
    /// What is painted, in parts: the head, each group, and what lies over them. A large picture is drawn
    /// part by part, in order, by whoever has other things to do meanwhile.
    std::size_t parts() const { return groups_.size() + 2; }
    void paintPart(QPainter& painter, std::size_t part);
    const TimelineViewport& view() const { return view_; }
    QVariantList zoom() const; ///< what is shown, to come back to it: cycles [from, to); all: empty
    void setZoom(const QVariantList& zoom);
    const std::vector<TimelineFlow>& flows() const { return flows_; }
    const std::vector<TimelineGroup>& groups() const { return groups_; }
    const std::optional<std::pair<std::int64_t, std::int64_t>>& range() const { return range_; }
    const std::vector<TimelineMark>& marks() const { return marks_; }
    QRect flagOf(std::size_t mark) const; ///< where its note stands, in the viewport
    std::int64_t cursorCycle() const;     ///< under the pointer, or the middle of the view
    /// Begins a ruler at the pointer, ends it there, takes it away: by turns. Its ends snap to the edges of
    /// the lane under the pointer, unless `free`; until it is ended, its end is where the pointer is.
    void measure(bool free);
    void dropRuler();
    /// How far its ends are apart: time, cycles, and the samples that the run gets through in that time on
    /// the mean.
    QString rulerText() const;
    const std::optional<std::pair<std::int64_t, std::int64_t>>& ruler() const { return ruler_; }

    void zoomBy(double factor); ///< at the pointer where it is over the lanes, else in the middle
    void panBy(double share);   ///< of the width
    void show(double from, double to);
    void frame(double from, double to);
    void reveal(double from, double to);
    /// Scrolls and unfolds so that its lanes are seen, and still are when lanes have been read, until the
    /// user scrolls.
    void revealGroup(std::int64_t ipu);
    bool showsGroup(std::int64_t ipu) const; ///< a part of its lanes is in sight
    void fold(std::int64_t ipu);             ///< to its phases alone, or back
    void foldAll();                          ///< unless all are: then back
    void hoverAgain();                       ///< what is said of the slice under the pointer has changed

    QRect laneRect(std::size_t group, std::size_t lane) const; ///< in the viewport; for tests and tools
    std::set<std::int64_t> seenIpus(bool base) const; ///< of groups that are not scrolled out of sight
    QString description(const QPoint& at) const;      ///< rich text about what is there, or ""
    /// Rows of IPU, lane, name and cycles of the slices in view, with a header.
    QString toText(QChar separator) const;
    int gutter() const; ///< width of the names at the left
    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    /// Lanes that are seen, each followed by its slices in view that are wide enough to be told apart.
    int partCount() const override;
    Part part(int index) const override;

  Q_SIGNALS:
    void viewChanged(); ///< also while it moves
    void rangeSelected(qint64 ipu, bool base, qint64 from, qint64 to);
    void baseDragged(qint64 cycles); ///< since it was dragged last; positive: to later cycles
    /// The wheel was turned with Ctrl over a lane of tiles, so far down it (0 … 1).
    void tilesZoomed(double factor, double at);
    void baseDropped(); ///< dragging it has ended
    /// `owner`: the lane's key where it has one, else the group's IPU.
    /// A box of several is no slice: clicking it selects its range.
    void sliceClicked(const tilescope::ui::TimelineSlice& slice, tilescope::ui::LaneKind lane, qint64 owner,
                      bool base);
    void backgroundClicked();
    void laneClicked(qint64 key, bool base);                      ///< its name
    void sliceHovered(const tilescope::ui::TimelineSlice* slice); ///< under the pointer; null: none
    /// An edge was let go.
    void heightsDragged(const tilescope::ui::LaneHeights& heights, const tilescope::ui::OwnLaneHeights& own);
    void laneDragged(tilescope::ui::LaneKind lane, std::optional<tilescope::ui::LaneKind> before);
    void ipuDragged(qint64 ipu, std::optional<qint64> before); ///< nullopt: to the end
    void hovered(const QString& text); ///< one line about the slice under the pointer, or ""

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent* event) override;

  private:
    struct Place {
        std::size_t group = 0;
        std::size_t lane = 0;
        std::optional<TimelineSlice> slice;
        double cycle = 0; ///< under the pointer, of the group
    };
    struct NamedLane {
        std::size_t group = 0;
        std::size_t lane = 0;
    };
    struct Look { ///< with which lanes are painted
        QSize size;
        ChartStyle style;
        QFont font;
        bool operator==(const Look&) const = default;
    };
    enum class Drag { None, Range, Pan, Base, Overview, Height, Lane, Ipu };
    struct Drop { ///< where a lane or an IPU that is dragged would come to stand
        std::size_t before = 0;
        bool last = false;
        int y = 0;
    };

    /// Paints everything anew. What lies over the lanes alone is painted by an update of the viewport.
    void updateLanes();
    int rowHeight() const { return fontMetrics().height() * 3 / 2; }
    int laneHeight(LaneKind kind) const;
    int laneHeight(const TimelineGroup& group, LaneKind kind) const;
    bool folded(const TimelineGroup& group) const {
        return !group.part && folded_.contains({group.ipu, group.base});
    }
    void setFolded(const std::pair<std::int64_t, bool>& group, bool folded);
    int groupHeight(const TimelineGroup& group) const;            ///< with its head and the gap below it
    int lanesTop() const { return headHeight() + fixed_height_; } ///< of those that scroll
    bool stays(std::size_t group) const { return group < fixed_groups_; }
    /// Whether the group may be seen at this height of the viewport: above lanesTop() only what stays is.
    bool hasRoomAt(std::size_t group, int y) const {
        return y >= headHeight() && stays(group) == (y < lanesTop());
    }
    struct StuckHead {
        std::size_t group = 0;
        QRect rect;
    };
    std::optional<StuckHead> stuckHead() const; ///< of the group whose own head is scrolled out of sight
    std::optional<std::size_t> headAt(const QPoint& at) const; ///< the group whose head is there
    std::optional<NamedLane> edgeAt(const QPoint& at) const;   ///< the lane whose lower edge is
    std::optional<NamedLane> nameAt(const QPoint& at) const;   ///< a lane of an IPU
    Drag arrangeAt(const QPoint& at);                          ///< what a press there begins
    void dragHeight(int y);
    std::optional<Drop> dropOfLane(int y) const;
    std::optional<Drop> dropOfIpu(int y) const;
    void scrollWhileDragging(int y);
    void dropDragged(Drag drag, int y);
    void paintDragged(QPainter& painter, const ChartStyle& style);
    int headHeight() const { return sectionsRect().bottom() + 1; }
    QRect overviewRect() const;
    OverviewStrip overview() const { return {view_, overviewRect()}; }
    QRect axisRect() const;
    QRect sectionsRect() const;
    int contentHeight() const;
    void updateScrollBar();
    void scrollToRevealed();
    void moveTo(const TimelineViewport& target);
    std::optional<Place> placeAt(const QPoint& at) const;
    TimelineViewport viewOf(const TimelineGroup& group) const { return view_.of(group.shift); }
    /// `x`: pixels from the left edge of the lanes.
    std::optional<TimelineSlice> sliceAt(const TimelineGroup& group, const TimelineLane& lane, int x) const;
    std::optional<double> tilesAt(const QPoint& at) const; ///< how far down a lane of tiles, 0 … 1
    std::size_t groupAt(int y) const;                      ///< the last one that begins above it
    const analyse::SlotScale* scale() const { return groups_.empty() ? nullptr : groups_[0].scale.get(); }
    QString describe(const Place& place) const;
    QString counterText(const Place& place) const;
    void hover(const std::optional<Place>& place, const QPoint& at);
    void clickAt(const QPoint& at);
    /// The cycle under the pointer, or that of an edge of its lane a few pixels beside it.
    double snapped(const QPoint& at) const;
    std::int64_t rulerPoint(bool free) const;
    void paintRuler(QPainter& painter, const ChartStyle& style);
    void chooseRange(std::size_t group, std::int64_t from, std::int64_t to);
    void paintGroup(QPainter& painter, const ChartStyle& style, std::size_t g);
    void paintGroupHead(QPainter& painter, const ChartStyle& style, std::size_t g, const QRect& rect);
    void paintFixed(QPainter& painter, const ChartStyle& style);
    void paintLaneName(QPainter& painter, const ChartStyle& style, const TimelineLane& lane,
                       const QString& remark, const QRect& rect) const;
    void paintHead(QPainter& painter, const ChartStyle& style);
    void paintAxis(QPainter& painter, TimelinePainter& lanes);
    void paintOverlays(QPainter& painter, const ChartStyle& style);
    void paintMarks(QPainter& painter, const ChartStyle& style);
    QString flagText(std::size_t mark) const;
    void paintFlows(QPainter& painter, const ChartStyle& style);
    struct FlowEnd { ///< where an arrow meets an IPU's lanes
        double y = 0;
        bool stays = false; ///< in a lane that does not scroll
    };
    std::optional<FlowEnd> flowEnd(std::int64_t ipu, LaneKind wanted) const;

    QPixmap painted_;          ///< all parts but the last, as they were painted last
    std::optional<Look> look_; ///< nullopt: they have changed since
    TimelineViewport view_;
    TimelineViewport target_; ///< where an animation ends
    QBasicTimer timer_;
    QElapsedTimer since_;
    double stretch_ = 1;                   ///< of the lanes' height
    std::size_t fixed_groups_ = 0;         ///< that stay: the first ones
    int fixed_height_ = 0;                 ///< of these
    mutable std::vector<Part> parts_told_; ///< as it was painted last, once they were asked for
    bool animated_ = true;
    double clock_hz_ = 0;
    std::optional<double> samples_per_s_;
    std::map<std::pair<std::int64_t, bool>, QString> head_remarks_; ///< by IPU and whether of the base
    QString empty_text_;
    mutable std::pair<QFont, int> gutter_{{}, 0}; ///< width of the names, in the font that it was measured in
    std::vector<TimelineGroup> groups_;
    TilePictures tile_pictures_;
    SliceColour colour_ = SliceColour::Activity;
    std::optional<std::int64_t> revealed_;           ///< by revealGroup()
    std::set<std::pair<std::int64_t, bool>> folded_; ///< groups of which only the phases are shown
    OverviewPicture overview_;
    std::vector<TimelineSection> sections_;
    QString sections_name_;
    std::int64_t current_lane_ = -1;
    Describer describer_;
    TimelineHighlight highlight_, base_highlight_;
    std::optional<std::pair<std::int64_t, std::int64_t>> range_;
    std::vector<TimelineMark> marks_; ///< in order
    std::vector<TimelineFlow> flows_;
    std::optional<QPoint> pointer_; ///< where it is in the viewport
    std::optional<std::pair<std::int64_t, std::int64_t>> ruler_;
    bool measuring_ = false; ///< its end follows the pointer
    std::vector<std::int64_t> hits_;
    std::ptrdiff_t current_hit_ = -1;
    bool arrangeable_ = false;
    LaneHeights heights_;
    OwnLaneHeights own_heights_;
    bool pressed_alone_ = false; ///< the edge of one lane is dragged, not those of its kind
    Drag drag_ = Drag::None;
    OverviewStrip::Grip grip_ = OverviewStrip::Grip::None; ///< of the overview, while that is dragged
    double undragged_ = 0; ///< cycles of a dragged base that make no whole one yet
    QPoint pressed_;
    QPoint last_;
    bool moved_ = false;
    std::size_t pressed_group_ = 0;
    std::size_t pressed_lane_ = 0; ///< whose name or edge is dragged
    int pressed_top_ = 0;          ///< of it
};

} // namespace tilescope::ui
