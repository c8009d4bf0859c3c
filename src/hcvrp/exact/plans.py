"""Proof for min-max by branch-and-price over whole vehicle plans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.column_generation import Relaxation
from hcvrp.exact.cuts import Cut, separate
from hcvrp.exact.master import ACTIVE
from hcvrp.exact.plan_master import Excluded, Plan, PlanDuals, PlanMaster
from hcvrp.exact.pool import Pool
from hcvrp.exact.watch import Watch
from hcvrp.search import native
from hcvrp.solution import Solution
import time

if TYPE_CHECKING:
    from collections.abc import Callable

EPS = 1e-7

class Tree:
    def __init__(self, relaxation: Relaxation, pool: Pool, limit: float, watch: Watch, verbose=False):
        self.relaxation = relaxation
        self.instance = relaxation.instance
        self.limit = limit
        self.watch = watch
        self.pool = pool
        self.verbose = verbose
        m = len(self.instance.vehicles)
        import os
        proof = relaxation.proof
        scale = 1 / proof.duals.cover.mean()
        box=float(os.environ.get('BOX','0'))
        self.master = PlanMaster(pool.size, m, np.maximum(proof.duals.cover*scale*box,0.1) if box else np.ones(pool.size))
        self.primal = os.environ.get('PRIMAL','0')=='1'
        on = [k for k in range(len(proof.cuts)) if proof.duals.penalties[k]>ACTIVE] if os.environ.get('SEED','0')=='1' else []
        self.master.add_cuts([proof.cuts[k] for k in on])
        self.group_of = {v: g for g, group in enumerate(relaxation.groups) for v in group.vehicles}
        self.numbers = []
        self.pricing = []
        for g in range(len(relaxation.groups)):
            chosen = pool.groups == g
            part = pool.select(chosen)
            self.numbers.append(np.flatnonzero(chosen))
            self.pricing.append(native.core.PlanPricing(part.customers, part.first, part.lengths))
        self.best = None
        self.nodes = 0
        self.rounds = 0
        self.tp = 0.0
        self.tl = 0.0
        w = proof.duals.weights
        self.centre = PlanDuals(proof.duals.cover * scale, np.array([w[self.group_of[v]] / relaxation.groups[self.group_of[v]].pace * limit * scale for v in range(m)]), proof.duals.penalties[on]*scale if on else np.zeros(0))
        self.lam = proof.duals.cover

    def price(self, duals, excluded, steps):
        """(plans, proven value D or None)"""
        t = time.time()
        cover = [0.0, *duals.cover.tolist()]
        rows = [native.core.SubsetRow(sorted(c.customers), [], float(p)) for c, p in zip(self.master.cuts, duals.penalties) if p > ACTIVE]
        total = float(duals.cover.sum() - duals.penalties.sum())
        seen = {}
        plans = []
        complete = True
        for v in range(len(self.instance.vehicles)):
            g = self.group_of[v]
            key = (g, excluded[v])
            if key not in seen:
                th = min(float(duals.vehicles[u]) for u in range(len(excluded)) if (self.group_of[u], excluded[u]) == key)
                q = native.core.PlanPrices(cover, rows, sorted(excluded[v]), self.limit * self.instance.vehicles[v].speed, th + 1e-9)
                seen[key] = self.pricing[g].best(q, 30, steps, self.watch.run())
            r = seen[key]
            complete &= r.complete
            total -= r.value
            for p in r.plans:
                trips = tuple(int(self.numbers[g][k]) for k in p)
                cust = frozenset(c for k in trips for c in self.pool.trip(k))
                length = float(self.pool.lengths[list(trips)].sum())
                plans.append(Plan(v, trips, cust, length / self.instance.vehicles[v].speed))
        self.tp += time.time() - t
        self.rounds += 1
        return plans, total if complete else None

    def settle(self, excluded):
        """True: infeasible; False: fractional/integer LP solution at hand; None: time."""
        self.master.restrict(excluded, self.limit)
        steps = 20000
        cut_rounds = 0
        while not self.watch.over:
            t = time.time()
            z = self.master.solve(self.watch.left)
            self.tl += time.time() - t
            if z is None:
                return None
            if z <= EPS:
                used = self.master.used()
                if self.integral(used):
                    self.accept(used)
                    self.master.restrict(excluded, self.limit)
                    continue
                if cut_rounds < 10 and len(self.master.cuts) < 200:
                    found = separate([tuple(sorted(p.customers)) for p, _ in used], np.array([x for _, x in used]), self.pool.size, 15)
                    have = {c.customers for c in self.master.cuts}
                    found = [c for c in found if c.customers not in have]
                    if found:
                        self.master.add_cuts(found)
                        self.master.primal=False
                        cut_rounds += 1
                        continue
                return False
            d = self.master.duals()
            plans, D = self.price(d, excluded, steps)
            if D is not None and D > EPS:
                return True
            self.master.primal=self.primal
            if not self.master.add(plans):
                if D is not None:
                    if self.verbose: print('odd', z, D)
                    return True if D > 0 else None
                steps = 1 << 60
        return None

    def integral(self, used):
        return all(x > 1 - 1e-6 or x < 1e-6 for _, x in used)

    def accept(self, used):
        routes = [[] for _ in self.instance.vehicles]
        seen = set()
        for p, x in used:
            if x > 0.5:
                for k in p.trips:
                    trip = tuple(c for c in self.pool.trip(k) if c not in seen)
                    seen |= set(trip)
                    if trip: routes[p.vehicle].append(trip)
        s = Solution(routes)
        assert not s.violations(self.instance)
        c = s.cost(self.instance, 'min-max')
        assert c <= self.limit + 1e-9
        self.best = (c, s)
        self.limit = c * (1 - 1e-7)
        if self.verbose: print('    NEW', c)

    def root(self):
        m = len(self.instance.vehicles)
        ex = (frozenset(),) * m
        plans, D = self.price(self.centre, ex, 1 << 60)
        if self.verbose: print('   centre D', D, len(plans), round(self.tp,2))
        self.master.add(plans)
        if D is not None and D > EPS:
            return True
        return self.settle(ex)

    def run(self):
        m = len(self.instance.vehicles)
        stack = [(frozenset(),) * m]
        first = True
        while stack:
            ex = stack.pop()
            self.nodes += 1
            r = self.root() if first else self.settle(ex)
            if self.verbose and (first or self.nodes % 20 == 0): print('   node', self.nodes, r, 'stack', len(stack), 'cols', len(self.master.plans), 'cuts', len(self.master.cuts), 'rounds', self.rounds, 'tp', round(self.tp,2), 'tl', round(self.tl,2))
            first = False
            if r is None: return False
            if r: continue
            used = self.master.used()
            share = np.zeros((m, self.pool.size))
            for p, x in used:
                for c in p.customers: share[p.vehicle, c-1] += x
            score = (1 - share.max(axis=0)) * self.lam
            i = int(np.argmax(score)) + 1
            kids = []
            seen = set()
            for v in range(m):
                if i in ex[v]: continue
                key = (self.group_of[v], ex[v])
                if key in seen: continue
                seen.add(key)
                kids.append((share[v, i-1], tuple(e if u == v else e | {i} for u, e in enumerate(ex))))
            kids.sort(key=lambda t: t[0])
            stack += [k for _, k in kids]
        return True
