import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recipientOf } from '../../../bench/documents';
import { MAX_MOVED_MESSAGES } from '../../../src/gateway/moves/waiting-moves.service';
import { REQUEST_EXAMPLES } from '../../../src/openapi/openapi-requests';
import { maximalValue, type Schema } from './maximal-value';
import { LARGE_CONTACT, OTHER_EMAIL, PASSWORD, type World } from './routes-world';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const MAX_RECIPIENTS = 10_000;
const IMPORTED_ROWS = 10_000;

/** Replaced in a body, for names of which there is one each. */
export const CALL_NUMBER = '<number>';

/** A request with all that it may carry. */
export interface RouteRequest {
  readonly name: string;
  readonly method: string;
  /** With the query; the calls use them in turn. */
  readonly paths: readonly string[];
  readonly body?: string;
  /** Of the body; by default JSON. */
  readonly contentType?: string;
  readonly credential: 'key' | 'session' | 'app' | 'none';
  /** A stream, which is closed after a moment. */
  readonly isStream: boolean;
  /** Whether the request ends the session that it is made with. */
  readonly endsSession: boolean;
  /** Whether calls add something that has a limit, to be deleted by its id below the same path. */
  readonly isLimited: boolean;
  /** By each call, if it is accepted. */
  readonly writtenMessages: number;
  /** Of the first call. */
  readonly expects: 'success' | 'any' | number;
  /** Requests are measured in this order, so that none takes away what another one needs. */
  readonly turn: number;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const readApiDocument = (): ApiDocument =>
  JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'openapi.json'), 'utf8')) as ApiDocument;

const STREAMS = new Set(['openStream', 'openEvents']);
const ENDS_SESSION = new Set(['logOut', 'signOut', 'signOutEverywhere', 'changePassword']);

const LIMITED = new Set(['createView', 'createPool', 'createList', 'createWebhook']);

/** Measured after all others: they add to what is stored, or end it. */
const LATE = [
  ...['rescheduleBatch', 'pauseBatch', 'resumeBatch', 'cancelAccountBatch', 'cancelMessage', 'deleteMessage'],
  ...['sendSms', 'sendSmsFromDevice', 'sendSmsFromDeviceAlias', 'sendBulkSms', 'sendBulkSmsFromDevice'],
  // Before them, no loop test can start, and the code exists.
  ...[
    'setLoopTest',
    'createPairingCode',
    'moveMessages',
    'deletePool',
    'deleteView',
    'deleteList',
    'mergeContact',
    'deleteContact',
    'replaceDevice',
    'deleteDevice',
    'logIn',
    'signIn',
    'deleteAccount',
    ...ENDS_SESSION,
  ],
];

/** Called with an id that does not exist, because the account has few of them. */
const REMOVES = new Set([
  'deleteWebhook',
  'liftSuppression',
  'getImport',
  'exportRefusedRows',
  'undoImport',
  'revokeApiKey',
  'deleteApiKey',
  'revokeSession',
]);
const NO_ID = '0'.repeat(24);

/** What cannot succeed here: without the mailed code, to a verified account, or because it would end the account. */
const REFUSALS: Readonly<Record<string, number | 'any'>> = {
  // It is created by the first call.
  createConversationContact: 'any',
  deleteWebhook: 404,
  liftSuppression: 404,
  revokeApiKey: 404,
  deleteApiKey: 404,
  revokeSession: 404,
  deleteAccount: 400,
  getImport: 404,
  exportRefusedRows: 404,
  undoImport: 404,
  changePassword: 400,
  resetPassword: 400,
  verifyEmail: 400,
  sendVerificationEmail: 400,
  redeemPairingCode: 401,
  runLoopTest: 400,
};

