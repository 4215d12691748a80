#include "hopefear/grammar/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "hopefear/base/error.hpp"
#include "hopefear/base/growing_array.hpp"

namespace hopefear {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// mkostemp creates files for the owner only; give this one the usual permissions.
void give_usual_rights(int file) {
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
}

// The folder with its slash, or nothing; and what follows.
std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}
std::string name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

// As the package names temporary files, so that it finds those of killed processes.
FileSink::FileSink(std::string path)
    : path_(std::move(path)), temporary_(folder_of(path_) + "." + name_of(path_) + ".XXXXXX.part") {
    file_ = mkostemps(temporary_.data(), 5, O_CLOEXEC);
    if (file_ < 0) {
        temporary_.clear();
        fail_to_write(errno);
    }
    give_usual_rights(file_);
    buffer_.reserve(buffer_bytes);
}

FileSink::~FileSink() {
    if (file_ >= 0) close(file_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileSink::fail_to_write(int error) const {
    fail<Error>(path_, ": cannot be written: ", std::strerror(error));
}

void FileSink::write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::size_t count = std::min(bytes.size(), buffer_bytes - buffer_.size());
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<long>(count));
        bytes = bytes.subspan(count);
        if (buffer_.size() == buffer_bytes) flush();
    }
}

void FileSink::flush() {
    overwrite(flushed_, buffer_);
    flushed_ += buffer_.size();
    buffer_.clear();
}

