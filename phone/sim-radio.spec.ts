import type { SendResult } from './radio';
import { NO_FAULTS, type PhoneFaults } from './phone-faults';
import { seededRandom } from './sims/seeded-random';
import type { SmsCommand } from './wire';
import { SimCard, type SimCardOptions } from './sims/sim-card';
import { SimRadio, type SimRadioOptions } from './sim-radio';
import { SimSlots } from './sims/sim-slots';

const NINE_PARTS = 'x'.repeat(1_377);

interface Ended extends SendResult {
  readonly smsId: string;
  readonly parts: number;
}

function radioWith(simOptions: SimCardOptions = {}, options: Partial<SimRadioOptions> = {}) {
  const faults: PhoneFaults = { ...NO_FAULTS };
  const slots = new SimSlots();
  const card = new SimCard({ seed: 1, ...simOptions });
  const attempted: string[] = [];
  const ended: Ended[] = [];
  const radio = new SimRadio(
    slots.insert(card),
    {
      slots,
      partsPerMinute: null,
      confirmationSeconds: null,
      faults,
      lieRandom: seededRandom(2),
      ...options,
    },
    {
      attempted: ({ command }) => attempted.push(command.smsId),
      ended: ({ command, parts }, result) => ended.push({ smsId: command.smsId, parts, ...result }),
      returned: () => undefined,
    },
  );
  return { radio, card, faults, attempted, ended };
}

function command(smsId: string, message = 'Hello'): SmsCommand {
  return { smsId, smsBatchId: 'batch', message, recipients: ['+447700900001'] };
}

function sendAll(radio: SimRadio, count: number, message?: string): void {
  for (let number = 1; number <= count; number += 1) radio.send(command(`sms-${number}`, message));
}

const errorsOf = (ended: readonly Ended[]) => ended.map(({ smsId, error }) => [smsId, error]);

