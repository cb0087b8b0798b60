import fc from 'fast-check';
import { booked, type PhonePaceState, slotsOf } from './phone-pace';
import { draw, occupiedMs, paceOf } from './token-bucket';

const PACE = paceOf(24);
const NOW = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const parts = (count: number, each = 1) => Array.from({ length: count }, () => each);
const afterSend = (state: PhonePaceState, sent: readonly number[], now = NOW) =>
  booked(state, sent.reduce((sum, each) => sum + each, 0) * PACE.msPerPart, now);
const secondsOf = (slots: number[] | undefined) => slots?.map((at) => (at - NOW) / 1_000);

describe('the pace of a phone, for small sends', () => {
  it('lets a minute of parts leave together if the phone has sent nothing', () => {
    expect(secondsOf(slotsOf(PACE, {}, parts(24), NOW))).toEqual(parts(24, 0));
    expect(secondsOf(slotsOf(PACE, {}, parts(25), NOW))?.at(-1)).toBe(19 * 2.5);
    const rested = { pacedUntil: NOW - 18 * PACE.msPerPart };
    expect(secondsOf(slotsOf(PACE, rested, parts(24), NOW))).toEqual(parts(24, 0));
  });

  it('otherwise lets the burst leave, and the others as parts are refilled', () => {
    const state = { pacedUntil: NOW - 1_000, smallSendsPacedUntil: NOW - 1_000 };
    expect(secondsOf(slotsOf(PACE, state, parts(9), NOW))).toEqual([...parts(6, 0), 2.5, 5, 7.5]);
  });

  it('has sends follow each other', () => {
    const first = afterSend({}, parts(4, 3));
    expect(secondsOf(slotsOf(PACE, first, parts(4, 3), NOW))).toEqual([22.5, 30, 37.5, 45]);
    const second = afterSend(first, parts(4, 3));
    expect(secondsOf(slotsOf(PACE, second, parts(1, 3), NOW))).toEqual([52.5]);
  });

  it('has no small send wait for a campaign, which waits for small sends', () => {
    const during = { pacedUntil: NOW + 9 * PACE.msPerPart };
    expect(secondsOf(slotsOf(PACE, during, parts(1), NOW))).toEqual([0]);
    expect(afterSend(during, parts(1)).pacedUntil).toBe(NOW + 10 * PACE.msPerPart);
  });

  it('lets a text longer than the burst leave when that is whole', () => {
    const state = afterSend({}, parts(2));
    expect(secondsOf(slotsOf(PACE, state, parts(2, 9), NOW))).toEqual([5, 27.5]);
  });

  it.each([
    [1, 2.5],
    [7, 17.5],
    [8, 62 / 3],
    [9, 22.5],
    [11, 31],
    [16, 62],
    [24, 62],
    [40, 100],
  ])(
    'has texts of %d parts take %d seconds each, so that Android allows all that fall into a minute',
    (size, seconds) => {
      expect(occupiedMs(PACE, size) / 1_000).toBeCloseTo(seconds);
      if (size <= 30) expect((Math.floor(60 / seconds) + 1) * size).toBeLessThanOrEqual(30);
    },
  );

  it('books nothing while it is booked for half an hour, and recovers from a clock that was set back', () => {
    const bookedUp = { pacedUntil: NOW + 31 * MINUTE, smallSendsPacedUntil: NOW + 31 * MINUTE };
    expect(slotsOf(PACE, bookedUp, parts(1), NOW)).toBeUndefined();
    expect(afterSend(bookedUp, parts(1))).toEqual(bookedUp);
    expect(slotsOf(PACE, bookedUp, parts(1), NOW + MINUTE)).toHaveLength(1);
  });

  it('hands out no more than 30 parts in any minute, in order, whatever is sent beside each other', () => {
    const send = fc.record({
      waitMs: fc.integer({ min: 0, max: 40_000 }),
      parts: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
    });
    fc.assert(
      fc.property(fc.array(send, { minLength: 1, maxLength: 25 }), (sends) => {
        let state: PhonePaceState = {};
        let now = NOW;
        const left: { at: number; parts: number }[] = [];
        for (const { waitMs, parts: sent } of sends) {
          now += waitMs;
          const slots = slotsOf(PACE, state, sent, now);
          expect(slots).toBeDefined();
          left.push(...sent.map((each, index) => ({ at: slots?.[index] ?? 0, parts: each })));
          state = afterSend(state, sent, now);
        }
        expect(state.pacedUntil).toBe(state.smallSendsPacedUntil);
        const worst = left.map(({ at }) =>
          left
            .filter((each) => each.at > at - MINUTE && each.at <= at)
            .reduce((sum, each) => sum + each.parts, 0),
        );
        expect(Math.max(...worst)).toBeLessThanOrEqual(30);
      }),
    );
  });

  it('draws as the bucket of a wave does', () => {
    expect(booked({}, 5 * PACE.msPerPart, NOW).pacedUntil).toBe(draw(PACE, undefined, 5, NOW));
  });
});
