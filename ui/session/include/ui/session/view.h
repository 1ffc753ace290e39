// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/accuracy.h"
#include "analyse/hand_matches.h"
#include "ui/session/profile_source.h"
#include "ui/session/selection.h"

#include <QIcon>
#include <QJsonObject>
#include <QList>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

class QAction;

namespace tilescope::ui {

/// The files that a view shows: one, or a base and a new one to compare it with.
struct Sources {
    std::shared_ptr<ProfileSource> current; ///< the new, or only, file; null: nothing is open
    std::shared_ptr<ProfileSource> base;    ///< null unless two are compared
    bool difference = false; ///< what is more or less than in the base, rather than the one beside the other
    /// Of a view that always compares, where more than two are: in the order of their columns, the base
    /// first.
    std::vector<std::shared_ptr<ProfileSource>> compared = {};
    analyse::HandMatches by_hand = {}; ///< what was said to be the same of base and current
    std::vector<analyse::HandMatches> compared_by_hand =
        {}; ///< the same of the base and each other of `compared`
};

/// For the destructor of a widget that others are in: from here on they signal nothing. They end after it,
/// and a field that loses the focus then would still call what is gone.
void silenceParts(QWidget& whole);

/// One page of the rail. It asks its sources for what it shows and follows the shared selection: a view says
/// how to start over, how to refresh and how to follow; when that is done is decided here, for all alike.
class View : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;
    ~View() override;
    virtual QString id() const = 0;    ///< "memory": file name of its picture, key of its state, --view NAME
    virtual QString title() const = 0; ///< "Memory", translated
    virtual QString iconName() const = 0; ///< of the theme
    void setSources(const Sources& sources);
    const Sources& sources() const { return sources_; }
    void setSelection(SelectionModel* selection); ///< null: none
    void writeAnew();                             ///< figures are written in other units now
    /// It reads a file for the first time and has not got all of it: what its keys are about is not there
    /// yet.
    bool firstReading() const;
    /// Shows another view, by id, with what a link names (linkTo) as the subject; "": with what is selected.
    void goTo(const QString& id, const QString& link);
    virtual QList<QAction*> viewActions() {
        return actions();
    }                                                    ///< shown in the tool bar while the view is open
    virtual bool offersDetails() const { return false; } ///< the panel at the side is for this view
    /// What the panel says while there are no details: what to choose here, and what it would tell of that.
    virtual QString detailsHint() const { return {}; }
    /// Kinds of figures in it that rest on formulas: the window says how far off those are.
    virtual analyse::FigureKinds predicts() const { return {}; }
    virtual bool comparesAlways() const { return false; } ///< whatever is chosen to be shown of two files
    virtual bool needsFile() const { return true; }       ///< else it is of use with nothing open
    /// It is kept up to date while another view is in front. Others ask as soon as they are seen: all that
    /// all views know of a large file is several times what one of them needs.
    virtual bool followsUnseen() const { return false; }
    /// Which of the device programs of a file it shows.
    enum class Programs { First, Chosen, All };
    virtual Programs programs() const { return Programs::First; }
    /// What it was answered is shown, and it is about to ask nothing by itself.
    virtual bool atRest() const { return true; }
    /// What is made in it (made()) is of the file that is shown, and is taken back there.
    virtual bool makesForFile() const { return false; }
    /// What is chosen is in sight: one is back where it was chosen, and had moved away from it since.
    virtual void revealChosen() {}
    /// What takes most of something, by the phase's name of analyse::phases, comes first from now on.
    virtual void orderBy(const QString& phase) { static_cast<void>(phase); }
    virtual QJsonObject saveState() const { return {}; }
    virtual void restoreState(const QJsonObject&) {}
    /// What of the view belongs to a comparison of two files, by their paths; empty: nothing.
    virtual QJsonObject saveComparison(const QString& base, const QString& now) const {
        static_cast<void>(base), static_cast<void>(now);
        return {};
    }
    virtual Result<void> restoreComparison(const QString& base, const QString& now, const QJsonObject&) {
        static_cast<void>(base), static_cast<void>(now);
        return {};
    }
    /// The window gives a view its size. Were it asked for a height by its width, a new text in any view
    /// would break the lines of all texts of all views.
    bool hasHeightForWidth() const override { return false; }
    QSize sizeHint() const override { return minimumSizeHint(); }

  protected:
    /// Emits detailsChanged() with what the panel at the side has of what is chosen, if the view is in front:
    /// asked for when it comes there; the view itself tells what changes later.
    virtual void tellDetails() {}
    void refreshWhenSeen();                                  ///< refresh(), once the view is in front
    bool event(QEvent* event) override;                      ///< what is shown comes first
    SelectionModel* selection() const { return selection_; } ///< null before the view is part of a window
    /// Shows nothing of the sources before; answers to earlier questions no longer come.
    /// `another`: it is not the file that was shown; else only the base has changed.
    virtual void startOver(bool another) { static_cast<void>(another); }
    /// Asks the sources for what is shown: after startOver(), if there is a file, and whenever a file has
    /// grown; where the view is not seen, as soon as it is.
    virtual void refresh() = 0;
    /// What figures of time are per (Selection::basis).
    std::optional<analyse::Basis> basis() const;
    /// It is another one than before.
    virtual void basisChosen() {}
    /// Key of the device program that is wanted (Selection::device_program).
    const std::string& deviceProgram() const { return device_program_; }
    /// It is another one than before.
    virtual void programChosen() {}
    /// The selection is this now.
    virtual void follow(const Selection&) {}
    /// Follows what is selected already: for when what is shown has been read.
    void followNow();
    /// Where it shows what a phase of analyse::phases is spent on: the operations in its order, or Trace
    /// where no operation does.
    void showPhase(const QString& phase);

  Q_SIGNALS:
    void viewRequested(const QString& id);                        ///< show another view
    void orderRequested(const QString& id, const QString& phase); ///< the same, in that order (orderBy)
    /// Set up a run of it; `changes`: settings that it takes other than the workload has them.
    void runRequested(const QString& workload, const QStringList& changes);
    /// Set up the run of the file that is shown again, with all that it had but for these settings.
    void runAgainRequested(const QStringList& changes);
    void helpRequested(const QString& page, const QString& heading);
    /// Rich text for the panel at the side: details of what is selected in this view.
    void detailsChanged(const QString& html);
    void message(const QString& text);   ///< for the status bar, and the list of messages
    void pointedAt(const QString& what); ///< by the pointer: for the status bar, while it is; "": nothing
    /// The user has made something that can be taken back and made again, `what` it was in words ("columns").
    void made(const QString& what, const std::function<void()>& redo, const std::function<void()>& undo);
    void sqlRequested(const QString& sql); ///< ask this in Query
    /// Show this file; where it is open already, open it anew: a run may have replaced it.
    void fileRequested(const QString& path);
    /// Show these, compared with the first of them; what is in front stays so where it is one of the others.
    void comparisonRequested(const QStringList& paths);
    void comparedFileWanted(); ///< another one, beside those that are compared
    /// From now on this is the same of base and current, in all views.
    void matchesRequested(const tilescope::analyse::HandMatches& by_hand);

  private:
    std::vector<std::shared_ptr<ProfileSource>> shownSources() const;
    bool stale_ = false;  ///< it has not asked yet for what is there now
    bool unread_ = false; ///< nor, since it has these sources, got all that it asked for
    Sources sources_;
    SelectionModel* selection_ = nullptr;
    std::optional<analyse::Basis> basis_; ///< the last one that basisChosen() told
    std::string device_program_;          ///< the same of programChosen()
};

} // namespace tilescope::ui
