// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/query/answer_chart.h"

#include "answer_tiles.h"
#include "base/axis_text.h"
#include "ui/query/answer_bars.h"
#include "ui/query/joined_answer.h"
#include "ui/session/format.h"
#include "ui/session/subject_menu.h"
#include "ui/tiles/tile_map.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/scatter_plot.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t most_lines = 4;

std::optional<double> number_in(const profile::QueryCell& cell) {
    return cell.number && cell.text ? std::optional(text(*cell.text).toDouble()) : std::nullopt;
}

/// Whether a column has numbers, and nothing else but NULL.
bool has_numbers(const profile::QueryResult& answer, std::size_t column) {
    const auto& rows = answer.rows;
    const auto fits = [column](const auto& row) { return !row[column].text || number_in(row[column]); };
    return std::all_of(rows.begin(), rows.end(), fits) &&
           std::any_of(rows.begin(), rows.end(),
                       [column](const auto& row) { return row[column].text.has_value(); });
}

/// A curve for each of its first columns of numbers; the first column is across where it has numbers, else
/// the rows are, in order.
std::vector<Curve> curves_of(const profile::QueryResult& answer, const std::vector<std::size_t>& numbers,
                             const QString& of, bool dashed) {
    const bool across = answer.columns.size() > 1 && !numbers.empty() && numbers.front() == 0;
    std::vector<Curve> curves;
    for (std::size_t i = across ? 1 : 0; i < numbers.size() && curves.size() < most_lines; ++i) {
        const std::size_t c = numbers[i];
        Curve curve{
            text(answer.columns[c]) + of, ThemeColor::series(static_cast<int>(curves.size())), {}, dashed};
        for (std::size_t r = 0; r < answer.rows.size(); ++r)
            if (const auto y = number_in(answer.rows[r][c]))
                curve.points << QPointF(
                    across ? number_in(answer.rows[r][0]).value_or(0) : static_cast<double>(r), *y);
        curves.push_back(std::move(curve));
    }
    return curves;
}

/// What a row is called: its first column that has no numbers, else the first.
std::size_t name_column(const profile::QueryResult& answer, const std::vector<std::size_t>& numbers) {
    for (std::size_t c = 0; c < answer.columns.size(); ++c)
        if (!std::binary_search(numbers.begin(), numbers.end(), c))
            return c;
    return 0;
}

/// Which of the columns of numbers is drawn at first: one that is not across, and tells no tile or IPU.
std::size_t usual_up(const profile::QueryResult& answer, const std::vector<std::size_t>& numbers,
                     bool named) {
    const auto tiles = tileColumns(answer);
    for (std::size_t i = named ? 0 : 1; tiles && i < numbers.size(); ++i)
        if (numbers[i] != tiles->tile && numbers[i] != tiles->ipu)
            return i;
    if (tiles && !numbers.empty() && numbers[0] != tiles->tile && numbers[0] != tiles->ipu)
        return 0;
    return numbers.size() > 1 && !named ? 1 : 0;
}

} // namespace

