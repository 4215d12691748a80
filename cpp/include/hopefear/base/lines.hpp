// The lines of a file that arrives in pieces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "hopefear/base/error.hpp"

namespace hopefear {

// Joins pieces to lines, counts lines, and adds file and line number to every error.
class Lines {
  public:
    // `file` is used in messages.
    explicit Lines(std::string file) : file_(std::move(file)) {}

    // Call visit(line) for each line that `bytes` completes, without its newline.
    template <class Visit>
    void feed(std::string_view bytes, Visit&& visit) {
        while (!bytes.empty()) {
            const std::size_t end = bytes.find('\n');
            const std::string_view piece = bytes.substr(0, end);
            if (end == std::string_view::npos || !partial_.empty()) {
                if (partial_.size() + piece.size() > longest)
                    fail<FormatError>(file_, ":", count_ + 1, ": the line has more than ", longest,
                                      " bytes");
                partial_.append(piece);
            }
            if (end == std::string_view::npos) return;
            complete(partial_.empty() ? piece : partial_, visit);
            partial_.clear();
            bytes.remove_prefix(end + 1);
        }
    }
    // End the file; the last line may lack its newline.
    template <class Visit>
    void finish(Visit&& visit) {
        if (!partial_.empty()) complete(partial_, visit);
        partial_.clear();
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] const std::string& file() const { return file_; }

  private:
    static constexpr std::size_t longest = std::size_t{1} << 28;

    template <class Visit>
    void complete(std::string_view line, Visit& visit) {
        ++count_;
        if (line.ends_with('\r')) line.remove_suffix(1);
        try {
            visit(line);
        } catch (const DataError& error) {
            fail<FormatError>(file_, ":", count_, ": ", error.what());
        }
    }

    std::string file_;
    std::string partial_;  // the beginning of a line
    std::size_t count_ = 0;
};

}  // namespace hopefear
