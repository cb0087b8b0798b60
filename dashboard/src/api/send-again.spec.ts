import { blockedPhoneOf, sendAgainSearch } from './send-again';

type Phone = Parameters<typeof sendAgainSearch>[1][number];

const phone = (_id: string, fields: Partial<Phone> = {}): Phone => ({
  _id,
  enabled: true,
  connection: { state: 'online', since: '' },
  health: { state: 'ok', reasons: [] },
  isVirtual: false,
  ...fields,
});
const offline = { connection: { state: 'offline', since: '' } } as const;
const warned: Partial<Phone> = { health: { state: 'warning', reasons: [] } };
const message = (fields = {}) =>
  ({ recipient: '+447700900123', message: 'Hello', device: { _id: 'own' }, ...fields }) as Parameters<
    typeof sendAgainSearch
  >[0];
const same = { to: '+447700900123', text: 'Hello' };

describe('sending a message again', () => {
  it.each([
    ['cannot be reached', offline],
    ['does not answer', { connection: { state: 'unresponsive', since: '' } } as const],
    ['is disabled', { enabled: false }],
    ['takes no new messages', { drainingSince: '2026-01-31T12:00:00.000Z' }],
  ])('from a phone that %s names another one that works', (_, state) => {
    const phones = [phone('own', state), phone('off', offline), phone('warned', warned), phone('good')];
    expect(blockedPhoneOf(message(), phones)?._id).toBe('own');
    expect(sendAgainSearch(message(), phones)).toEqual({ ...same, insteadOf: 'own', from: 'device:good' });
    expect(sendAgainSearch(message(), phones.slice(0, 3)).from).toBe('device:warned');
  });

  it('leaves the choice open if no other phone can be reached, and never chooses a virtual one for a real one', () => {
    const phones = [phone('own', offline), phone('off', offline), phone('virtual', { isVirtual: true })];
    expect(sendAgainSearch(message(), phones)).toEqual({ ...same, insteadOf: 'own' });
  });

  it('says nothing if the phone is there, was deleted, or a pool chooses', () => {
    for (const [fields, phones] of [
      [{}, [phone('own'), phone('good')]],
      [{}, [phone('good')]],
      [{ pool: 'pool' }, [phone('own', offline)]],
    ] as const)
      expect(sendAgainSearch(message(fields), phones)).toEqual(same);
  });
});