AnswerChart::AnswerChart(QWidget* parent) : QWidget(parent) {
    kind_ = new QComboBox;
    kind_->setObjectName(QStringLiteral("chartKind"));
    kind_->setAccessibleName(tr("How the answer is drawn"));
    kind_->addItems({tr("lines"), tr("bars"), tr("points"), tr("floor plan")});
    up_ = new QComboBox;
    up_->setObjectName(QStringLiteral("chartUp"));
    up_->setAccessibleName(tr("Column that is drawn"));
    across_ = new QComboBox;
    across_->setObjectName(QStringLiteral("chartAcross"));
    across_->setAccessibleName(tr("Column across"));
    up_label_ = new QLabel(tr("of"));
    across_label_ = new QLabel(tr("over"));
    told_ = new QLabel;
    told_->setObjectName(QStringLiteral("chartTold"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 12, 2);
    head->setSpacing(8);
    for (QWidget* part : std::initializer_list<QWidget*>{kind_, up_label_, up_, across_label_, across_})
        head->addWidget(part);
    head->addWidget(told_, 1);
    lines_ = new LineChart({});
    bars_ = new AnswerBars;
    auto* scrolled = new QScrollArea;
    scrolled->setWidgetResizable(true);
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scrolled->setWidget(bars_);
    scatter_ = new ScatterPlot(tr("Answer as points"), tr("Row"));
    map_ = new TileMap;
    map_->setObjectName(QStringLiteral("answerTiles"));
    none_ = new QLabel(tr("A chart needs a column of numbers."));
    none_->setAlignment(Qt::AlignCenter);
    none_->setWordWrap(true);
    pages_ = new QStackedWidget;
    for (QWidget* page : std::initializer_list<QWidget*>{lines_, scrolled, scatter_, map_, none_})
        pages_->addWidget(page);
    scrolled->setFocusProxy(bars_);
    connect(pages_, &QStackedWidget::currentChanged, this, [this](int page) {
        setFocusProxy(pages_->widget(page) == none_ ? nullptr : pages_->widget(page));
    });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(pages_, 1);
    connect(kind_, &QComboBox::activated, this, [this](int index) {
        wanted_ = static_cast<Kind>(index);
        draw();
    });
    for (QComboBox* box : {up_, across_})
        connect(box, &QComboBox::activated, this, &AnswerChart::draw);
    connect(bars_, &AnswerBars::chosen, this, &AnswerChart::rowChosen);
    connect(bars_, &AnswerBars::activated, this, &AnswerChart::rowActivated);
    connect(scatter_, &ScatterPlot::chosen, this, [this](const std::set<std::int64_t>& keys) {
        scatter_->setChosen(keys);
        if (keys.size() == 1)
            Q_EMIT rowChosen(*keys.begin());
    });
    connect(scatter_, &ScatterPlot::activated, this, &AnswerChart::rowActivated);
    connect(map_, &TileMap::tilesSelected, this, &AnswerChart::chooseTiles);
    connect(map_, &TileMap::tileActivated, this, [this] {
        if (const auto row = rowOfTile())
            Q_EMIT rowActivated(*row);
    });
    connect(this, &AnswerChart::rowChosen, this, [this](std::int64_t row) { chosen_row_ = row; });
    setAnswer({}, nullptr);
}

AnswerChart::~AnswerChart() = default;

AnswerChart::Kind AnswerChart::kind() const {
    return static_cast<Kind>(kind_->currentIndex());
}

void AnswerChart::setAnswer(const profile::QueryResult& answer, const profile::QueryResult* base) {
    answer_ = answer;
    chosen_row_.reset();
    base_ = base == nullptr ? std::nullopt : std::optional(*base);
    numbers_.clear();
    for (std::size_t c = 0; c < answer_.columns.size(); ++c)
        if (has_numbers(answer_, c))
            numbers_.push_back(c);
    const bool named = !answer_.columns.empty() && (numbers_.empty() || numbers_.front() != 0);
    const auto tiles = numbers_.size() > 1 ? tileColumns(answer_) : std::nullopt;
    const Kind usual = tiles ? Kind::Tiles : named ? Kind::Bars : Kind::Lines;
    const Kind kind = wanted_.value_or(usual);
    auto* plan = static_cast<QStandardItemModel*>(kind_->model())->item(static_cast<int>(Kind::Tiles));
    plan->setEnabled(tiles.has_value());
    plan->setToolTip(tiles ? QString() : tr("The answer has no column “tile” beside one of numbers"));
    kind_->setCurrentIndex(static_cast<int>(kind == Kind::Tiles && !tiles ? usual : kind));
    fill(up_, usual_up(answer_, numbers_, named));
    fill(across_, named && numbers_.size() > 1 ? 1 : 0);
    draw();
}

/// Those of numbers; that which was chosen stays so where the answer has it.
void AnswerChart::fill(QComboBox* box, std::size_t usual) {
    const QString before = box->currentText();
    box->clear();
    for (const std::size_t c : numbers_)
        box->addItem(text(answer_.columns[c]), static_cast<qulonglong>(c));
    const int same = box->findText(before);
    box->setCurrentIndex(same >= 0 ? same : static_cast<int>(usual));
}

std::size_t AnswerChart::columnOf(const QComboBox* box) const {
    return static_cast<std::size_t>(box->currentData().toULongLong());
}

void AnswerChart::draw() {
    const bool any = !numbers_.empty();
    told_->clear();
    for (QWidget* part : std::initializer_list<QWidget*>{kind_, told_})
        part->setVisible(any);
    for (QWidget* part : std::initializer_list<QWidget*>{up_label_, up_})
        part->setVisible(any && kind() != Kind::Lines);
    for (QWidget* part : std::initializer_list<QWidget*>{across_label_, across_})
        part->setVisible(any && kind() == Kind::Scatter);
    if (!any)
        return pages_->setCurrentWidget(none_);
    pages_->setCurrentIndex(static_cast<int>(kind()));
    switch (kind()) {
    case Kind::Lines:
        return drawLines();
    case Kind::Bars:
        return drawBars();
    case Kind::Scatter:
        return drawScatter();
    case Kind::Tiles:
        return drawTiles();
    }
}

/// Those of the base are dashed.
void AnswerChart::drawLines() {
    std::vector<Curve> curves = curves_of(answer_, numbers_, QString(), false);
    if (base_)
        for (Curve& curve : curves_of(*base_, numbers_, tr(" (base)"), true))
            curves.push_back(std::move(curve));
    lines_->setCurves(std::move(curves));
}

void AnswerChart::drawBars() {
    const std::size_t column = columnOf(up_);
    const std::size_t name = name_column(answer_, numbers_);
    std::vector<AnswerBars::Bar> bars;
    const auto add = [&](const std::vector<profile::QueryCell>* now,
                         const std::vector<profile::QueryCell>* base) {
        const auto row = static_cast<std::int64_t>(bars.size());
        if (row < static_cast<std::int64_t>(most_bars))
            bars.push_back({row, text((now != nullptr ? *now : *base)[name].text.value_or("NULL")),
                            now == nullptr ? std::nullopt : number_in((*now)[column]),
                            base == nullptr ? std::nullopt : number_in((*base)[column])});
    };
    std::size_t all = answer_.rows.size();
    if (base_) {
        const JoinedAnswer both = joined(answer_, *base_);
        all = both.rows.size();
        for (const JoinedAnswer::Row& row : both.rows)
            add(row.now, row.base);
    } else {
        for (const auto& row : answer_.rows)
            add(&row, nullptr);
    }
    if (all > most_bars)
        told_->setText(tr("the first %1 of %2 rows")
                           .arg(formatCount(static_cast<std::int64_t>(most_bars)),
                                formatCount(static_cast<std::int64_t>(all))));
    bars_->setBars(text(answer_.columns[column]), std::move(bars), base_.has_value());
}

void AnswerChart::drawScatter() {
    const std::size_t x = columnOf(across_);
    const std::size_t y = columnOf(up_);
    const std::size_t name = name_column(answer_, numbers_);
    const auto axis = [this](std::size_t column) {
        return ScatterAxis{text(answer_.columns[column]), [](double value, double apart) {
                               return QString::fromStdString(amount_text(value, apart));
                           }};
    };
    std::vector<ScatterPoint> points;
    const auto add = [&](const profile::QueryResult& of, ThemeColor color, bool base) {
        for (std::size_t r = 0; r < of.rows.size(); ++r) {
            const auto across = number_in(of.rows[r][x]);
            const auto up = number_in(of.rows[r][y]);
            if (!across || !up)
                continue;
            const QString tip =
                tr("%1%2\n%3: %4\n%5: %6")
                    .arg(text(of.rows[r][name].text.value_or("NULL")), base ? tr(" (base)") : QString(),
                         text(of.columns[x]), formatNumber(*across), text(of.columns[y]), formatNumber(*up));
            // Those of the base are no rows of the answer.
            const auto row = static_cast<std::int64_t>(r);
            points.push_back({base ? -2 - row : row, *across, *up, color, tip});
        }
    };
    if (base_)
        add(*base_, &Theme::muted, true);
    add(answer_, ThemeColor::series(0), false);
    scatter_->setNothing(tr("No row has both of these."));
    scatter_->setAxes(axis(x), axis(y));
    scatter_->setPoints(std::move(points), {});
}

/// What a row has for its tile; of two files that of the new one.
void AnswerChart::drawTiles() {
    const auto columns = tileColumns(answer_);
    if (!columns)
        return;
    const std::size_t value = columnOf(up_);
    tiles_ = std::make_unique<AnswerTiles>(answerTiles(answer_, *columns, value, tiles_per_ipu_));
    chosen_tiles_.clear();
    map_->setStep(tiles_->step);
    map_->setValues(tiles_->values, tiles_->full, tiles_->ipus, tiles_->scale);
    map_->setTitleBehindHeading(tr(": %1").arg(text(answer_.columns[value])));
    map_->setSelectedTiles({});
    QStringList told;
    if (tiles_->negative)
        told << tr("what is below 0 has the shade of 0");
    if (tiles_->added)
        told << tr("rows of the same tile are added up");
    if (base_)
        told << tr("of the new file");
    told_->setText(told.join(QStringLiteral("; ")));
}

std::optional<std::int64_t> AnswerChart::chosenRow() const {
    const bool there = chosen_row_ && *chosen_row_ >= 0 && *chosen_row_ < std::ssize(answer_.rows);
    return there ? chosen_row_ : std::nullopt;
}

QString AnswerChart::chosenName() const {
    const auto row = chosenRow();
    return row ? text(answer_.rows[static_cast<std::size_t>(*row)][name_column(answer_, numbers_)]
                          .text.value_or(std::string()))
               : QString();
}

void AnswerChart::offerMenus(const std::function<void(QWidget& picture, const QPoint& global)>& show) {
    offerMenuOf(bars_, show);
    offerMenuOf(scatter_, show);
    offerMenuOf(map_, show);
}

void AnswerChart::chooseTiles(const std::vector<std::int64_t>& tiles) {
    chosen_tiles_ = tiles;
    map_->setSelectedTiles(tiles);
    if (const auto row = rowOfTile())
        Q_EMIT rowChosen(*row);
}

std::optional<std::int64_t> AnswerChart::rowOfTile() const {
    if (!tiles_ || chosen_tiles_.size() != 1)
        return {};
    const auto row = tiles_->rows.find(chosen_tiles_.front());
    return row == tiles_->rows.end() ? std::nullopt : std::optional(row->second);
}

} // namespace tilescope::ui