describe('SimRadio', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());

  it('takes its time for each part of each message', () => {
    const { radio, ended } = radioWith({ secondsPerPart: 2 });
    radio.send(command('a', 'x'.repeat(161)));
    radio.send(command('b'));
    jest.advanceTimersByTime(60_000);
    expect(ended).toMatchObject([
      { smsId: 'a', parts: 2, partTimes: [2_000, 4_000], at: 4_000, fate: 'delivered' },
      { smsId: 'b', parts: 1, partTimes: [6_000], at: 6_000, fate: 'delivered' },
    ]);
  });

  describe("beyond Android's limit", () => {
    it('lets five messages wait for a person and fails the others', () => {
      const { radio, ended, attempted } = radioWith({}, { partsPerMinute: 30 });
      sendAll(radio, 10, NINE_PARTS);
      expect(attempted).toHaveLength(10);
      expect(ended.filter(({ fate }) => fate !== 'failed').map(({ smsId }) => smsId)).toEqual([
        'sms-1',
        'sms-2',
        'sms-3',
      ]);
      expect(ended.slice(3)).toMatchObject([
        { smsId: 'sms-9', error: '5', partTimes: [] },
        { smsId: 'sms-10', error: '5', partTimes: [] },
      ]);
      expect(radio.awaitingConfirmation).toBe(5);
    });

    it('never has more parts on the air in a minute without a person, and loses nothing', () => {
      const { radio, ended } = radioWith({ secondsPerPart: 0.5 }, { partsPerMinute: 30 });
      for (let number = 0; number < 200; number += 1) {
        radio.send(command(`sms-${number}`, 'x'.repeat(1 + (number % 5) * 153)));
        jest.advanceTimersByTime(3_000);
      }
      jest.advanceTimersByTime(60_000);
      const times = ended.flatMap(({ partTimes }) => partTimes);
      // A part is counted when its message is attempted, up to 2.5 s before it is on the air.
      for (const start of times)
        expect(times.filter((time) => time >= start && time < start + 57_500).length).toBeLessThanOrEqual(30);
      expect(ended.length + radio.awaitingConfirmation).toBe(200);
      expect(new Set(ended.map(({ smsId }) => smsId)).size).toBe(ended.length);
    });

    it('sends what a person allows, without counting it, and fails what a person denies', () => {
      const { radio, ended } = radioWith({}, { partsPerMinute: 1 });
      sendAll(radio, 3);
      expect(ended).toHaveLength(1);
      radio.answerConfirmations(true);
      expect(ended).toHaveLength(3);
      jest.advanceTimersByTime(60_001);
      radio.send(command('counted'));
      expect(ended.at(-1)).toMatchObject({ smsId: 'counted', error: undefined });
      radio.send(command('denied'));
      radio.answerConfirmations(false);
      expect(ended.at(-1)).toMatchObject({ smsId: 'denied', error: '5', partTimes: [] });
    });

    it('sends after the time in which a person answers, before the messages behind', () => {
      const { radio, ended } = radioWith(
        { secondsPerPart: 4 },
        { partsPerMinute: 1, confirmationSeconds: 10 },
      );
      sendAll(radio, 2);
      jest.advanceTimersByTime(60_000);
      expect(ended.map(({ smsId, at }) => [smsId, at])).toEqual([
        ['sms-1', 4_000],
        ['sms-2', 18_000],
      ]);
    });
  });

  it('fails messages that never reach the radio with the reason of Android', () => {
    const { radio, card, faults, ended } = radioWith();
    faults.airplaneMode = true;
    radio.send(command('airplane'));
    faults.airplaneMode = false;
    card.service = 'off';
    radio.send(command('off'));
    card.service = 'none';
    radio.send(command('none'));
    card.service = 'available';
    faults.smsPermission = false;
    radio.send(command('permission'));
    expect(errorsOf(ended)).toEqual([
      ['airplane', '2'],
      ['off', '2'],
      ['none', '4'],
      ['permission', 'PERMISSION_DENIED'],
    ]);
    expect(ended.flatMap(({ partTimes }) => partTimes)).toEqual([]);
  });

  it('has the parts before and after a failed part on the air', () => {
    const { radio, card, ended } = radioWith({ secondsPerPart: 1 });
    radio.send(command('a', NINE_PARTS));
    jest.advanceTimersByTime(2_500);
    card.service = 'none';
    jest.advanceTimersByTime(2_000);
    card.service = 'available';
    jest.advanceTimersByTime(10_000);
    expect(ended).toMatchObject([
      { fate: 'failed', error: '4', partTimes: [1_000, 2_000, 5_000, 6_000, 7_000, 8_000, 9_000] },
    ]);
  });

  it('fails at most one part of a message at random, the same for the same seed', () => {
    const missingParts = (seed: number) => {
      const { radio, ended } = radioWith({ failureRate: 0.5, seed });
      sendAll(radio, 200, NINE_PARTS);
      return ended.map(({ fate, partTimes }) => (fate === 'failed' ? 9 - partTimes.length : 0));
    };
    const missing = missingParts(7);
    expect(missingParts(7)).toEqual(missing);
    expect(missingParts(8)).not.toEqual(missing);
    expect(new Set(missing)).toEqual(new Set([0, 1]));
  });

  describe('with a carrier block', () => {
    it('fails every message while the block is on', () => {
      const { radio, card, ended } = radioWith();
      radio.send(command('before'));
      card.carrier.block = 'fail';
      radio.send(command('during'));
      card.carrier.block = undefined;
      radio.send(command('after'));
      expect(ended).toMatchObject([
        { fate: 'delivered', partTimes: [0] },
        { fate: 'failed', error: '1', partTimes: [] },
        { fate: 'delivered', partTimes: [0] },
      ]);
    });

    it('sends messages that are never delivered, also when it starts in the middle of one', () => {
      const { radio, card, ended } = radioWith({ secondsPerPart: 1 });
      radio.send(command('a', 'x'.repeat(161)));
      jest.advanceTimersByTime(1_500);
      card.carrier.block = 'drop';
      jest.advanceTimersByTime(1_500);
      expect(ended).toMatchObject([{ fate: 'sent', dropped: true, partTimes: [1_000, 2_000] }]);
    });

    it('rejects all parts of a message beyond a cap', () => {
      const { radio, ended } = radioWith({ caps: { messagesPerDay: 1 } });
      sendAll(radio, 2, NINE_PARTS);
      expect(ended.map(({ fate, partTimes }) => [fate, partTimes.length])).toEqual([
        ['delivered', 9],
        ['failed', 0],
      ]);
    });
  });

  it('lies about its share of the messages on the air, the same for the same seed', () => {
    const lies = () => {
      const { radio, faults, ended } = radioWith({ failureRate: 0.2 });
      Object.assign(faults, { lieRate: 0.5, lieError: '4' });
      sendAll(radio, 400);
      return ended.filter(({ fate, partTimes }) => fate === 'failed' && partTimes.length > 0);
    };
    const first = lies();
    expect(lies()).toEqual(first);
    expect(first.length).toBeGreaterThan(120);
    expect(first.length).toBeLessThan(200);
    expect(first.every(({ error }) => error === '4')).toBe(true);
  });

  it('ends every attempt when it is stopped, with the parts that are on the air', () => {
    const { radio, ended, attempted } = radioWith({ secondsPerPart: 1 }, { partsPerMinute: 9 });
    sendAll(radio, 3, NINE_PARTS);
    jest.advanceTimersByTime(3_500);
    radio.stop();
    expect(attempted).toEqual(['sms-1']);
    expect(ended).toMatchObject([
      { smsId: 'sms-1', fate: 'failed', error: '1', partTimes: [1_000, 2_000, 3_000] },
    ]);
    jest.advanceTimersByTime(60_000);
    expect([ended.length, jest.getTimerCount()]).toEqual([1, 0]);
  });
});
