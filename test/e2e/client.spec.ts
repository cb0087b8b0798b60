import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type MessagingGateway, NoResponse } from 'messaging-gateway-client';
import type { TestClient } from '../support/client';
import { TestService } from '../support/service';

/** The client generated from openapi.json, on the real service. */
describe('the typed client', () => {
  let service: TestService;
  let account: TestClient;
  let gateway: MessagingGateway;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    account = await service.newAccount();
    device = await account.newDevice();
    gateway = connect(service.url, account.apiKey);
  });
  afterAll(() => service.stop());

  it('sends a message once and reads its batch', async () => {
    const send = () =>
      gateway.sendSms({
        body: { message: 'Hello', recipients: ['+49 151 12345678'] },
        headers: { 'Idempotency-Key': 'order-4711' },
      });
    const { data } = await send();
    const smsBatchId = data?.data.smsBatchId ?? '';
    const repeated = await send();
    expect(repeated.data?.data.smsBatchId).toBe(smsBatchId);
    expect(repeated.response.headers.get('idempotency-replayed')).toBe('true');

    const batch = await gateway.getBatch({ path: { id: device, smsBatchId } });
    expect(batch.data?.data.batch).toMatchObject({ _id: smsBatchId, recipientCount: 1 });
    expect(batch.data?.data.messages.map(({ recipient, message }) => [recipient, message])).toEqual([
      ['+4915112345678', 'Hello'],
    ]);
    const list = await gateway.listMessages({ query: { smsBatchId, direction: 'sent', limit: 1 } });
    expect(list.data).toMatchObject({ data: [{ smsBatch: smsBatchId }], meta: { total: 1, hasMore: false } });
  });

  it('creates and lists webhook subscriptions', async () => {
    const body = {
      deliveryUrl: 'https://example.com/hook',
      signingSecret: 'a secret of 20 characters and more',
      events: ['MESSAGE_RECEIVED' as const],
    };
    const made = await gateway.createWebhook({ body });
    const { data } = await gateway.listWebhooks();
    expect(data?.data).toMatchObject([{ _id: made.data?.data._id, ...body, isActive: true }]);
  });

  it('returns errors with their fields', async () => {
    const { data, error, response } = await gateway.sendSms({
      body: { message: 'Hello', recipients: ['x'] },
    });
    expect(data).toBeUndefined();
    expect(response.status).toBe(400);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'recipients.0' }] });
    const unauthorized = await connect(service.url, 'mgw_wrong').getStats();
    expect(unauthorized.error).toEqual({ error: 'Unauthorized', code: 'AUTH_INVALID' });
  });

  it('throws without a response', async () => {
    const unanswered = connect('http://127.0.0.1:4', account.apiKey).getStats();
    await expect(unanswered).rejects.toThrow(NoResponse);
    await expect(unanswered).rejects.toThrow(/^no response from http:\/\/127\.0\.0\.1:4: ./);
    const late = gateway.getStats({ signal: AbortSignal.abort() });
    await expect(late).rejects.toThrow(NoResponse);
  });

  it.each([200, 503])('throws if the connection breaks in a response with the status %d', async (status) => {
    const server = createServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': 1_000 });
      response.write('{"data":', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const broken = connect(url, account.apiKey).getStats();
    await expect(broken).rejects.toThrow(NoResponse);
    await expect(broken).rejects.toThrow(`no response from ${url}: `);
    server.close();
  });

  it('accepts a URL with or without the path prefix', async () => {
    const { data } = await connect(`${service.url}/api/v1/`, account.apiKey).getStats();
    expect(data?.data.totalDeviceCount).toBe(1);
  });

  it('does not compile with a wrong field', () => {
    const wrong = [
      // @ts-expect-error: the field is `message`
      () => gateway.sendSms({ body: { text: 'Hello', recipients: ['+4915112345678'] } }),
      // @ts-expect-error: `recipients` is an array
      () => gateway.sendSms({ body: { message: 'Hello', recipients: '+4915112345678' } }),
      // @ts-expect-error: the batch id is missing
      () => gateway.getBatch({ path: { id: device } }),
      // @ts-expect-error: unknown status
      () => gateway.listMessages({ query: { status: 'lost' } }),
      // @ts-expect-error: unknown event
      () => gateway.updateWebhook({ path: { webhookId: '1' }, body: { events: ['MESSAGE_LOST'] } }),
    ];
    expect(wrong).toHaveLength(5);
  });
});