const QUERIES: Readonly<Record<string, string>> = {
  listMessages: '?limit=100&search=order',
  listBatches: '?limit=100',
  listConversations: '?limit=100',
  listContacts: '?limit=100&search=p',
  listMembers: '?limit=100',
  deleteContact: '?erase=true',
  listConsents: '?limit=100',
  listImports: '?limit=100',
  listSuppressions: '?limit=100',
  listDeviceMessages: '?limit=100',
  listReceivedMessages: '?limit=100',
  listReceivedMessagesAlias: '?limit=100',
  listPendingMessages: '?limit=100',
  listWebhookNotifications: '?limit=100',
  listAccounts: '?limit=100',
  listOperatorActions: '?limit=100',
  getSeries: '?from=2025-01-01&to=2026-01-01&interval=day',
};

/** The largest valid bodies. Other operations are called with the example of the document and with all that their schema allows. */
function largestBodies(world: World): Readonly<Record<string, object>> {
  const { devices, sims, scheduledMessages, email } = world;
  const recipients = Array.from({ length: MAX_RECIPIENTS }, (_, number) => recipientOf(number));
  const scheduledAt = new Date(Date.now() + 25 * 3_600_000).toISOString();
  const send = { message: 'Hello', recipients, scheduledAt };
  const bulk = {
    messages: recipients.map((number) => ({ message: 'Hello Ada', recipients: [number], scheduledAt })),
    messageTemplate: 'Hello {name}',
  };
  const smsIds = scheduledMessages.slice(0, 100);
  const [smsId] = smsIds;
  const pool = { sims: sims.slice(0, 100) };
  return {
    sendSms: send,
    sendSmsFromDevice: send,
    sendBulkSms: bulk,
    sendBulkSmsFromDevice: bulk,
    estimateSend: { ...send, deviceId: String(devices[0]) },
    rescheduleBatch: { scheduledAt: new Date(Date.now() + 48 * 3_600_000).toISOString() },
    receiveSms: { sender: recipientOf(1), message: '\u{1F600}'.repeat(10_000) },
    acknowledgeMessages: { smsIds },
    confirmCancelledMessages: { smsIds },
    reportSmsStatus: { smsId, status: 'SENT' },
    sendHeartbeat: {
      simInfo: {
        sims: Array.from({ length: 8 }, (_, index) => ({
          subscriptionId: index + 1,
          simSlotIndex: index,
          iccId: `8944${String(Math.floor(Math.random() * 1e15)).padStart(15, '0')}`,
        })),
      },
    },
    createPool: { ...pool, name: `Added ${CALL_NUMBER}`, strategy: 'sticky' },
    updatePool: pool,
    createView: { name: `Added ${CALL_NUMBER}`, query: 'status=failed' },
    deleteAccount: { password: 'a wrong password' },
    changePassword: { oldPassword: 'a wrong password', newPassword: 'four more words to remember' },
    logIn: { email: OTHER_EMAIL, password: PASSWORD },
    signIn: { email: OTHER_EMAIL, password: PASSWORD },
    registerAccount: { name: 'Ada', email: `new-${CALL_NUMBER}@example.com`, password: PASSWORD },
    requestPasswordReset: { email },
    moveMessages: { fromDeviceId: String(devices[0]), deviceId: String(devices[1]) },
    replaceDevice: { deviceId: String(devices[0]) },
    updateConsentSettings: {
      languages: ['en', 'de', 'es', 'fr', 'pt'],
      keywords: Object.fromEntries(
        ['out', 'in', 'help'].map((meaning) => [
          meaning,
          Array.from({ length: 20 }, (_, index) => `${meaning} ${'x'.repeat(20)} ${index}`),
        ]),
      ),
    },
    createContact: { ...LARGE_CONTACT, name: 'Ada', numbers: [{ number: `+4930${CALL_NUMBER}` }] },
    updateContact: LARGE_CONTACT,
    createConversationContact: LARGE_CONTACT,
    mergeContact: { contactId: world.contacts[0] },
    createList: { name: `Added ${CALL_NUMBER}` },
    addMembers: { contactIds: world.contacts.slice(0, 1_000) },
    removeMembers: { contactIds: world.contacts.slice(0, 1_000) },
    blockNumber: { number: recipientOf(1), topic: 'x'.repeat(40) },
    checkSuppressions: { numbers: recipients, purpose: 'marketing', topic: 'x'.repeat(40) },
    setLoopTest: {
      sims: sims.slice(0, 2).map((id, index) => ({ id, phoneNumber: recipientOf(index) })),
      nightly: true,
      nightlyHour: 3,
    },
  };
}

