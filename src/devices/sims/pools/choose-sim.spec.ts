import fc from 'fast-check';
import {
  type Candidate,
  chooseSim,
  POOL_STRATEGIES,
  type PoolStrategyState,
  type PoolMessage,
  type RejectionReason,
} from './choose-sim';

const NOW = new Date('2026-03-01T12:00:00Z');
const PAST = new Date(0);
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

const sim = (id: string, changes: Partial<Candidate> = {}): Candidate => ({
  id,
  isEnabled: true,
  isReachable: true,
  servesRecipient: true,
  allowedAt: PAST,
  room: Infinity,
  health: { state: 'closed', failureRate: 0 },
  messagesPerMinute: 24,
  doneAt: PAST,
  ...changes,
});
const HALF_OPEN = { state: 'half-open', failureRate: 0.1, canaryDueAt: NOW } as const;
const OPEN = { state: 'open', failureRate: 0.5, canaryDueAt: inMinutes(5) } as const;

const choose = (
  candidates: readonly Candidate[],
  message: Partial<PoolMessage> = {},
  { strategy = 'sticky', turn = 0 }: Partial<PoolStrategyState> = {},
) =>
  chooseSim(
    candidates,
    { recipient: '+4915112345678', isSingleUrgent: false, ...message },
    { strategy, turn },
    NOW,
  );

/** How many of 2,000 recipients each SIM gets. */
function spread(candidates: readonly Candidate[], count = 2_000): Map<string, number> {
  const shares = new Map(candidates.map(({ id }) => [id, 0]));
  for (let index = 0; index < count; index++) {
    const id = choose(candidates, { recipient: `r${index}` }).sim?.id ?? '';
    shares.set(id, (shares.get(id) ?? 0) + 1);
  }
  return shares;
}

