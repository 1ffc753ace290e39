// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/address_map.h"
#include "analyse/alike_variables.h"
#include "analyse/basis.h"
#include "analyse/tile_contents.h"
#include "profile/profile.h"
#include "ui/session/profile_source.h"
#include "ui/widgets/data_table.h"

#include <QTabWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tilescope::ui {

class AddressStrip;
class CategoryTree;
class DataTable;
class LifetimeDelegate;
struct TableRow;

/// What the chosen tiles of an IPU hold and do: the tree of their memory, their variables, vertices,
/// exchanges and compute sets; of one tile what lies at which address. A tab is asked for when it is shown.
class TileTabs : public QTabWidget {
    Q_OBJECT
  public:
    explicit TileTabs(QWidget* parent = nullptr);
    struct Scope {
        std::int64_t ipu = 0;
        std::vector<std::int64_t> tiles; ///< none: all of the IPU
        std::optional<analyse::Basis> basis;
        bool operator==(const Scope&) const = default;
    };
    /// Shows the tiles of a file, anew also where they are the same; null: nothing. With a base, variables
    /// are told by what they have more or less than in that.
    /// `by_hand`: what is the same of both.
    void show(std::shared_ptr<ProfileSource> source, std::shared_ptr<ProfileSource> base,
              const analyse::HandMatches& by_hand, const Scope& scope);
    void listEver(bool ever);   ///< variables that are not live at the peak, too
    void listAlways(bool only); ///< no others than those that are always live
    void fold(bool alike);      ///< variables whose names differ in numbers alone are one row
    void selectVariable(std::int64_t id);
    /// Lights up the variables of an operation, or of a layer.
    void markVariables(std::int64_t operation, std::int64_t layer);
    const std::vector<profile::VariableRecord>& listed() const { return listed_; }
    void move(int by); ///< to another tab

  Q_SIGNALS:
    void variableChosen(std::int64_t id);
    void variableActivated(std::int64_t id); ///< Enter or a double click
    void operationChosen(std::int64_t id);
    void stepChosen(std::int64_t program); ///< program step at which addresses are shown
    void sqlWanted(const QString& sql);

  private:
    struct Variables;
    void askShown();
    template<class T>
    void ask(const QString& topic, DataTable* table, std::function<Result<T>(const profile::Profile&)> query,
             std::function<void(const T&)> shown);
    void askVariables();
    void askVariablesOfBase();
    static Result<std::shared_ptr<const Variables>> readVariables(const profile::Profile& file,
                                                                  const Scope& scope);
    void showChanges();
    void askAddresses();
    void showVariables();
    TableRow rowOf(const analyse::AlikeVariables& alike);
    std::int64_t rowWith(std::int64_t variable) const;
    void showCodelets(const std::vector<analyse::CodeletOnTiles>& codelets);
    void showExchanges(const std::vector<analyse::ExchangeOnTiles>& exchanges, const analyse::Loops& loops);
    void showComputeSets(const std::vector<analyse::ComputeSetOnTiles>& sets, const analyse::Loops& loops);
    void layVariables(std::vector<struct Column> heads);
    QString where() const; ///< "on IPU 3 tile 45"
    Cell runsCell(std::int64_t runs, const analyse::Loops& loops) const;
    QString runsPer(const analyse::Loops& loops) const; ///< "runs per weight update"

    std::shared_ptr<ProfileSource> source_;
    std::shared_ptr<ProfileSource> base_; ///< null: differences are not wanted
    analyse::HandMatches by_hand_;
    Scope scope_;
    std::vector<bool> stale_; ///< by tab
    bool ever_ = false;
    bool always_ = false; ///< no others than those that always live
    bool fold_ = true;
    std::map<std::int64_t, std::int64_t> row_of_; ///< key, by variable
    std::shared_ptr<const Variables> found_, before_;
    std::vector<profile::VariableRecord> listed_;
    std::int64_t marked_operation_ = -1, marked_layer_ = -1;
    CategoryTree* categories_;
    QWidget* variables_page_;
    DataTable* variables_;
    LifetimeDelegate* lives_; ///< of them
    QStringList variable_heads_;
    std::int64_t selected_ = -1; ///< variable
    DataTable* vertices_;
    DataTable* exchanges_;
    DataTable* compute_sets_;
    AddressStrip* addresses_;
    std::shared_ptr<const analyse::AddressMap> address_map_;
};

} // namespace tilescope::ui
