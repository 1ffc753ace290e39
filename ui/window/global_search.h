// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/search/search_index.h"

#include <QDialog>
#include <QPointer>
#include <cstdint>
#include <functional>
#include <memory>

class QButtonGroup;
class QLabel;
class QLineEdit;
class QTreeView;

namespace tilescope::ui {

class HitList;

/// Searches one file on threads of its own: neither the views that are being read nor the window hold it up,
/// nor does it them.
class FileSearch : public QObject {
    Q_OBJECT
  public:
    /// Begins to read the names of the file.
    explicit FileSearch(const QString& path, QObject* parent = nullptr);
    /// `done` has the answer to the newest question only.
    void find(const QString& typed, std::optional<HitKind> only, std::size_t most,
              std::function<void(Result<SearchAnswer>)> done);

  private:
    using Index = std::shared_ptr<const SearchIndex>;
    std::optional<Result<Index>> index_; ///< once it is read
    std::function<void()> waiting_;      ///< the newest question from before that
    std::uint64_t newest_ = 0;           ///< number of the last question
};

/// Everything in the file by name, as one types. What the pointer or the arrows are on is shown in the view
/// in front; Enter goes where it is, Shift+Enter only selects it, Escape is back at what was selected. Where
/// a kind has more than are listed, its last row lists all of it.
class GlobalSearch : public QDialog {
    Q_OBJECT
  public:
    GlobalSearch(FileSearch* search, QWidget* parent);

  Q_SIGNALS:
    void previewed(const tilescope::ui::SearchHit& hit);
    void chosen(const tilescope::ui::SearchHit& hit, bool go);

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void ask();
    void show(Result<SearchAnswer> answer);
    void showCounts();
    void choose(bool go);
    void preview();
    void askAll(HitKind kind);
    void toggleAll();
    std::optional<HitKind> only() const;

    QPointer<FileSearch> search_; ///< null: the file was closed
    QLineEdit* input_;
    QButtonGroup* kinds_;
    HitList* hits_;
    QTreeView* list_;
    QLabel* note_;
    bool all_ = false; ///< of the kind that is chosen, however many there are
};

} // namespace tilescope::ui
