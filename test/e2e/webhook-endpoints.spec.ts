import { gzipSync } from 'node:zlib';
import { eventually } from '../support/eventually';
import { selfSignedCertificate } from '../support/certificates';
import { ScriptedLookup } from '../support/scripted-lookup';
import { TestService } from '../support/service';
import { type DeliveryJson, WEBHOOK_SECRET, WebhookOwner } from '../support/webhook-owner';
import { neverRespond, WebhookReceiver } from '../support/webhook-receiver';
import { WebhookTarget } from '../support/webhook-target';

/** Deliveries to failing endpoints. The specs in src/infrastructure/outbound-http cover what is sent. */
describe('deliveries to failing endpoints', () => {
  const lookup = new ScriptedLookup({
    // Resolves to a public address when the webhook is saved, and to a private one later.
    'rebinding.example': [['93.184.216.34'], ['10.0.0.5']],
    'private.example': [['10.0.0.5']],
    'nowhere.example': ['ENOTFOUND'],
    'unanswered.example': ['EAI_AGAIN'],
  });
  let service: TestService;
  let owner: WebhookOwner;
  const targets: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    service = await TestService.start({
      environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', WEBHOOK_MAX_SUBSCRIPTIONS: '20' },
      lookup,
    });
    owner = await WebhookOwner.create(service);
  });
  afterAll(async () => {
    for (const target of targets) await target.close();
    await service.stop();
  });

  async function subscribeTo(deliveryUrl: string): Promise<string> {
    const body = { deliveryUrl, signingSecret: WEBHOOK_SECRET, events: ['MESSAGE_RECEIVED'] };
    const answer = await owner.client.post('/webhooks', body).expect(201);
    return (answer.body as { data: { _id: string } }).data._id;
  }

  it('are retried or fail depending on the error, and the record says why', async () => {
    const slow = await WebhookReceiver.start(neverRespond);
    const cutOff = await WebhookTarget.raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart of it');
    const silent = await WebhookTarget.tcp((socket) => socket.once('data', () => socket.end()));
    const endless = await WebhookTarget.http((_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const untrusted = await WebhookTarget.https(selfSignedCertificate(['127.0.0.1']), (_, response) =>
      response.end(),
    );
    const gone = await WebhookTarget.http(() => undefined);
    const goneUrl = gone.url();
    await gone.close();
    const noContent = await WebhookTarget.raw(
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok',
    );
    const unmodified = await WebhookTarget.raw('HTTP/1.1 304 x\r\nContent-Length: 2\r\n\r\n', 'reset');
    const zipped = await WebhookTarget.http((_, response) =>
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync('out of memory')),
    );
    targets.push({ close: () => slow.stop() }, cutOff, silent, endless, untrusted);
    targets.push(noContent, unmodified, zipped);
    const retryable = { computedStatus: 'retrying', errorType: 'retryable' };
    const refused = { computedStatus: 'failed', errorType: 'non-retryable' };
    const expected = new Map<string, { record: object; error?: RegExp }>([
      [slow.url, { record: retryable, error: /did not answer in time/ }],
      [cutOff.url(), { record: retryable, error: /before the response was complete/ }],
      [silent.url(), { record: retryable, error: /closed/ }],
      [
        endless.url(),
        { record: { computedStatus: 'delivered', httpStatusCode: 200, responseBody: 'x'.repeat(1_000) } },
      ],
      [noContent.url(), { record: { computedStatus: 'delivered', httpStatusCode: 204 } }],
      [unmodified.url(), { record: { ...refused, httpStatusCode: 304 }, error: /answered 304/ }],
      [
        zipped.url(),
        {
          record: { ...retryable, httpStatusCode: 500, responseBody: 'out of memory' },
          error: /answered 500/,
        },
      ],
      [untrusted.url('127.0.0.1', 'https'), { record: retryable, error: /certificate/ }],
      [goneUrl, { record: retryable, error: /refused/ }],
      ['http://nowhere.example/hook', { record: retryable, error: /does not exist/ }],
      ['http://rebinding.example/hook', { record: refused, error: /not a public address/ }],
    ]);
    const urls = new Map<string, string>();
    for (const url of expected.keys()) urls.set(await subscribeTo(url), url);
    await owner.receive('Hello');
    const deliveries = await eventually(
      () => owner.deliveries(),
      (found) => found.length === expected.size && found.every((one) => one.deliveryAttemptCount > 0),
    );
    for (const delivery of deliveries) {
      const url =
        urls.get((delivery as DeliveryJson & { webhookSubscription: string }).webhookSubscription) ?? '';
      const { record, error } = expected.get(url) ?? {};
      expect([url, delivery]).toEqual([url, expect.objectContaining(record ?? {})]);
      const answer = await owner.client.get(`/webhooks/notifications/${delivery._id}`);
      const [attempt] = (answer.body as { data: { attempts: { error?: string; durationMs: number }[] } }).data
        .attempts;
      if (error) expect([url, attempt?.error]).toEqual([url, expect.stringMatching(error)]);
      else expect(attempt).not.toHaveProperty('error');
      if (url === slow.url) {
        expect(attempt?.durationMs).toBeGreaterThan(14_900);
        expect(attempt?.durationMs).toBeLessThan(30_000);
      }
    }
  });

  it.each([
    ['https://nowhere.example/hook', 'the host name does not exist'],
    ['https://unanswered.example/hook', 'the DNS lookup of the host name failed'],
  ])(
    'a host name that does not resolve is accepted, and a sample reports the error: %s',
    async (deliveryUrl, error) => {
      const id = await subscribeTo(deliveryUrl);
      const answer = await owner.client.post(`/webhooks/${id}/test`, { event: 'MESSAGE_RECEIVED' });
      expect([answer.status, answer.body]).toMatchObject([200, { data: { delivered: false, error } }]);
      expect((answer.body as { data: object }).data).not.toHaveProperty('httpStatusCode');
      await owner.client.delete(`/webhooks/${id}`);
    },
  );

  it('a URL with a private address is rejected', async () => {
    const stored = () => service.collection('webhooksubscriptions').countDocuments();
    const before = await stored();
    for (const url of [
      'http://private.example/hook',
      'http://10.1.2.3/hook',
      'http://2130706434/',
      'http://[::1]/',
      'http://user:password@example.com/',
      'ftp://example.com/',
      'not a url',
    ]) {
      const answer = await owner.client.post('/webhooks', {
        deliveryUrl: url,
        signingSecret: WEBHOOK_SECRET,
        events: ['MESSAGE_RECEIVED'],
      });
      expect([url, answer.status, answer.body]).toEqual([
        url,
        400,
        expect.objectContaining({ details: [expect.objectContaining({ field: 'deliveryUrl' })] }),
      ]);
    }
    expect(await stored()).toBe(before);
  });
});
