#include "hopefear/lm/arpa_values.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "hopefear/base/error.hpp"
#include "hopefear/base/numbers.hpp"

namespace hopefear {

void check_arpa_values(const OpenFile& file) {
    constexpr std::string_view spaces("\0\t\n\v\f\r ", 7);  // of KenLM
    const Mapping mapping(file);
    const std::string_view text(reinterpret_cast<const char*>(mapping.span().data()),
                                mapping.span().size());
    if (text.starts_with("mmap lm ")) return;  // a binary of KenLM
    bool listed = false;                       // within n-grams
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        ++number;
        if (line.starts_with('\\')) listed = line.find("-grams:") != std::string_view::npos;
        line.remove_prefix(std::min(line.find_first_not_of(spaces), line.size()));
        if (!listed || line.empty()) continue;
        const std::string_view found = line.substr(0, line.find_first_of(spaces));
        const auto value = parse_number(found);
        if (!value || std::isfinite(static_cast<float>(*value))) continue;
        if (line.substr(found.size()).starts_with("\t<s>\t")) continue;
        fail<FormatError>(file.path(), ":", number, ": the log probability must be finite, got ",
                          found, "; write -99 for a probability of 0, as SRILM does");
    }
    if (mapping.lost()) file.fail_changed();
}

}  // namespace hopefear
