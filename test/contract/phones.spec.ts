import { Types } from 'mongoose';
import { PushTokenHeld } from '../../src/devices/store/devices.errors';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { SendingDeviceService } from '../../src/gateway/senders/sending-device.service';
import { ReceiveLimitReached } from '../../src/phones/phone.errors';
import { SearchTooSlow } from '../../src/messages/lists/message-list.errors';
import { SuppressedMessages } from '../../src/gateway/suppressions/suppressed-messages.service';
import { BatchChanging } from '../../src/messages/messages.errors';
import { MessageListRepository } from '../../src/messages/lists/message-list.repository';
import { ReceiveLimitService } from '../../src/phones/receive-limit.service';
import { buildDocument } from '../../src/openapi/openapi';
import { eventually } from '../support/eventually';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import {
  ContractClient,
  NOBODY,
  provokeCommonErrors,
  provokeConcurrencyLimits,
  provokeEmailNotVerified,
  provokeKeyBound,
} from './contract-client';
import { fieldErrors } from './field-table';
import { DEVICES, PHONES } from './operations';
import {
  CHECKUP,
  DEVICE,
  DEVICE_PAGE_META,
  DRAIN,
  EXPLANATION,
  HEARTBEAT_ANSWER,
  MESSAGE,
  MOVE,
  PENDING_SMS,
  REPLACEMENT,
} from './expected-fields';

const SMS = { sender: '+4930', message: 'Hi', receivedAtInMillis: 1_767_225_600_000 };

