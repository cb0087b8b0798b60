import type { HeartbeatRequest } from '../../src/devices/http/heartbeat.request';
import { SearchTooSlow } from '../../src/messages/lists/message-list.errors';
import { MessageListRepository } from '../../src/messages/lists/message-list.repository';
import { buildDocument } from '../../src/openapi/openapi';
import { type BatchJson, type MessageJson } from '../support/client';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors, provokeConcurrencyLimits } from './contract-client';
import { fieldErrors } from './field-table';
import { READS } from './operations';
import {
  ACCOUNT_TOTALS,
  CURSOR_META,
  DEVICE,
  MESSAGE,
  PAGE_META,
  SEND_BATCH,
  SEND_RESULT,
} from './expected-fields';

const HELLO = { message: 'Hello', recipients: ['+4915112345678'] };
const DAY_MS = 86_400_000;

interface DeviceJson {
  readonly _id: string;
}

interface SendJson {
  readonly smsBatchId: string;
}

interface PageJson {
  readonly data: readonly MessageJson[];
  readonly meta: Record<string, unknown> & { readonly nextCursor: string | null };
}

describe('gateway reads match the API document and the expected fields', () => {
  let service: TestService;
  let document: ApiDocument;
  let transport: ScriptedTransport;
  let client: ContractClient;
  let device: string;

  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ transport });
    document = new ApiDocument(buildDocument(service.app));
    await service
      .collection('plans')
      .insertMany([
        { _id: 'small', displayName: 'Small', dailyLimit: 3, monthlyLimit: 4, bulkSendLimit: 3 },
      ] as never[]);
    service.clock.advance(11_000); // expires the cached plans
  });
  beforeEach(async () => {
    client = new ContractClient(document, await service.newAccount());
    device = await client.account.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const setAccount = (change: object) =>
    service.collection('accounts').updateOne({ _id: client.account.user }, change);

  const messageOf = async (batch: string): Promise<MessageJson> => {
    const [message] = (await client.account.batch(device, batch)).messages;
    if (!message) throw new Error('The batch has no message');
    return message;
  };

  const dispatched = (batch: string) =>
    eventually(
      () => messageOf(batch),
      ({ status }) => status === 'dispatched',
    );

  it('returns the account totals', async () => {
    expect(fieldErrors(ACCOUNT_TOTALS, await client.data('getStats'))).toEqual([]);
  });

  it('returns a device without attributes and one with all of them', async () => {
    const [fresh] = await client.data<DeviceJson[]>('listDevices');
    expect(fieldErrors(DEVICE, fresh)).toEqual([]);
    await client.account.patch(`/gateway/devices/${device}`, {
      name: 'Office',
      osBuildFingerprint: 'google/shiba/shiba:14/AP2A/1:user/release-keys',
      fcmToken: 'a token nobody else may read',
      serial: 'a serial nobody else may read',
      partsPerMinute: 24,
      defaultSim: 1,
    });
    await client.account.post(`/gateway/devices/${device}/heartbeat`, FULL_HEARTBEAT);
    await client.account.post(`/gateway/devices/${device}/drain`);
    const reported = await client.data<DeviceJson>('getDevice', { path: { id: device } });
    expect(fieldErrors(DEVICE, reported)).toEqual([]);
    expect(Object.keys(reported).sort()).toEqual(
      Object.keys(DEVICE)
        .filter((key) => key !== 'pushError')
        .sort(),
    );
    expect(JSON.stringify(reported)).not.toContain('nobody else may read');
    expect(await client.data('listDevices')).toEqual([reported]);
  });

  it('returns batches and messages in every status', async () => {
    const sim = { simInfo: { lastUpdated: 1, sims: [{ subscriptionId: 1 }] }, partsPerMinute: null };
    await client.account.patch(`/gateway/devices/${device}`, sim);
    const sent = await client.data<SendJson>('sendSms', { body: { ...HELLO, simSubscriptionId: 1 } });
    expect(fieldErrors(SEND_RESULT, sent)).toEqual([]);
    const failed = await client.data<SendJson>('sendBulkSms', {
      body: { messages: [HELLO], priority: 'urgent', validForSeconds: 3_600 },
    });
    expect(fieldErrors(SEND_RESULT, failed)).toEqual([]);
    const large = await client.data<SendJson>('sendSms', {
      body: {
        message: 'Hi',
        recipients: Array.from({ length: 60 }, (_, index) => `+4915${index + 10_000_000}`),
      },
    });
    expect(fieldErrors(SEND_RESULT, large)).toEqual([]);
    expect(large).toHaveProperty('estimatedCompletionAt');

    const { _id: sentId } = await dispatched(sent.smsBatchId);
    const { _id: failedId } = await dispatched(failed.smsBatchId);
    const times = { pushReceivedAtInMillis: 1_767_225_600_000, sendAttemptedAtInMillis: 1_767_225_601_000 };
    await client.account.report(device, sentId, 'SENT', times);
    await client.account.report(device, sentId, 'DELIVERED');
    await client.account.report(device, failedId, 'FAILED', { errorCode: '4' });

    const seen = new Set<string>();
    for (const { smsBatchId } of [sent, failed, large]) {
      const path = { id: device, smsBatchId };
      const { batch, messages } = await client.data<BatchJson>('getBatch', { path });
      expect(fieldErrors(SEND_BATCH, batch)).toEqual([]);
      for (const message of messages) {
        expect(fieldErrors(MESSAGE, message)).toEqual([]);
        for (const field of Object.keys(message)) seen.add(field);
      }
    }
    const single = await client.data('getMessage', { path: { id: device, smsId: sentId } });
    expect(fieldErrors(MESSAGE, single)).toEqual([]);
    expect(single).toEqual(await client.account.message(device, sentId));
    expect(await client.data('getAccountMessage', { path: { id: sentId } })).toEqual(single);
    const ofReceived = [
      'sender',
      'receivedAt',
      'overLimit',
      'originalCreatedAt',
      'truncated',
      'repairedFields',
    ];
    // The test sends no encrypted messages, none to a pool and no loop test, none waits for its SIM, no report contradicts
    // another, and an absent channel means sms.
    const neverSet = [
      'encrypted',
      'encryptedMessage',
      'pool',
      'isLoopTest',
      'waitingFor',
      'channel',
      'laterReports',
    ];
    const expected = Object.keys(MESSAGE).filter((field) => ![...ofReceived, ...neverSet].includes(field));
    expect([...seen].sort()).toEqual(expected.sort());
  });

  it('returns the message list by page and by cursor', async () => {
    await client.account.send(['+4915112345678', '+4915112345679']);
    await client.account.post(`/gateway/devices/${device}/receive-sms`, { sender: '+4930', message: 'Hi' });
    const read = async (query: Record<string, string>) =>
      (await client.call('listMessages', '200', { query })).body as PageJson;
    const page = await read({ limit: '2' });
    const rest = await read({ limit: '2', cursor: String(page.meta.nextCursor) });
    for (const message of [...page.data, ...rest.data]) expect(fieldErrors(MESSAGE, message)).toEqual([]);
    expect([page.data.length, rest.data.length, rest.meta.nextCursor]).toEqual([2, 1, null]);
    expect(fieldErrors(PAGE_META, page.meta)).toEqual([]);
    expect(fieldErrors(CURSOR_META, { ...rest.meta, nextCursor: '' })).toEqual([]);
  });

  it('returns received messages, over the plan limit and uploaded late', async () => {
    await setAccount({ $set: { plan: 'small' } });
    const upload = (message: string, fields: object = {}) =>
      client.account.post(`/gateway/devices/${device}/receive-sms`, { sender: '+4930', message, ...fields });
    for (const text of ['1', '2', '3', '4', '5']) await upload(text);
    const yesterday = service.clock.now().getTime() - 1.5 * DAY_MS;
    await upload('late', { receivedAtInMillis: yesterday });
    const { data } = (await client.call('listMessages', '200', {})).body as PageJson;
    for (const message of data) expect(fieldErrors(MESSAGE, message)).toEqual([]);
    expect(data[0]).toMatchObject({
      overLimit: true,
      direction: 'received',
      status: 'received',
      type: 'RECEIVED',
    });
    expect(data.at(-1)).toMatchObject({
      message: 'late',
      createdAt: new Date(yesterday).toISOString(),
      receivedAt: new Date(yesterday).toISOString(),
      originalCreatedAt: expect.any(String) as string,
    });
    const path = { id: device, smsId: data[0]?._id ?? '' };
    expect(await client.data('getMessage', { path })).toEqual(data[0]);
  });

  it('rejects invalid reads', async () => {
    await client.call('getMessage', '404 MESSAGE_NOT_FOUND', { path: { id: device, smsId: NOBODY } });
    await client.call('getAccountMessage', '404 MESSAGE_NOT_FOUND', { path: { id: NOBODY } });
    await client.call('getBatch', '404 BATCH_NOT_FOUND', { path: { id: device, smsBatchId: NOBODY } });
    const list = (expected: string, query: Record<string, string>) =>
      client.call('listMessages', expected, { query });
    const bad = { limit: 'ten', status: 'gone', from: '2026-01-01T00:00:00', deviceIds: 'x', cursor: 'x' };
    for (const [name, value] of Object.entries(bad)) {
      await list('400 VALIDATION_FAILED', { [name]: value });
    }
    await list('404 DEVICE_NOT_FOUND', { deviceIds: NOBODY });
    await list('404 BATCH_NOT_FOUND', { smsBatchId: NOBODY });
    const exported = (expected: string, query: Record<string, string>) =>
      client.call('exportMessages', expected, { query });
    await exported('200', {});
    await exported('400 VALIDATION_FAILED', { from: 'yesterday' });
    await exported('404 DEVICE_NOT_FOUND', { deviceIds: NOBODY });
    await exported('404 BATCH_NOT_FOUND', { smsBatchId: NOBODY });
    jest.spyOn(service.get(MessageListRepository), 'list').mockRejectedValue(new SearchTooSlow(2_000));
    await list('400 SEARCH_TOO_SLOW', { search: 'x' });
    await exported('400 SEARCH_TOO_SLOW', { search: 'x' });
  });

  it('openEvents', async () => {
    const { url, apiKey } = client.account;
    const stream = await RawStream.openEvents(url, { 'x-api-key': apiKey });
    const { statusCode = 0, headers } = stream.answer;
    const text = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(document.responseErrors('openEvents', { status: statusCode, headers: text, body: '' })).toEqual(
      [],
    );
    stream.close();
  });

  it('returns the common errors', async () => {
    await provokeCommonErrors(document, client, READS);
    await provokeConcurrencyLimits(service, client, {
      listMessages: {},
      exportMessages: {},
      openEvents: {},
      getBatch: { path: { id: device, smsBatchId: NOBODY } },
    });
  });

  it('covers every response in the API document', () => {
    expect(document.unseenOf(READS)).toEqual([]);
  });
});

