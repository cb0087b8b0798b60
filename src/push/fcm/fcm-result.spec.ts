import { pushResultOfError } from './fcm-result';

const error = (code: string, message = 'why') => Object.assign(new Error(message), { code });

describe('pushResultOfError', () => {
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
  ])('maps %s to %s if the request was sent, otherwise to %s', (code, sent, notSent) => {
    expect(pushResultOfError(error(code), true).outcome).toBe(sent);
    expect(pushResultOfError(error(code), false).outcome).toBe(notSent);
  });

  it('maps any other error after the request was sent to doubt', () => {
    for (const thrown of [new Error('?'), 'text', undefined])
      expect(pushResultOfError(thrown, true)).toEqual({ outcome: 'doubt' });
  });
});
