import { Types } from 'mongoose';
import { PhonesScheduler } from '../../src/phones/phones.scheduler';
import { UnconfirmedMessagesService } from '../../src/phones/checks/unconfirmed-messages.service';
import { buildDocument } from '../../src/openapi/openapi';
import { OperationalEventsScheduler } from '../../src/webhooks/relay/operational-events.scheduler';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { raiseSimUnhealthy } from '../support/raise-sim-unhealthy';
import { TestService } from '../support/service';
import { respondWith, type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver';
import { ApiDocument } from './api-document';
import { fieldErrors } from './field-table';
import { EVENT_PAYLOADS } from './expected-fields';
import { WebhookOwner } from './webhook-owner';

const EMITTED = Object.keys(EVENT_PAYLOADS).filter((event) => event !== 'SMS_STATUS_UPDATED');

describe('posted events match the API document and the expected fields', () => {
  let service: TestService;
  let document: ApiDocument;
  let receiver: WebhookReceiver;
  let client: TestClient;
  let owner: WebhookOwner;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
    document = new ApiDocument(buildDocument(service.app));
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    client = await service.newAccount();
    device = await client.newDevice();
    owner = new WebhookOwner(client, {
      deliveryUrl: receiver.url,
      signingSecret: 'a secret of 20 characters',
      events: Object.keys(EVENT_PAYLOADS),
    });
  });
  afterEach(() => receiver.stop());
  afterAll(() => service.stop());

  /** Differences from the API document and from the expected fields. */
  function errorsOfPosted({ event, headers, body }: ReceivedRequest): string[] {
    const table = EVENT_PAYLOADS[event.webhookEvent];
    if (!table) return [`there is no event ${event.webhookEvent}`];
    const single = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value].flat().join()]),
    );
    return [
      ...fieldErrors(table, JSON.parse(body)),
      ...document.eventErrors(event.webhookEvent, { headers: single, body: JSON.parse(body) as unknown }),
    ];
  }

  const posted = (count: number) =>
    eventually(
      () => receiver.received,
      (received) => received.length >= count,
    );

  /** Runs the schedulers until an event was posted. */
  const raised = (event: string) =>
    eventually(
      async () => {
        await service.get(PhonesScheduler).checkConnections();
        await service.get(OperationalEventsScheduler).sweep();
        return receiver.received.map(({ event: { webhookEvent } }) => webhookEvent);
      },
      (events) => events.includes(event),
    );

  async function sendOne(): Promise<string> {
    const batch = await client.send(['+4915112345678']);
    return (await client.batch(device, batch)).messages[0]?._id ?? '';
  }

  it('for each event, also with minimal reports of the phone', async () => {
    await owner.create();
    const reports = [
      ['DELIVERY_FAILED', 'SENT', 'DELIVERED'],
      ['DELIVERED'], // and that it was sent is not known
      ['FAILED'],
    ];
    for (const statuses of reports) {
      const sms = await sendOne();
      for (const status of statuses) await client.report(device, sms, status).expect(200);
    }
    await client.report(device, await sendOne(), 'FAILED', { errorCode: '4', errorMessage: 'no service' });
    const incoming = { sender: 'BANK', message: 'Your code is 1' };
    await client.post(`/gateway/devices/${device}/receive-sms`, incoming).expect(200);
    const silent = await sendOne();
    await eventually(
      () => client.message(device, silent),
      ({ status }) => status === 'dispatched',
    );
    await service
      .collection('messages')
      .updateOne({ _id: new Types.ObjectId(silent) }, { $set: { dispatchedAt: new Date(0) } });
    await service.get(UnconfirmedMessagesService).markUnconfirmed();
    await posted(8);
    const since = new Date(0);
    await service
      .collection('devices')
      .updateOne(
        { _id: new Types.ObjectId(device) },
        { $set: { lastHeartbeat: since, lastContactAt: since, connectionCheckAt: since } },
      );
    await raised('DEVICE_OFFLINE');
    await client.post(`/gateway/devices/${device}/heartbeat`).expect(200);
    await raised('DEVICE_ONLINE');
    const { data } = (await client.get('/gateway/sims').expect(200)).body as { data: { _id: string }[] };
    const sim = data[0]?._id ?? 'missing';
    await raiseSimUnhealthy(service, sim);
    await raised('SIM_UNHEALTHY');
    await client.patch(`/gateway/sims/${sim}`, { limits: { messagesPerDay: 1 } }).expect(200);
    await client.send(['+4915112345678', '+4915112345679']);
    await raised('SIM_LIMIT_REACHED');
    const { received } = receiver;
    expect(received.map(({ event }) => event.webhookEvent).sort()).toEqual(
      [...EMITTED, 'MESSAGE_DELIVERED', 'MESSAGE_FAILED'].sort(),
    );
    for (const each of received) {
      expect([each.event, errorsOfPosted(each)]).toEqual([each.event, []]);
      expect(each.headers).not.toHaveProperty('x-webhook-test');
    }
    const failures = received.filter(({ event }) => event.webhookEvent === 'MESSAGE_FAILED');
    expect(failures.map(({ event }) => [event.errorCode, event.errorMessage]).sort()).toEqual([
      ['4', expect.stringMatching(/^no service\. The phone has no service\. Move it/)],
      ['UNKNOWN', expect.stringMatching(/^The phone reported a failure\. Check/)],
    ]);
    const withCode = failures.find(({ event }) => event.errorCode === '4');
    expect((await client.message(device, String(withCode?.event.smsId))).errorMessage).toBe('no service');
  });

  it('for a retry, and while two secrets sign', async () => {
    receiver.respond = respondWith(503, '', { 'retry-after': '3600' });
    const { _id } = await owner.create();
    await client.report(device, await sendOne(), 'SENT').expect(200);
    await posted(1);
    const signingSecret = 'another secret of more than 20';
    await client.patch(`/webhooks/${_id}`, { signingSecret }).expect(200);
    const { data } = await eventually(
      () => owner.history(),
      ({ data: [latest] }) => latest?.computedStatus === 'retrying',
    );
    await client.post(`/webhooks/notifications/${data[0]?._id ?? ''}/redeliver`).expect(200);
    const received = await posted(2);
    expect(received.map(errorsOfPosted)).toEqual([[], []]);
    expect(received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length)).toEqual([
      1, 2,
    ]);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it('for samples of each event', async () => {
    const { _id } = await owner.create();
    for (const event of EMITTED) await client.post(`/webhooks/${_id}/test`, { event }).expect(200);
    expect(receiver.received.map(({ event }) => event.webhookEvent)).toEqual(EMITTED);
    for (const each of receiver.received) {
      expect([each.event, errorsOfPosted(each)]).toEqual([each.event, []]);
      expect(each.headers['x-webhook-test']).toBe('true');
    }
  });

  it('and the reserved event is never posted', async () => {
    await owner.create({ events: ['SMS_STATUS_UPDATED'], name: 'reserved' });
    const { _id } = await owner.create({ events: ['MESSAGE_DELIVERED'] });
    const sms = await sendOne();
    for (const status of ['SENT', 'DELIVERED']) await client.report(device, sms, status).expect(200);
    await posted(1);
    const { data } = await eventually(
      () => owner.history(),
      ({ data: [latest] }) => latest?.computedStatus === 'delivered',
    );
    expect(data.map(({ webhookSubscription, event }) => [webhookSubscription, event])).toEqual([
      [_id, 'MESSAGE_DELIVERED'],
    ]);
  });

  it('and each response status has the documented effect', async () => {
    const meanings = {
      EventAccepted: { computedStatus: 'delivered', isActive: true, errorType: undefined },
      EventPutOff: { computedStatus: 'retrying', isActive: true, errorType: 'retryable' },
      EventGone: { computedStatus: 'failed', isActive: false, errorType: 'non-retryable' },
      EventRefused: { computedStatus: 'failed', isActive: true, errorType: 'non-retryable' },
    };
    const answers = document.json.webhooks?.MESSAGE_SENT?.post?.responses ?? {};
    const meaningOf = (status: number) => {
      const answer = answers[status] ?? answers[`${String(status).charAt(0)}XX`] ?? answers.default;
      const name = answer && '$ref' in answer ? answer.$ref.split('/').at(-1) : '';
      return meanings[name as keyof typeof meanings];
    };
    for (const half of [
      [200, 202, 204, 299, 301, 308, 400, 401],
      [404, 408, 410, 422, 425, 429, 500, 503, 599],
    ]) {
      receiver.respond = (received, response) => {
        respondWith(Number(received.path.slice('/hook/'.length)))(received, response);
      };
      owner = new WebhookOwner(await service.newAccount(), owner.good);
      client = owner.account;
      device = await client.newDevice();
      for (const status of half)
        await owner.create({ name: String(status), deliveryUrl: `${receiver.url}/${status}` });
      await client.report(device, await sendOne(), 'SENT').expect(200);
      const { data } = await eventually(
        () => owner.history({ limit: '100' }),
        (page) =>
          page.data.length === half.length && page.data.every((each) => each.computedStatus !== 'pending'),
      );
      await eventually(
        () => owner.list(),
        (all) =>
          all.filter(({ isActive }) => !isActive).length === half.filter((status) => status === 410).length,
      );
      for (const { _id, name, isActive } of await owner.list()) {
        const delivery = data.find(({ webhookSubscription }) => webhookSubscription === _id);
        const [computedStatus, errorType] = [delivery?.computedStatus, delivery?.errorType];
        const status = Number(name);
        expect({ status, computedStatus, isActive, errorType }).toEqual({ status, ...meaningOf(status) });
      }
    }
  });
});
