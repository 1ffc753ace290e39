// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tilescope::graph {

/// One of the text form's words (graph/graph_text.h).
struct Token {
    /// Word: letters, digits and _. Text: what stood in quotes, without escapes. Value, Layer: a label, with
    /// its % or @. Symbol: one of { } ( ) [ ] : , = and "...".
    enum class Kind { Word, Number, Text, Value, Layer, Symbol, End };
    Kind kind = Kind::End;
    std::string text;
    std::string name; ///< of a label: without mark, quotes and the number behind #
    std::size_t line = 1;
    std::size_t column = 1;
};

/// The text is not in the form. Thrown and caught within this room.
struct TextFailure {
    Error error;
};
[[noreturn]] void fail_at(const Token& token, const std::string& message, const std::string& remedy = {});

class GraphLexer {
  public:
    explicit GraphLexer(std::string_view text) : text_(text) {}
    /// The next token. Throws TextFailure for characters that begin none.
    Token next();

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    char take();
    void skip_space();
    std::string quoted(const Token& token);
    void label(Token& token);

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t column_ = 1;
};

/// Whether a label may hold the character without quotes.
bool is_label_character(char c);

} // namespace tilescope::graph
