// Different texts, numbered in the order of their first occurrence.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace rulewright {

// The first 16 bytes of a text, zeros after its end, and a hash of the whole. Of two texts of equal
// size, at most 16, the bytes are equal only if the texts are.
struct TextKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t hash = 0;  // not the same on all machines
};

constexpr std::size_t word_bytes = 8;

inline std::uint64_t word_at(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// The bytes of a word from `at` that belong to a text of `size` bytes.
inline std::uint64_t word_of(std::string_view text, std::size_t at) noexcept {
    std::uint64_t word = 0;
    if (at < text.size()) {
        std::memcpy(&word, text.data() + at, std::min(text.size() - at, word_bytes));
    }
    return word;
}

inline std::uint64_t hash_of(std::string_view text, std::uint64_t first, std::uint64_t second) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = text.size() * factor;
    const auto add = [&](std::uint64_t word) {
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
    };
    add(first);
    add(second);
    for (std::size_t at = 2 * word_bytes; at < text.size(); at += word_bytes)
        add(word_of(text, at));
    return hash;
}

inline TextKey key_of(std::string_view text) noexcept {
    const std::uint64_t first = word_of(text, 0), second = word_of(text, word_bytes);
    return {first, second, hash_of(text, first, second)};
}

// The same for a text that eight more bytes follow, without a branch where it is short.
inline TextKey key_of_padded(std::string_view text) noexcept {
    if constexpr (std::endian::native != std::endian::little) return key_of(text);
    const auto low_bytes = [](std::uint64_t word, std::size_t count) {
        return count == 0 ? 0 : word & ~std::uint64_t{0} >> 8 * (word_bytes - count);
    };
    const std::size_t head = std::min(text.size(), word_bytes);
    const std::size_t rest = std::min(text.size() - head, word_bytes);
    const std::uint64_t first = low_bytes(word_at(text.data()), head);
    const std::uint64_t second = low_bytes(word_at(text.data() + (rest == 0 ? 0 : head)), rest);
    return {first, second, hash_of(text, first, second)};
}

// The texts must outlive the numbers. A table without nodes of its own takes half the time of
// std::unordered_map.
class TextNumbers {
public:
    std::int32_t number(std::string_view text, const TextKey& key) {
        return number(text, key, [](std::string_view found) { return found; });
    }

    // `keep` returns the view under which a new text is kept.
    template <class Keep>
    std::int32_t number(std::string_view text, const TextKey& key, Keep&& keep) {
        for (std::size_t slot = key.hash & mask();; slot = (slot + 1) & mask()) {
            const std::int32_t found = slots_[slot];
            if (found < 0) return insert(slot, keep(text), key);
            const Entry& entry = entries_[static_cast<std::size_t>(found)];
            if (entry.first == key.first && entry.second == key.second &&
                entry.text.size() == text.size() &&
                (text.size() <= 2 * word_bytes || entry.text == text)) {
                return found;
            }
        }
    }

    std::size_t size() const noexcept { return entries_.size(); }
    std::string_view text(std::size_t number) const noexcept { return entries_[number].text; }
    TextKey key(std::size_t number) const noexcept {
        return {entries_[number].first, entries_[number].second, hashes_[number]};
    }

    std::vector<std::string_view> texts() const {
        std::vector<std::string_view> found;
        found.reserve(entries_.size());
        for (const Entry& entry : entries_) found.push_back(entry.text);
        return found;
    }

private:
    // Half a line of the cache: all that a short text is compared by.
    struct Entry {
        std::uint64_t first;
        std::uint64_t second;
        std::string_view text;
    };

    std::size_t mask() const noexcept { return slots_.size() - 1; }

    std::int32_t insert(std::size_t slot, std::string_view text, const TextKey& key) {
        const auto number = static_cast<std::int32_t>(entries_.size());
        entries_.push_back({key.first, key.second, text});
        hashes_.push_back(key.hash);
        slots_[slot] = number;
        if (2 * entries_.size() > slots_.size()) grow();
        return number;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), -1);
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            std::size_t slot = hashes_[i] & mask();
            while (slots_[slot] >= 0) slot = (slot + 1) & mask();
            slots_[slot] = static_cast<std::int32_t>(i);
        }
    }

    std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(64, -1);  // a power of 2
    std::vector<Entry> entries_;
    std::vector<std::uint64_t> hashes_;
};

}  // namespace rulewright
