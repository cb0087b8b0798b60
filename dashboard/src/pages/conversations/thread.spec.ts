import type { DeviceResponse, MessageResponse } from '../../../generated';
import { daysOf, isPhoneNumber, replySenderOf, withoutListed } from './thread';

const at = (createdAt: string) => ({ createdAt }) as MessageResponse;

describe('the days of a thread', () => {
  it('are those of the zone', () => {
    const messages = [at('2026-03-01T22:59:00Z'), at('2026-03-01T23:01:00Z'), at('2026-03-02T10:00:00Z')];
    const dates = (zone: string) =>
      daysOf(messages, zone).map(({ date, messages: { length } }) => [date, length]);
    expect(dates('Europe/Berlin')).toEqual([
      ['2026-03-01', 1],
      ['2026-03-02', 2],
    ]);
    expect(dates('UTC')).toEqual([
      ['2026-03-01', 2],
      ['2026-03-02', 1],
    ]);
    expect(daysOf([], 'UTC')).toEqual([]);
  });
});

describe('the sender of a reply', () => {
  const phone = (fields: Partial<DeviceResponse>) =>
    ({ _id: 'a', enabled: true, ...fields }) as DeviceResponse;
  const received = { device: { _id: 'a' }, simSubscriptionId: 2 };
  const withSims = (...ids: number[]) =>
    phone({
      simInfo: { sims: ids.map((subscriptionId) => ({ subscriptionId })) } as DeviceResponse['simInfo'],
    });

  it.each([
    ['its phone and SIM', withSims(1, 2), { deviceId: 'a', simSubscriptionId: 2 }],
    ['the phone, if the SIM is gone', withSims(1), { deviceId: 'a' }],
    ['the SIM, if its phone tells none', phone({}), { deviceId: 'a', simSubscriptionId: 2 }],
    ['the default, if the phone is disabled', phone({ enabled: false }), { isReplaced: true }],
    ['the default, if it drains', phone({ drainingSince: '2026-03-01T00:00:00Z' }), { isReplaced: true }],
    ['the default, if it is deleted', phone({ _id: 'b' }), { isReplaced: true }],
  ])('is %s', (_, device, sender) => {
    expect(replySenderOf(received, [device])).toEqual(sender);
  });

  it('is the default without a message', () => expect(replySenderOf(undefined, [phone({})])).toEqual({}));
});

it.each([
  ['+447700900123', true],
  ['12345', true],
  ['BANK', false],
  ['', false],
])('%p can be replied to: %p', (number, expected) => {
  expect(isPhoneNumber(number)).toBe(expected);
});

describe('the replies that are not listed yet', () => {
  const sent = (_id: string, message: string) => ({ _id, message, direction: 'sent' as const });
  const yes: Parameters<typeof withoutListed>[0][number] = { text: 'Yes', after: 'b' };
  const before = [sent('b', 'Yes'), sent('a', 'Yes')];

  it.each([
    ['none is listed', [yes], before, [yes]],
    ['it is listed', [yes], [sent('c', 'Yes'), ...before], []],
    ['another text is listed', [yes], [sent('c', 'No'), ...before], [yes]],
    [
      'a text from the number is listed',
      [yes],
      [{ ...sent('c', 'Yes'), direction: 'received' as const }, ...before],
      [yes],
    ],
    ['one of two equal ones is listed', [yes, yes], [sent('c', 'Yes'), ...before], [yes]],
    ['the list was empty', [{ text: 'Yes', after: undefined }], [sent('a', 'Yes')], []],
    [
      'it was refused',
      [{ ...yes, error: 'busy' }],
      [sent('c', 'Yes'), ...before],
      [{ ...yes, error: 'busy' }],
    ],
  ])('when %s', (_name, replies, listed, shown) => {
    expect(withoutListed(replies, listed)).toEqual(shown);
  });
});
