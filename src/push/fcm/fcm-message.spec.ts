import { fcmMessage } from './fcm-message';

const NOW = new Date('2026-01-31T09:00:00Z');

describe('fcmMessage', () => {
  it.each([
    ['three days without a deadline', undefined, 3 * 86_400_000],
    ['until the deadline', 300_000, 300_000],
    ['three days at most', 10 * 86_400_000, 3 * 86_400_000],
    ['not at all after the deadline', -1, 0],
  ])('lets FCM keep a message %s', (_, validForMs, ttl) => {
    const validUntil = validForMs === undefined ? undefined : new Date(NOW.getTime() + validForMs);
    const command = { kind: 'sms' as const, id: 'a', payload: {}, ...(validUntil && { validUntil }) };
    expect(fcmMessage('token', command, NOW).android).toMatchObject({ ttl });
  });
});
