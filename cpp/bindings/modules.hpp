// The parts of the module, one per file.
#pragma once

#include <nanobind/nanobind.h>

namespace rulewright::bindings {

void bind_cell_counts(nanobind::module_& m);
void bind_columns(nanobind::module_& m);
void bind_conditions(nanobind::module_& m);
void bind_generalisation(nanobind::module_& m);
void bind_extensions(nanobind::module_& m);
void bind_growing(nanobind::module_& m);
void bind_optimal(nanobind::module_& m);
void bind_pruning(nanobind::module_& m);
void bind_routing(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_rule_sets(nanobind::module_& m);
void bind_sc_graph(nanobind::module_& m);
void bind_scorecards(nanobind::module_& m);

}  // namespace rulewright::bindings