function idsIn(path: string, world: World): readonly string[] {
  const { ids, devices, sims, message, scheduledBatch } = world;
  const places: readonly (readonly [string, string])[] = [
    ['/notifications/{', ids.notification],
    ['/pairing-codes/{', ids.pairingCode],
    ['/api-keys/{', ids.key],
    ['/operations/accounts/{', ids.otherAccount],
    ['/gateway/messages/{', message],
    ['/gateway/batches/{', scheduledBatch],
    ['/gateway/sims/{', sims[0] ?? ''],
    ['/gateway/pools/{', ids.pool],
    ['/gateway/views/{', ids.view],
    ['/gateway/contacts/{', ids.contact],
    ['/gateway/lists/{', ids.list],
    ['/gateway/devices/{', String(devices[0])],
  ];
  return places
    .filter(([place]) => path.includes(place))
    .map(([, id]) => id)
    .slice(0, 1);
}

/** The ids of each call of an operation that removes something. */
const removableIds = (world: World): Readonly<Record<string, readonly string[]>> => ({
  replaceDevice: world.devices.slice(2, 20).map(String),
  deleteDevice: world.devices.slice(20).map(String),
  deletePool: world.pools,
  deleteView: world.views,
  deleteContact: world.contacts.slice(1),
  deleteList: world.lists,
  deleteMessage: world.batchMessages,
  cancelMessage: world.scheduledMessages,
});

/**
 * The requests of every operation in the document.
 * @throws Error that names an operation with a path parameter whose value is not known here.
 */
export function operationRequests({ paths, components }: ApiDocument, world: World): RouteRequest[] {
  const largest = largestBodies(world);
  const removable = removableIds(world);
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): RouteRequest[] => {
      const operation = item[method];
      if (!operation) return [];
      const { operationId, security = [{ apiKey: [] }], requestBody } = operation;
      const ids = REMOVES.has(operationId) ? [NO_ID] : (removable[operationId] ?? idsIn(path, world));
      const filled = (id: string | undefined) => {
        const values: Readonly<Record<string, string | undefined>> = {
          id,
          smsBatchId: world.batch,
          smsId: world.message,
          webhookId: REMOVES.has(operationId) ? NO_ID : world.ids.webhook,
          number: encodeURIComponent(recipientOf(1)),
        };
        const text = path.replace(/\{(\w+)\}/g, (_, name: string) => {
          const value = values[name];
          if (value === undefined)
            throw new Error(`${operationId}: route-requests.ts has no value for {${name}}`);
          return value;
        });
        return `${text}${QUERIES[operationId] ?? ''}`;
      };
      const request = {
        method: method.toUpperCase(),
        paths: ids.length > 0 ? ids.map(filled) : [filled(undefined)],
        credential: security.some((each) => 'apiKey' in each)
          ? ('key' as const)
          : security.some((each) => 'session' in each)
            ? ('session' as const)
            : ('none' as const),
        isStream: STREAMS.has(operationId),
        endsSession: ENDS_SESSION.has(operationId),
        isLimited: LIMITED.has(operationId),
        turn: LATE.indexOf(operationId),
        writtenMessages: writtenMessagesOf(operationId),
      };
      const expects = REFUSALS[operationId] ?? ('success' as const);
      const schema = requestBody?.content['application/json']?.schema;
      if (requestBody?.content['text/csv'])
        return [{ ...request, name: operationId, expects, contentType: 'text/csv', body: importedFile() }];
      if (!schema) return [{ ...request, name: operationId, expects }];
      const name = operationId.replace(/Alias$/, '');
      const valid = largest[name] ?? REQUEST_EXAMPLES[name] ?? {};
      return [
        {
          ...request,
          name: `${operationId} (valid)`,
          expects,
          body: JSON.stringify(valid),
        },
        {
          ...request,
          name: `${operationId} (largest)`,
          expects: 'any' as const,
          body: JSON.stringify(maximalValue(schema, components.schemas)),
          writtenMessages: 0,
        },
      ];
    }),
  );
}

