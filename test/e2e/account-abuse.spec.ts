import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';

describe('abuse of accounts', () => {
  let service: TestService;
  let visitor: SessionClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { ALLOW_REGISTRATION: 'true', TRUST_PROXY: '1' } });
    visitor = new SessionClient(service.url);
  });
  afterAll(() => service.stop());

  const logIn = (email: string, password: string, address: string) =>
    visitor.post('/auth/login', { email, password }).set('x-forwarded-for', address);

  it('wrong passwords from other addresses do not lock out an address that signed in before', async () => {
    const email = 'flooded@example.com';
    await visitor.register(email, PASSWORD);
    expect((await logIn(email, PASSWORD, '203.0.113.1')).status).toBe(200);
    for (let i = 0; i < 11; i++)
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => logIn(email, 'a wrong password', `198.51.${i}.${n}`)),
      );
    expect((await logIn(email, PASSWORD, '203.0.113.2')).status).toBe(429);
    expect((await logIn(email, PASSWORD, '203.0.113.1')).status).toBe(200);
    const account = await service.collection('accounts').findOne({ email });
    expect(account?.knownAddresses).toHaveLength(1);
  });

  it('refuses common passwords with the name of the field', async () => {
    const body = { name: 'Ada', email: 'common@example.com', password: 'Password1!' };
    const answer = await visitor.post('/auth/register', body);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'password' }] });
    expect(await service.collection('accounts').countDocuments({ email: body.email })).toBe(0);
  });

  it.each(['a\u0007b', 'a\nb', 'a\u202Eb', 'see https://evil.example', 'www.evil', 'evil.com'])(
    'refuses the name %j',
    async (name) => {
      const client = await service.newAccount();
      const owner = await service.signIn(client);
      const webhook = {
        deliveryUrl: 'https://example.com',
        signingSecret: 'x'.repeat(20),
        events: ['MESSAGE_SENT'],
      };
      const answers = [
        await visitor.post('/auth/register', { name, email: 'named@example.com', password: PASSWORD }),
        await owner.patch('/auth/update-profile', { name }),
        await owner.post('/auth/api-keys', { name }),
        await client.post('/webhooks', { ...webhook, name }),
        await client.post('/gateway/devices', { pushTransport: 'stream', serial: 'named', name }),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(400);
        expect((body as { details: { field: string }[] }).details).toMatchObject([{ field: 'name' }]);
      }
    },
  );
});
