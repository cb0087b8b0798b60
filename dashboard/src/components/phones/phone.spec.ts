import {
  byUrgency,
  countMessages,
  type Device,
  phoneModel,
  phoneName,
  quotasOf,
  queueOf,
  simsIn,
  simState,
  tightestQuota,
} from './phone';

const id = (last: number) => `665f1c2ab7e1d4a9c0f3e8${String(last).padStart(2, '0')}`;

describe('the names of phones', () => {
  it('takes what is known', () => {
    expect(phoneName({ _id: id(1), name: 'Front desk', model: 'Pixel 8' })).toBe('Front desk');
    expect(phoneName({ _id: id(1), model: 'Pixel 8' })).toBe('Pixel 8');
    expect(phoneName({ _id: id(1), name: '', model: 'unknown' })).toBe(id(1));
    expect(phoneModel({ brand: 'google', model: 'Pixel 8' })).toBe('google Pixel 8');
    expect(phoneModel({ brand: 'Virtual', model: 'Virtual phone' })).toBe('Virtual phone');
    expect(phoneModel({ brand: 'google', model: 'unknown' })).toBe('google');
    expect(phoneModel({ brand: 'unknown', model: 'unknown' })).toBeUndefined();
  });
});

describe('the SIMs in a phone', () => {
  it('leaves out the one of its own once it reports others', () => {
    const own = { device: id(1) };
    const reported = { device: id(1), subscriptionId: 1 };
    const elsewhere = { device: id(2), subscriptionId: 1 };
    expect(simsIn(id(1), [own, elsewhere])).toEqual([own]);
    expect(simsIn(id(1), [own, reported, elsewhere])).toEqual([reported]);
  });

  it('says in one word how a SIM is', () => {
    const health = { state: 'open', failureRate: 1 } as const;
    expect(simState({ enabled: true, health }, { enabled: true })).toBe('open');
    expect(simState({ enabled: false, health }, { enabled: true })).toBe('disabled');
    expect(simState({ enabled: true, health }, { enabled: false })).toBe('disabled');
  });
});

describe('quotas', () => {
  const resetsAt = '2026-02-01T00:00:00.000Z';

  it('shows what is used of each limit that is set', () => {
    const limits = { messagesPerHour: 10, messagesPerDay: 100, recipientsPerMonth: 5, partsPerMinute: 20 };
    const usage = { messagesPerDay: { used: 80, resetsAt }, recipientsPerMonth: { used: 6, resetsAt } };
    expect(quotasOf({ limits, usage })).toEqual([
      { limit: 'messagesPerHour', used: 0, allowed: 10, left: 10, level: 'ok' },
      { limit: 'messagesPerDay', used: 80, allowed: 100, left: 20, level: 'near', resetsAt },
      { limit: 'recipientsPerMonth', used: 6, allowed: 5, left: 0, level: 'reached', resetsAt },
    ]);
    expect(tightestQuota({ limits, usage })?.limit).toBe('recipientsPerMonth');
    expect(tightestQuota({ limits: { partsPerMinute: 20 }, usage: {} })).toBeUndefined();
  });
});

it('puts phones with problems first', () => {
  const device = (name: string, state: Device['health']['state']) =>
    ({ _id: id(1), name, model: '', health: { state, reasons: [] } }) as unknown as Device;
  const devices = [device('b', 'ok'), device('c', 'warning'), device('a', 'ok'), device('d', 'error')];
  expect(byUrgency(devices, 'en').map(({ name }) => name)).toEqual(['d', 'c', 'a', 'b']);
});

it('counts what waits for a phone', () => {
  const entry = (device: string, messages: number) => ({ device, messages, parts: messages, heldBack: [] });
  const queue = {
    messages: 6,
    parts: 6,
    isLowerBound: false,
    sims: [entry(id(1), 1), entry(id(2), 2), entry(id(1), 3)],
  };
  expect(countMessages(queueOf(id(1), queue))).toBe(4);
  expect(queueOf(id(1), undefined)).toEqual([]);
});
