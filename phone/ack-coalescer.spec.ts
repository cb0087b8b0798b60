import { setTimeout as sleep } from 'node:timers/promises';
import { AckCoalescer } from './ack-coalescer';
import { RequestError } from './json-client';

describe('AckCoalescer', () => {
  const requests: string[][] = [];
  const acknowledged: string[] = [];
  let answer: (request: number) => Promise<void>;
  let acks: AckCoalescer;

  beforeEach(() => {
    requests.length = 0;
    acknowledged.length = 0;
    answer = () => Promise.resolve();
    acks = new AckCoalescer(
      (smsIds) => {
        requests.push([...smsIds]);
        return answer(requests.length);
      },
      {
        acknowledged: (smsIds) => void acknowledged.push(...smsIds),
        failure: () => undefined,
        changed: () => undefined,
      },
      { maxDelayMs: 10, maxGroupSize: 100, initialBackoffMs: 2 },
    );
  });
  afterEach(() => {
    acks.stop();
  });

  async function untilEmpty(): Promise<void> {
    for (let tries = 0; tries < 400 && !acks.isEmpty; tries += 1) await sleep(5);
    expect(acks.isEmpty).toBe(true);
  }

  it('gathers what comes together, a hundred a request, each id once', async () => {
    for (let index = 0; index < 250; index += 1) acks.add(`sms-${index}`);
    acks.add('sms-0');
    await untilEmpty();
    expect(requests.map((request) => request.length)).toEqual([100, 100, 50]);
    expect(new Set(acknowledged).size).toBe(250);
  });

  it('repeats what the service did not take', async () => {
    answer = (request) => (request < 3 ? Promise.reject(new RequestError('away', 503)) : Promise.resolve());
    acks.add('a');
    await untilEmpty();
    expect(requests).toEqual([['a'], ['a'], ['a']]);
    expect(acknowledged).toEqual(['a']);
  });

  it('leaves it at a refusal for good', async () => {
    answer = () => Promise.reject(new RequestError('no such route', 404));
    acks.add('a');
    await untilEmpty();
    expect(requests).toHaveLength(1);
    expect(acknowledged).toEqual([]);
  });

  it('acknowledges nothing while it is paused', async () => {
    acks.pause();
    acks.add('a');
    await sleep(40);
    expect(requests).toEqual([]);
    acks.resume();
    await untilEmpty();
    expect(acknowledged).toEqual(['a']);
  });
});
