#include "sisr.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

namespace hcvrp::sisr {

namespace {

// Temperature and reports are looked after every so many iterations.
constexpr std::int64_t block = 64;
constexpr double report_interval = 1e-3;
constexpr int meetings = 24;
constexpr auto wait_interval = std::chrono::microseconds(200);

std::uint64_t chain_seed(std::uint64_t seed, std::size_t chain) {
    return seed + chain * 0xd1b54a32d192ed03u;
}

}  // namespace

// One stretch between meetings. The leader writes the flags, the followers read them.
struct Sisr::Round {
    double start_temperature, cooling;
    std::int64_t iterations;  // of the whole run
    double target;
    std::int64_t begin = 0, end = 0;
    double until = 0;  // the share of the budget at which the round ends
    std::atomic<double> time_spent = 0;
    std::atomic<bool> halt = false;
    std::atomic<int> following = 0;

    double temperature(std::int64_t iteration) const {
        const double share = static_cast<double>(iteration) / iterations;
        return start_temperature *
               std::exp(cooling * std::min(1.0, std::max(time_spent.load(), share)));
    }
};

Sisr::Sisr(const Problem& problem, Objective objective, const SisrParameters& parameters,
           std::uint64_t seed, std::vector<Routes> starts, int chains, Run& preparation)
    : ground_(problem, objective, parameters, preparation) {
    std::stable_sort(starts.begin(), starts.end(), [&](const Routes& a, const Routes& b) {
        return problem.cost(a, objective) < problem.cost(b, objective);
    });
    for (int k = 0; k < chains; ++k) {
        preparation.check();
        chains_.push_back(Chain::make(ground_, chain_seed(seed, k)));
        chains_.back()->adopt(starts[k % starts.size()]);
    }
}

const Chain& Sisr::leader() const {
    return **std::min_element(chains_.begin(), chains_.end(), [](const auto& a, const auto& b) {
        return a->best_cost() < b->best_cost();
    });
}

std::int64_t Sisr::search(Run& run, double start_temperature, double final_temperature) {
    told_at_ = -report_interval;
    Round round{.start_temperature = start_temperature,
                .cooling = std::log(final_temperature / start_temperature),
                .iterations = run.iterations(),
                .target = run.target()};
    for (int meeting = 1; meeting <= meetings; ++meeting) {
        round.until = static_cast<double>(meeting) / meetings;
        round.end = meeting == meetings
                        ? run.iterations()
                        : static_cast<std::int64_t>(run.iterations() * round.until);
        const bool over = advance(run, round);
        round.begin = round.end;
        if (over) break;
        exchange();
        if (leader().best_cost() < told_) report(run, leader(), round.begin);
    }
    if (leader().best_cost() < told_) {
        told_at_ = -report_interval;
        report(run, leader(), round.begin);
    }
    return round.begin;
}

// Runs every chain to the end of the round; whether that was the end of the run too.
bool Sisr::advance(Run& run, Round& round) {
    // Whatever happens on the calling thread, a callback that throws included, the followers
    // stop before the round goes away.
    struct Followers {
        Round& round;
        std::vector<std::jthread> threads;
        ~Followers() { round.halt = true; }
    };
    round.halt = false;
    round.following = static_cast<int>(chains_.size()) - 1;
    Followers followers{round, {}};
    for (std::size_t k = 1; k < chains_.size(); ++k)
        followers.threads.emplace_back([this, &round, k] { follow(*chains_[k], round); });

    Chain& chain = *chains_[0];
    double temperature = 0;
    bool over = false, by_time = false;
    std::int64_t iteration = round.begin;
    for (; iteration < round.end && !round.halt.load(std::memory_order_relaxed); ++iteration) {
        if ((over = run.over(iteration, chain.best_cost()))) break;
        if ((iteration - round.begin) % block == 0) {
            round.time_spent = run.spent(0);
            if ((by_time = round.time_spent >= round.until)) break;
            temperature = round.temperature(iteration);
            if (chain.best_cost() < told_) report(run, chain, iteration);
        }
        chain.iterate(temperature);
    }
    if (over || by_time) round.halt = true;
    while (round.following > 0) {
        std::this_thread::sleep_for(wait_interval);
        if (run.over(0, std::numeric_limits<double>::infinity())) round.halt = over = true;
    }
    round.end = iteration;
    return over || leader().best_cost() <= round.target;
}

void Sisr::follow(Chain& chain, Round& round) const {
    double temperature = 0;
    for (std::int64_t i = round.begin; i < round.end; ++i) {
        if (round.halt.load(std::memory_order_relaxed)) break;
        if ((i - round.begin) % block == 0) temperature = round.temperature(i);
        chain.iterate(temperature);
        if (chain.best_cost() <= round.target) round.halt = true;
    }
    --round.following;
}

void Sisr::exchange() {
    const Chain& best = leader();
    std::vector<Chain*> order;
    for (auto& chain : chains_) order.push_back(chain.get());
    std::stable_sort(order.begin(), order.end(), [](const Chain* a, const Chain* b) {
        return a->best_cost() < b->best_cost();
    });
    for (std::size_t k = (order.size() + 1) / 2; k < order.size(); ++k)
        if (best.best_cost() < order[k]->best_cost()) order[k]->adopt(best.best());
}

void Sisr::report(Run& run, const Chain& chain, std::int64_t iteration) {
    const double now = run.seconds();
    if (now - told_at_ < report_interval) return;
    told_ = chain.best_cost();
    if (run.listens()) run.improved(told_, iteration, chain.best());
    told_at_ = run.seconds();
}

}  // namespace hcvrp::sisr
