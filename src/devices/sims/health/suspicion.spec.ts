import fc from 'fast-check';
import { isConvincing, NO_SUSPICION, type Suspicion, weigh } from './suspicion';

const ODDS = { working: 0.3, blocked: 0.95 };

function afterOutcomes(
  outcomes: readonly { readonly isBad: boolean; readonly recipient: string }[],
): Suspicion {
  return outcomes.reduce((suspicion, outcome) => weigh(suspicion, outcome, ODDS), NO_SUSPICION);
}
const bad = (count: number, recipient = (index: number) => `r${index}`) =>
  Array.from({ length: count }, (_, index) => ({ isBad: true, recipient: recipient(index) }));

describe('weigh', () => {
  it('is convinced by 14 bad outcomes in a row of different recipients', () => {
    expect(isConvincing(afterOutcomes(bad(13)))).toBe(false);
    expect(isConvincing(afterOutcomes(bad(14)))).toBe(true);
  });

  it('is convinced by a good outcome in ten, not by four in ten', () => {
    const trace = (goodInTen: number) =>
      Array.from({ length: 200 }, (_, index) => ({ isBad: index % 10 >= goodInTen, recipient: `r${index}` }));
    const isEverConvinced = (goodInTen: number) =>
      trace(goodInTen).some((_, index, all) => isConvincing(afterOutcomes(all.slice(0, index))));
    expect(isEverConvinced(1)).toBe(true);
    expect(isEverConvinced(4)).toBe(false);
  });

  it('needs many more bad outcomes of one recipient', () => {
    expect(isConvincing(afterOutcomes(bad(60, () => 'same')))).toBe(false);
    expect(isConvincing(afterOutcomes(bad(100, () => 'same')))).toBe(true);
  });

  it('resets after enough good outcomes', () => {
    const good = Array.from({ length: 6 }, () => ({ isBad: false, recipient: 'good' }));
    expect(afterOutcomes([...bad(13), ...good])).toEqual(NO_SUSPICION);
  });

  it('stays bounded', () => {
    const outcome = fc.record({ isBad: fc.boolean(), recipient: fc.stringMatching(/^[a-e][a-z]$/) });
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 200 }), (outcomes) => {
        const { score, recipients } = afterOutcomes(outcomes);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(recipients.length).toBeLessThanOrEqual(32);
        expect(new Set(recipients).size).toBe(recipients.length);
      }),
    );
  });
});