/** A file that is as large as a large body of other operations. Files may be larger: their rows are read in parts. */
/** Other numbers than those of the sends, because an import of opt-outs blocks them. */
const importedFile = (): string =>
  `name,number,city,notes\n${Array.from({ length: IMPORTED_ROWS }, (_, row) => `Person ${row},+4916${String(row).padStart(8, '0')},Town ${row % 50},"${'x'.repeat(100)}"\n`).join('')}`;

/** What the app SMS Gateway for Android calls, with as much as one call may carry. */
export function appRequests({ app }: World): RouteRequest[] {
  const device = {
    id: app.id,
    simCards: Array.from({ length: 8 }, (_, slotIndex) => ({ slotIndex, simNumber: slotIndex + 1 })),
  };
  const reports = app.messages.map((id) => ({
    id,
    state: 'Delivered',
    recipients: [{ phoneNumber: recipientOf(1), state: 'Delivered' }],
    states: { Sent: '2026-01-31T12:00:00.000+00:00', Delivered: '2026-01-31T12:00:01.000+00:00' },
  }));
  const call = (
    method: string,
    path: string,
    expects: RouteRequest['expects'] = 'success',
    body?: object,
  ): RouteRequest => ({
    name: `app: ${method} ${path}`,
    method,
    paths: [`/sms${path}`],
    ...(body && { body: JSON.stringify(body) }),
    credential: 'app',
    isStream: path === '/events',
    endsSession: false,
    isLimited: false,
    writtenMessages: 0,
    expects,
    turn: -1,
  });
  return [
    call('GET', '/message'),
    call('PATCH', '/message', 'success', reports),
    call('GET', '/events'),
    call('GET', '/settings'),
    call('GET', '/webhooks'),
    call('GET', '/device'),
    call('PATCH', '/device', 'success', device),
    // Without a code, and without a signature.
    call('POST', '/device', 401, device),
    call('POST', `/hook/${app.id}`, 401, { payload: 'x'.repeat(20_000) }),
  ];
}

const REFUSED_PATHS: Readonly<Record<string, number | 'any'>> = {
  // No worker runs here, so jobs wait.
  '/health/ready': 'any',
  '/admin/queues': 401,
  '/metrics': 401,
  '/unknown': 404,
  '/api/v1/unknown': 404,
  '/%zz': 400,
};

/** What is served beside the operations. */
export const otherRequests = (asset: string): RouteRequest[] =>
  [
    '/',
    '/sign-in',
    '/docs',
    '/docs-json',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-init.js',
    `/assets/${asset}`,
    '/favicon.svg',
    '/health/live',
    ...Object.keys(REFUSED_PATHS),
  ].map((path) => ({
    name: path,
    method: 'GET',
    paths: [path],
    credential: 'none',
    isStream: false,
    endsSession: false,
    isLimited: false,
    expects: REFUSED_PATHS[path] ?? 'success',
    turn: -1,
    writtenMessages: 0,
  }));

function writtenMessagesOf(operationId: string): number {
  if (operationId === 'moveMessages') return MAX_MOVED_MESSAGES;
  return /^(send(Bulk)?Sms|cancelAccountBatch$)/.test(operationId) ? MAX_RECIPIENTS : 0;
}
