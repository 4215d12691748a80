// Opening a grammar, with all checks.
#include <algorithm>
#include <cstring>
#include <future>
#include <limits>
#include <string_view>

#include "hopefear/base/characters.hpp"
#include "hopefear/base/checksum.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/grammar/grammar.hpp"

namespace hopefear {

Grammar::Grammar(const std::string& path, bool verify) : name_(path), file_(path) {
    open(verify);
}

Grammar::Grammar(std::vector<std::uint8_t> bytes, std::string name)
    : name_(std::move(name)), file_(std::move(bytes)) {
    open(false);
}

void Grammar::open(bool verify) {
    if (file_.span().size() < sizeof header_)
        broken("it has ", file_.span().size(), " bytes, fewer than a header");
    std::memcpy(&header_, file_.span().data(), sizeof header_);
    check_header();
    // Checksums are compared while the bytes are read from the mapping, which checks them as well.
    std::future<void> verified;
    if (verify) verified = std::async([this] { verify_checksums(); });
    const std::size_t nodes = header_.node_count;
    symbols_ = array<std::int32_t>(GrammarHeader::symbols, nodes);
    first_child_ = array<std::uint32_t>(GrammarHeader::first_child, nodes + 1);
    blocks_ = array<std::uint32_t>(GrammarHeader::blocks, nodes);
    rules_ = section(GrammarHeader::rules);
    source_words_ = read_strings(GrammarHeader::source_words);
    target_words_ = read_strings(GrammarHeader::target_words);
    labels_ = read_strings(GrammarHeader::labels);
    feature_names_ = read_strings(GrammarHeader::features);
    read_kinds();
    if (verify) verified.get();
}

void Grammar::check_header() const {
    if (header_.magic != GrammarHeader::signature)
        fail<FormatError>(name_, ": not a hopefear grammar");
    if (header_.byte_order != GrammarHeader::native_order)
        fail<FormatError>(name_, ": was written on a machine with another byte order");
    if (header_.version != GrammarHeader::current_version)
        fail<FormatError>(name_, ": has version ", header_.version, "; this program reads version ",
                          GrammarHeader::current_version, "; build the grammar again");
    const auto head = file_.span().first(offsetof(GrammarHeader, checksum));
    if (Checksum::of(head) != header_.checksum) broken("its header is damaged");
    if (header_.file_size != file_.span().size())
        broken("it has ", file_.span().size(), " bytes instead of ", header_.file_size);
    if (header_.node_count == 0 || header_.node_count >= std::numeric_limits<std::uint32_t>::max())
        broken("it has ", header_.node_count, " states");
    for (const GrammarHeader::Place& place : header_.places)
        if (place.offset % 8 != 0 || place.offset > header_.file_size ||
            place.size > header_.file_size - place.offset)
            broken("a section lies outside");
}

const GrammarHeader::Place* Grammar::damaged_section() const {
    const auto damaged = [&](const GrammarHeader::Place& place) {
        return file_.checksum(place.offset, place.size) != place.checksum;
    };
    const auto found = std::ranges::find_if(header_.places, damaged);
    return found == header_.places.end() ? nullptr : &*found;
}

void Grammar::verify_checksums() const {
    if (const GrammarHeader::Place* const place = damaged_section())
        broken("the bytes from ", place->offset, " to ", place->offset + place->size,
               " are damaged");
}

void Grammar::check_unchanged() const {
    file_.check_unchanged([this] { return damaged_section() == nullptr; });
}

std::span<const std::uint8_t> Grammar::section(GrammarHeader::Section section) const {
    const GrammarHeader::Place& place = header_.places[section];
    return file_.span().subspan(place.offset, place.size);
}

template <class T>
const T* Grammar::array(GrammarHeader::Section which, std::size_t count) const {
    const auto bytes = section(which);
    if (bytes.size() / sizeof(T) != count || bytes.size() % sizeof(T) != 0)
        broken("a section has ", bytes.size(), " bytes instead of ", count * sizeof(T));
    return reinterpret_cast<const T*>(bytes.data());
}

std::shared_ptr<Vocabulary> Grammar::read_strings(GrammarHeader::Section which) const {
    const auto bytes = section(which);
    constexpr std::size_t unit = sizeof(std::uint64_t);
    std::uint64_t count = 0;
    if (bytes.size() >= unit) std::memcpy(&count, bytes.data(), unit);
    if (bytes.size() < 2 * unit || count > bytes.size() / unit - 2) broken("strings are missing");
    const auto offset = [&](std::size_t i) {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + unit * (1 + i), unit);
        return value;
    };
    const auto characters = bytes.subspan(unit * (2 + count));
    auto strings = std::make_shared<Vocabulary>();
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t begin = offset(i);
        const std::uint64_t end = offset(i + 1);
        if (begin > end || end > characters.size()) broken("string ", i, " lies outside");
        const std::string_view text(reinterpret_cast<const char*>(characters.data()) + begin,
                                    end - begin);
        if (valid_utf8_prefix(text) < text.size()) broken("string ", i, " is not UTF-8");
        strings->add(text);
    }
    if (strings->size() != count) broken("a string is there twice");
    return strings;
}

void Grammar::read_kinds() {
    const auto kinds = section(GrammarHeader::kinds);
    if (kinds.size() != feature_names_->size() || header_.dense_count > kinds.size())
        broken("it names ", feature_names_->size(), " features and describes ", kinds.size());
    for (const std::uint8_t kind : kinds) {
        if (kind > static_cast<std::uint8_t>(FeatureKind::count)) broken("feature kind ", kind);
        kinds_.push_back(static_cast<FeatureKind>(kind));
    }
}

std::string_view Grammar::notes() const {
    const auto bytes = section(GrammarHeader::notes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (valid_utf8_prefix(text) < text.size()) broken("its notes are not UTF-8");
    return text;
}

}  // namespace hopefear
