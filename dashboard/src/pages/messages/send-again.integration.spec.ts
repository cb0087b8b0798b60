import { execFileSync } from 'node:child_process';
import type { MessageResponse } from '../../../generated';
import { curlOf, forgetIdempotencyKey, idempotencyKeyOf, sendAgainBody } from './send-again';

const sent = (fields: Partial<MessageResponse> = {}): MessageResponse =>
  ({
    message: 'Hello',
    recipient: '+447700900123',
    device: { _id: 'phone' },
    direction: 'sent',
    ...fields,
  }) as MessageResponse;

describe('sending a message again', () => {
  it('uses the same phone and SIM, or the same pool', () => {
    const same = { message: 'Hello', recipients: ['+447700900123'] };
    expect(sendAgainBody(sent())).toEqual({ ...same, deviceId: 'phone' });
    expect(sendAgainBody(sent({ simSubscriptionId: 2, priority: 'urgent' }))).toEqual({
      ...same,
      deviceId: 'phone',
      simSubscriptionId: 2,
      priority: 'urgent',
    });
    expect(sendAgainBody(sent({ simSubscriptionId: 2, pool: 'pool' }))).toEqual({ ...same, poolId: 'pool' });
  });

  it('sends the encrypted text of an encrypted message', () => {
    expect(sendAgainBody(sent({ message: '', encrypted: true, encryptedMessage: 'v1:x' }))).toEqual({
      encrypted: true,
      encryptedMessage: 'v1:x',
      recipients: ['+447700900123'],
      deviceId: 'phone',
    });
  });

  it('has one key until it succeeds', () => {
    const key = idempotencyKeyOf('a');
    expect([idempotencyKeyOf('a'), idempotencyKeyOf('b')]).toEqual([key, expect.not.stringMatching(key)]);
    forgetIdempotencyKey('a');
    expect(idempotencyKeyOf('a')).not.toBe(key);
  });

  it.each(["it's", '$(touch x) `id` "quotes" \\ !!', "'; rm -rf ~; '", 'two\nlines', '‮ right to left 😀'])(
    'as a command passes on %j as it is',
    (text) => {
      const command = curlOf(sent({ message: text }), 'https://sms.example.com');
      const printed = execFileSync('bash', ['-c', command.replace('curl', String.raw`printf '%s\0'`)]);
      const words = printed.toString().split('\0');
      expect(words[2]).toBe('https://sms.example.com/api/v1/gateway/send-sms');
      expect(JSON.parse(words.at(-2) ?? '')).toEqual(sendAgainBody(sent({ message: text })));
    },
  );
});