void FileSink::overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    if (bytes.data() != buffer_.data()) flush();
    while (!bytes.empty()) {
        const ssize_t count = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno != EINTR) fail_to_write(errno);
        if (count <= 0) continue;
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void FileSink::finish() {
    flush();
    if (fsync(file_) != 0) fail_to_write(errno);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_to_write(errno);
    temporary_.clear();
    // The new name must survive a power cut as well.
    const int folder = open((folder_of(path_) + ".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail_to_write(errno);
    const int failed = fsync(folder) == 0 ? 0 : errno;
    close(folder);
    if (failed != 0) fail_to_write(failed);
}

void MemorySink::write(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void MemorySink::overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    std::ranges::copy(bytes, bytes_.begin() + static_cast<long>(offset));
}

namespace {

template <class T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

}  // namespace

void append_body(const RuleBody& body, std::vector<std::uint8_t>& out) {
    const auto arity = static_cast<std::uint32_t>(body.arity);
    const auto width = static_cast<std::uint32_t>(body.target.size());
    write_number(static_cast<std::uint32_t>(body.source_length), out);
    write_number(arity, out);
    write_number(static_cast<std::uint32_t>(body.lhs), out);
    write_number(width, out);
    for (const Symbol symbol : body.target)
        write_number(is_slot(symbol) ? static_cast<std::uint32_t>(slot_of(symbol))
                                     : static_cast<std::uint32_t>(symbol) + arity,
                     out);
    write_number(static_cast<std::uint32_t>(body.alignment.size()), out);
    for (const Link link : body.alignment) write_number(link.source * width + link.target, out);
}

void append_sparse(std::span<const FeatureId> ids, std::span<const float> values,
                   std::vector<std::uint8_t>& out) {
    write_number(static_cast<std::uint32_t>(ids.size()), out);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        write_number(static_cast<std::uint32_t>(ids[i]), out);
        const auto value = bytes_of(values.subspan(i, 1));
        out.insert(out.end(), value.begin(), value.end());
    }
}

void pad_record(std::vector<std::uint8_t>& out) {
    out.resize((out.size() + 3) / 4 * 4);
}

GrammarWriter::GrammarWriter(std::unique_ptr<ByteSink> sink, std::size_t dense_count,
                             bool has_sparse, std::string directory, std::size_t memory)
    : sink_(std::move(sink)), directory_(std::move(directory)), memory_(memory) {
    header_.dense_count = static_cast<std::uint32_t>(dense_count);
    header_.has_sparse = has_sparse ? 1 : 0;
    levels_.resize(2);
    levels_[0].symbols.push_back(0);  // the root
    levels_[0].first_child.push_back(0);
    levels_[0].blocks.push_back(GrammarHeader::no_rules);
    header_.node_count = 1;
    sink_->write(bytes_of(std::span<const GrammarHeader>(&header_, 1)));
    position_ = sizeof header_;
    begin_section(GrammarHeader::rules);
}

void GrammarWriter::add_source(std::span<const Symbol> source, std::size_t rule_count,
                               std::span<const std::uint8_t> records) {
    if (header_.source_count > 0 && !std::ranges::lexicographical_compare(previous_, source))
        fail<Error>("source side ", header_.source_count, " of a grammar is out of order");
    const std::uint64_t offset = position_ - header_.places[GrammarHeader::rules].offset;
    if (offset / 4 >= GrammarHeader::no_rules ||
        rule_count > std::numeric_limits<std::uint32_t>::max())
        fail<DataError>("a grammar file holds at most 16 GiB of rules; filter for the inputs");
    add_nodes(source);
    levels_[source.size()].blocks[levels_[source.size()].blocks.size() - 1] =
        static_cast<std::uint32_t>(offset / 4);
    const auto count = static_cast<std::uint32_t>(rule_count);
    put_array(std::span<const std::uint32_t>(&count, 1));
    put(records);
    header_.rule_count += rule_count;
    ++header_.source_count;
    spill_if_needed();
}

void GrammarWriter::add_nodes(std::span<const Symbol> source) {
    const auto [old, fresh] = std::ranges::mismatch(previous_, source);
    auto depth = static_cast<std::size_t>(fresh - source.begin());
    previous_.assign(source.begin(), source.end());
    if (levels_.size() < source.size() + 2) levels_.resize(source.size() + 2);
    for (; depth < source.size(); ++depth) {
        Level& level = levels_[depth + 1];
        level.symbols.push_back(source[depth]);
        level.first_child.push_back(static_cast<std::uint32_t>(levels_[depth + 2].symbols.size()));
        level.blocks.push_back(GrammarHeader::no_rules);
        ++header_.node_count;
    }
    if (header_.node_count >= std::numeric_limits<std::uint32_t>::max())
        fail<DataError>(
            "the source sides of a grammar have 2^32 or more prefixes; filter for the inputs");
}

void GrammarWriter::spill_if_needed() {
    constexpr std::size_t node_bytes = 12;
    if (memory_ == 0 || header_.node_count * node_bytes < memory_) return;
    for (Level& level : levels_) {
        level.symbols.spill(directory_);
        level.first_child.spill(directory_);
        level.blocks.spill(directory_);
    }
    memory_ = 0;  // done
}

void GrammarWriter::begin_section(GrammarHeader::Section section) {
    static constexpr std::uint8_t zeros[8] = {};
    const std::size_t padding = (8 - position_ % 8) % 8;
    sink_->write(std::span(zeros).first(padding));
    position_ += padding;
    section_ = section;
    header_.places[section].offset = position_;
    checksum_ = Checksum();
}

void GrammarWriter::put(std::span<const std::uint8_t> bytes) {
    sink_->write(bytes);
    checksum_.add(bytes);
    position_ += bytes.size();
}

template <class T>
void GrammarWriter::put_array(std::span<const T> values) {
    put(bytes_of(values));
}

void GrammarWriter::end_section() {
    GrammarHeader::Place& place = header_.places[section_];
    place.size = position_ - place.offset;
    place.checksum = checksum_.value();
}

void GrammarWriter::put_trie() {
    begin_section(GrammarHeader::symbols);
    for (const Level& level : levels_) put_array(level.symbols.span());
    end_section();
    begin_section(GrammarHeader::first_child);
    std::uint32_t next = 0;  // the first node of the next level
    for (Level& level : levels_) {
        next += static_cast<std::uint32_t>(level.symbols.size());
        for (std::size_t i = 0; i < level.first_child.size(); ++i) level.first_child[i] += next;
        put_array(level.first_child.span());
    }
    put_array(std::span<const std::uint32_t>(&next, 1));
    end_section();
    begin_section(GrammarHeader::blocks);
    for (const Level& level : levels_) put_array(level.blocks.span());
    end_section();
}

void GrammarWriter::put_strings(GrammarHeader::Section section, const Vocabulary& strings) {
    begin_section(section);
    std::vector<std::uint64_t> numbers{strings.size(), 0};
    std::string characters;
    for (std::size_t id = 0; id < strings.size(); ++id) {
        characters += strings.text(static_cast<Vocabulary::Id>(id));
        numbers.push_back(characters.size());
    }
    put_array(std::span<const std::uint64_t>(numbers));
    put_array(std::span<const char>(characters));
    end_section();
}

void GrammarWriter::finish(const GrammarNames& names) {
    end_section();
    put_trie();
    put_strings(GrammarHeader::source_words, *names.source_words);
    put_strings(GrammarHeader::target_words, *names.target_words);
    put_strings(GrammarHeader::labels, *names.labels);
    put_strings(GrammarHeader::features, *names.features);
    begin_section(GrammarHeader::kinds);
    put_array(names.kinds);
    end_section();
    begin_section(GrammarHeader::notes);
    put_array(std::span<const char>(names.notes));
    end_section();
    header_.file_size = position_;
    const auto head = bytes_of(std::span<const GrammarHeader>(&header_, 1));
    header_.checksum = Checksum::of(head.first(offsetof(GrammarHeader, checksum)));
    sink_->overwrite(0, head);
    sink_->finish();
}

}  // namespace hopefear
