import { randomUUID } from 'node:crypto';
import { buildDocument } from '../../src/openapi/openapi';
import { FakeFcm } from '../support/fake-fcm';
import { countStoredDocuments } from '../support/count-stored-documents';
import { newPool } from '../support/new-pool';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors, provokeKeyBound } from './contract-client';
import { fieldErrors } from './field-table';
import { ESTIMATES } from './operations';
import { ESTIMATE } from './expected-fields';

const HELLO = { message: 'Hello', recipients: ['+4915112345678'] };
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+4915${10_000_000 + index}`);

interface ErrorJson {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly field: string; readonly message: string }[];
}

/** What a phone that has not told its SIMs sends at once. */
const UNKNOWN_SIMS = { suppressed: 0, sims: [], heldBack: [] };

describe('estimates', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;
  let device: string;

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({ firebase: fcm.options(), transport: new ScriptedTransport() });
    document = new ApiDocument(buildDocument(service.app));
    await service.collection('plans').insertOne({
      _id: 'daily',
      displayName: 'A day',
      dailyLimit: 3,
      monthlyLimit: -1,
      bulkSendLimit: -1,
    } as never);
    service.clock.advance(11_000); // expires the cached plans
  });
  beforeEach(async () => {
    client = new ContractClient(document, await service.newAccount());
    device = await client.account.newDevice({ supportsEncryption: true });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await service.stop();
    await fcm.stop();
  });

  const estimate = async (body: object) => {
    const { body: answer } = await client.call('estimateSend', '200', { body });
    const { data } = answer as { data: Record<string, unknown> };
    expect(fieldErrors(ESTIMATE, data)).toEqual([]);
    return data;
  };
  const refusal = async (expected: string, body: object) =>
    (await client.call('estimateSend', expected, { body })).body as ErrorJson;
  const setAccount = (change: object) =>
    service.collection('accounts').updateOne({ _id: client.account.user }, change);

  it('tells size, encoding and the characters that force UCS-2', async () => {
    expect(await estimate({ message: 'It’s 5 – or 6’', recipients: numbers(3) })).toEqual({
      segments: 1,
      encoding: 'UCS-2',
      offendingCharacters: ['’', '–'],
      messages: 3,
      parts: 3,
      ...UNKNOWN_SIMS,
    });
    expect(await estimate({ smsBody: 'a'.repeat(161), receivers: numbers(2) })).toEqual({
      segments: 2,
      encoding: 'GSM-7',
      offendingCharacters: [],
      messages: 2,
      parts: 4,
      ...UNKNOWN_SIMS,
    });
  });

  it('adds the texts of a bulk send', async () => {
    const messages = [
      HELLO,
      { message: 'я'.repeat(71), recipients: numbers(2) },
      { message: '😀я', recipients: numbers(1) },
    ];
    expect(await estimate({ messages, messageTemplate: 'Hi {name}' })).toEqual({
      offendingCharacters: ['я', '😀'],
      messages: 4,
      parts: 6,
      ...UNKNOWN_SIMS,
    });
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...HELLO,
      message: String.fromCharCode(0x4e00 + index),
    }));
    expect((await estimate({ messages: many })).offendingCharacters).toHaveLength(50);
  });

  it('counts encrypted texts with their largest size', async () => {
    const secret = { ...HELLO, message: undefined, encrypted: true, encryptedMessage: 'x'.repeat(200) };
    expect(await estimate(secret)).toEqual({
      offendingCharacters: [],
      messages: 1,
      parts: 3,
      ...UNKNOWN_SIMS,
    });
    expect(await estimate({ messages: [HELLO, secret] })).toEqual({
      offendingCharacters: [],
      messages: 2,
      parts: 4,
      ...UNKNOWN_SIMS,
    });
  });

  it('is what the send answers then, and reserves and stores nothing', async () => {
    const body = { message: 'Hello', recipients: numbers(120) };
    const now = service.clock.now();
    jest.spyOn(service.clock, 'now').mockReturnValue(now);
    const before = await countStoredDocuments(service, client.account);
    const first = await estimate(body);
    expect(await estimate(body)).toEqual(first);
    expect(await countStoredDocuments(service, client.account)).toEqual(before);
    const sent = await client.account.post('/gateway/send-sms', body);
    const { segments, parts, encoding, estimatedCompletionAt } = first;
    expect(sent.body).toMatchObject({ data: { segments, parts, encoding, estimatedCompletionAt } });

    const completion = async (fields = {}) =>
      Date.parse(String((await estimate({ ...body, ...fields })).estimatedCompletionAt));
    const durationMs = Date.parse(String(estimatedCompletionAt)) - now.getTime();
    expect(durationMs).toBeGreaterThan(0);
    // After the send.
    expect(await completion()).toBe(now.getTime() + 2 * durationMs);
    const scheduledAt = new Date(now.getTime() + 86_400_000);
    expect(await completion({ scheduledAt })).toBe(scheduledAt.getTime() + durationMs);
  });

  it('is refused like the send', async () => {
    const bodies = [
      {},
      { ...HELLO, recipients: [] },
      { ...HELLO, recipients: ['x', '+4915112345678', 5] },
      { ...HELLO, message: 'x'.repeat(1_601) },
      { ...HELLO, scheduledAt: '2020-01-01T00:00:00Z' },
      { ...HELLO, scheduleAt: '2030-01-01T00:00:00Z' },
      { ...HELLO, deviceId: 'x' },
    ];
    for (const body of bodies) {
      const sent = await client.account.post('/gateway/send-sms', body);
      const refused = await refusal('400 VALIDATION_FAILED', body);
      expect([sent.status, refused]).toEqual([400, sent.body]);
    }
    const bulk = [
      { messages: [] },
      { messages: [{}] },
      { messages: 5 },
      { messages: [HELLO, { ...HELLO, recipients: numbers(10_000) }] },
      { messages: [{ ...HELLO, deviceId: device }] },
      { messages: [HELLO], scheduledAt: '2030-01-01T00:00:00Z' },
    ];
    for (const body of bulk) {
      const sent = await client.account.post('/gateway/send-bulk-sms', body);
      const refused = await refusal('400 VALIDATION_FAILED', body);
      expect([sent.status, refused]).toEqual([400, sent.body]);
    }
    const mixed = await refusal('400 VALIDATION_FAILED', { ...HELLO, messages: [HELLO] });
    expect(mixed.details?.map(({ field }) => field)).toEqual(['message', 'recipients']);
    const labelled = await refusal('400 VALIDATION_FAILED', { ...HELLO, messageTemplate: 'Hi' });
    expect(labelled.details?.map(({ field }) => field)).toEqual(['messageTemplate']);
  });

  it('is refused for a device that cannot send, and over the plan limit', async () => {
    await client.account.post('/gateway/suppressions', { number: '+447700900123' });
    await refusal('400 RECIPIENT_SUPPRESSED', { ...HELLO, recipients: ['+447700900123'] });
    const recipients = ['+447700900124', '+447700900123'];
    expect(await estimate({ ...HELLO, recipients })).toMatchObject({ messages: 2, suppressed: 1 });
    await refusal('404 DEVICE_NOT_FOUND', { ...HELLO, deviceId: NOBODY });
    await client.account.patch(`/gateway/devices/${device}`, { enabled: false });
    await refusal('400 DEVICE_DISABLED', { ...HELLO, deviceId: device });
    await refusal('404 POOL_NOT_FOUND', { ...HELLO, poolId: NOBODY });
    const empty = await newPool(service, client.account, []);
    await refusal('400 NO_ENABLED_SIM', { ...HELLO, poolId: empty });
    // Clients of textbee look for this phrase.
    const { message } = await refusal('400 NO_ENABLED_DEVICE', HELLO);
    expect(message).toContain('No enabled device found');
    await client.account.patch(`/gateway/devices/${device}`, { enabled: true });
    await client.account.post(`/gateway/devices/${device}/drain`);
    await refusal('400 DEVICE_DRAINING', { ...HELLO, deviceId: device });
    await client.account.delete(`/gateway/devices/${device}/drain`);
    const unpushable = await client.account.newDevice({ pushTransport: 'fcm', model: 'Other' });
    await refusal('400 DEVICE_NOT_PUSHABLE', { ...HELLO, deviceId: unpushable });
    const held = { pushTransport: 'fcm', fcmToken: randomUUID() };
    await (await service.newAccount()).newDevice(held);
    await refusal('400 PUSH_TOKEN_HELD', { ...HELLO, deviceId: await client.account.newDevice(held) });
    await setAccount({ $set: { plan: 'daily' } });
    const over = { ...HELLO, recipients: numbers(4) };
    const limited = await refusal('429 PLAN_LIMIT_REACHED', over);
    expect(limited).toEqual((await client.account.post('/gateway/send-sms', over)).body);
    expect(await estimate({ ...HELLO, recipients: numbers(3) })).toMatchObject({ messages: 3 });
    await setAccount({ $unset: { emailVerifiedAt: true } });
    await refusal('400 EMAIL_NOT_VERIFIED', HELLO);
  });

  it('common errors', async () => {
    await provokeCommonErrors(document, client, ESTIMATES);
    await provokeKeyBound(service, document, client, ESTIMATES);
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf(ESTIMATES)).toEqual([]);
  });
});
