import type { OpenAPIObject } from '@nestjs/swagger';
import request from 'supertest';
import { VirtualPhone } from 'messaging-gateway-phone';
import { TestBrowser } from '../support/browser';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { ScriptedLookup } from '../support/scripted-lookup';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';
import { type OperationInput, SwaggerPage, textAt } from '../support/swagger-page';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const EMAIL = 'me@example.com';
const EXAMPLE_ID = '665f1c2ab7e1d4a9c0f3e812';
/** That of the contact that `mergeContact` removes. */
const OTHER_EXAMPLE_ID = '665f1c2ab7e1d4a9c0f3e813';
const EXAMPLE_CODE = '7F3KQ-X9D2M';
const NEW_PASSWORD = 'four more words to remember';
const EXAMPLE_PASSWORD = 'correct horse battery staple';

interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly success: string;
}

/** Operations of an owner with a session, in order; all others use a key. */
const PERSON_FIRST = [
  'registerAccount',
  'sendVerificationEmail',
  'verifyEmail',
  'logIn',
  'signIn',
  'createApiKey',
];
const PERSON_LAST = [
  'renameApiKey',
  'revokeApiKey',
  'deleteApiKey',
  'revokeSession',
  'signOut',
  'logOut',
  'signOutEverywhere',
  'changePassword',
  'requestPasswordReset',
  'resetPassword',
  'deleteAccount',
];

/** That of `rescheduleBatch` in the request examples, which is not in the next 30 days. */
const EXAMPLE_TIME = '2027-01-31T09:00:00+01:00';

/** Required query parameters: the page does not fill in their examples. */
const QUERIES: Record<string, Record<string, string> | undefined> = {
  getSeries: { from: '2026-01-01', to: '2026-02-01' },
};

/** Their success needs a second phone, a session, or a code that a person types; their own tests have it. */
const TRIED_ELSEWHERE = [
  'createPairingCode',
  'getPairingCode',
  'moveMessages',
  'redeemPairingCode',
  'replaceDevice',
  'runLoopTest',
  'setLoopTest',
];

/** Operations that create what others need, and those that remove it. */
const FIRST = [
  ...['registerDevice', 'sendSms', 'createWebhook', 'receiveSms', 'createPool', 'createView'],
  ...['createConversationContact', 'createContact', 'createList', 'addMembers'],
];
const LAST = [
  'cancelMessage',
  'deleteMessage',
  'cancelBatch',
  'deletePool',
  'deleteView',
  'removeMembers',
  'deleteList',
  'mergeContact',
  'deleteContact',
  'deleteWebhook',
  'deleteDevice',
];

/** `FIRST`, the others in the order of the page, `LAST`. */
const sortOperations = (
  operations: Operation[],
  first: readonly string[],
  last: readonly string[],
): Operation[] => {
  const rank = ({ id }: Operation): number =>
    first.includes(id) ? first.indexOf(id) : first.length + (last.includes(id) ? 1 + last.indexOf(id) : 0);
  return operations.toSorted((one, other) => rank(one) - rank(other));
};