describe('chooseSim', () => {
  const pool = [sim('a'), sim('b'), sim('c')];

  it.each<[RejectionReason, Partial<Candidate>, Date | undefined]>([
    ['disabled', { isEnabled: false, isReachable: false }, undefined],
    ['unreachable', { isReachable: false, servesRecipient: false }, undefined],
    ['country', { servesRecipient: false, allowedAt: inMinutes(5) }, undefined],
    ['limits', { allowedAt: inMinutes(9), health: OPEN }, inMinutes(9)],
    ['unhealthy', { health: OPEN }, inMinutes(5)],
    ['unhealthy', { health: { state: 'half-open', failureRate: 0.1 } }, undefined],
  ])('rejects a SIM: %s', (reason, changes, until) => {
    const rejections = [{ sim: 'a', reason, until }];
    expect(choose([sim('a', changes)])).toEqual({ eligible: 0, rejections, reason, until });
    expect(choose([sim('a', changes), sim('b')])).toEqual({
      eligible: 1,
      rejections,
      sim: sim('b'),
      reason: 'only_sim',
    });
  });

  it('tells the reason that ends first, else the one that was checked last', () => {
    const disabled = sim('a', { isEnabled: false });
    const unreachable = sim('b', { isReachable: false });
    const full = sim('c', { allowedAt: inMinutes(60) });
    const open = sim('d', { health: OPEN });
    expect(choose([])).toEqual({ eligible: 0, rejections: [], reason: 'empty_pool' });
    expect(choose([disabled, unreachable])).toMatchObject({ reason: 'unreachable' });
    expect(choose([disabled, unreachable])).not.toHaveProperty('until');
    expect(choose([disabled, full, unreachable])).toMatchObject({ reason: 'limits', until: inMinutes(60) });
    expect(choose([full, open, disabled])).toMatchObject({ reason: 'unhealthy', until: inMinutes(5) });
  });

  it('keeps the SIM that the recipient last heard from, while it is healthy', () => {
    for (const { id } of pool) {
      expect(choose(pool, { previousSim: id })).toMatchObject({ sim: { id }, reason: 'sticky' });
    }
    expect(choose(pool, { previousSim: 'gone' }).reason).toBe('spread');
    expect(choose([sim('a', { health: HALF_OPEN }), sim('b'), sim('c')], { previousSim: 'a' }).reason).toBe(
      'spread',
    );
    expect(choose([sim('a', { isReachable: false }), sim('b'), sim('c')], { previousSim: 'a' }).reason).toBe(
      'spread',
    );
    expect(choose(pool, { previousSim: 'b', isSingleUrgent: true }).reason).toBe('sticky');
  });

  it('takes the SIM that is done first for a single urgent message', () => {
    const busy = [
      sim('a', { doneAt: inMinutes(3) }),
      sim('b', { doneAt: inMinutes(1) }),
      sim('c', { doneAt: inMinutes(2) }),
    ];
    for (const strategy of POOL_STRATEGIES) {
      expect(choose(busy, { isSingleUrgent: true }, { strategy })).toMatchObject({
        sim: { id: 'b' },
        reason: 'urgent',
      });
    }
  });

  it('risks no urgent message as a canary, unless no other SIM can take it', () => {
    const canary = sim('a', { health: HALF_OPEN });
    const busy = sim('b', { doneAt: inMinutes(60) });
    expect(choose([canary, busy], { isSingleUrgent: true }).sim?.id).toBe('b');
    expect(choose([canary], { isSingleUrgent: true }).sim?.id).toBe('a');
  });

  it('takes turns', () => {
    const ids = [0, 1, 2, 3].map((turn) =>
      choose(pool.toReversed(), { previousSim: 'a' }, { strategy: 'round-robin', turn }),
    );
    expect(ids).toMatchObject(['a', 'b', 'c', 'a'].map((id) => ({ sim: { id }, reason: 'round_robin' })));
  });

  it('takes the least loaded SIM, of idle ones by recipient', () => {
    const loads = [sim('a', { doneAt: inMinutes(2) }), sim('b', { doneAt: inMinutes(1) })];
    expect(choose(loads, { previousSim: 'a' }, { strategy: 'least-loaded' })).toMatchObject({
      sim: { id: 'b' },
      reason: 'least_loaded',
    });
    const idle = pool.map((each, index) => ({ ...each, doneAt: inMinutes(-index) }));
    const chosen = Array.from({ length: 50 }, (_, index) => {
      const message = { recipient: `r${index}` };
      const { sim: least } = choose(idle, message, { strategy: 'least-loaded' });
      expect(least?.id).toBe(choose(pool, message).sim?.id);
      return least?.id;
    });
    expect(new Set(chosen).size).toBe(3);
  });

  it('sends half as much to a SIM that fails half of the time, or has half of the room or of the pace', () => {
    const shares = spread([
      sim('whole'),
      sim('also whole', { room: 1_000 }),
      sim('failing', { health: { state: 'closed', failureRate: 0.5 } }),
      sim('half full', { room: 500 }),
      sim('half as fast', { messagesPerMinute: 12 }),
    ]);
    const [whole = 0, alsoWhole = 0, failing = 0, halfFull = 0, slow = 0] = [...shares.values()].map(
      (share) => share / 2_000,
    );
    for (const share of [whole, alsoWhole]) expect(Math.abs(share - 2 / 7)).toBeLessThan(0.05);
    for (const share of [failing, halfFull, slow]) expect(Math.abs(share - 1 / 7)).toBeLessThan(0.05);
  });

  const weighted = fc
    .uniqueArray(
      fc.tuple(
        fc.uuid(),
        fc.integer({ min: 50, max: 2_000 }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.integer({ min: 20, max: 60 }),
      ),
      {
        minLength: 2,
        maxLength: 12,
        selector: ([id]) => id,
      },
    )
    .map((sims) =>
      sims.map(([id, room, failureRate, messagesPerMinute]) =>
        sim(id, { room, health: { state: 'closed', failureRate }, messagesPerMinute }),
      ),
    );
  const weightOf = ({ room, health, messagesPerMinute }: Candidate) =>
    Math.min(room, 1_000) * (1 - health.failureRate) * messagesPerMinute;

  it('spreads recipients in proportion to health, room and pace', () => {
    fc.assert(
      fc.property(weighted, (candidates) => {
        const count = 1_000;
        const total = candidates.reduce((sum, each) => sum + weightOf(each), 0);
        const shares = spread(candidates, count);
        for (const each of candidates) {
          const share = weightOf(each) / total;
          // Five standard deviations.
          const tolerance = 5 * Math.sqrt(count * share * (1 - share)) + 1;
          expect(Math.abs((shares.get(each.id) ?? 0) - count * share)).toBeLessThan(tolerance);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('moves only the recipients of a SIM that leaves, and gives a SIM that gets weaker no new ones', () => {
    fc.assert(
      fc.property(weighted, fc.nat(), (candidates, index) => {
        const changed = candidates[index % candidates.length];
        const rest = candidates.filter((each) => each !== changed);
        const weaker = candidates.map((each) => (each === changed ? { ...each, room: each.room / 2 } : each));
        for (let number = 0; number < 100; number++) {
          const message = { recipient: `r${number}` };
          const before = choose(candidates, message).sim?.id;
          if (before !== changed?.id) expect(choose(rest, message).sim?.id).toBe(before);
          const after = choose(weaker, message).sim?.id;
          if (before !== changed?.id) expect(after).toBe(before);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('depends on the facts, not on the order of the candidates', () => {
    fc.assert(
      fc.property(
        weighted,
        fc.constantFrom(...POOL_STRATEGIES),
        fc.boolean(),
        fc.nat({ max: 100 }),
        fc.string(),
        (candidates, strategy, isSingleUrgent, turn, recipient) => {
          const message = { recipient, isSingleUrgent };
          const { sim: chosen } = choose(candidates, message, { strategy, turn });
          expect(choose(candidates.toReversed(), message, { strategy, turn }).sim).toEqual(chosen);
        },
      ),
    );
  });
});
