import request, { type Response } from 'supertest';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';

type Headers = Record<string, string>;

describe('the session cookie', () => {
  let service: TestService;
  let visitor: SessionClient;
  let host: string;
  let people = 0;

  beforeAll(async () => {
    service = await TestService.start({ environment: { ALLOW_REGISTRATION: 'true' } });
    visitor = new SessionClient(service.url);
    host = new URL(service.url).host;
  });
  afterAll(() => service.stop());

  const api = (path: string) => `/api/v1${path}`;
  const codeOf = ({ body }: Response) => (body as { code?: string }).code;
  const cookieOf = (answer: Response): string => (answer.get('set-cookie')?.[0] ?? '').split(';')[0] ?? '';

  async function person(): Promise<{ email: string; password: string }> {
    const email = `person${++people}@example.com`;
    await visitor.register(email, PASSWORD);
    return { email, password: PASSWORD };
  }

  const signIn = (body: object, headers: Headers = { origin: `http://${host}` }) =>
    request(service.url).post(api('/auth/session')).set(headers).send(body);

  async function signedIn(): Promise<{ cookie: string; email: string }> {
    const own = await person();
    return { cookie: cookieOf(await signIn(own)), email: own.email };
  }

  it('is set only for a page of the service, whose scripts cannot read the token', async () => {
    const own = await person();
    const answer = await signIn(own);
    expect(answer.status).toBe(201);
    expect(Object.keys((answer.body as { data: object }).data).sort()).toEqual(['session', 'user']);
    expect(answer.get('set-cookie')).toEqual([
      expect.stringMatching(
        /^mgw_session=mgs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const foreign: Headers[] = [{}, { origin: 'https://elsewhere.example' }, { origin: 'null' }];
    for (const headers of foreign) {
      const elsewhere = await signIn(own, headers);
      expect(elsewhere.get('set-cookie')).toBeUndefined();
      const { accessToken } = (elsewhere.body as { data: { accessToken: string } }).data;
      expect((await new SessionClient(service.url, accessToken).get('/gateway/stats')).status).toBe(200);
    }
  });

  it('is Secure and bound to the host when the page is served over TLS', async () => {
    const answer = await signIn(await person(), { origin: `https://${host}` });
    expect(answer.get('set-cookie')?.[0]).toMatch(/^__Host-mgw_session=.*; Path=\/; .*; Secure$/);
    const cookie = cookieOf(answer);
    const rename = (origin: string) =>
      request(service.url).patch(api('/auth/update-profile')).set({ cookie, origin }).send({ name: 'Ada' });
    expect((await rename(`https://${host}`)).status).toBe(200);
    expect(codeOf(await rename(`http://${host}`))).toBe('CSRF_CHECK_FAILED');
  });

  it.each<[string, Headers]>([
    ['X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
    ['X-Forwarded-Proto of two proxies', { 'x-forwarded-proto': 'https, http' }],
    ['X-Forwarded-Ssl', { 'x-forwarded-ssl': 'on' }],
    ['Forwarded', { forwarded: 'for=192.0.2.1;proto=https;host=sms.example.com' }],
  ])('is read over TLS only under its own name (%s)', async (_, headers) => {
    const { cookie: plain } = await signedIn();
    const secure = cookieOf(await signIn(await person(), { origin: `https://${host}` }));
    const stats = async (cookie: string, more: Headers) =>
      (
        await request(service.url)
          .get(api('/auth/session'))
          .set({ cookie, ...more })
      ).status;
    expect([await stats(plain, {}), await stats(plain, headers)]).toEqual([200, 401]);
    expect([await stats(secure, headers), await stats(`${plain}; ${secure}`, headers)]).toEqual([200, 200]);
    expect(await stats(plain, { 'x-forwarded-proto': 'http', forwarded: 'proto=http' })).toBe(200);
  });

  it('of plain HTTP counts for nothing in a write from an HTTPS page', async () => {
    const { cookie } = await signedIn();
    const rename = await request(service.url)
      .patch(api('/auth/update-profile'))
      .set({ cookie, origin: `https://${host}` })
      .send({ name: 'Eve' });
    expect([rename.status, codeOf(rename)]).toEqual([401, 'AUTH_INVALID']);
  });

  it('is set behind a proxy that sends X-Forwarded-Host', async () => {
    const own = await person();
    const headers = { origin: 'https://sms.example.com', 'x-forwarded-host': 'sms.example.com' };
    expect(cookieOf(await signIn(own, headers))).toMatch(/^__Host-mgw_session=/);
  });

  it.each([
    ['a list, as several proxies make it', 'sms.example.com:8443, inner.example'],
    ['the host that the last proxy adds', 'outer.example,sms.example.com:8443'],
  ])('is set behind proxies whose X-Forwarded-Host is %s', async (_, forwarded) => {
    const headers = { origin: 'https://sms.example.com:8443', 'x-forwarded-host': forwarded };
    expect(cookieOf(await signIn(await person(), headers))).toMatch(/^__Host-mgw_session=/);
  });

  describe('if the browser says where a page comes from', () => {
    const page = (site: string, origin: string) => ({ origin, 'sec-fetch-site': site });

    it.each(['https://sms.example.com:8443', 'http://localhost:5173'])(
      'is set behind a proxy that changes the host of %s',
      async (origin) => {
        const own = await person();
        const cookie = cookieOf(await signIn(own, page('same-origin', origin)));
        const rename = await request(service.url)
          .patch(api('/auth/update-profile'))
          .set({ cookie, ...page('same-origin', origin) })
          .send({ name: 'Ada' });
        expect([cookie === '', rename.status]).toEqual([false, 200]);
      },
    );

    it.each(['same-site', 'cross-site', 'none'])('is not set for %s, whatever the host', async (site) => {
      const own = page(site, `http://${host}`);
      expect(cookieOf(await signIn(await person(), own))).toBe('');
      const { cookie } = await signedIn();
      const rename = request(service.url)
        .patch(api('/auth/update-profile'))
        .set({ cookie, ...own });
      expect(codeOf(await rename.send({ name: 'Eve' }))).toBe('CSRF_CHECK_FAILED');
    });
  });

  it('authenticates like the token in a header', async () => {
    const { cookie, email } = await signedIn();
    const me = await request(service.url).get(api('/auth/who-am-i')).set({ cookie });
    expect(me.body).toMatchObject({ data: { email } });
    expect((await request(service.url).head(api('/gateway/stats')).set({ cookie })).status).toBe(200);
    const session = await request(service.url).get(api('/auth/session')).set({ cookie });
    expect(session.body).toMatchObject({ data: { current: true, method: 'password' } });
  });

  describe('is refused from a page of another origin, and nothing is changed', () => {
    const json = 'application/json';
    it.each<[string, Headers]>([
      ['another origin', { origin: 'https://elsewhere.example', 'content-type': json }],
      ['another port of the same host', { origin: 'http://127.0.0.1:1', 'content-type': json }],
      ['no origin', { 'content-type': json }],
      ['an opaque origin', { origin: 'null', 'content-type': json }],
      ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['a text', { 'content-type': 'text/plain' }],
      ['no content type', { 'content-type': '' }],
      ['a content type that begins like JSON', { 'content-type': 'application/jsonp' }],
    ])('%s', async (_, headers) => {
      const { cookie, email } = await signedIn();
      const own = { origin: `http://${host}`, ...headers };
      if (_ === 'no origin') Reflect.deleteProperty(own, 'origin');
      const calls = [
        request(service.url)
          .patch(api('/auth/update-profile'))
          .set({ cookie, ...own })
          .send('{"name":"Eve"}'),
        request(service.url)
          .delete(api('/auth/session'))
          .set({ cookie, ...own }),
        request(service.url)
          .post(api('/auth/logout'))
          .set({ cookie, ...own })
          .send('{}'),
      ];
      for (const call of calls) {
        const answer = await call;
        expect([answer.status, codeOf(answer)]).toEqual([400, 'CSRF_CHECK_FAILED']);
      }
      const me = await request(service.url).get(api('/auth/who-am-i')).set({ cookie });
      expect(me.body).toMatchObject({ data: { email, name: 'Ada' } });
    });

    it('also refuses signing in with a form', async () => {
      const headers = { origin: `http://${host}`, 'content-type': 'text/plain' };
      const answer = await request(service.url)
        .post(api('/auth/session'))
        .set(headers)
        .send(JSON.stringify(await person()));
      expect([codeOf(answer), answer.get('set-cookie')]).toEqual(['CSRF_CHECK_FAILED', undefined]);
    });
  });

  it('is ignored when a header has a credential, even an invalid one', async () => {
    const { cookie } = await signedIn();
    const client = await service.newAccount();
    const me = (headers: Headers) =>
      request(service.url)
        .get(api('/auth/who-am-i'))
        .set({ cookie, ...headers });
    expect((await me({ 'x-api-key': client.apiKey })).body).toMatchObject({
      data: { _id: client.user.toHexString() },
    });
    expect((await me({ 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await me({ 'x-api-key': '' })).status).toBe(401);
    expect((await me({ authorization: 'Bearer wrong' })).status).toBe(401);
    const write = await request(service.url)
      .post(api('/gateway/devices'))
      .set({ cookie, 'x-api-key': client.apiKey })
      .send({ pushTransport: 'stream' });
    expect(write.status).toBe(201); // no Origin is asked for: the cookie counts for nothing
  });

  it('is, like every credential, in responses that are not cached', async () => {
    const { email, password } = await person();
    const client = await service.newAccount();
    const owner = await service.signIn(client);
    const webhook = {
      deliveryUrl: 'https://example.com',
      signingSecret: 'x'.repeat(20),
      events: ['MESSAGE_SENT'],
    };
    const answers = [
      await visitor.post('/auth/login', { email, password }),
      await signIn({ email, password }),
      await owner.post('/auth/api-keys'),
      await client.post('/webhooks', webhook),
      await client.get('/webhooks'),
      await visitor.get('/gateway/stats'),
    ];
    expect(answers.map((answer) => [answer.status, answer.get('cache-control')])).toEqual(
      [200, 201, 201, 201, 200, 401].map((status) => [status, 'no-store']),
    );
  });

  it.each(['', 'mgw_session', 'mgw_session=', '=x; ;;', `mgw_session=${'x'.repeat(3_000)}`, 'other=1'])(
    'is not a credential if empty or malformed: %j',
    async (cookie) => {
      const answer = await request(service.url).get(api('/gateway/stats')).set({ cookie });
      expect([answer.status, codeOf(answer)]).toEqual([401, 'AUTH_INVALID']);
    },
  );

  it.each(['signing out', 'logging out'])('is removed by %s, together with its session', async (how) => {
    const { cookie } = await signedIn();
    const headers = { cookie, origin: `http://${host}`, 'content-type': 'application/json' };
    const call = request(service.url);
    const answer = await (how === 'signing out'
      ? call.delete(api('/auth/session')).set(headers)
      : call.post(api('/auth/logout')).set(headers).send('{}'));
    expect(answer.status).toBe(200);
    expect(answer.get('set-cookie')).toEqual([expect.stringMatching(/^mgw_session=; Max-Age=0; Path=\//)]);
    expect((await call.get(api('/gateway/stats')).set({ cookie })).status).toBe(401);
  });

  it('is replaced when the password changes: the page stays signed in, other sessions end', async () => {
    const { cookie, email } = await signedIn();
    const other = cookieOf(await signIn({ email, password: PASSWORD }));
    const answer = await request(service.url)
      .post(api('/auth/change-password'))
      .set({ cookie, origin: `http://${host}` })
      .send({ oldPassword: PASSWORD, newPassword: 'another fine password' });
    expect(answer.status).toBe(200);
    expect((answer.body as { data: object }).data).not.toHaveProperty('accessToken');
    const stats = async (text: string) =>
      (await request(service.url).get(api('/gateway/stats')).set({ cookie: text })).status;
    expect([await stats(cookie), await stats(other), await stats(cookieOf(answer))]).toEqual([401, 401, 200]);
  });

  it('opens a stream, which closes when another process revokes the session', async () => {
    const { cookie, email } = await signedIn();
    const bearer = await visitor.logIn(email, PASSWORD);
    const now = new Date();
    await service
      .collection('accounts')
      .updateOne({ email }, { $set: { emailVerifiedAt: now, firstVerifiedAt: now } });
    const device = await bearer.post('/gateway/devices', { pushTransport: 'stream', serial: 'one' });
    const { _id } = (device.body as { data: { _id: string } }).data;
    const stream = await fetch(`${service.url}${api(`/gateway/devices/${_id}/stream`)}`, {
      headers: { cookie },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text();
    const sessions = (await bearer.get('/auth/sessions')).body as {
      data: { _id: string; current: boolean }[];
    };
    for (const { _id: id, current } of sessions.data)
      if (!current) expect((await bearer.delete(`/auth/sessions/${id}`)).status).toBe(200);
    await service.get(PhoneStreamService).keepAlive(); // what runs on a timer
    await ended;
  });
});
