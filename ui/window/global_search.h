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
class QTreeWidget;

namespace tilescope::ui {

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
/// in front; Enter goes where it is, Shift+Enter only selects it, Escape is back at what was selected.
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
    void show(const Result<SearchAnswer>& answer);
    void showCounts(const SearchAnswer& answer);
    void choose(bool go);
    const SearchHit* hit() const; ///< the one of the current row; null: none
    std::optional<HitKind> only() const;

    QPointer<FileSearch> search_; ///< null: the file was closed
    QLineEdit* input_;
    QButtonGroup* kinds_;
    QTreeWidget* list_;
    QLabel* note_;
    std::vector<SearchHit> hits_;
};

} // namespace tilescope::ui
