#include "hopefear/grammar/builder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "hopefear/base/error.hpp"
#include "hopefear/grammar/writer.hpp"

namespace hopefear {

GrammarBuilder::GrammarBuilder()
    : source_words_(std::make_shared<Vocabulary>()),
      target_words_(std::make_shared<Vocabulary>()),
      labels_(std::make_shared<Vocabulary>()),
      feature_names_(std::make_shared<Vocabulary>()) {}

FeatureId GrammarBuilder::feature(std::string_view name, FeatureKind kind) {
    const FeatureId id = feature_names_->add(name);
    if (static_cast<std::size_t>(id) == kinds_.size()) kinds_.push_back(kind);
    if (kinds_[id] != kind)
        fail<DataError>("feature '", name, "' was used with another kind before");
    return id;
}

void GrammarBuilder::check_sides(Label lhs, std::span<const Symbol> source,
                                 std::span<const Symbol> target) {
    const auto inside = [](Symbol id, const Vocabulary& words) {
        return static_cast<std::size_t>(id) < words.size();
    };
    if (lhs < 0 || !inside(lhs, *labels_)) fail<DataError>("there is no label ", lhs);
    if (source.empty() || source.size() > longest_sentence || target.size() > longest_sentence)
        fail<DataError>("a rule with ", source.size(), " source and ", target.size(),
                        " target symbols; expected 1 to ", longest_sentence, ", and as many");
    std::size_t arity = 0;
    for (const Symbol symbol : source) {
        if (is_label(symbol) ? !inside(label_of(symbol), *labels_)
                             : !inside(symbol, *source_words_))
            fail<DataError>("there is no source symbol ", symbol);
        arity += is_label(symbol) ? 1 : 0;
    }
    slots_.assign(arity, false);
    std::size_t filled = 0;
    for (const Symbol symbol : target) {
        if (!is_slot(symbol) && !inside(symbol, *target_words_))
            fail<DataError>("there is no target word ", symbol);
        if (!is_slot(symbol)) continue;
        const auto slot = static_cast<std::size_t>(slot_of(symbol));
        if (slot >= arity || slots_[slot])
            fail<DataError>("nonterminal ", slot + 1, " of the target side is ",
                            slot >= arity ? "not on the source side" : "used twice");
        slots_[slot] = true;
        ++filled;
    }
    if (filled != arity)
        fail<DataError>("the source side has ", arity, " nonterminals and the target side ",
                        filled);
}

void GrammarBuilder::check_alignment(std::span<const Symbol> source, std::span<const Symbol> target,
                                     std::span<const Link> alignment) const {
    for (const Link link : alignment) {
        if (link.source >= source.size() || link.target >= target.size())
            fail<DataError>("link ", link.source, "-", link.target, " is outside of a rule with ",
                            source.size(), " source and ", target.size(), " target symbols");
        if (is_label(source[link.source]) || is_slot(target[link.target]))
            fail<DataError>("link ", link.source, "-", link.target, " is not between two words");
    }
}

void GrammarBuilder::append_features(std::span<const FeatureId> ids,
                                     std::span<const float> values) {
    dense_.assign(dense_count_, 0.0f);
    for (std::size_t i = 0; i < dense_count_; ++i)
        if (kinds_[i] == FeatureKind::probability) dense_[i] = 1.0f;
    sparse_.clear();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] < 0 || static_cast<std::size_t>(ids[i]) >= kinds_.size())
            fail<DataError>("there is no feature ", ids[i]);
        if (!std::isfinite(values[i]))
            fail<DataError>("feature '", feature_names_->text(ids[i]), "' is ", values[i]);
        if (static_cast<std::size_t>(ids[i]) < dense_count_)
            dense_[ids[i]] = values[i];
        else
            sparse_.emplace_back(ids[i], values[i]);
    }
    std::ranges::sort(sparse_, {}, &std::pair<FeatureId, float>::first);
    sparse_ids_.clear();
    sparse_values_.clear();
    for (const auto& [id, value] : sparse_) {
        if (!sparse_ids_.empty() && sparse_ids_.back() == id)
            fail<DataError>("feature '", feature_names_->text(id), "' occurs twice");
        sparse_ids_.push_back(id);
        sparse_values_.push_back(value);
    }
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(dense_.data());
    record_.assign(bytes, bytes + dense_.size() * sizeof(float));
}

void GrammarBuilder::add(Label lhs, std::span<const Symbol> source, std::span<const Symbol> target,
                         std::span<const Link> alignment, std::span<const FeatureId> ids,
                         std::span<const float> values) {
    if (entries_.empty()) dense_count_ = kinds_.size();
    if (entries_.size() >= std::numeric_limits<std::uint32_t>::max())
        fail<DataError>("more than 2^32 rules");
    check_sides(lhs, source, target);
    check_alignment(source, target, alignment);
    append_features(ids, values);
    std::vector<Link> links(alignment.begin(), alignment.end());
    std::ranges::sort(links);
    links.erase(std::ranges::unique(links).begin(), links.end());
    append_body({.lhs = lhs,
                 .source_length = static_cast<std::int32_t>(source.size()),
                 .arity = static_cast<std::int32_t>(slots_.size()),
                 .target = target,
                 .alignment = links},
                record_);
    append_sparse(sparse_ids_, sparse_values_, record_);
    pad_record(record_);
    // Files are mostly sorted: a repeated source side is stored once.
    if (entries_.empty() ||
        !std::ranges::equal(this->source(entries_[entries_.size() - 1]), source))
        sources_.append(source);
    entries_.push_back({.source = sources_.size() - source.size(),
                        .record = records_.size(),
                        .source_length = static_cast<std::uint32_t>(source.size()),
                        .record_length = static_cast<std::uint32_t>(record_.size())});
    records_.append(record_);
}

std::vector<std::uint32_t> GrammarBuilder::sorted() const {
    std::vector<std::uint32_t> order(entries_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [this](std::uint32_t a, std::uint32_t b) {
        return std::ranges::lexicographical_compare(source(entries_[a]), source(entries_[b]));
    });
    return order;
}

void GrammarBuilder::write(std::unique_ptr<ByteSink> sink, const std::string& directory,
                           std::string notes) const {
    GrammarWriter writer(std::move(sink), dense_count_, true, directory, 0);
    const std::vector<std::uint32_t> order = sorted();
    std::vector<std::uint8_t> records;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        const auto side = source(entries_[order[begin]]);
        records.clear();
        for (; end < order.size() && std::ranges::equal(source(entries_[order[end]]), side);
             ++end) {
            const Entry& entry = entries_[order[end]];
            const auto bytes = records_.span(entry.record, entry.record_length);
            records.insert(records.end(), bytes.begin(), bytes.end());
        }
        writer.add_source(side, end - begin, records);
    }
    writer.finish({.source_words = source_words_.get(),
                   .target_words = target_words_.get(),
                   .labels = labels_.get(),
                   .features = feature_names_.get(),
                   .kinds = kinds_,
                   .notes = std::move(notes)});
}

std::unique_ptr<Grammar> GrammarBuilder::build(std::string name) const {
    std::vector<std::uint8_t> bytes;
    write(std::make_unique<MemorySink>(bytes), "", "");
    return std::make_unique<Grammar>(std::move(bytes), std::move(name));
}

void GrammarBuilder::write(const std::string& path, std::string notes) const {
    const std::string directory = std::filesystem::path(path).parent_path().string();
    write(std::make_unique<FileSink>(path), directory.empty() ? "." : directory, std::move(notes));
}

}  // namespace hopefear
