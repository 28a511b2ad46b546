// The plain way to find the heaviest half-space: for every pair sort the rows by their margin, and
// pass over them once. benchmarks/half_spaces.py compiles it with the flags of the core.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

struct Row {
    double margin;
    std::int64_t weight;
    bool border;
};

struct Best {
    std::int64_t total;
    std::int64_t gathered;
    std::int64_t pair;
};

}  // namespace

extern "C" void plain_scan(const double* similarity, std::int64_t rows, const std::int32_t* toward,
                           std::int64_t towards, const std::int32_t* away, std::int64_t aways,
                           const std::int64_t* weight, const std::uint8_t* border,
                           std::int64_t* out) {
    std::vector<std::int64_t> wanted;  // a settled row that is no border changes nothing
    for (std::int64_t i = 0; i < rows; ++i) {
        if (weight[i] != 0 || border[i]) wanted.push_back(i);
    }
    std::vector<Row> sorted(wanted.size());
    Best best = {0, 0, -1};
    for (std::int64_t pair = 0; pair < towards * aways; ++pair) {
        const double* const a = similarity + toward[pair / aways] * rows;
        const double* const b = similarity + away[pair % aways] * rows;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const std::int64_t row = wanted[i];
            sorted[i] = {a[row] - b[row], weight[row], border[row] != 0};
        }
        std::sort(sorted.begin(), sorted.end(),
                  [](const Row& x, const Row& y) { return x.margin > y.margin; });
        std::int64_t total = 0;
        std::int64_t gathered = 0;
        for (std::size_t i = 0; i < sorted.size();) {
            const double margin = sorted[i].margin;
            const std::int64_t total_above = total;
            const std::int64_t gathered_above = gathered;
            bool any_border = false;
            for (; i < sorted.size() && sorted[i].margin == margin; ++i) {
                total += sorted[i].weight;
                gathered += std::max<std::int64_t>(sorted[i].weight, 0);
                any_border = any_border || sorted[i].border;
            }
            const bool heavier = best.pair < 0 || total_above > best.total ||
                                 (total_above == best.total && gathered_above > best.gathered);
            if (any_border && heavier) best = {total_above, gathered_above, pair};
        }
    }
    out[0] = best.total;
    out[1] = best.gathered;
    out[2] = best.pair;
}
