import { newsOf, type Memory, type NewsProblem } from './news';

const MINUTE = 60_000;
const START = Date.parse('2026-01-31T12:00:00Z');
const SETTINGS = {
  phoneOffline: true,
  phoneBack: true,
  simUnhealthy: true,
  webhookPaused: true,
  planNearlyUsed: true,
  offlineAfterMinutes: 10,
};
const offline: NewsProblem = {
  code: 'phone_offline',
  since: new Date(START).toISOString(),
  subject: { id: 'a', name: 'Front desk' },
};
const webhook: NewsProblem = { code: 'webhook_paused', subject: { id: 'w', name: 'Orders' } };

/** The notifications that the given problems cause, minute by minute. */
function tell(
  steps: readonly (readonly [minute: number, problems: readonly NewsProblem[]])[],
  settings = SETTINGS,
) {
  let memory: Memory<NewsProblem> | undefined;
  return steps.flatMap(([minute, problems]) => {
    const result = newsOf(problems, memory, settings, START + minute * MINUTE);
    memory = result.memory;
    return result.news.map(
      ({ problem, isBack }) => `${minute}: ${problem.subject.name}${isBack ? ' back' : ''}`,
    );
  });
}

describe('what an open page tells', () => {
  it('is what happens after it was opened', () => {
    expect(
      tell([
        [0, [webhook]],
        [1, [webhook]],
        [2, []],
      ]),
    ).toEqual([]);
    expect(
      tell([
        [0, []],
        [1, [webhook]],
        [2, [webhook]],
      ]),
    ).toEqual(['1: Orders']);
  });

  it('is a phone that is offline for some minutes, and that is back for ten', () => {
    const steps = [1, 9, 10, 11].map((minute) => [minute, [offline]] as const);
    expect(tell([...steps, [12, []], [21, []], [22, []], [23, []]])).toEqual([
      '10: Front desk',
      '22: Front desk back',
    ]);
  });

  it('is one news of a phone that comes and goes', () => {
    const steps = Array.from({ length: 20 }, (_, index) => [20 + index, index % 2 ? [] : [offline]] as const);
    expect(tell([[0, []], ...steps])).toEqual(['20: Front desk']);
  });

  it('counts a phone that does not answer as the same as one that is offline', () => {
    const unresponsive = { ...offline, code: 'phone_unresponsive' };
    expect(
      tell([
        [0, []],
        [10, [unresponsive]],
        [11, [offline]],
      ]),
    ).toEqual(['10: Front desk']);
  });

  it('is nothing of a topic that is off, nor of problems without one', () => {
    const other = { code: 'battery_low', subject: { id: 'a', name: 'Front desk' } };
    const settings = { ...SETTINGS, webhookPaused: false };
    expect(
      tell(
        [
          [0, []],
          [1, [webhook, other]],
        ],
        settings,
      ),
    ).toEqual([]);
  });
});
