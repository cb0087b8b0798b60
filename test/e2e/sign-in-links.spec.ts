import { Types } from 'mongoose';
import request from 'supertest';
import { accountScope } from '../../src/auth/account-scope';
import { SignInLinksService } from '../../src/auth/sessions/sign-in-links.service';
import { hashSecret } from '../../src/auth/token';
import { createSignInLink } from '../../tools/start/sign-in-link';
import { runAdminHere } from '../support/admin';
import type { TestClient } from '../support/client';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';

interface SignedIn {
  accessToken: string;
  session: { method: string };
  user: { _id: string };
}

describe('a sign-in link', () => {
  let service: TestService;
  let client: TestClient;
  let visitor: SessionClient;

  beforeAll(async () => {
    service = await TestService.start();
    visitor = new SessionClient(service.url);
  });
  beforeEach(async () => {
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  const issue = () => service.get(SignInLinksService).issue(accountScope(client.user));
  const useLink = (token: string) => visitor.post('/auth/session', { token });
  const code = (body: unknown) => (body as { code: string }).code;
  const change = (person: SessionClient, body: object) =>
    person.post('/auth/change-password', { newPassword: PASSWORD, ...body });

  async function signedInByLink(): Promise<SessionClient> {
    const { accessToken } = ((await useLink(await issue())).body as { data: SignedIn }).data;
    return new SessionClient(service.url, accessToken);
  }

  it('signs in once; its token has 256 bits and is not stored', async () => {
    const token = await issue();
    expect(Buffer.from(token.replace(/^mgl_/, ''), 'base64url')).toHaveLength(32);
    expect(JSON.stringify(await service.collection('signinlinks').find().toArray())).not.toContain(token);
    const answer = await useLink(token);
    expect(answer.status).toBe(201);
    const { data } = answer.body as { data: SignedIn };
    expect(data).toMatchObject({
      session: { method: 'sign-in-link', current: true },
      user: { _id: client.user.toHexString() },
    });
    expect((await new SessionClient(service.url, data.accessToken).get('/gateway/stats')).status).toBe(200);
    const again = await useLink(token);
    expect([again.status, code(again.body)]).toEqual([400, 'SIGN_IN_LINK_INVALID']);
  });

  it('is valid once, even with concurrent requests', async () => {
    const token = await issue();
    const answers = await Promise.all(Array.from({ length: 6 }, () => useLink(token)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('is valid for ten minutes', async () => {
    const [late, early] = [await issue(), await issue()];
    service.clock.advance(9 * 60_000);
    expect((await useLink(early)).status).toBe(201);
    service.clock.advance(61_000);
    expect(code((await useLink(late)).body)).toBe('SIGN_IN_LINK_INVALID');
  });

  it('is not used up by a GET, and is neither a session nor a key', async () => {
    const token = await issue();
    await request(service.url).get('/api/v1/auth/session').query({ token });
    expect((await new SessionClient(service.url, token).get('/gateway/stats')).status).toBe(401);
    expect((await visitor.get('/gateway/stats').set('x-api-key', token)).status).toBe(401);
    expect((await useLink(token)).status).toBe(201);
  });

  it('ends with the sessions and the account', async () => {
    const token = await issue();
    await change(await signedInByLink(), {});
    expect(code((await useLink(token)).body)).toBe('SIGN_IN_LINK_INVALID');
    const orphan = await service.get(SignInLinksService).issue(accountScope(new Types.ObjectId()));
    expect(code((await useLink(orphan)).body)).toBe('SIGN_IN_LINK_INVALID');
  });

  it('is refused if it is unknown or has a wrong type', async () => {
    expect(code((await useLink('mgl_nothing')).body)).toBe('SIGN_IN_LINK_INVALID');
    for (const body of [
      { token: 5 },
      { token: { $ne: '' } },
      { token: 'x'.repeat(101) },
      {},
      { email: 'a@b.c' },
    ]) {
      const answer = await visitor.post('/auth/session', body);
      expect([answer.status, code(answer.body)]).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  it('is printed by npm start for the account of its key', async () => {
    await service.newAccount();
    const runAdmin = async (args: readonly string[]) => {
      const { code: exitCode, output } = await runAdminHere(service.environment, args);
      return exitCode === 0 ? output : undefined;
    };
    const link = (await createSignInLink(service.url, client.apiKey, runAdmin)) ?? '';
    expect(link).toMatch(/\/sign-in#token=mgl_[\w-]{43}$/);
    expect(link.startsWith(service.url)).toBe(true);
    // The command has its own clock, so the link may have expired by that of the service.
    const stored = { user: client.user, _id: hashSecret(link.split('token=')[1] ?? '') };
    expect(await service.collection('signinlinks').countDocuments(stored as never)).toBe(1);
    expect(await createSignInLink(service.url, 'a wrong key', runAdmin)).toBeUndefined();
    expect(await createSignInLink('http://127.0.0.1:1', client.apiKey, runAdmin)).toBeUndefined();
  });

  describe('and the first password', () => {
    const email = () => `${client.user.toHexString()}@example.com`;

    it('sets it once without the old password', async () => {
      const ada = await signedInByLink();
      const answer = await change(ada, {});
      expect(answer.status).toBe(200);
      expect((await ada.get('/gateway/stats')).status).toBe(401);
      await visitor.logIn(email(), PASSWORD);
      const again = await change(await signedInByLink(), { newPassword: 'another fine password' });
      expect([again.status, code(again.body)]).toEqual([400, 'WRONG_PASSWORD']);
      await visitor.logIn(email(), PASSWORD);
    });

    it('sets one of two concurrent passwords', async () => {
      const people = [await signedInByLink(), await signedInByLink()];
      const answers = await Promise.all(
        people.map((person, index) => change(person, { newPassword: `a fine password ${index}` })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      // The other one is refused, or no longer signed in.
      expect(statuses[0]).toBe(200);
      expect([400, 401]).toContain(statuses[1]);
    });

    it('is not set from other sessions', async () => {
      const ada = await service.signIn(client);
      expect(code((await change(ada, {})).body)).toBe('WRONG_PASSWORD');
      expect(code((await change(ada, { oldPassword: 'any' })).body)).toBe('WRONG_PASSWORD');
    });
  });
});
