import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from './json-client';
import { ReportOutbox } from './report-outbox';

describe('ReportOutbox', () => {
  let outbox: ReportOutbox;

  beforeEach(() => {
    outbox = new ReportOutbox({ concurrency: 2, initialBackoffMs: 2, maxBackoffMs: 10 });
  });
  afterEach(() => {
    outbox.stop();
  });

  it('keeps the order of one lane through failures, one report at a time', async () => {
    const made: string[] = [];
    const inFlight = new Map<string, number>();
    const report = (lane: string, name: string) => async (attempt: number) => {
      expect(inFlight.get(lane) ?? 0).toBe(0);
      inFlight.set(lane, 1);
      await sleep(1);
      inFlight.set(lane, 0);
      if (attempt < 3) throw new RequestError('away');
      made.push(`${lane} ${name}`);
    };
    await Promise.all(
      ['x', 'y', 'z'].flatMap((lane) =>
        ['SENT', 'DELIVERED'].map((name) => outbox.put(lane, report(lane, name))),
      ),
    );
    for (const lane of ['x', 'y', 'z']) {
      expect(made.filter((entry) => entry.startsWith(lane))).toEqual([`${lane} SENT`, `${lane} DELIVERED`]);
    }
    expect(outbox.isEmpty).toBe(true);
  });

  it('has no more under way than it may', async () => {
    let now = 0;
    let most = 0;
    const report = async (): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await sleep(2);
      now -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, (_, lane) => outbox.put(`${lane}`, report)));
    expect(most).toBe(2);
  });

  it.each([
    [400, 'refused'],
    [404, 'refused'],
    [408, 'taken'],
    [429, 'taken'],
    [500, 'taken'],
    [503, 'taken'],
  ])('after a %i the report ends %s', async (status, end) => {
    const once = (attempt: number): Promise<void> =>
      attempt === 1 ? Promise.reject(new RequestError('no', status)) : Promise.resolve();
    await expect(outbox.put('x', once)).resolves.toBe(end);
  });

  it('lets the others pass a report the service cannot digest', async () => {
    void outbox.put('poison', () => Promise.reject(new RequestError('cannot', 500)));
    const others = Array.from({ length: 20 }, (_, lane) => outbox.put(`${lane}`, () => Promise.resolve()));
    expect(new Set(await Promise.all(others))).toEqual(new Set(['taken']));
    expect(outbox.holds('poison')).toBe(true);
  });

  it('makes nothing while it is paused, and gives up what is left when it is stopped', async () => {
    const made = jest.fn(() => Promise.resolve());
    outbox.pause();
    const first = outbox.put('x', made);
    await sleep(10);
    expect(made).not.toHaveBeenCalled();
    outbox.resume();
    await expect(first).resolves.toBe('taken');
    outbox.pause();
    const second = outbox.put('x', made);
    outbox.stop();
    await expect(second).resolves.toBe('abandoned');
    await expect(outbox.put('x', made)).resolves.toBe('abandoned');
    expect(made).toHaveBeenCalledTimes(1);
  });
});
