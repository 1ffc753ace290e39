// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/search/search_index.h"
#include "ui/session/profile_source.h"

#include <QDialog>
#include <functional>
#include <memory>

class QButtonGroup;
class QLabel;
class QLineEdit;
class QTreeWidget;

namespace tilescope::ui {

/// Searches one file on a thread and a connection of its own: views that are being read do not hold it up.
class FileSearch : public QObject {
    Q_OBJECT
  public:
    /// Begins to read the names of the file.
    explicit FileSearch(std::shared_ptr<ProfileSource> own, QObject* parent = nullptr);
    ~FileSearch() override;
    /// `done` has the answer to the newest question only.
    void find(const QString& typed, std::optional<HitKind> only, std::size_t most,
              std::function<void(Result<SearchAnswer>)> done);

  private:
    std::shared_ptr<ProfileSource> own_;
    std::shared_ptr<std::optional<SearchIndex>> index_; ///< the thread's
};

/// Everything in the file by name, as one types. Enter goes where it is, Shift+Enter only selects it.
class GlobalSearch : public QDialog {
    Q_OBJECT
  public:
    GlobalSearch(FileSearch* search, QWidget* parent);

  Q_SIGNALS:
    void chosen(const tilescope::ui::SearchHit& hit, bool go);

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void ask();
    void show(const Result<SearchAnswer>& answer);
    void showCounts(const SearchAnswer& answer);
    void choose(bool go);
    std::optional<HitKind> only() const;

    FileSearch* search_;
    QLineEdit* input_;
    QButtonGroup* kinds_;
    QTreeWidget* list_;
    QLabel* note_;
    std::vector<SearchHit> hits_;
};

} // namespace tilescope::ui
