import { LimitsConfig } from '../../src/config/sections/limits.config';
import request from 'supertest';
import type { TestClient } from '../support/client';
import type { TestService } from '../support/service';
import type { Answer, ApiDocument, DescribedOperation } from './api-document';

export interface Call {
  /** Path parameters; `id` is the device. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls operations by their id in the API document and validates every response. */
export class ContractClient {
  constructor(
    private readonly document: ApiDocument,
    readonly account: TestClient,
    /** The session token of the owner, for operations that reject API keys. */
    private readonly session?: string,
  ) {}

  /**
   * @param expected the status and the error code, such as `200` or `404 DEVICE_NOT_FOUND`.
   */
  async call(id: string, expected: string, call: Call = {}): Promise<Answer> {
    const answer = await this.ask(id, call);
    const { code } = Object(answer.body) as { code?: string };
    const got = [answer.status, ...(code ? [code] : [])].join(' ');
    expect({ id, got, errors: this.document.responseErrors(id, answer) }).toEqual({
      id,
      got: expected,
      errors: [],
    });
    return answer;
  }

  /** The `data` of the response. */
  async data<Data>(id: string, call: Call = {}, status = 200): Promise<Data> {
    return ((await this.call(id, String(status), call)).body as { data: Data }).data;
  }

  async ask(id: string, { path = {}, query = {}, body, headers = {} }: Call): Promise<Answer> {
    const operation = this.document.find(id);
    const url = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? 'missing');
    const test = request(this.account.url)
      [operation.method](url)
      .query(query)
      .set({
        ...(!headers.authorization && !headers['x-api-key'] && this.credentialFor(operation.operation)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      })
      .set(headers);
    const answer = await (body === undefined ? test : test.send(body));
    return {
      status: answer.status,
      headers: answer.headers,
      body: answer.get('content-disposition') === undefined ? (answer.body as unknown) : answer.text,
    };
  }

  private credentialFor(operation: DescribedOperation['operation']): Record<string, string> {
    return wantsSession(operation) && this.session !== undefined
      ? { authorization: `Bearer ${this.session}` }
      : { 'x-api-key': this.account.apiKey };
  }
}

/** Whether the operation requires a session. */
const wantsSession = ({ security = [] }: DescribedOperation['operation']): boolean =>
  security.length > 0 && security.every((requirement) => 'session' in requirement);

/** An unknown id. */
export const NOBODY = '665f1c2ab7e1d4a9c0f3e812';

/**
 * Causes the documented common errors: a missing key, malformed ids, a device of another account and malformed bodies.
 */
export async function provokeCommonErrors(
  document: ApiDocument,
  client: ContractClient,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const { path: route, operation } = document.find(id);
    const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const path = Object.fromEntries(names.map((name) => [name, NOBODY]));
    const call = { path, ...(operation.requestBody && { body: GOOD_BODIES[id] ?? {} }) };
    if (operation.responses['401']) {
      await client.call(id, '401 AUTH_INVALID', { ...call, headers: { 'x-api-key': 'wrong' } });
    }
    if (wantsSession(operation)) {
      const headers = { 'x-api-key': client.account.apiKey };
      await client.call(id, '400 SESSION_REQUIRED', { ...call, headers });
    }
    const notFound = `404 ${NOT_FOUND[id] ?? 'DEVICE_NOT_FOUND'}`;
    // A malformed id of a webhook gets 404, as an unknown one does.
    const malformed = operation.tags?.includes('Webhooks') ? notFound : '400 VALIDATION_FAILED';
    for (const name of names) {
      // Any text may be a number.
      const expected = name === 'number' ? notFound : malformed;
      await client.call(id, expected, { ...call, path: { ...path, [name]: 'nonsense' } });
    }
    if (operation.responses['404'] && names.length > 0) await client.call(id, notFound, call);
    if (!operation.requestBody) continue;
    await client.call(id, '400 MALFORMED_BODY', { path, body: '{"message": ' });
    // Files have any length.
    if ('content' in operation.requestBody && 'text/csv' in operation.requestBody.content) continue;
    await client.call(id, '400 BODY_TOO_LARGE', { path, body: { text: 'x'.repeat(2_200_000) } });
  }
}

/** Calls phone operations with the phone key of another phone. */
export async function provokeKeyBound(
  service: TestService,
  document: ApiDocument,
  client: ContractClient,
  ids: readonly string[],
): Promise<void> {
  const person = await service.signIn(client.account);
  const made = await person.post('/auth/api-keys', { kind: 'phone' });
  const headers = { 'x-api-key': (made.body as { data: string }).data };
  await client.call('registerDevice', '201', { headers, body: { serial: 'its own' } });
  for (const id of ids.filter((each) => document.documents(each, 400, 'KEY_BOUND'))) {
    const { operation } = document.find(id);
    const sent = { serial: 'of another', ...GOOD_BODIES[id] };
    await client.call(id, '400 KEY_BOUND', {
      headers,
      path: { id: NOBODY },
      ...(operation.requestBody && { body: sent }),
    });
  }
}

/** Calls operations with an account whose address is not verified. */
export async function provokeEmailNotVerified(
  service: TestService,
  document: ApiDocument,
  client: ContractClient,
  ids: readonly string[],
): Promise<void> {
  const person = await service.signIn(client.account);
  const unverified = { $unset: { emailVerifiedAt: 1, firstVerifiedAt: 1 } } as const;
  await service.collection('accounts').updateOne({ _id: client.account.user }, unverified);
  for (const id of ids.filter((each) => document.documents(each, 400, 'EMAIL_NOT_VERIFIED')))
    await client.call(id, '400 EMAIL_NOT_VERIFIED', {
      headers: { authorization: `Bearer ${person.accessToken}` },
      body: {},
    });
}

