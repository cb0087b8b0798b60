import { Radio, type Fate, type RadioOptions } from './radio';
import { seededRandom } from './seeded-random';
import type { SmsCommand } from './wire';

interface Heard {
  readonly what: string;
  readonly smsId: string;
  readonly at: number;
}

function radioWith(options: Partial<RadioOptions>): { radio: Radio; heard: Heard[]; fates: Fate[] } {
  const heard: Heard[] = [];
  const fates: Fate[] = [];
  const hear =
    (what: string) =>
    (smsId: string, at: number): void => {
      heard.push({ what, smsId, at });
    };
  const radio = new Radio(
    { sendDelaySeconds: 0, failureRate: 0, deliveryDelaySeconds: null, random: seededRandom(1), ...options },
    {
      onAir: (command, fate, at) => {
        fates.push(fate);
        hear('on air')(command.smsId, at);
      },
      sent: hear('sent'),
      failed: hear('failed'),
      delivered: hear('delivered'),
    },
  );
  return { radio, heard, fates };
}

function command(smsId: string): SmsCommand {
  return { smsId, smsBatchId: 'batch', message: 'Hello', recipients: ['+447700900001'] };
}

describe('Radio', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());

  it('waits its send delay between messages, not before the first', () => {
    const { radio, heard } = radioWith({ sendDelaySeconds: 1.5 });
    for (const id of ['a', 'b', 'c']) radio.send(command(id));
    jest.advanceTimersByTime(10_000);
    expect(heard.filter(({ what }) => what === 'on air').map(({ smsId, at }) => [smsId, at])).toEqual([
      ['a', 0],
      ['b', 1_500],
      ['c', 3_000],
    ]);
  });

  it('keeps the delay after a pause in the work', () => {
    const { radio, heard } = radioWith({ sendDelaySeconds: 2 });
    radio.send(command('a'));
    jest.advanceTimersByTime(500);
    radio.send(command('b'));
    jest.advanceTimersByTime(5_000);
    radio.send(command('c'));
    expect(heard.filter(({ what }) => what === 'on air').map(({ at }) => at)).toEqual([0, 2_000, 5_500]);
  });

  it('sends everything without a delay when the delay is zero, in order', () => {
    const { radio, heard } = radioWith({});
    const ids = Array.from({ length: 500 }, (_, index) => `sms-${index}`);
    for (const id of ids) radio.send(command(id));
    jest.advanceTimersByTime(100);
    expect(heard.filter(({ what }) => what === 'on air').map(({ smsId }) => smsId)).toEqual(ids);
  });

  it('confirms the delivery after the delivery delay', () => {
    const { radio, heard } = radioWith({ deliveryDelaySeconds: 0.5 });
    radio.send(command('a'));
    jest.advanceTimersByTime(10_000);
    expect(heard).toEqual([
      { what: 'on air', smsId: 'a', at: 0 },
      { what: 'sent', smsId: 'a', at: 0 },
      { what: 'delivered', smsId: 'a', at: 500 },
    ]);
    expect(radio.awaitingCarrier).toBe(0);
  });

  it('fails the same messages for the same seed, at about the given rate', () => {
    const fatesFor = (seed: number): Fate[] => {
      const { radio, fates } = radioWith({ failureRate: 0.3, random: seededRandom(seed) });
      for (let index = 0; index < 1_000; index += 1) radio.send(command(`sms-${index}`));
      jest.advanceTimersByTime(1_000);
      return fates;
    };
    const first = fatesFor(7);
    expect(fatesFor(7)).toEqual(first);
    expect(fatesFor(8)).not.toEqual(first);
    const failed = first.filter((fate) => fate === 'failed').length;
    expect(failed).toBeGreaterThan(250);
    expect(failed).toBeLessThan(350);
  });

  it('leaves no timer behind when it is stopped', () => {
    const { radio, heard } = radioWith({ sendDelaySeconds: 1, deliveryDelaySeconds: 1 });
    for (const id of ['a', 'b']) radio.send(command(id));
    radio.stop();
    radio.send(command('c'));
    expect(jest.getTimerCount()).toBe(0);
    expect(heard.map(({ smsId }) => smsId)).toEqual(['a', 'a']);
  });
});