/** Opens /docs in a browser and executes every operation with its examples, replacing only ids and codes. */
describe('Swagger UI', () => {
  let mails: MailServer;
  let service: TestService;
  let client: TestClient;
  let phone: VirtualPhone;
  let browser: TestBrowser;
  let swagger: SwaggerPage;
  let apiDocument: OpenAPIObject;
  let operations: Operation[];
  /** Ids and codes of earlier responses. */
  const values: Record<string, string> = { number: '+447700900123' };

  beforeAll(async () => {
    mails = await MailServer.start();
    service = await TestService.start({
      environment: {
        ALLOW_REGISTRATION: 'true',
        SMTP_URL: mails.url,
        MAIL_FROM: 'service@example.com',
      },
      lookup: new ScriptedLookup(),
    });
    client = await service.newAccount();
    phone = new VirtualPhone({ baseUrl: service.url, apiKey: client.apiKey, sendDelaySeconds: 0 });
    await phone.start();
    apiDocument = (await request(service.url).get('/docs-json').expect(200)).body as OpenAPIObject;
    operations = operationsOf(apiDocument);
    browser = await TestBrowser.start();
    swagger = await SwaggerPage.of(await browser.open(`${service.url}/docs`), apiDocument);
  });

  afterAll(async () => {
    await browser.stop();
    await phone.stop();
    await service.stop();
    await mails.close();
  });

  const isForPersons = ({ tag }: Operation): boolean => tag === 'Account' || tag === 'Operations';

  async function run(operation: Operation): Promise<void> {
    if (TRIED_ELSEWHERE.includes(operation.id)) return;
    await before[operation.id]?.();
    const answer = await swagger.execute(operation, {
      path: pathOf(operation),
      query: QUERIES[operation.id] ?? {},
      body: bodyOf(operation),
    });
    const shown = answer.displayedStatus === undefined ? '' : operation.success;
    expect([operation.id, String(answer.status), answer.displayedStatus ?? '', answer.body]).toEqual([
      operation.id,
      operation.success,
      shown,
      answer.body,
    ]);
    await after[operation.id]?.(answer.body);
  }

  /** Signs in again after an operation that ends the session. */
  async function signInAgain(password = EXAMPLE_PASSWORD): Promise<void> {
    const { session } = await new SessionClient(service.url).logIn(EMAIL, password);
    await swagger.authorize('session', session.accessToken);
  }

  /** Preconditions of operations outside the page. */
  const before: Record<string, () => Promise<unknown>> = {
    verifyEmail: async () => (values.code = await mails.codeFor(EMAIL, 'Verify', 1)),
    listAccounts: async () => {
      await service.collection('accounts').updateOne({ email: EMAIL }, { $set: { operator: true } });
    },
    logOut: () => signInAgain(),
    signOutEverywhere: () => signInAgain(),
    changePassword: () => signInAgain(),
    deleteAccount: () => signInAgain(NEW_PASSWORD),
    resetPassword: async () => (values.code = await mails.codeFor(EMAIL, 'Reset')),
    reportSmsStatus: async () => {
      const { messages } = await client.batch(phone.deviceId, values.smsBatchId ?? '');
      values.smsId = messages[0]?._id ?? '';
    },
    cancelMessage: async () => {
      const scheduledAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
      const batch = await client.send(['+447700900123'], { scheduledAt, deviceId: phone.deviceId });
      values.smsId = (await client.batch(phone.deviceId, batch)).messages[0]?._id ?? '';
    },
    listBatches: async () => {
      const scheduledAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
      const recipients = ['+447700900123'];
      values.scheduledBatch = await client.send(recipients, { scheduledAt, deviceId: phone.deviceId });
    },
    createPool: async () => {
      values.sim = textAt((await client.get('/gateway/sims')).body, 'data', 0, '_id');
    },
    getWebhookNotification: async () => {
      await phone.receiveSms('+447700900123', 'Yes, please');
      const answer = await eventually(
        async () => (await client.get('/webhooks/notifications')).body as { data: { data: object[] } },
        ({ data }) => data.data.length > 0,
      );
      values.notification = textAt(answer, 'data', 'data', 0, '_id');
    },
  };

  /** Stores values of a response for later operations. */
  const after: Record<string, (body: unknown) => Promise<void> | void> = {
    registerDevice: (body) => void (values.device = textAt(body, 'data', '_id')),
    sendSms: async (body) => {
      values.smsBatchId = textAt(body, 'data', 'smsBatchId');
      const { messages } = await client.batch(phone.deviceId, values.smsBatchId);
      values.smsId = messages[0]?._id ?? '';
    },
    createPool: (body) => void (values.pool = textAt(body, 'data', '_id')),
    createView: (body) => void (values.view = textAt(body, 'data', '_id')),
    createConversationContact: (body) => void (values.otherContact = textAt(body, 'data', '_id')),
    createContact: (body) => void (values.contact = textAt(body, 'data', '_id')),
    importContacts: (body) => void (values.import = textAt(body, 'data', '_id')),
    createList: (body) => void (values.list = textAt(body, 'data', '_id')),
    blockNumber: (body) => void (values.suppression = textAt(body, 'data', '_id')),
    createWebhook: (body) => void (values.webhookId = textAt(body, 'data', '_id')),
    registerAccount: async (body) => {
      values.userId = textAt(body, 'data', 'user', '_id');
      await swagger.authorize('session', textAt(body, 'data', 'accessToken'));
    },
    logIn: (body) => swagger.authorize('session', textAt(body, 'data', 'accessToken')),
    changePassword: (body) => swagger.authorize('session', textAt(body, 'data', 'accessToken')),
    listSessions: (body) => void (values.session = idOfAnotherSession(body)),
    listApiKeys: (body) => void (values.apiKey = textAt(body, 'data', 0, '_id')),
  };

  function pathOf({ id, path }: Operation): OperationInput['path'] {
    // Not the device of the virtual phone.
    const device = ['openStream', 'deleteDevice', 'updateDevice'].includes(id)
      ? values.device
      : phone.deviceId;
    const ids: Record<string, string | undefined> = {
      ...values,
      id: [
        ['/notifications/', values.notification],
        ['/api-keys/', values.apiKey],
        ['/sessions/', values.session],
        ['/operations/accounts/', client.user.toHexString()],
        ['/gateway/messages/', values.smsId],
        ['/gateway/batches/', values.scheduledBatch],
        ['/gateway/sims/', values.sim],
        ['/gateway/pools/', values.pool],
        ['/gateway/views/', values.view],
        ['/gateway/suppressions/', values.suppression],
        ['/gateway/contacts/', values.contact],
        ['/gateway/lists/', values.list],
        ['/gateway/imports/', values.import],
        ['/gateway/devices/', device],
      ].find(([place = '']) => path.includes(place))?.[1],
    };
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    return Object.fromEntries(
      names.map((name) => {
        const value = ids[name];
        if (value === undefined) throw new Error(`${id}: where does its {${name}} come from?`);
        return [name, value];
      }),
    );
  }

  function bodyOf({ id }: Operation): OperationInput['body'] {
    const { smsId = '', userId = '', code = '', sim = '' } = values;
    const filled: Record<string, OperationInput['body']> = {
      reportSmsStatus: { [EXAMPLE_ID]: smsId },
      acknowledgeMessages: { [EXAMPLE_ID]: smsId },
      confirmCancelledMessages: { [EXAMPLE_ID]: smsId },
      addMembers: { [EXAMPLE_ID]: values.contact ?? '' },
      removeMembers: { [EXAMPLE_ID]: values.contact ?? '' },
      mergeContact: { [OTHER_EXAMPLE_ID]: values.otherContact ?? '' },
      createPool: { [EXAMPLE_ID]: sim },
      updatePool: { [EXAMPLE_ID]: sim },
      verifyEmail: { [EXAMPLE_ID]: userId, [EXAMPLE_CODE]: code },
      resetPassword: { [EXAMPLE_CODE]: code },
      rescheduleBatch: {
        [EXAMPLE_TIME]: new Date(service.clock.now().getTime() + 7_200_000).toISOString(),
      },
    };
    return filled[id] ?? {};
  }

  it('displays the complete document', async () => {
    const { webhooks } = apiDocument as { webhooks?: object };
    const shown = operations.length + Object.keys(webhooks ?? {}).length;
    expect(await swagger.countDisplayed()).toEqual({ operations: shown, errors: 0 });
  });

  it('executes every operation of an owner', async () => {
    const own = operations.filter(isForPersons);
    expect(own.length).toBeGreaterThan(10);
    for (const operation of sortOperations(own, PERSON_FIRST, PERSON_LAST)) await run(operation);
  });

  it('executes every other operation', async () => {
    await swagger.authorize('apiKey', client.apiKey);
    const others = operations.filter((operation) => !isForPersons(operation));
    expect(others.length).toBeGreaterThan(30);
    for (const operation of sortOperations(others, FIRST, LAST)) await run(operation);
    // The virtual phone has sent the messages.
    await phone.until('onAir', 1);
  });

  it('causes no errors under its content security policy', () => {
    expect(browser.errors).toEqual([]);
  });
});

function idOfAnotherSession(body: unknown): string {
  const { data } = body as { data: { _id: string; current: boolean }[] };
  return data.find(({ current }) => !current)?._id ?? '';
}

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const { operationId: id = '', tags: [tag = ''] = [], responses = {} } = item[method] ?? {};
      const success = Object.keys(responses).find((status) => status.startsWith('2'));
      return success === undefined ? [] : [{ id, tag, method, path, success }];
    }),
  );
}
