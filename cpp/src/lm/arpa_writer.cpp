#include "hopefear/lm/arpa_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "hopefear/base/error.hpp"

namespace hopefear::kneser_ney {

namespace {

constexpr std::size_t block = std::size_t{1} << 18;

}  // namespace

ArpaWriter::ArpaWriter(const std::string& path, const Vocabulary& vocabulary)
    : path_(path),
      vocabulary_(vocabulary),
      file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail<Error>(path, ": cannot be written: ", std::strerror(errno));
    buffer_.reserve(2 * block);
}

ArpaWriter::~ArpaWriter() {
    if (file_ >= 0) close(file_);
}

void ArpaWriter::begin(std::span<const std::uint64_t> counts) {
    highest_ = counts.size();
    append("\\data\\\n");
    for (std::size_t n = 1; n <= counts.size(); ++n)
        append("ngram " + std::to_string(n) + "=" + std::to_string(counts[n - 1]) + "\n");
}

void ArpaWriter::begin_order(std::size_t order) {
    append("\n\\" + std::to_string(order) + "-grams:\n");
}

void ArpaWriter::entry(std::span<const WordId> words, double probability, double backoff) {
    // Sums of rounded numbers can slightly exceed 1.
    append_log10(std::min(1.0, probability));
    for (std::size_t i = words.size(); i-- > 0;) {
        append(i + 1 == words.size() ? "\t" : " ");
        append(vocabulary_.text(static_cast<Vocabulary::Id>(words[i])));
    }
    if (words.size() < highest_) {
        append("\t");
        append_log10(backoff);
    }
    append("\n");
    if (buffer_.size() >= block) flush();
}

void ArpaWriter::end() {
    append("\n\\end\\\n");
    flush();
    const int file = std::exchange(file_, -1);
    if (close(file) != 0) fail<Error>(path_, ": cannot be written: ", std::strerror(errno));
}

void ArpaWriter::append(std::string_view text) {
    buffer_.append(text);
}

void ArpaWriter::append_log10(double value) {
    // The shortest digits that convert back to the same number in single precision, as in KenLM.
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                            static_cast<float>(std::log10(value)));
    buffer_.append(digits.data(), end);
}

void ArpaWriter::flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t written = write(file_, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail<Error>(path_, ": cannot be written: ", std::strerror(errno));
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
}

}  // namespace hopefear::kneser_ney
