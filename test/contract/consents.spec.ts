import { SuppressedMessages } from '../../src/gateway/suppressions/suppressed-messages.service';
import { BatchChanging } from '../../src/messages/messages.errors';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, provokeCommonErrors } from './contract-client';
import {
  CONSENT,
  CONSENT_SETTINGS,
  OPT_OUT_CANDIDATE,
  SUPPRESSION,
  SUPPRESSION_CHECK,
} from './expected-fields';
import { fieldErrors } from './field-table';
import { CONSENTS } from './operations';

const NUMBER = '+447700900123';

describe('consent operations match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start();
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
  });
  afterAll(() => service.stop());

  it('settings', async () => {
    expect(fieldErrors(CONSENT_SETTINGS, await client.data('getConsentSettings'))).toEqual([]);
    const changed = await client.data('updateConsentSettings', {
      body: {
        stopCovers: 'topic',
        keywords: { out: ['genug'] },
        senderName: 'Shop',
        contact: 'shop@example.com',
      },
    });
    expect(fieldErrors(CONSENT_SETTINGS, changed)).toEqual([]);
    expect(changed).toMatchObject({ enabled: true, stopCovers: 'topic', senderName: 'Shop' });
    await client.call('updateConsentSettings', '400 VALIDATION_FAILED', { body: { stopCovers: 'nothing' } });
  });

  it('blocks, and their record', async () => {
    await client.call('blockNumber', '400 VALIDATION_FAILED', { body: { number: 'nobody' } });
    const body = { number: NUMBER, topic: 'offers', state: 'held', reason: 'Asked on the phone' };
    const block = await client.data<{ _id: string }>('blockNumber', { body }, 201);
    expect(fieldErrors(SUPPRESSION, block)).toEqual([]);
    await client.data('listSuppressions');
    await client.call('listSuppressions', '400 VALIDATION_FAILED', { query: { cursor: 'none' } });
    const lift = { path: { id: block._id }, body: { reason: 'Wants them again' } };
    await client.call('liftSuppression', '400 VALIDATION_FAILED', { ...lift, body: { reason: '' } });
    await client.data('liftSuppression', lift);
    await client.call('liftSuppression', '404 SUPPRESSION_NOT_FOUND', lift);
    const records = await client.data<object[]>('listConsents');
    for (const record of records) expect(fieldErrors(CONSENT, record)).toEqual([]);
    expect(records).toHaveLength(2);
    await client.call('listConsents', '400 VALIDATION_FAILED', { query: { cursor: 'none' } });
  });

  it('numbers that a send would not reach', async () => {
    await client.call('checkSuppressions', '400 VALIDATION_FAILED', { body: { numbers: [] } });
    await client.data('blockNumber', { body: { number: '+447700900199' } }, 201);
    const checked = await client.data('checkSuppressions', { body: { numbers: [NUMBER, '+447700900199'] } });
    expect(fieldErrors(SUPPRESSION_CHECK, checked)).toEqual([]);
    expect(checked).toMatchObject({ blocked: [1] });
  });

  it('a confirmation, and people who wrote STOP before texts were read', async () => {
    const owner = await service.newAccount();
    const older = new ContractClient(document, owner);
    const device = await owner.newDevice();
    const receive = (sender: string) =>
      owner.post(`/gateway/devices/${device}/receive-sms`, { sender, message: 'STOP' }).expect(200);
    await service.collection('accounts').updateOne({ _id: owner.user }, { $unset: { consent: 1 } });
    await receive(NUMBER);
    const candidates = await older.data<object[]>('listOptOutCandidates');
    expect(candidates.map((each) => fieldErrors(OPT_OUT_CANDIDATE, each))).toEqual([[]]);
    await older.call('listOptOutCandidates', '400 VALIDATION_FAILED', { query: { cursor: '+' } });
    await older.call('suppressOptOutCandidates', '400 VALIDATION_FAILED', { body: { cursor: '+' } });
    await owner.patch('/gateway/consent-settings', { enabled: true }).expect(200);
    jest.spyOn(service.get(SuppressedMessages), 'failPending').mockRejectedValue(new BatchChanging());
    await older.call('suppressOptOutCandidates', '503 BATCH_CHANGING', { body: {} });
    jest.restoreAllMocks();
    await service.collection('suppressions').deleteMany({ user: owner.user });
    const done = await older.data('suppressOptOutCandidates', { body: {} });
    expect(done).toEqual({ suppressedCount: 1, nextCursor: null });
    await owner.patch('/gateway/consent-settings', { senderName: 'Shop', contact: 'Here' }).expect(200);
    await owner
      .post('/gateway/contacts', { name: 'Ana', numbers: [{ number: '+447700900198' }] })
      .expect(201);
    await receive('+447700900198');
    const [block] = await older.data<object[]>('listSuppressions');
    expect(fieldErrors(SUPPRESSION, block)).toEqual([]);
    expect(block).toHaveProperty('confirmation.state', 'accepted');
    expect(block).toHaveProperty('contact.name', 'Ana');
  });

  it('the common errors', async () => {
    await provokeCommonErrors(document, client, CONSENTS);
  });

  it('a block while a batch of its messages is changing', async () => {
    jest.spyOn(service.get(SuppressedMessages), 'failPending').mockRejectedValue(new BatchChanging());
    await client.call('blockNumber', '503 BATCH_CHANGING', { body: { number: NUMBER } });
    jest.restoreAllMocks();
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf(CONSENTS)).toEqual([]);
  });
});
