// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_lexer.h"

#include <utility>

namespace tilescope::graph {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int hex_digit(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

} // namespace

bool is_label_character(char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '/' || c == ':' || c == '-';
}

void fail_at(const Token& token, const std::string& message, const std::string& remedy) {
    throw TextFailure{{ErrorKind::BadInput, message,
                       "line " + std::to_string(token.line) + ", column " + std::to_string(token.column),
                       remedy}};
}

char GraphLexer::take() {
    const char c = text_[at_++];
    ++column_;
    if (c == '\n') {
        ++line_;
        column_ = 1;
    }
    return c;
}

void GraphLexer::skip_space() {
    while (at_ < text_.size())
        if (peek() == ';')
            while (at_ < text_.size() && peek() != '\n')
                take();
        else if (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
            take();
        else
            return;
}

Token GraphLexer::next() {
    skip_space();
    Token token{Token::Kind::End, {}, {}, line_, column_};
    if (at_ == text_.size())
        return token;
    const char c = peek();
    if (is_letter(c)) {
        token.kind = Token::Kind::Word;
        while (is_letter(peek()) || is_digit(peek()))
            token.text += take();
    } else if (is_digit(c) || ((c == '-' || c == '+') && is_digit(peek(1)))) {
        token.kind = Token::Kind::Number;
        token.text = take();
        while (is_digit(peek()) || is_letter(peek()) || peek() == '.' ||
               ((peek() == '-' || peek() == '+') && token.text.back() == 'e'))
            token.text += take();
    } else if (c == '-' && is_letter(peek(1))) { // -inf
        token.kind = Token::Kind::Number;
        token.text = take();
        while (is_letter(peek()))
            token.text += take();
    } else if (c == '"') {
        token.kind = Token::Kind::Text;
        token.text = quoted(token);
    } else if (c == '%' || c == '@') {
        token.kind = c == '%' ? Token::Kind::Value : Token::Kind::Layer;
        label(token);
    } else if (c == '.' && peek(1) == '.' && peek(2) == '.') {
        token.kind = Token::Kind::Symbol;
        token.text = {take(), take(), take()};
    } else if (std::string_view("{}()[]:,=").find(c) != std::string_view::npos) {
        token.kind = Token::Kind::Symbol;
        token.text = take();
    } else {
        fail_at(token, "nothing begins with this character", "see graph/graph_text.h");
    }
    return token;
}

std::string GraphLexer::quoted(const Token& token) {
    std::string out;
    take();
    while (true) {
        if (at_ == text_.size() || peek() == '\n')
            fail_at(token, "the text in quotes has no end", "close it on the same line");
        const char c = take();
        if (c == '"')
            return out;
        if (c != '\\') {
            out += c;
            continue;
        }
        if (peek() == '"' || peek() == '\\') {
            out += take();
        } else if (peek() == 'x' && hex_digit(peek(1)) >= 0 && hex_digit(peek(2)) >= 0) {
            out += static_cast<char>(hex_digit(peek(1)) * 16 + hex_digit(peek(2)));
            for (int i = 0; i < 3; ++i)
                take();
        } else {
            fail_at({Token::Kind::Text, {}, {}, line_, column_}, "an unknown escape",
                    "use \\\", \\\\ or \\x and two digits");
        }
    }
}

void GraphLexer::label(Token& token) {
    const std::size_t begin = at_;
    take();
    if (peek() == '"')
        token.name = quoted(token);
    else
        while (is_label_character(peek()) &&
               (peek() != ':' || is_label_character(peek(1)))) // "%x: float32" is the value x
            token.name += take();
    if (token.name.empty())
        fail_at(token, "a label without a name");
    if (peek() == '#')
        do
            take();
        while (is_digit(peek()));
    token.text = text_.substr(begin, at_ - begin);
}

} // namespace tilescope::graph
