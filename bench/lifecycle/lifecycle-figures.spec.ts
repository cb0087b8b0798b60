import { figuresOf, mediansOf, type Lives } from './lifecycle-figures';
import { lifecycleTable } from './lifecycle-report';

const lives = (toPhoneMs: number, apiSeconds: number): Lives => ({
  messages: 100,
  late: 1,
  answerTimes: [10, 20],
  toPhoneTimes: [toPhoneMs],
  cpuSeconds: { 'api 1': apiSeconds, database: 0.6, test: 9, all: 20 },
  commands: { 'find messages': 150, 'insert batches': 50 },
  bytes: { dataBytes: 200_000, indexBytes: 100_000 },
});

describe('the figures of the lifecycle benchmark', () => {
  it('are per message, without the CPU of the benchmark itself', () => {
    expect(figuresOf('this', 60, lives(400, 0.4))).toMatchObject({
      toPhoneP99: 400,
      answerP99: 20,
      cpuMs: { 'api 1': 4, database: 6 },
      serviceCpuMs: 10,
      commandCount: 2,
      bytes: { dataBytes: 2_000, indexBytes: 1_000 },
    });
  });

  it('are the medians of the turns, by build and rate', () => {
    const turns = [
      figuresOf('this', 60, lives(400, 0.4)),
      figuresOf('old', 60, lives(800, 0.8)),
      figuresOf('this', 60, lives(450, 0.2)),
      figuresOf('this', 60, lives(900, 0.3)),
      figuresOf('this', 100, lives(700, 0.3)),
    ];
    const rows = mediansOf(turns);
    expect(rows.map(({ build, rate, toPhoneP99 }) => [build, rate, toPhoneP99])).toEqual([
      ['this', 60, 450],
      ['old', 60, 800],
      ['this', 100, 700],
    ]);
    expect(rows[0]?.cpuMs['api 1']).toBe(3);
    const text = lifecycleTable(rows);
    expect(text).toContain('this: 60 messages a second with a p99 to the phone under 500 ms');
    expect(text).toContain('old: no rate that was measured with a p99 to the phone under 500 ms');
  });
});
