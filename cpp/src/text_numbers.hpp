// Different texts, numbered in the order of their first occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace rulewright {

template <class Word>
std::uint64_t word_at(const char* at) noexcept {
    Word word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// The last bytes of a text, at most eight, as a number.
inline std::uint64_t last_bytes(std::string_view text) noexcept {
    const std::size_t size = text.size();
    const char* const at = text.data();
    if (size >= 8) return word_at<std::uint64_t>(at + size - 8);
    if (size >= 4) {
        return word_at<std::uint32_t>(at) << 32 | word_at<std::uint32_t>(at + size - 4);
    }
    if (size == 0) return 0;
    const auto byte = [&](std::size_t i) {
        return std::uint64_t{static_cast<std::uint8_t>(at[i])};
    };
    return byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
}

// A hash of short texts, eight bytes at a time. It is not the same on all machines.
inline std::size_t hash_of(std::string_view text) noexcept {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = text.size() * factor;
    for (std::size_t at = 0; at + 8 < text.size(); at += 8) {
        hash = (hash ^ word_at<std::uint64_t>(text.data() + at)) * factor;
        hash ^= hash >> 32;
    }
    hash = (hash ^ last_bytes(text)) * factor;
    return static_cast<std::size_t>(hash ^ hash >> 29);
}

// Whether two texts are equal; without a call where they are short.
inline bool are_equal(std::string_view one, std::string_view other) noexcept {
    if (one.size() != other.size() || last_bytes(one) != last_bytes(other)) return false;
    if (one.size() <= 8) return true;
    if (one.size() > 16) return one == other;
    return word_at<std::uint64_t>(one.data()) == word_at<std::uint64_t>(other.data());
}

// The texts must outlive the numbers. A table without nodes of its own
// takes half the time of std::unordered_map.
class TextNumbers {
public:
    std::int32_t number(std::string_view text) {
        return number(text, hash_of(text), [](std::string_view found) { return found; });
    }

    // `keep` returns the view under which a new text is kept.
    template <class Keep>
    std::int32_t number(std::string_view text, std::size_t hash, Keep&& keep) {
        for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
            const std::int32_t found = slots_[slot];
            if (found < 0) return insert(slot, hash, keep(text));
            const auto place = static_cast<std::size_t>(found);
            if (hashes_[place] == hash && are_equal(texts_[place], text)) return found;
        }
    }

    const std::vector<std::string_view>& texts() const noexcept { return texts_; }
    const std::vector<std::size_t>& hashes() const noexcept { return hashes_; }
    std::vector<std::string_view> take_texts() { return std::move(texts_); }

private:
    std::size_t mask() const noexcept { return slots_.size() - 1; }

    std::int32_t insert(std::size_t slot, std::size_t hash, std::string_view text) {
        const auto number = static_cast<std::int32_t>(texts_.size());
        texts_.push_back(text);
        hashes_.push_back(hash);
        slots_[slot] = number;
        if (2 * texts_.size() > slots_.size()) grow();
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
    std::vector<std::size_t> hashes_;
    std::vector<std::string_view> texts_;
};

}  // namespace rulewright
