#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "enumerate.h"
#include "ng_route.h"
#include "plan_join.h"
#include "plan_pricing.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hcvrp::exact;

namespace {

// A vector handed to NumPy without a copy.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {kept->size()}, owner};
}

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> copy(const Array<T>& values) {
    return {values.data(), values.data() + values.shape(0)};
}

}  // namespace

void hcvrp::bind_exact(nb::module_& m) {
    nb::class_<SubsetRow>(m, "SubsetRow")
        .def(nb::init<std::array<int, 3>, std::vector<int>, double>(), "customers"_a, "memory"_a,
             "penalty"_a);
    nb::class_<Prices>(m, "Prices")
        .def(
            "__init__",
            [](Prices* self, const Array<double>& legs, int capacity, std::vector<double> duals,
               std::vector<SubsetRow> cuts) {
                new (self) Prices{copy(legs), capacity, std::move(duals), std::move(cuts)};
            },
            "legs"_a, "capacity"_a, "duals"_a, "cuts"_a);
    nb::class_<PricedRoutes>(m, "PricedRoutes")
        .def_ro("routes", &PricedRoutes::routes)
        .def_ro("least", &PricedRoutes::least)
        .def_ro("deficit", &PricedRoutes::deficit);
    nb::class_<Legs>(m, "Legs")
        .def(nb::init<int>(), "customers"_a)
        .def_prop_ro("count", &Legs::count)
        .def("drop", &Legs::drop, "start"_a, "finish"_a, "prices"_a, "gap"_a);
    nb::class_<NgRoutes>(m, "NgRoutes")
        .def(nb::init<const Problem&, std::vector<int>, int, double>(), "problem"_a, "level"_a,
             "neighbourhood"_a, "memory"_a)
        .def("fill", &NgRoutes::fill, "prices"_a, "legs"_a, "width"_a, "reversed"_a, "run"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("best", &NgRoutes::best, "most"_a, "per_end"_a)
        .def("least_costs", &NgRoutes::least_costs)
        .def_prop_ro("labels", &NgRoutes::labels);
    nb::class_<TripRange>(m, "TripRange")
        .def(nb::init<double, double, int, double>(), "above_load"_a, "most_load"_a,
             "above_level"_a, "gap"_a);
    nb::enum_<TripPool::End>(m, "PoolEnd")
        .value("complete", TripPool::End::complete)
        .value("too_many", TripPool::End::too_many)
        .value("interrupted", TripPool::End::interrupted);
    m.def(
        "enumerate_trips",
        [](const Problem& problem, const NgRoutes& table, const Prices& prices,
           const TripRange& range, double memory, Run& run) {
            TripPool pool;
            {
                nb::gil_scoped_release release;
                pool = enumerate_trips(problem, table, prices, range, memory, run);
            }
            return nb::make_tuple(pool.end, array(std::move(pool.customers)),
                                  array(std::move(pool.first)), array(std::move(pool.lengths)));
        },
        "problem"_a, "table"_a, "prices"_a, "span"_a, "memory"_a, "run"_a);

    nb::class_<PlanPrices>(m, "PlanPrices")
        .def(nb::init<std::vector<double>, std::vector<SubsetRow>, double>(), "duals"_a,
             "cuts"_a, "most_length"_a)
        .def_ro("most_length", &PlanPrices::most_length);
    nb::class_<PricedPlans>(m, "PricedPlans")
        .def_ro("plans", &PricedPlans::plans)
        .def_ro("value", &PricedPlans::value)
        .def_ro("complete", &PricedPlans::complete);
    nb::class_<PlanPricing>(m, "PlanPricing")
        .def(
            "__init__",
            [](PlanPricing* self, const Array<std::int32_t>& customers,
               const Array<std::int64_t>& first, const Array<double>& lengths) {
                new (self) PlanPricing(copy(customers), copy(first), copy(lengths));
            },
            "customers"_a, "first"_a, "lengths"_a)
        .def("price", &PlanPricing::price, "prices"_a)
        .def("values", [](const PlanPricing& self) { return array(self.values()); })
        .def("above", &PlanPricing::above, "theta"_a, "shares"_a, "most"_a)
        .def("best", &PlanPricing::best, "shares"_a, "threshold"_a, "most"_a, "steps"_a, "run"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("list", &PlanPricing::list, "shares"_a, "threshold"_a, "most"_a, "run"_a,
             nb::call_guard<nb::gil_scoped_release>());
    nb::class_<PlanList>(m, "PlanList")
        .def_ro("complete", &PlanList::complete)
        .def("__len__", [](const PlanList& self) { return self.plans.size(); });
    nb::class_<PlanChoice>(m, "PlanChoice")
        .def(nb::init<const PlanPricing*, const PlanList*, double, double>(), "pricing"_a, "plans"_a,
             "ceiling"_a, "speed"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
    nb::class_<JoinedPlans>(m, "JoinedPlans")
        .def_ro("time", &JoinedPlans::time)
        .def_ro("trips", &JoinedPlans::trips)
        .def_ro("complete", &JoinedPlans::complete);
    m.def(
        "join_plans",
        [](const std::vector<PlanChoice>& vehicles, int customers, double allowance, double limit,
           Run& run) {
            PlanCustomers everyone;
            for (int customer = 1; customer <= customers; ++customer) everyone.add(customer);
            nb::gil_scoped_release release;
            return join_plans(vehicles, everyone, allowance, limit, run);
        },
        "vehicles"_a, "customers"_a, "allowance"_a, "limit"_a, "run"_a);
    m.attr("MOST_PLAN_CUSTOMERS") = PlanPricing::most_customers;
}
