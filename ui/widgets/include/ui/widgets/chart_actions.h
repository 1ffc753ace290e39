// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QKeySequence>
#include <QString>
#include <functional>

class QByteArray;
class QEvent;
class QImage;
class QPoint;
class QRect;
class QSize;
class QWidget;

namespace tilescope::ui {

/// Whether a picture of this name is SVG; else it is PNG.
bool isSvg(const QString& path);
/// Writes a picture that both kinds of file have, as its name says. Errors: System.
Result<void> writePicture(const QByteArray& svg, const QImage& image, const QString& path);
/// Saves what a widget shows: as SVG where the path says so, else as PNG, at twice its size. Errors: System.
Result<void> savePicture(QWidget& widget, const QString& path);
/// Asks for a path and saves what the widget shows then; says so where that fails, and where it has gone
/// meanwhile. Nothing is painted before: a picture may be large, and which kind is wanted is not known.
void savePictureAs(QWidget& widget, const QString& title);
/// Asks for a path and writes text there; says so where that fails. The text is taken before, as what shows
/// it may be replaced while the question is open.
void saveTextAs(const QWidget& shown, const QString& title, const QString& csv);
/// What saves a table's rows or a chart's figures so.
QKeySequence csvKeys();
/// Gives a widget actions that copy and save its picture.
void addPictureActions(QWidget* widget, const QString& title);
/// The title that it got with them; "": it has none.
QString titleOf(const QWidget& part);

/// Gives a widget a menu of its actions, by pointer and by key. It goes with the widget, which may go while
/// the menu is open.
void offerActions(QWidget* widget);

/// Gives a chart the context menu that all charts have: copy its picture, save it, copy its figures
/// (tab-separated), export them as CSV. `text` writes the figures, cells parted by the separator, with a
/// header.
void addChartActions(QWidget* chart, const QString& title, std::function<QString(QChar separator)> text);

/// Makes a widget a chart that is pointed at and gone through by keys: its name, its least size, and the
/// actions of all charts.
void makeChart(QWidget* chart, const QString& name, const QSize& least,
               std::function<QString(QChar separator)> text);

/// Where the keys have come to: brought into view where the chart is within what scrolls, and told in a tip,
/// as to a pointer there.
void tellAtKeys(QWidget& chart, const QRect& place, const QString& text);

/// Whether an event asked for a tip, which is shown then: what a widget says of a point; empty: none.
bool showTip(QEvent* event, QWidget* widget, const std::function<QString(const QPoint& point)>& text);

} // namespace tilescope::ui
