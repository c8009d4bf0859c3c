// One run of a method: when it ends, and who hears of each new best.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>

#include "routes.h"

namespace hcvrp {

// Thrown where a run is over before there is anything to show for it.
struct RunOver : std::exception {
    const char* what() const noexcept override { return "the run ended during its preparation"; }
};

class Run {
public:
    // `cancelled` is asked about every `poll_interval` seconds, on the calling thread only; it may
    // throw (Ctrl-C does). `improved` may be empty.
    using Cancelled = std::function<bool()>;
    using Improved =
        std::function<void(double cost, double seconds, std::int64_t iteration, const Routes&)>;

    Run(double time_limit, std::int64_t iterations, double target, Cancelled cancelled,
        Improved improved)
        : time_limit_(time_limit), iterations_(iterations), target_(target),
          cancelled_(std::move(cancelled)), improved_(std::move(improved)),
          start_(Clock::now()) {}
    // One that never ends.
    Run() : Run(infinity, std::numeric_limits<std::int64_t>::max(), -infinity, {}, {}) {}

    double time_limit() const { return time_limit_; }
    std::int64_t iterations() const { return iterations_; }
    double target() const { return target_; }
    double seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    bool listens() const { return static_cast<bool>(improved_); }

    // Whether to stop now. Cheap enough for every iteration of a loop that makes a million a
    // second: the clock is read only every few tens of microseconds.
    bool over(std::int64_t iteration, double best_cost) {
        if (ended_ || iteration >= iterations_ || best_cost <= target_) return ended_ = true;
        if (--until_clock_ > 0) return false;
        const double now = seconds();
        const double per_call = std::max((now - last_clock_) / stride_, 1e-9);
        stride_ = static_cast<int>(std::clamp(clock_interval / per_call, 1.0, 64.0));
        until_clock_ = stride_;
        last_clock_ = now;
        if (now >= time_limit_ || poll(now)) return ended_ = true;
        return false;
    }

    // Whether someone has cancelled; limits do not count: for methods without an answer so far.
    bool interrupted() { return interrupted_ || poll(seconds()); }

    // The spent share of the budget, 0 … 1: the larger of the time's and the iterations'.
    double spent(std::int64_t iteration) const {
        return std::min(1.0, std::max(last_clock_ / time_limit_,
                                      static_cast<double>(iteration) / iterations_));
    }

    void improved(double cost, std::int64_t iteration, const Routes& routes) {
        if (improved_) improved_(cost, seconds(), iteration, routes);
    }

    // For loops that only prepare a search: throws RunOver once the run is over.
    void check() {
        if (over(0, infinity)) throw RunOver();
    }

    static constexpr double clock_interval = 50e-6;
    static constexpr double poll_interval = 4e-3;

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    using Clock = std::chrono::steady_clock;

    bool poll(double now) {
        if (now - last_poll_ < poll_interval || !cancelled_) return false;
        last_poll_ = now;
        return interrupted_ = cancelled_();
    }

    double time_limit_;
    std::int64_t iterations_;
    double target_;
    Cancelled cancelled_;
    Improved improved_;
    Clock::time_point start_;
    bool ended_ = false, interrupted_ = false;
    int stride_ = 1, until_clock_ = 1;
    double last_clock_ = 0, last_poll_ = 0;
};

}  // namespace hcvrp