describe('device and phone operations match the API document and the expected fields', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ transport: new ScriptedTransport() });
    document = new ApiDocument(buildDocument(service.app));
  });
  beforeEach(async () => {
    client = new ContractClient(document, await service.newAccount());
    device = await client.account.newDevice();
  });
  afterAll(() => service.stop());

  /** Without Firebase, no phone of this service needs a token. */
  const holdTokenOnce = () =>
    jest.spyOn(service.get(SendingDeviceService), 'assertCanSend').mockImplementationOnce(() => {
      throw new PushTokenHeld();
    });

  const at = (id: string, rest: Record<string, string> = {}) => ({ path: { id, ...rest } });

  it('a device from registration to deletion', async () => {
    const facts = { fcmToken: 'token', serial: 'S', name: 'Office' };
    const registered = await client.data<{ _id: string }>('registerDevice', { body: facts }, 201);
    const changed = await client.data('updateDevice', { ...at(registered._id), body: { name: 'Desk' } });
    const chosen = await client.data('setDefaultDevice', at(registered._id));
    for (const answer of [registered, changed, chosen]) expect(fieldErrors(DEVICE, answer)).toEqual([]);
    expect(await client.data('deleteDevice', at(registered._id))).toEqual({ success: true });
    await client.call('getDevice', '404 DEVICE_NOT_FOUND', at(registered._id));
  });

  it('a device that is taken out of use and into use again', async () => {
    const progress = await client.data<object>('drainDevice', at(device));
    expect(fieldErrors(DRAIN, progress)).toEqual([]);
    expect(await client.data('endDrain', at(device))).toEqual({ success: true });
  });

  it('a device that is replaced by another one', async () => {
    const other = await client.account.newDevice();
    const replace = (deviceId: string, answer: string, id = device) =>
      client.call('replaceDevice', answer, { ...at(id), body: { deviceId } });
    await replace('x', '400 VALIDATION_FAILED');
    await replace(NOBODY, '404 TARGET_DEVICE_NOT_FOUND');
    await replace(other, '404 DEVICE_NOT_FOUND', NOBODY);
    holdTokenOnce();
    await replace(other, '400 PUSH_TOKEN_HELD');
    const fcm = await client.account.newDevice({ pushTransport: 'fcm' });
    await replace(fcm, '400 DEVICE_NOT_PUSHABLE');
    await client.account.post(`/gateway/devices/${other}/drain`);
    await replace(other, '400 DEVICE_DRAINING');
    await client.account.delete(`/gateway/devices/${other}/drain`);
    await client.account.patch(`/gateway/devices/${other}`, { enabled: false });
    await replace(other, '400 DEVICE_DISABLED');
    await client.account.patch(`/gateway/devices/${other}`, { enabled: true });
    const progress = await client.data<object>('replaceDevice', {
      ...at(device),
      body: { deviceId: other },
    });
    expect(fieldErrors(REPLACEMENT, progress)).toEqual([]);
    await replace(await client.account.newDevice(), '400 DEVICE_REPLACED');
  });

  it('waiting messages that are moved to another device', async () => {
    const other = await client.account.newDevice();
    const move = (body: object, answer: string) =>
      client.call('moveMessages', answer, { body: { deviceId: other, ...body } });
    await move({}, '400 VALIDATION_FAILED');
    await move({ fromDeviceId: NOBODY }, '404 DEVICE_NOT_FOUND');
    const body = { fromDeviceId: device };
    await move({ ...body, deviceId: NOBODY }, '404 TARGET_DEVICE_NOT_FOUND');
    holdTokenOnce();
    await move(body, '400 PUSH_TOKEN_HELD');
    const fcm = await client.account.newDevice({ pushTransport: 'fcm' });
    await move({ ...body, deviceId: fcm }, '400 DEVICE_NOT_PUSHABLE');
    await client.account.post(`/gateway/devices/${other}/drain`);
    await move(body, '400 DEVICE_DRAINING');
    await client.account.delete(`/gateway/devices/${other}/drain`);
    await client.account.patch(`/gateway/devices/${other}`, { enabled: false });
    await move(body, '400 DEVICE_DISABLED');
    await client.account.patch(`/gateway/devices/${other}`, { enabled: true });
    const all = await client.data<object>('moveMessages', { body: { ...body, deviceId: other } });
    const named = await client.data<{ refused: object[] }>('moveMessages', {
      body: { deviceId: other, messageIds: [NOBODY] },
    });
    for (const result of [all, named]) expect(fieldErrors(MOVE, result)).toEqual([]);
    expect(named.refused).toEqual([
      { id: NOBODY, code: 'MESSAGE_NOT_FOUND', message: expect.any(String) as string },
    ]);
  });

  it('the checkup of a device', async () => {
    const checkup = await client.data<object>('checkUpDevice', at(device));
    expect(fieldErrors(CHECKUP, checkup)).toEqual([]);
  });

  it('the explanation of a message', async () => {
    const batch = await client.account.send(['+4915112345678'], { deviceId: device });
    const [message] = (await client.account.batch(device, batch)).messages;
    const explanation = await client.data<object>('explainMessage', at(message?._id ?? ''));
    expect(fieldErrors(EXPLANATION, explanation)).toEqual([]);
  });

  it('invalid registrations and updates', async () => {
    const bad = { simInfo: { sims: 'none' } };
    await client.call('registerDevice', '400 VALIDATION_FAILED', { body: bad });
    await client.call('updateDevice', '400 VALIDATION_FAILED', { ...at(device), body: bad });
    await client.account.newDevice({ serial: 'taken' });
    await client.call('updateDevice', '400 SERIAL_TAKEN', { ...at(device), body: { serial: 'taken' } });
  });

  it('a registration over the device limit', async () => {
    const devices = service.collection('devices');
    const user = client.account.user;
    const template = await devices.findOne({ user });
    const others = Array.from({ length: 100 }, (_one, index) => ({
      ...template,
      serial: `serial ${index}`,
      fcmToken: `token ${index}`,
      _id: new Types.ObjectId(),
      model: `model ${index}`,
    }));
    await devices.insertMany(others);
    const body = { serial: 'beyond', model: 'beyond' };
    await client.call('registerDevice', '400 DEVICE_LIMIT_REACHED', { body });
    await devices.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } });
  });

  it('a registration that times out waiting for the lock', async () => {
    jest.spyOn(service.get(DevicesRepository), 'insert').mockResolvedValue(false);
    await client.call('registerDevice', '503 REGISTRATIONS_BUSY', { body: { serial: 'new' } });
    jest.restoreAllMocks();
  });

  it('updates and heartbeats that keep losing against concurrent writes', async () => {
    jest.spyOn(service.get(DevicesRepository), 'update').mockResolvedValue('conflict');
    await client.call('updateDevice', '503 REGISTRATIONS_BUSY', { ...at(device), body: { name: 'Desk' } });
    await client.call('sendHeartbeat', '503 REGISTRATIONS_BUSY', { ...at(device), body: {} });
    jest.restoreAllMocks();
  });

  it('the cancellation of a batch', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const smsBatchId = await client.account.send(['+4915112345678'], { scheduledAt });
    expect(await client.data('cancelBatch', at(device, { smsBatchId }))).toEqual({
      success: true,
      cancelledCount: 1,
      requestedCount: 0,
    });
    await client.call('cancelBatch', '404 BATCH_NOT_FOUND', at(device, { smsBatchId: NOBODY }));
  });

  it('the cancellation of a message and its confirmation', async () => {
    const path = { id: await client.account.send(['+4915112345678']) };
    const [message] = (await client.account.batch(device, path.id)).messages;
    expect(await client.data('cancelMessage', { path: { id: message?._id ?? '' } })).toMatchObject({
      success: true,
    });
    await client.call('cancelMessage', '404 MESSAGE_NOT_FOUND', { path: { id: NOBODY } });
    const body = { smsIds: [NOBODY] };
    expect(await client.data('confirmCancelledMessages', { ...at(device), body })).toEqual({ cancelled: 0 });
    await client.call('confirmCancelledMessages', '404 DEVICE_NOT_FOUND', { ...at(NOBODY), body });
    await client.call('confirmCancelledMessages', '400 VALIDATION_FAILED', {
      ...at(device),
      body: { smsIds: 'all' },
    });
  });

  it('cancellations while the batch is being rescheduled', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const smsBatchId = await client.account.send(['+4915112345678'], { scheduledAt });
    const [message] = (await client.account.batch(device, smsBatchId)).messages;
    const id = message?._id ?? '';
    const change = { id: new Types.ObjectId(), kind: 'reschedule', since: service.clock.now() };
    await service
      .collection('batches')
      .updateOne({ _id: new Types.ObjectId(smsBatchId) }, { $set: { change } });
    await service
      .collection('messages')
      .updateOne({ _id: new Types.ObjectId(id) }, { $set: { cancelRequestedAt: change.since } });
    await client.call('cancelBatch', '503 BATCH_CHANGING', at(device, { smsBatchId }));
    await client.call('cancelMessage', '503 BATCH_CHANGING', { path: { id } });
    await client.call('confirmCancelledMessages', '503 BATCH_CHANGING', {
      ...at(device),
      body: { smsIds: [id] },
    });
  });

  it('the deletion of messages and of a device with its messages', async () => {
    const other = await client.account.newDevice({ serial: 'deleted' });
    const batch = await client.account.send(['+4915112345678'], { deviceId: other });
    const [message] = (await client.account.batch(other, batch)).messages;
    const path = { id: message?._id ?? '' };
    const query = { deleteMessages: 'true' };
    await client.call('deleteMessage', '400 MESSAGE_UNSETTLED', { path });
    await client.call('deleteDevice', '400 DEVICE_HAS_UNSETTLED_MESSAGES', { ...at(other), query });
    await client.account.report(other, path.id, 'SENT');
    expect(await client.data('deleteMessage', { path })).toEqual({ success: true });
    expect(await client.data('deleteDevice', { ...at(other), query })).toEqual({ success: true });
  });

  it('the series for charts', async () => {
    const query = { from: '2026-01-01', to: '2026-01-02' };
    expect(await client.data('getSeries', { query })).toEqual([
      {
        at: '2026-01-01T00:00:00.000Z',
        received: 0,
        sent: 0,
        delivered: 0,
        failed: 0,
        cancelled: 0,
        suppressed: 0,
      },
    ]);
    await client.call('getSeries', '400 VALIDATION_FAILED', { query: { ...query, from: 'yesterday' } });
    await client.call('getSeries', '404 DEVICE_NOT_FOUND', { query: { ...query, deviceId: NOBODY } });
  });

  it('heartbeats without an envelope', async () => {
    const { body } = await client.call('sendHeartbeat', '200', {
      ...at(device),
      body: { batteryPercentage: 5 },
    });
    expect(fieldErrors(HEARTBEAT_ANSWER, body)).toEqual([]);
    await client.account.patch(`/gateway/devices/${device}`, { name: 'Office' });
    const named = await client.call('sendHeartbeat', '200', { ...at(device), body: { networkType: 'wifi' } });
    expect(fieldErrors(HEARTBEAT_ANSWER, named.body)).toEqual([]);
    expect(named.body).toHaveProperty('name', 'Office');
  });

  it.each(['receiveSms', 'receiveSmsAlias'])('accepted and ignored incoming messages: %s', async (id) => {
    const stored = await client.data(id, { ...at(device), body: SMS });
    expect(stored).toMatchObject({ ignored: false });
    expect(await client.data(id, { ...at(device), body: SMS })).toEqual(stored);
    const ignored = await client.data(id, { ...at(device), body: { sender: '+4930' } });
    expect(ignored).toMatchObject({ ignored: true, reason: expect.any(String) as string });
  });

  it('reports and acknowledgements', async () => {
    const batch = await client.account.send(['+4915112345678']);
    const smsId = (await client.account.batch(device, batch)).messages[0]?._id ?? '';
    expect(await client.data('acknowledgeMessages', { ...at(device), body: { smsIds: [smsId] } })).toEqual({
      acknowledged: 1,
    });
    const report = { smsId, status: 'SENT', sentAtInMillis: 1_767_225_600_000 };
    expect(await client.data('reportSmsStatus', { ...at(device), body: report })).toEqual({ success: true });
    for (const body of [{}, { smsId: 'x', status: 'SENT' }, { smsId, status: '' }]) {
      await client.call('reportSmsStatus', '400 VALIDATION_FAILED', { ...at(device), body });
    }
    await client.call('acknowledgeMessages', '400 VALIDATION_FAILED', {
      ...at(device),
      body: { smsIds: [] },
    });
  });

  it('the lists of a device', async () => {
    await client.account.send(['+4915112345678']);
    await client.account.post(`/gateway/devices/${device}/receive-sms`, SMS);
    for (const [id, count] of [
      ['listDeviceMessages', 2],
      ['listReceivedMessages', 1],
      ['listReceivedMessagesAlias', 1],
    ] as const) {
      const { body } = await client.call(id, '200', { ...at(device), query: { limit: '2' } });
      const { data, meta } = body as { data: unknown[]; meta: unknown };
      expect([data.length, ...data.flatMap((message) => fieldErrors(MESSAGE, message))]).toEqual([count]);
      expect(fieldErrors(DEVICE_PAGE_META, meta)).toEqual([]);
      await client.call(id, '400 VALIDATION_FAILED', { ...at(device), query: { limit: 'ten' } });
    }
    const pending = await eventually(
      () => client.data<unknown[]>('listPendingMessages', at(device)),
      (messages) => messages.length > 0,
    );
    expect(pending.flatMap((message) => fieldErrors(PENDING_SMS, message))).toEqual([]);
  });

  it('the stream', async () => {
    const fcm = await client.account.newDevice({ pushTransport: 'fcm', fcmToken: 't' });
    await client.call('openStream', '400 NOT_A_STREAM_DEVICE', at(fcm));
    const closing = new AbortController();
    const stream = await fetch(`${service.url}/api/v1/gateway/devices/${device}/stream`, {
      headers: { 'x-api-key': client.account.apiKey },
      signal: closing.signal,
    });
    const headers = Object.fromEntries(stream.headers);
    expect(document.responseErrors('openStream', { status: stream.status, headers, body: '' })).toEqual([]);
    closing.abort();
  });

  it('common errors', async () => {
    await provokeCommonErrors(document, client, [...DEVICES, ...PHONES]);
    await provokeKeyBound(service, document, client, [...DEVICES, ...PHONES]);
    await provokeConcurrencyLimits(service, client, {
      openStream: at(device),
      listDeviceMessages: at(device),
      listReceivedMessages: at(device),
      listReceivedMessagesAlias: at(device),
    });
    const limited = jest
      .spyOn(service.get(ReceiveLimitService), 'count')
      .mockRejectedValue(new ReceiveLimitReached(20_000, 60_000));
    await client.call('receiveSms', '429 RECEPTION_LIMITED', { ...at(device), body: SMS });
    await client.call('receiveSmsAlias', '429 RECEPTION_LIMITED', { ...at(device), body: SMS });
    limited.mockRestore();
    const changing = jest
      .spyOn(service.get(SuppressedMessages), 'failPending')
      .mockRejectedValue(new BatchChanging());
    const stop = { ...SMS, message: 'STOP' };
    await client.call('receiveSms', '503 BATCH_CHANGING', { ...at(device), body: stop });
    await client.call('receiveSmsAlias', '503 BATCH_CHANGING', { ...at(device), body: stop });
    changing.mockRestore();
    const slow = jest
      .spyOn(service.get(MessageListRepository), 'list')
      .mockRejectedValue(new SearchTooSlow(2_000));
    await client.call('listDeviceMessages', '400 SEARCH_TOO_SLOW', { ...at(device), query: { search: 'x' } });
    slow.mockRestore();
    await provokeEmailNotVerified(service, document, client, DEVICES);
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf([...DEVICES, ...PHONES])).toEqual([]);
  });
});
