import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WEBHOOK_SECRET, WebhookOwner } from '../support/webhook-owner';
import { answering, WebhookReceiver } from '../support/webhook-receiver';

const HOUR = 3_600_000;

describe('signed webhooks', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;
  let webhook: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.make(service);
    webhook = await owner.subscribe(receiver);
  });
  afterEach(() => receiver.stop());
  afterAll(() => service.stop());

  describe('a sample', () => {
    it.each(['MESSAGE_RECEIVED', 'MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'UNKNOWN_STATE'])(
      'of %s is signed and marked, under an id of its own, and leaves nothing behind',
      async (event) => {
        receiver.answer = answering(202, 'thanks');
        const answer = await owner.client.post(`/webhooks/${webhook}/test`, { event });
        const [received] = receiver.received;
        if (!received) throw new Error('nothing came');
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
        expect(received.headers['x-webhook-test']).toBe('true');
        expect(received.event).toMatchObject({ webhookEvent: event, webhookSubscriptionId: webhook });
        new Webhook(Buffer.from(WEBHOOK_SECRET), { format: 'raw' }).verify(
          received.body,
          received.headers as Record<string, string>,
        );
        expect(await owner.deliveries()).toEqual([]);
        expect(await owner.subscription(webhook)).toMatchObject({ deliveryAttemptCount: 0 });
      },
    );

    it('tells what is wrong, also of a paused subscription', async () => {
      receiver.answer = answering(500, 'oops');
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

  // Last: it moves the time on by a day, and a verifier lives in today's.
  it('a secret that is replaced signs beside the new one for 24 hours', async () => {
    const secrets = ['the second secret of them all', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
    for (const signingSecret of secrets) {
      await owner.client.patch(`/webhooks/${webhook}`, { signingSecret }).expect(200);
      // Once more changes nothing.
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
    service.clock.advance(24 * HOUR);
    expect((await signatures(2)).values).toHaveLength(1);
  });
});