const FULL_HEARTBEAT: Required<Record<keyof HeartbeatRequest, unknown>> = {
  fcmToken: 'a token nobody else may read',
  batteryPercentage: 80,
  isCharging: true,
  networkType: 'wifi',
  appVersionName: '2.8.0',
  appVersionCode: 42,
  osVersion: '15',
  osApiLevel: 35,
  deviceUptimeMillis: DAY_MS,
  memoryFreeBytes: 1,
  memoryTotalBytes: 2,
  memoryMaxBytes: 3,
  storageAvailableBytes: 4,
  storageTotalBytes: 5,
  timezone: 'Europe/Berlin',
  locale: 'de_DE',
  receiveSMSEnabled: true,
  smsSendDelaySeconds: 5,
  isIgnoringBatteryOptimizations: true,
  isDeviceIdleMode: false,
  isPowerSaveMode: false,
  simInfo: {
    lastUpdated: '2026-01-01T00:00:00Z',
    sims: [
      {
        subscriptionId: 2,
        iccId: '8949020000000000000',
        cardId: 0,
        carrierName: 'Example Mobile',
        displayName: 'Work',
        simSlotIndex: 0,
        mcc: '262',
        mnc: '02',
        countryIso: 'de',
        subscriptionType: 'PHYSICAL_SIM',
      },
    ],
  },
};
