// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/kept_variables.h"
#include "analyse/matching.h"
#include "ui/liveness/liveness_curve.h"
#include "ui/session/chosen_ipu.h"
#include "ui/session/subject_menu.h"
#include "ui/session/view.h"

#include <memory>
#include <optional>
#include <vector>

class QAction;
class QComboBox;
class QLabel;
class QTabWidget;

namespace tilescope::ui {

class DataTable;
class KeptPage;
class LifetimeDelegate;
class PageStack;
class ThemedLabel;
class TileField;

/// What is live at each program step on all IPUs, one of them or some of its tiles together: how high memory
/// rises, at which step, and which variables live then.
class LivenessView : public View {
    Q_OBJECT
  public:
    explicit LivenessView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("liveness"); }
    QString title() const override { return tr("Liveness"); }
    QString iconName() const override { return QStringLiteral("liveness"); }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Memory}; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    /// What tells which steps and variables of another run are the same.
    struct Named {
        analyse::Parts parts;
        std::vector<analyse::NamedStep> steps;
    };
    struct Read {
        profile::RunRecord run;
        LivenessCurve::Data live;
        std::shared_ptr<const BandLevels> bands;    ///< of it
        std::optional<analyse::KeptVariables> kept; ///< nullopt: the file does not say
        std::vector<std::int64_t> ipus;
        std::int64_t tiles = 0; ///< of an IPU
        double clock_hz = 0;
        std::map<std::int64_t, QString> layers;
        std::shared_ptr<const Named> named; ///< where there is a base
    };
    struct Base {
        QString name;
        Read read;
        analyse::OldNames old_names;
        std::map<std::int64_t, std::int64_t> steps; ///< program steps, by the same ones of the new run
        std::shared_ptr<const analyse::LiveDifference> difference;
        /// The step that is the same as a program step of the new run; nullopt: it has none.
        std::optional<std::int64_t> stepOf(std::int64_t program) const;
    };
    struct Listed; ///< what the tables show of a step

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void follow(const Selection& selection) override;
    bool eventFilter(QObject* of, QEvent* event) override;

  private:
    QWidget* makeHead();
    void makeActions();
    void askBase();
    void showRead(Read now);
    void chooseStep(std::int64_t step); ///< the user's
    void goToStep(std::int64_t step);
    void moveStep(std::int64_t by);
    void nextPeak();
    void showStep();
    void showListed(Listed listed);
    void chooseVariable(std::int64_t id);
    PictureSubject subject() const;     ///< of the curve's menu
    void showVariable(std::int64_t id); ///< in Memory
    void layLife(std::int64_t id);      ///< of a variable
    void choosePlace(std::int64_t ipu, std::vector<std::int64_t> tiles);
    void chooseTyped(const QString& typed);
    void chooseFullest(std::int64_t ipu, std::size_t count); ///< ipu -1: the fullest of all IPUs
    bool showsAllIpus() const;
    bool movesTo(const Selection& selection) const; ///< to another IPU or tile, which it is about
    void showHeading();
    void showTitle(); ///< of the curve, and how it is across
    void showByTime(bool by_time);
    std::int64_t rowWith(std::int64_t variable) const; ///< its key: it may be one of several in a row
    std::shared_ptr<const analyse::LiveDifference>
    difference() const;    ///< null: it is not wanted, or not known
    void showDifference(); ///< in the curve

    std::shared_ptr<const Read> read_; ///< null: nothing has been read
    std::shared_ptr<const Base> base_;
    std::optional<std::int64_t> ipu_; ///< nullopt: that of the fullest tile
    std::int64_t passed_ipu_ = -1;    ///< of the selection when all IPUs were chosen
    ChosenIpu chosen_ipu_;
    std::vector<std::int64_t> tiles_; ///< none: all of the IPU
    bool fresh_ = true;               ///< the peak is shown once it is known
    PageStack* pages_ = nullptr;
    ThemedLabel* heading_;
    QComboBox* ipus_;
    TileField* tile_field_;
    QComboBox* axis_; ///< by program step or by time
    LivenessCurve* curve_;
    QAction* to_limit_;
    QLabel* title_;              ///< of the curve
    QWidget* legend_;            ///< of what is live
    QWidget* difference_legend_; ///< in its place in the difference mode
    QTabWidget* tabs_;
    DataTable* live_;
    std::map<std::int64_t, std::int64_t> row_of_; ///< as of Listed
    LifetimeDelegate* lives_;                     ///< of the table of what is live
    DataTable* changes_;
    KeptPage* kept_;
};

} // namespace tilescope::ui
