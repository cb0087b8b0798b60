import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WEBHOOK_SECRET, WebhookOwner } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

const HOUR = 3_600_000;

/** The fields of every event of a message. */
const ENVELOPE = [
  'smsId',
  'message',
  'deviceId',
  'webhookSubscriptionId',
  'webhookEvent',
  'idempotencyKey',
] as const;
const OF_SENT = ['smsBatchId', 'status', 'recipient'] as const;
const FIELDS = {
  MESSAGE_RECEIVED: ['sender', 'receivedAt'],
  MESSAGE_SENT: [...OF_SENT, 'sentAt'],
  MESSAGE_DELIVERED: [...OF_SENT, 'sentAt', 'deliveredAt'],
  MESSAGE_FAILED: [...OF_SENT, 'errorCode', 'errorMessage', 'failedAt'],
  UNKNOWN_STATE: [...OF_SENT],
};

describe('webhook signatures', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;
  let webhook: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(service);
    webhook = await owner.subscribe(receiver);
  });
  afterEach(() => receiver.stop());
  afterAll(() => service.stop());

  describe('a sample', () => {
    it.each(Object.entries(FIELDS))(
      'of %s is signed, marked as a test, has a unique id and is not stored',
      async (event, fields) => {
        receiver.respond = respondWith(202, 'thanks');
        const keys: string[] = [];
        for (const count of [1, 2]) {
          const answer = await owner.client.post(`/webhooks/${webhook}/test`, { event });
          const received = receiver.received.at(-1);
          if (!received) throw new Error('nothing came');
          expect(receiver.received).toHaveLength(count);
          expect([answer.status, answer.body]).toEqual([
            200,
            {
              data: {
                delivered: true,
                payload: received.event,
                durationMs: expect.any(Number) as number,
                httpStatusCode: 202,
                responseBody: 'thanks',
              },
            },
          ]);
          const { idempotencyKey } = received.event;
          keys.push(idempotencyKey);
          expect(received.headers).toMatchObject({
            'x-webhook-test': 'true',
            'idempotency-key': idempotencyKey,
            'webhook-id': idempotencyKey,
          });
          expect(received.event).toMatchObject({ webhookEvent: event, webhookSubscriptionId: webhook });
          expect(Object.keys(received.event).sort()).toEqual([...ENVELOPE, ...fields].sort());
          new Webhook(Buffer.from(WEBHOOK_SECRET), { format: 'raw' }).verify(
            received.body,
            received.headers as Record<string, string>,
          );
        }
        expect(keys[0]).toMatch(/^[\da-f]{24}$/);
        expect(keys[1]).not.toBe(keys[0]);
        expect(await owner.deliveries()).toEqual([]);
        expect(await owner.subscription(webhook)).toMatchObject({ deliveryAttemptCount: 0 });
      },
    );

    it('reports the error of the endpoint, also for a paused subscription', async () => {
      receiver.respond = respondWith(500, 'oops');
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
      const answer = await owner.client.post(`/webhooks/${webhook}/test`);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          data: expect.objectContaining({
            delivered: false,
            httpStatusCode: 500,
            error: 'The endpoint answered 500',
          }) as object,
        },
      ]);
    });
  });

  // Last, because it moves the clock by a day, and the verifying library uses the system clock.
  it('include one with the previous secret for 24 hours', async () => {
    const secrets = ['the second secret of them all', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
    for (const signingSecret of secrets) {
      await owner.client.patch(`/webhooks/${webhook}`, { signingSecret }).expect(200);
      // Sending the same secret again changes nothing.
      await owner.client.patch(`/webhooks/${webhook}`, { signingSecret }).expect(200);
    }
    const signatures = async (count: number) => {
      await owner.receive(`Message ${count}`);
      const received = await eventually(
        () => receiver.received[count - 1],
        (found) => found !== undefined,
      );
      if (!received) throw new Error('nothing came');
      return { received, values: String(received.headers['webhook-signature']).split(' ') };
    };
    const [, second = '', third = ''] = [WEBHOOK_SECRET, ...secrets];
    const { received, values } = await signatures(1);
    expect(values).toHaveLength(3);
    const headers = received.headers as Record<string, string>;
    new Webhook(third).verify(received.body, headers);
    new Webhook(Buffer.from(second), { format: 'raw' }).verify(received.body, headers);
    new Webhook(Buffer.from(WEBHOOK_SECRET), { format: 'raw' }).verify(received.body, headers);
    expect(headers['x-signature']).toMatch(/^[\da-f]{64}$/);
    for (let count = 3; count <= 6; count += 1) {
      const signingSecret = `secret number ${count} of those there were`;
      await owner.client.patch(`/webhooks/${webhook}`, { signingSecret }).expect(200);
    }
    // At most five previous secrets sign, so that the header stays short.
    const latest = await signatures(2);
    expect(latest.values).toHaveLength(6);
    const verify = (secret: string) =>
      new Webhook(Buffer.from(secret), { format: 'raw' }).verify(
        latest.received.body,
        latest.received.headers as Record<string, string>,
      );
    expect(verify(second)).toEqual(latest.received.event);
    expect(() => verify(WEBHOOK_SECRET)).toThrow();
    service.clock.advance(24 * HOUR);
    expect((await signatures(3)).values).toHaveLength(1);
  });
});
