import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signature, standardSignature } from './signature';

describe('signature (X-Signature)', () => {
  it('is the hexadecimal HMAC-SHA256 of the body with the UTF-8 bytes of the secret', () => {
    const body = Buffer.from('{"message":"ünï 😀"}');
    const secret = 'ein Geheimnis mit Ümläuten';
    expect(signature(body, secret)).toBe(
      createHmac('sha256', Buffer.from(secret)).update(body).digest('hex'),
    );
  });
});

describe('standardSignature (webhook-signature)', () => {
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const timestamp = 1614265330;
  const body = Buffer.from('{"test": 2432232314}');
  const published = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  it('matches the published example', () => {
    expect(standardSignature(id, timestamp, body, { current: secret, previous: [] })).toBe(published);
  });

  it('contains a signature for each secret, the current one first', () => {
    const signatures = standardSignature(id, timestamp, body, {
      current: 'another secret',
      previous: [secret],
    });
    expect(signatures).toMatch(/^v1,\S+ v1,\S+$/);
    expect(signatures.split(' ')[1]).toBe(published);
  });

  it('uses a secret with whsec_ but without base64 as UTF-8 bytes', () => {
    const odd = 'whsec_not base64 at all!';
    const [signed] = standardSignature(id, timestamp, body, { current: odd, previous: [] }).split(' ');
    const hmac = createHmac('sha256', odd).update(`${id}.${timestamp}.`).update(body);
    expect(signed).toBe(`v1,${hmac.digest('base64')}`);
  });

  it('is accepted by the standardwebhooks library for any payload', () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ minLength: 20 }), (payload, plain) => {
        const now = Math.floor(Date.now() / 1_000);
        const bytes = Buffer.from(payload);
        const generated = `whsec_${randomBytes(24).toString('base64')}`;
        const header = standardSignature(id, now, bytes, { current: plain, previous: [generated] });
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(now),
          'webhook-signature': header,
        };
        new Webhook(generated).verify(payload, headers);
        if (!plain.startsWith('whsec_')) {
          new Webhook(Buffer.from(plain), { format: 'raw' }).verify(payload, headers);
        }
      }),
    );
  });
});
