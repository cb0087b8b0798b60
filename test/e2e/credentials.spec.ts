import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDocument } from '../../src/openapi/openapi';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';

const PAGE = join(__dirname, '../../docs/use/accounts.md');
const [BEGIN, END] = ['<!-- phone keys -->', '<!-- end of phone keys -->'];
const NOBODY = '665f1c2ab7e1d4a9c0f3e812';
const METHODS = ['get', 'post', 'patch', 'put', 'delete'] as const;

/** Routes that require a session. */
const FOR_PEOPLE = [
  'POST auth/api-keys',
  'POST auth/api-keys/{id}/revoke',
  'PATCH auth/api-keys/{id}/rename',
  'DELETE auth/api-keys/{id}',
  'DELETE auth/account',
  'DELETE auth/sessions',
];

describe('every route of the API', () => {
  let service: TestService;
  let owner: TestClient;
  let phoneKey: string;
  let device: string;
  let routes: { name: string; method: (typeof METHODS)[number]; path: string }[];

  beforeAll(async () => {
    service = await TestService.start({
      environment: { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0' },
    });
    owner = await service.newAccount();
    const person = await service.signIn(owner);
    const made = await person.post('/auth/api-keys', { kind: 'phone' });
    phoneKey = (made.body as { data: string }).data;
    // A device with FCM, so that its stream is refused instead of held open.
    const phone = new TestClient(service.url, phoneKey, owner.user);
    device = await phone.newDevice({ pushTransport: 'fcm', fcmToken: 'token', serial: 'S' });
    const { paths } = buildDocument(service.app);
    routes = Object.entries(paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => ({
        name: `${method.toUpperCase()} ${path.replace('/api/v1/', '')}`,
        method,
        path,
      })),
    );
  });
  afterAll(() => service.stop());

  /** @returns the status and the error code. */
  async function call(
    { method, path }: (typeof routes)[number],
    headers: Record<string, string>,
    id: string,
  ): Promise<string> {
    const url = path.replace('{id}', id).replace(/\{\w+\}/g, NOBODY);
    const answer = await fetch(new URL(url, service.url), {
      method: method.toUpperCase(),
      headers: { ...headers, 'content-type': 'application/json' },
      ...(method !== 'get' && { body: JSON.stringify({ serial: 'S' }) }),
    });
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    // Streams do not end.
    if (!isJson) await answer.body?.cancel();
    const { code = '' } = (isJson ? await answer.json() : {}) as { code?: string };
    return `${answer.status} ${code}`;
  }

  it('accepts a phone key only where docs/use/accounts.md says so', async () => {
    const rows: string[] = [];
    for (const route of routes) {
      const headers = { 'x-api-key': phoneKey };
      const own = await call(route, headers, device);
      const anonymous = await call(route, {}, device);
      if (!anonymous.startsWith('401') || own.startsWith('401')) continue;
      const foreign = route.path.includes('{id}') ? await call(route, headers, NOBODY) : own;
      expect([route.name, own]).not.toEqual([route.name, '400 KEY_BOUND']);
      const scope = foreign === '400 KEY_BOUND' ? 'Own device' : 'Yes';
      rows.push(`| \`${route.name}\` | ${scope} |`);
    }
    const written = readFileSync(PAGE, 'utf8');
    const [before = '', table = '', after = ''] = written.split(new RegExp(`${BEGIN}|${END}`));
    const cells = (text: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith('| `'))
        .map((line) => line.replace(/ +/g, ' '));
    if (process.env.WRITE_DOCS) {
      const head = ['', '', '| Route | With a phone key |', '| --- | --- |'];
      writeFileSync(PAGE, `${before}${BEGIN}${[...head, ...rows, '', ''].join('\n')}${END}${after}`);
    } else {
      expect(cells(table)).toEqual(rows);
    }
  });

  it('accepts a full key unless it requires a session', async () => {
    const forPeople: string[] = [];
    for (const route of routes) {
      const answer = await call(route, { 'x-api-key': owner.apiKey }, NOBODY);
      if (answer === '400 SESSION_REQUIRED') forPeople.push(route.name);
      else if (!(await call(route, {}, NOBODY)).startsWith('401')) continue;
      else expect([route.name, answer]).not.toEqual([route.name, '401 AUTH_INVALID']);
    }
    expect(forPeople).toEqual(expect.arrayContaining(FOR_PEOPLE));
  });

  it('accepts a session', async () => {
    for (const route of routes) {
      const { accessToken = '' } = await service.signIn(owner);
      const answer = await call(route, { authorization: `Bearer ${accessToken}` }, NOBODY);
      const isPublic = !(await call(route, {}, NOBODY)).startsWith('401');
      if (!isPublic) expect([route.name, answer]).not.toEqual([route.name, '401 AUTH_INVALID']);
    }
  });
});
