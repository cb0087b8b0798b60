import { NO_FAULTS } from './phone-faults';
import type { SendError } from './send-error';
import type { Fate } from './sent-ledger';
import { SimCard, type SimCardOptions } from './sims/sim-card';
import { SimSlots } from './sims/sim-slots';
import { VirtualRadio, type VirtualRadioOptions } from './virtual-radio';
import type { SmsCommand } from './wire';

interface Heard {
  readonly what: string;
  readonly smsId: string;
  readonly at: number;
}

interface Sent {
  readonly smsId: string;
  readonly sim: number | undefined;
  readonly at: number;
  readonly error: SendError | undefined;
}

function radioWith({ slots = new SimSlots(), ...options }: Partial<VirtualRadioOptions> & SimCardOptions) {
  const heard: Heard[] = [];
  const fates: Fate[] = [];
  const sent: Sent[] = [];
  const hear =
    (what: string) =>
    (smsId: string, at: number): void => {
      heard.push({ what, smsId, at });
    };
  if (slots.all.length === 0) slots.insert(new SimCard({ deliveryDelaySeconds: null, seed: 1, ...options }));
  const radio = new VirtualRadio(
    {
      slots,
      sendDelaySeconds: 0,
      partsPerMinute: null,
      confirmationSeconds: null,
      faults: NO_FAULTS,
      lieRandom: Math.random,
      ...options,
    },
    {
      attempted: () => undefined,
      ended: ({ command: { smsId }, slot }, { fate, at, error }) => {
        fates.push(fate);
        sent.push({ smsId, sim: slot?.subscriptionId, at, error });
        hear('on air')(smsId, at);
        hear(fate === 'failed' ? 'failed' : 'sent')(smsId, at);
      },
      delivered: hear('delivered'),
    },
  );
  return { radio, heard, fates, sent };
}

function command(smsId: string, simSubscriptionId?: number): SmsCommand {
  const message = { smsId, smsBatchId: 'batch', message: 'Hello', recipients: ['+447700900001'] as const };
  return { ...message, simSubscriptionId };
}

describe('VirtualRadio', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());

  it('fails a message that is due at its deadline', () => {
    const { radio, sent, fates } = radioWith({ sendDelaySeconds: 2 });
    const validUntil = new Date(2_000).toISOString();
    for (const id of ['a', 'b']) radio.send({ ...command(id), validUntil });
    jest.advanceTimersByTime(10_000);
    expect(fates).toEqual(['sent', 'failed']);
    expect(sent[1]).toMatchObject({ smsId: 'b', at: 2_000, error: 'EXPIRED' });
  });

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
      const { radio, fates } = radioWith({ failureRate: 0.3, seed });
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

  describe('with two SIMs', () => {
    let slots: SimSlots;

    beforeEach(() => {
      slots = new SimSlots();
      slots.insert(new SimCard({ secondsPerPart: 2 }), { slot: 0, subscriptionId: 11 });
      slots.insert(new SimCard({ secondsPerPart: 3 }), { slot: 1, subscriptionId: 12 });
    });

    it('sends by the named SIM, else by the default one, both at the same time', () => {
      const { radio, sent } = radioWith({ slots });
      for (const each of [command('a'), command('b', 12), command('c', 11)]) radio.send(each);
      expect([radio.transmitting, radio.queued]).toEqual([2, 1]);
      jest.advanceTimersByTime(10_000);
      expect(sent).toEqual([
        { smsId: 'a', sim: 11, at: 2_000, error: undefined },
        { smsId: 'b', sim: 12, at: 3_000, error: undefined },
        { smsId: 'c', sim: 11, at: 4_000, error: undefined },
      ]);
    });

    it('fails a message that names a SIM that is not there, and every message without a SIM', () => {
      const { radio, sent } = radioWith({ slots });
      radio.send(command('a', 13));
      for (const id of [11, 12]) slots.remove(id);
      radio.send(command('b'));
      expect(sent.map(({ smsId, error }) => [smsId, error])).toEqual([
        ['a', '1'],
        ['b', '4'],
      ]);
    });

    it('sends what waits for a SIM that is taken out by the default SIM, unless it names the SIM', () => {
      const { radio, sent } = radioWith({ slots });
      for (const each of [command('a'), command('b'), command('c', 11)]) radio.send(each);
      const card = slots.remove(11);
      jest.advanceTimersByTime(10_000);
      expect(sent).toEqual([
        { smsId: 'a', sim: 11, at: 2_000, error: '4' },
        { smsId: 'c', sim: undefined, at: 2_000, error: '1' },
        { smsId: 'b', sim: 12, at: 5_000, error: undefined },
      ]);
      slots.insert(card);
      radio.send(command('d', 11));
      jest.advanceTimersByTime(10_000);
      expect(sent.at(-1)).toMatchObject({ smsId: 'd', sim: 11, error: undefined });
    });

    it('takes back a message that waits for its SIM, not one on the air', () => {
      const { radio, sent } = radioWith({ slots });
      for (const id of ['a', 'b']) radio.send(command(id));
      expect(['a', 'b', 'c'].map((id) => radio.remove(id))).toEqual([false, true, false]);
      jest.advanceTimersByTime(10_000);
      expect(sent.map(({ smsId }) => smsId)).toEqual(['a']);
    });

    it('finishes the message on the air while it is paused, and nothing else', () => {
      const { radio, sent } = radioWith({ slots });
      for (const id of ['a', 'b']) radio.send(command(id));
      radio.pause();
      radio.send(command('c', 12));
      jest.advanceTimersByTime(60_000);
      expect(sent.map(({ smsId }) => smsId)).toEqual(['a']);
      radio.resume();
      jest.advanceTimersByTime(60_000);
      expect(sent.map(({ smsId }) => smsId)).toEqual(['a', 'b', 'c']);
    });
  });
});
