#include "sisr.h"

#include <cmath>

namespace hcvrp {

namespace {

// Temperature and reports are looked after every so many iterations.
constexpr std::int64_t block = 64;
constexpr double report_interval = 1e-3;

// Tells the run of new bests, not too often.
class Reporter {
public:
    explicit Reporter(Run& run, double known) : run_(run), told_(known) {}

    void tick(const Chain& chain, std::int64_t iteration) {
        if (chain.best_cost() < told_ && run_.seconds() - last_ >= report_interval)
            tell(chain, iteration);
    }
    void finish(const Chain& chain, std::int64_t iteration) {
        if (chain.best_cost() < told_) tell(chain, iteration);
    }

private:
    void tell(const Chain& chain, std::int64_t iteration) {
        told_ = chain.best_cost();
        if (run_.listens()) run_.improved(told_, iteration, chain.best());
        last_ = run_.seconds();
    }

    Run& run_;
    double told_;
    double last_ = -1;
};

}  // namespace

Sisr::Sisr(const Problem& problem, Objective objective, const SisrParameters& parameters,
           std::uint64_t seed, std::vector<Routes> starts)
    : ground_(problem, objective, parameters), chain_(Chain::make(ground_, seed)) {
    for (const Routes& start : starts) chain_->adopt(start);
    chain_->adopt(chain_->best());
}

void Sisr::adopt(const Routes& routes) { chain_->adopt(routes); }

std::int64_t Sisr::search(Run& run, double start_temperature, double final_temperature) {
    Reporter reporter(run, std::numeric_limits<double>::infinity());
    const double cooling = std::log(final_temperature / start_temperature);
    double temperature = start_temperature;
    std::int64_t iteration = 0;
    while (!run.over(iteration, chain_->best_cost())) {
        if (iteration % block == 0) {
            temperature = start_temperature * std::exp(cooling * run.spent(iteration));
            reporter.tick(*chain_, iteration);
        }
        chain_->iterate(temperature);
        ++iteration;
    }
    reporter.finish(*chain_, iteration);
    return iteration;
}

}  // namespace hcvrp
