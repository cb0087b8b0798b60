import { resultOfError } from './fcm-result';

const error = (code: string, message = 'why') => Object.assign(new Error(message), { code });

describe('what an error of firebase-admin says about a push', () => {
  it.each([
    ['app/network-error', 'doubt', 'unavailable'],
    ['app/network-timeout', 'doubt', 'unavailable'],
    ['app/invalid-credential', 'doubt', 'unavailable'],
    ['messaging/internal-error', 'doubt', 'unavailable'],
    ['messaging/unknown-error', 'doubt', 'unavailable'],
    ['messaging/some-day', 'doubt', 'unavailable'],
    ['messaging/server-unavailable', 'unavailable', 'unavailable'],
    ['messaging/message-rate-exceeded', 'unavailable', 'unavailable'],
    ['messaging/third-party-auth-error', 'unavailable', 'unavailable'],
    ['messaging/mismatched-credential', 'refused', 'refused'],
    ['messaging/registration-token-not-registered', 'refused', 'refused'],
    ['messaging/invalid-argument', 'refused', 'refused'],
  ])('%s: %s where the request had left, else %s', (code, left, neverLeft) => {
    expect(resultOfError(error(code), true).outcome).toBe(left);
    expect(resultOfError(error(code), false).outcome).toBe(neverLeft);
  });

  it('is doubt for whatever else was thrown after the request had left', () => {
    for (const thrown of [new Error('?'), 'text', undefined])
      expect(resultOfError(thrown, true)).toEqual({ outcome: 'doubt' });
  });
});
