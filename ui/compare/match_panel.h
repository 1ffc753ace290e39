// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matching.h"

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

class QAction;

namespace tilescope::ui {

class DataTable;

/// Which layers and operations of two files are the same, on which ground, and ways to say otherwise and to
/// take that back.
class MatchPanel : public QWidget {
    Q_OBJECT
  public:
    explicit MatchPanel(QWidget* parent = nullptr);
    /// `base`, `now`: names of the files.
    void show(std::vector<analyse::MatchedPart> parts, const analyse::HandMatches& by_hand,
              const QString& base, const QString& now);
    /// The row of a part of the new run, as it is called there; of none: no row.
    void selectPart(analyse::PartKind part, const std::string& now);
    /// What is undone belongs to two files, by their paths.
    void setPair(const QString& base, const QString& now);

  Q_SIGNALS:
    void matched(const tilescope::analyse::HandMatches& by_hand); ///< this is to hold from now on
    void partChosen(const tilescope::analyse::HandMatch& names);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    struct Said {
        QString base, now; ///< paths
        analyse::HandMatches before;
    };
    const analyse::MatchedPart* chosen() const; ///< null: none
    void fill();
    void selectKept();
    void say(const analyse::HandMatches& by_hand);
    void chooseCounterpart();
    void haveNone();
    void takeBack();
    void undo();
    void enable();
    QString caption() const;

    DataTable* table_;
    QAction* counterpart_;
    QAction* none_;
    QAction* take_back_;
    QAction* undo_;
    std::vector<analyse::MatchedPart> parts_;
    bool filled_ = true; ///< the table has a row for each of them: once somebody looks
    analyse::HandMatches by_hand_;
    QString base_, now_;                     ///< names
    QString base_path_, now_path_;           ///< of the pair
    std::vector<Said> said_;                 ///< the last one last
    std::optional<analyse::HandMatch> kept_; ///< the row that is chosen, as its names
};

} // namespace tilescope::ui
