#include "ground.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hcvrp::policy {

namespace {

// Quotients are capped here: loads without weight, vehicles without end.
constexpr double limit = 1000;

double positive(double value) { return value > 0 ? value : 1; }
double log_of(double value) { return std::log(std::clamp(value, 1 / limit, limit)); }

// Distance per unit of length between the points: the least-squares fit of all pairs.
double fit(const Problem& problem, const double* points) {
    const int count = problem.customers() + 1;
    double products = 0, squares = 0;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            const double x = points[2 * i] - points[2 * j];
            const double y = points[2 * i + 1] - points[2 * j + 1];
            const double square = x * x + y * y;
            products += problem.distance(i, j) * std::sqrt(square);
            squares += square;
        }
    return squares > 0 && products > 0 ? products / squares : 1;
}

}  // namespace

Ground::Ground(const Problem& problem, Objective objective, const double* points,
               std::optional<double> scale)
    : problem(problem), objective(objective), scale(scale ? *scale : fit(problem, points)),
      demand(nodes()), gaps(nodes()), work(nodes()),
      shares(nodes()), points_(points, points + 2 * nodes()), largest_(0), total_capacity_(0),
      smallest_(std::numeric_limits<double>::infinity()), pace_(0), throughput_(0) {
    for (int v = 0; v < vehicles(); ++v) {
        const double capacity = problem.capacity(v), speed = problem.speed(v);
        largest_ = std::max(largest_, capacity);
        smallest_ = std::min(smallest_, capacity);
        total_capacity_ += capacity;
        pace_ += speed;
        throughput_ += capacity * speed;
        strength.push_back(capacity * speed);
    }
    for (double& s : strength) s /= throughput_;
    measure_lengths();
    measure_work();
    tabulate();
}

// length: the mean of all distances; gap: the mean distance from a customer to the nearest node.
void Ground::measure_lengths() {
    const int n = problem.customers();
    double total = 0, nearest_total = 0;
    for (int i = 0; i <= n; ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (int j = 0; j <= n; ++j) {
            if (j == i) continue;
            const double d = distance(i, j);
            total += d;
            nearest = std::min(nearest, d);
        }
        if (i == 0) continue;
        gaps[i] = nearest;
        nearest_total += nearest;
    }
    length = positive(total / (static_cast<double>(n + 1) * n));
    gap = nearest_total > 0 ? nearest_total / n : length;
}

// time = Σ work: the radial bound (Haimovich & Rinnooy Kan 1985) with all vehicles full and busy,
// and the way from customer to customer.
void Ground::measure_work() {
    const int n = problem.customers();
    double all_demand = 0, total = 0;
    for (int i = 1; i <= n; ++i) {
        demand[i] = problem.demand(i);
        all_demand += demand[i];
        work[i] = demand[i] * (distance(0, i) + distance(i, 0)) / throughput_ +
                  gaps[i] / pace_;
        total += work[i];
    }
    mean_demand = positive(all_demand / n);
    time = positive(total);
    for (int i = 1; i <= n; ++i) {
        work[i] /= time;
        shares[i] = {demand[i] / (mean_demand * n), work[i], 1.0 / n};
    }
}

void Ground::tabulate() {
    const int count = nodes();
    near = far = Matrix(count, count);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            const bool known = problem.symmetric() && j < i;
            const double d = distance(i, j);
            far[i][j] = static_cast<float>(d / length);
            near[i][j] = known ? near[j][i] : static_cast<float>(std::log1p(d / gap));
        }
    fixed = Matrix(fixed_terms, count);
    for (int j = 0; j < count; ++j) {
        const double terms[fixed_terms] = {
            demand[j] / mean_demand,  // to be divided by the load left
            demand[j] / mean_demand,
            distance(j, 0) / length,
            std::log1p(distance(j, 0) / gap),
            work[j] * problem.customers(),
            gaps[j] / gap,
        };
        for (int f = 0; f < fixed_terms; ++f) fixed[f][j] = static_cast<float>(terms[f]);
    }
}

std::array<double, 2> Ground::from_depot(int node, int view) const {
    double x = points_[2 * node] - points_[0], y = points_[2 * node + 1] - points_[1];
    if (view & 1) x = -x;
    if (view & 2) y = -y;
    if (view & 4) std::swap(x, y);
    return {x / length, y / length};
}

std::vector<double> Ground::depot(int view) const {
    const int n = problem.customers();
    double x = 0, y = 0, away = 0, gap_total = 0;
    for (int i = 1; i <= n; ++i) {
        const auto place = from_depot(i, view);
        x += place[0] / n;
        y += place[1] / n;
        away += (distance(0, i) + distance(i, 0)) / 2 / n;
        gap_total += gaps[i];
    }
    return {x,
            y,
            away / length,
            gap / length,
            log_of(mean_demand * n / total_capacity_),
            log_of(total_capacity_ / vehicles() / mean_demand),
            gap_total / pace_ / time};
}

Matrix Ground::customers(int view) const {
    Matrix features(problem.customers(), customer_features);
    for (int i = 1; i <= problem.customers(); ++i) {
        const auto place = from_depot(i, view);
        int carriers = 0;
        for (int v = 0; v < vehicles(); ++v) carriers += demand[i] <= problem.capacity(v);
        const double row[customer_features] = {
            place[0],
            place[1],
            distance(0, i) / length,
            distance(i, 0) / length,
            gaps[i] / gap,
            gaps[i] / length,
            demand[i] / largest_,
            demand[i] * vehicles() / total_capacity_,
            std::min(demand[i] / smallest_, 2.0),
            std::min(demand[i] / mean_demand, limit),
            work[i] * problem.customers(),
            static_cast<double>(carriers) / vehicles(),
        };
        std::copy_n(row, customer_features, features[i - 1]);
    }
    return features;
}

Matrix Ground::fleet() const {
    const int n = problem.customers(), m = vehicles();
    double fastest = 0, strongest = 0;
    for (int v = 0; v < m; ++v) {
        fastest = std::max(fastest, problem.speed(v));
        strongest = std::max(strongest, problem.capacity(v) * problem.speed(v));
    }
    Matrix features(m, vehicle_features);
    for (int v = 0; v < m; ++v) {
        const double capacity = problem.capacity(v), speed = problem.speed(v);
        int fits = 0;
        for (int i = 1; i <= n; ++i) fits += demand[i] <= capacity;
        const double row[vehicle_features] = {
            capacity / largest_,
            capacity * m / total_capacity_,
            speed / fastest,
            speed * m / pace_,
            capacity * speed / strongest,
            capacity * speed * m / throughput_,
            log_of(capacity / mean_demand),
            strength[v],
            static_cast<double>(fits) / n,
        };
        std::copy_n(row, vehicle_features, features[v]);
    }
    return features;
}

}  // namespace hcvrp::policy
