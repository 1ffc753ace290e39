// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/session/view.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/trace/alignment.h"
#include "ui/trace/link_flow.h"
#include "ui/trace/micro_batch_flow.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_feed.h"
#include "ui/trace/trace_hits.h"

#include <QTimer>

class QLabel;
class QLineEdit;
class QMenu;

namespace tilescope::ui {

class AlignBar;
class LanePanel;
class Legend;
class TraceAligner;

/// The time line of each IPU: executions, steps, layers, operations, program steps and phases.
class TraceView : public View {
    Q_OBJECT
  public:
    explicit TraceView(QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("trace"); }
    QString title() const override { return tr("Trace"); }
    QString iconName() const override { return QStringLiteral("trace"); }
    Programs programs() const override { return Programs::All; }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute}; }
    bool makesForFile() const override { return true; }
    QList<QAction*> viewActions() override; ///< what has no key that everyone knows comes first

    TimelineWidget& timeline() { return *timeline_; }
    TotalsPanel& totals() { return *totals_; }
    const std::vector<TraceHit>& hits() const { return hits_; }
    const LaneChoice& lanes() const { return lanes_; }
    const TileRange& tiles() const { return tiles_; } ///< of the lanes of tiles
    void zoomTiles(double factor, double at);         ///< about a tile so far down the lane, 0 … 1
    void setLanes(const LaneChoice& lanes);
    /// What a reader does: it is kept with the file, and can be undone by its name ("hide IPU 3").
    void changeLanes(const LaneChoice& lanes, const QString& what);
    /// Remembers the lanes that are shown as a set of that name, which is there for every file.
    void saveLanes(const QString& name);
    const std::vector<LaneSet>& savedLanes() const { return lane_sets_; }
    QJsonObject
    saveState() const override; ///< which kinds of lanes are hidden, sets of them, what is aligned
    void restoreState(const QJsonObject& state) override;
    /// How the two are aligned.
    QJsonObject saveComparison(const QString& base, const QString& now) const override;
    Result<void> restoreComparison(const QString& base, const QString& now,
                                   const QJsonObject& state) override;
    /// Of the two files that are shown; nothing while only one is.
    Alignment alignment() const;
    void align(const Alignment& wanted);
    bool atRest() const override { return !totals_timer_.isActive() && !rebuild_timer_.isActive(); }
    /// Writes the selected range, else what is in view: as a picture of all lanes that are shown (.png,
    /// .svg), their program steps as a table (.csv), or all IPUs as a Chrome trace. A message says how that
    /// went.
    void exportRange(const QString& path);
    /// Shows a time in the middle, or selects a range, as typedTime() reads it; before the file is there,
    /// once it is. False: it is neither.
    bool goToTime(const QString& typed);
    void revealChosen() override; ///< the lanes of the IPU that was chosen, where none of them is in sight
    static Legend* legend(QWidget* parent); ///< of the colours of its lanes
    /// Those of two files, each IPU's of the base beneath it; null: there is none.
    static std::vector<TimelineGroup> groupsOf(const TraceFeed* now, const TraceFeed* base);

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void follow(const Selection& selection) override;
    void showEvent(QShowEvent* event) override;

  private:
    void makeActions();
    Legend* ownLegend();                      ///< without what the files cannot have
    bool isAbsent(const QString& kind) const; ///< no file that is shown can have it
    void makeRangeBox();
    void showRange(); ///< in its field
    void makeMenu();
    void showMenu(const QPoint& global);
    QString stepsSql() const;
    void makeLaneActions();
    void makeLanePanel();
    void showLanePanel(); ///< as the lanes are now
    void arrangeLanes();  ///< by dragging in the time line
    void wantHeights(const std::vector<LaneKind>& kinds, double factor);
    void keepLanes(const QString& path, const LaneChoice& lanes);
    void takeLanesOfFile(); ///< as they were kept
    QJsonArray keptLanes() const;
    void fillLanesMenu();
    void change(const QString& what, const std::function<void()>& redo, const std::function<void()>& undo);
    void addLaneSets(QMenu* menu);
    std::int64_t currentIpu() const; ///< that of the selection
    void unhide(std::int64_t ipu);
    std::vector<profile::IpuRecord> ipus() const;
    void rebuild();
    static void addCompared(std::vector<TimelineGroup>& groups, const TimelineGroup& now,
                            const TimelineGroup& base);
    void showTables();
    void showProgram(); ///< that one was read
    void showLimits();  ///< of the time line, which both files are part of
    void makeAligning();
    void startAligning();
    void tellAligner();
    void showAligned();
    QJsonArray keptAlignments() const;
    void takeAlignments(const QJsonArray& kept);
    std::int64_t shift(bool base) const; ///< cycles by which a file stands later
    void choose(const TimelineSlice& slice, LaneKind lane, std::int64_t ipu, bool base);
    void tellSlice(const TimelineSlice& slice, LaneKind lane, std::int64_t ipu, bool base);
    void select(const Selection& selection);
    void connectTotals();
    TotalsPanel::Subject totalsSubject(bool base) const;
    void askTotals(); ///< of the selected range, or of what is in view
    void askDifference();
    void askDurations();
    void tellTotals();
    void askHeads();                          ///< what the heads of IPUs say of the same
    void tellChosen(const Selection& chosen); ///< how long its passes take
    void showLongest(const analyse::Durations& durations);
    void wantSeen();
    void viewMoved();
    void clearRange();
    /// The next or previous one of the lane; `alike`: of the same name.
    void chooseNeighbour(int direction, bool alike = false);
    void chooseLane(int by);       ///< by so many of those that have slices, down
    void growRange(int direction); ///< 1: its end, -1: its begin
    void makeExportAction();
    void exportTrace(const QString& path, bool base);
    void exportSteps(const QString& path, bool base);
    void exportPicture(const QString& path);
    void told(const QString& path, const Result<std::int64_t>& written); ///< how an export went
    void selectRange(std::int64_t ipu, bool base, std::int64_t from, std::int64_t to);
    void makeTileActions();
    void setTiles(const TileRange& tiles);
    void showTiles(); ///< in the box
    void typeTiles();
    void makeFlowActions();
    void followFlow(int direction); ///< to the next or previous pass of the micro-batch, or part of the way
    void followLink(int direction);
    /// Asks which flows the chosen slice is part of, and lets one be chosen where they are several; goes
    /// along it in `direction`, 0: stays.
    void chooseFlow(int direction);
    void offerFlows(const std::vector<LinkFlow::Link>& links, int direction);
    void takeFlow(std::optional<MicroBatchFlow> flow, int direction);
    void takeLink(const profile::TraceSlice& step, std::int64_t ipu, int direction);
    QString flowText(const LinkFlow::Link& link) const;
    QPoint belowChosen() const;                                 ///< of the slice, on the screen
    void askLink(const TimelineSlice& slice, std::int64_t ipu); ///< where its exchange over the links goes
    void dropLink();                                            ///< also one that is still asked for
    void followMicroBatch(const Selection& chosen);             ///< that another view chose
    void showFlow();
    void tellFlow();
    QString momentText(std::int64_t start, std::int64_t end) const; ///< "1.2 ms from 277.3 ms"
    QString batchDetails(const MicroBatchFlow& flow) const;
    QString linkDetails(const LinkFlow& link) const;
    void frameSelection();
    void frame(std::int64_t from, std::int64_t to);
    void frameDue();   ///< what another view chose, once all is known that it takes
    void frameFirst(); ///< the first time that the selection runs
    void showFirst(const TraceHit& pass);
    std::vector<std::int64_t> stepsOfSelection() const; ///< of the program
    void tellFound(const QString& text);
    void search(const QString& typed);
    void goToHit(std::ptrdiff_t index);
    void makeMarkActions();
    void readMarks();
    void changeMarks(std::vector<TimelineMark> marks, const QString& what); ///< can be undone
    /// Writes them beside the file, and shows them where it is the one that is shown.
    void keepMarks(const QString& path, std::vector<TimelineMark> marks);
    void mark(std::int64_t from, std::int64_t to); ///< sets one and asks for its note
    void toggleMark();
    void editNote(std::size_t mark);
    void listMarks();
    void showMark(const TimelineMark& mark);
    void setMarks(std::vector<TimelineMark> marks);
    double clock() const; ///< of the new run; 0: not known
    TraceFeed* feedOf(bool base) const { return base ? base_ : feed_; }
    QString describe(const TimelineSlice& slice, const TimelineLane& lane, const TimelineGroup& group);

    TimelineWidget* timeline_ = nullptr;
    TotalsPanel* totals_ = nullptr;
    Legend* colours_ = nullptr; ///< of the lanes
    QLineEdit* search_ = nullptr;
    QLabel* found_ = nullptr;
    QLabel* planned_ = nullptr; ///< says so where nothing was executed
    QLabel* hidden_ = nullptr;  ///< how many IPUs are hidden, with a link that shows them
    QMenu* lanes_menu_ = nullptr;
    LanePanel* lane_panel_ = nullptr;
    QLineEdit* tile_box_ = nullptr;
    QLineEdit* range_box_ = nullptr;
    QString time_wanted_; ///< until the file is there; "": none
    TileRange tiles_;
    LaneChoice lanes_;
    std::vector<LaneSet> lane_sets_;                             ///< that were saved
    std::vector<std::pair<QString, LaneChoice>> lanes_of_files_; ///< by path; that changed last first
    TraceFeed* feed_ = nullptr;
    TraceFeed* base_ = nullptr;
    AlignBar* align_bar_ = nullptr;
    TraceAligner* aligner_ = nullptr; ///< null unless two files are shown
    bool dragging_ = false;           ///< the base is being moved by hand
    /// By the paths of base and new file.
    std::map<std::pair<QString, QString>, Alignment> alignments_;
    struct Chosen { ///< the slice that was clicked last
        LaneKind lane = LaneKind::Operation;
        std::int64_t ipu = 0;
        bool base = false;
        std::int64_t start = -1;
        std::int64_t end = -1;
        QString name;
        std::int64_t execution = -1;
    };
    Chosen chosen_;
    struct Merged { ///< what the tip is about
        std::int64_t ipu = -1;
        bool base = false;
        std::int64_t start = 0;
        std::int64_t end = 0;
        bool operator==(const Merged&) const = default;
    };
    Merged merged_;
    std::optional<std::int64_t> merged_operations_; ///< nullopt until they were counted
    std::optional<MicroBatchFlow> flow_;            ///< of the micro-batch that is chosen
    std::optional<LinkFlow> link_;                  ///< of the copy or all-reduce that is chosen
    TimelineHighlight subject_;                     ///< that was selected last, by whomever
    bool subject_due_ = false;                      ///< by another view, and it has not been framed yet
    std::vector<TraceHit> hits_;
    std::ptrdiff_t hit_ = -1;
    std::int64_t range_ipu_ = 0;
    std::int64_t followed_ipu_ = 0; ///< that was selected last
    std::int64_t totals_ipu_ = 0;   ///< that was selected when they were asked for
    bool range_base_ = false;
    bool following_ = false; ///< the change of the selection is this view's own
    bool visible_totals_asked_ = false;
    std::optional<std::pair<double, double>> totals_view_; ///< that was in view when it last moved
    bool tells_slice_ = false; ///< the panel at the side is about the slice that was chosen last
    QString slice_told_;       ///< what it says of it
    QTimer totals_timer_;
    QTimer rebuild_timer_;
    bool notes_readable_ = true;
    bool unnamed_ = true;  ///< what is shown goes without names until the program is known
    bool fresh_ = true;    ///< the whole time line is shown once its length is known
    bool unfolded_ = true; ///< replicas that do the same become one once they are known
};

} // namespace tilescope::ui