/** Calls operations above the concurrency limit of the account. */
export async function provokeConcurrencyLimits(
  service: TestService,
  client: ContractClient,
  calls: Readonly<Record<string, Call>>,
): Promise<void> {
  const limits = service.get(LimitsConfig);
  const usual = {
    maxStreamsPerAccount: limits.maxStreamsPerAccount,
    maxEventStreamsPerAccount: limits.maxEventStreamsPerAccount,
    maxWebhookTestsPerAccount: limits.maxWebhookTestsPerAccount,
    maxSearchesPerAccount: limits.maxSearchesPerAccount,
    maxListsPerAccount: limits.maxListsPerAccount,
    maxReplaysPerAccount: limits.maxReplaysPerAccount,
    maxExportsPerAccount: limits.maxExportsPerAccount,
  };
  Object.assign(limits, Object.fromEntries(Object.keys(usual).map((name) => [name, 0])));
  for (const [id, call] of Object.entries(calls)) await client.call(id, '429 CONCURRENCY_LIMITED', call);
  Object.assign(limits, usual);
}

/** The not-found errors of operations without a device. */
const NOT_FOUND: Record<string, string> = {
  liftSuppression: 'SUPPRESSION_NOT_FOUND',
  reportSmsStatus: 'MESSAGE_NOT_FOUND',
  cancelMessage: 'MESSAGE_NOT_FOUND',
  deleteMessage: 'MESSAGE_NOT_FOUND',
  getAccountBatch: 'BATCH_NOT_FOUND',
  rescheduleBatch: 'BATCH_NOT_FOUND',
  pauseBatch: 'BATCH_NOT_FOUND',
  resumeBatch: 'BATCH_NOT_FOUND',
  cancelAccountBatch: 'BATCH_NOT_FOUND',
  getAccountMessage: 'MESSAGE_NOT_FOUND',
  explainMessage: 'MESSAGE_NOT_FOUND',
  getPairingCode: 'PAIRING_CODE_NOT_FOUND',
  getSim: 'SIM_NOT_FOUND',
  updateSim: 'SIM_NOT_FOUND',
  getPool: 'POOL_NOT_FOUND',
  updatePool: 'POOL_NOT_FOUND',
  deletePool: 'POOL_NOT_FOUND',
  simulatePool: 'POOL_NOT_FOUND',
  getConversation: 'CONVERSATION_NOT_FOUND',
  updateConversation: 'CONVERSATION_NOT_FOUND',
  markConversationRead: 'CONVERSATION_NOT_FOUND',
  createConversationContact: 'CONVERSATION_NOT_FOUND',
  getContact: 'CONTACT_NOT_FOUND',
  updateContact: 'CONTACT_NOT_FOUND',
  deleteContact: 'CONTACT_NOT_FOUND',
  mergeContact: 'CONTACT_NOT_FOUND',
  getImport: 'IMPORT_NOT_FOUND',
  exportRefusedRows: 'IMPORT_NOT_FOUND',
  undoImport: 'IMPORT_NOT_FOUND',
  getList: 'LIST_NOT_FOUND',
  updateList: 'LIST_NOT_FOUND',
  deleteList: 'LIST_NOT_FOUND',
  listMembers: 'LIST_NOT_FOUND',
  addMembers: 'LIST_NOT_FOUND',
  removeMembers: 'LIST_NOT_FOUND',
  updateView: 'VIEW_NOT_FOUND',
  deleteView: 'VIEW_NOT_FOUND',
  revokeSession: 'SESSION_NOT_FOUND',
  revokeApiKey: 'API_KEY_NOT_FOUND',
  renameApiKey: 'API_KEY_NOT_FOUND',
  deleteApiKey: 'API_KEY_NOT_FOUND',
  getWebhook: 'WEBHOOK_NOT_FOUND',
  updateWebhook: 'WEBHOOK_NOT_FOUND',
  deleteWebhook: 'WEBHOOK_NOT_FOUND',
  testWebhook: 'WEBHOOK_NOT_FOUND',
  replayWebhook: 'WEBHOOK_NOT_FOUND',
  getWebhookNotification: 'DELIVERY_NOT_FOUND',
  redeliverWebhookNotification: 'DELIVERY_NOT_FOUND',
};

const SMS = { message: 'Hello', recipients: ['+4915112345678'] };

/** Bodies that are valid enough for the operation to look up the device. */
const GOOD_BODIES: Record<string, object> = {
  liftSuppression: { reason: 'Wants them again' },
  replaceDevice: { deviceId: 'aaaaaaaaaaaaaaaaaaaaaaaa' },
  reportSmsStatus: { smsId: NOBODY, status: 'SENT' },
  acknowledgeMessages: { smsIds: [NOBODY] },
  confirmCancelledMessages: { smsIds: [NOBODY] },
  sendSmsFromDevice: SMS,
  sendSmsFromDeviceAlias: SMS,
  sendBulkSmsFromDevice: { messages: [SMS] },
  mergeContact: { contactId: 'aaaaaaaaaaaaaaaaaaaaaaaa' },
  updateList: { name: 'Office' },
  addMembers: { contactIds: [NOBODY] },
  removeMembers: { contactIds: [NOBODY] },
  logIn: { email: 'nobody@example.com', password: 'wrong password' },
  signIn: { email: 'nobody@example.com', password: 'wrong password' },
  renameApiKey: { name: 'Office' },
  updateSim: { label: 'Office' },
  rescheduleBatch: { scheduledAt: new Date(Date.now() + 86_400_000).toISOString() },
  updatePool: { name: 'Office' },
  simulatePool: { recipient: '+4915112345678' },
  updateView: { name: 'Failed' },
  deleteAccount: { password: 'wrong password' },
  replayWebhook: { from: '2026-01-01' },
};
