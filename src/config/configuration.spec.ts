import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { configurationVariables, loadConfiguration } from './configuration';
import { ConfigurationError } from './environment/environment';

const REQUIRED = {
  MONGODB_URI: 'mongodb://127.0.0.1/x',
  REDIS_URL: 'redis://127.0.0.1',
  TOKEN_SECRET: 'a secret of at least 32 characters',
  ENCRYPTION_KEYS: 'ab'.repeat(32),
};

const example = readFileSync(join(__dirname, '..', '..', '.env.example'), 'utf8');
const exampleVariables = Object.fromEntries(
  [...example.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

describe('loadConfiguration', () => {
  it('matches the variables and defaults of .env.example', () => {
    expect(Object.keys(exampleVariables).sort()).toEqual(configurationVariables().sort());
    for (const name of Object.keys(REQUIRED)) expect([name, exampleVariables[name]]).toEqual([name, '']);
    expect(loadConfiguration({ ...exampleVariables, ...REQUIRED })).toEqual(loadConfiguration(REQUIRED));
  });

  it('is not changed by a copy of .env.example', () => {
    // Not even to a default: the image and docker-compose.yml have some of their own.
    expect(parseEnv(example)).toEqual({ TOKEN_SECRET: '', ENCRYPTION_KEYS: '' });
  });

  it('parses numbers and lists', () => {
    const { http, roles } = loadConfiguration({ ...REQUIRED, PORT: '8080', APP_ROLES: 'worker, scheduler' });
    expect(http.port).toBe(8080);
    expect(roles.roles).toEqual(['worker', 'scheduler']);
  });

  it.each([
    ['', false],
    ['0', false],
    ['2', 2],
    ['loopback, 10.0.0.0/8,fd00::/8 , 192.0.2.1', ['loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.1']],
  ])('parses TRUST_PROXY=%s', (text, trusted) => {
    expect(loadConfiguration({ ...REQUIRED, TRUST_PROXY: text }).http.trustProxy).toEqual(trusted);
  });

  it.each([
    ['', ''],
    ['/', ''],
    ['/sms', '/sms'],
    ['/a/sms-1/', '/a/sms-1'],
  ])('parses BASE_PATH=%s', (text, basePath) => {
    expect(loadConfiguration({ ...REQUIRED, BASE_PATH: text }).http.basePath).toBe(basePath);
  });

  it('treats an empty variable as absent', () => {
    expect(loadConfiguration({ ...REQUIRED, PORT: '', BOOTSTRAP_API_KEY: ' ' }).http.port).toBe(3000);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '80.5'],
    ['APP_ROLES', 'api,api'],
    ['APP_ROLES', ','],
    ['MONGODB_URI', 'http://x'],
    ['REDIS_PREFIX', 'a b'],
    ['REDIS_SENTINELS', 'sentinel-1:26379'],
    ['REDIS_SENTINEL_MASTER', 'mymaster'],
    ['REDIS_CLUSTER_NODES', 'redis-1:6379'],
    ['LOG_FORMAT', 'xml'],
    ['LOG_LEVEL', 'all'],
    ['OPS_PORT', '70000'],
    ['METRICS_TOKEN', 'too-short'],
    ['METRICS_TOKEN', 'a token that no header can carry'],
    ['QUEUE_PAGE_PASSWORD', 'too short'],
    ['TOKEN_SECRET', 'too short'],
    ['ENCRYPTION_KEYS', 'abcd'],
    ['ENCRYPTION_KEYS', `${'ab'.repeat(32)},`],
    ['WEBHOOK_MAX_SUBSCRIPTIONS', '0'],
    ['WEBHOOK_ALLOWED_CIDRS', '10.0.0.0/8,nowhere'],
    ['WEBHOOK_PAUSE_AFTER_HOURS', 'never'],
    ['WEBHOOK_PAUSE_AFTER_FAILURES', '1.5'],
    ['ALLOW_REGISTRATION', 'yes'],
    ['SMTP_URL', 'mail.example.com'],
    ['MAIL_FROM', 'nobody'],
    ['BASE_PATH', 'sms'],
    ['BASE_PATH', '/a b'],
    ['BASE_PATH', '/sms/../x'],
    ['BASE_PATH', '/API/sms'],
    ['BASE_PATH', '/messages'],
    ['SMSGATE_PATH', '/phones'],
    ['BASE_PATH', 'https://example.com/sms'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '11'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', 'proxy.example.com'],
    ['RATE_LIMIT_PER_KEY', '-1'],
    ['RATE_LIMIT_PER_ADDRESS', 'many'],
    ['RETENTION_MESSAGES_DAYS', '-1'],
    ['RETENTION_DELIVERIES_DAYS', '1.5'],
  ])('rejects %s=%s and names the variable', (name, value) => {
    const load = () => loadConfiguration({ ...REQUIRED, [name]: value });
    expect(load).toThrow(ConfigurationError);
    expect(load).toThrow(new RegExp(`^ +${name}\\b`, 'm'));
  });

  describe('Firebase settings', () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const WHOLE = {
      FIREBASE_PROJECT_ID: 'demo-project',
      FIREBASE_CLIENT_EMAIL: 'push@demo-project.iam.gserviceaccount.com',
      FIREBASE_PRIVATE_KEY: privateKey,
    };
    const faultsOf = (variables: object) => {
      try {
        loadConfiguration({ ...REQUIRED, ...variables });
        return [];
      } catch (failure) {
        return failure instanceof ConfigurationError
          ? failure.errors.map((error) => error.replace(/ .*/, ''))
          : [failure];
      }
    };

    it('accepts a complete service account or none, with the key on one line or several', () => {
      expect(loadConfiguration(REQUIRED).push.serviceAccount).toBeUndefined();
      const oneLine = privateKey.replaceAll('\n', String.raw`\n`);
      for (const key of [privateKey, oneLine]) {
        const { push } = loadConfiguration({ ...REQUIRED, ...WHOLE, FIREBASE_PRIVATE_KEY: key });
        expect(push.serviceAccount).toEqual({
          projectId: 'demo-project',
          clientEmail: WHOLE.FIREBASE_CLIENT_EMAIL,
          privateKey: key === oneLine ? privateKey : privateKey.trimEnd() + '\n',
        });
      }
    });

    it('parses the key in the format of .env.example', () => {
      const shown = /^# (FIREBASE_PRIVATE_KEY=.*)$/m.exec(example)?.[1] ?? '';
      const [, body = ''] = /KEY-----\n(.*)\n-----END/s.exec(privateKey) ?? [];
      const line = shown.replace('MIIE…', body.replaceAll('\n', String.raw`\n`));
      expect(loadConfiguration({ ...REQUIRED, ...WHOLE, ...parseEnv(line) }).push.privateKey).toBe(
        privateKey,
      );
      expect(line).not.toBe(shown);
    });

    it.each(Object.keys(WHOLE))('with only %s reports the other two variables', (name) => {
      const others = Object.keys(WHOLE).filter((other) => other !== name);
      expect(faultsOf({ ...WHOLE, ...Object.fromEntries(others.map((other) => [other, ''])) })).toEqual(
        others,
      );
    });

    it.each([
      ['FIREBASE_PROJECT_ID', 'two words'],
      ['FIREBASE_CLIENT_EMAIL', 'nobody'],
      ['FIREBASE_PRIVATE_KEY', 'secret'],
      ['FIREBASE_PRIVATE_KEY', privateKey.slice(0, 800)],
    ])('rejects an invalid %s without printing it', (name, value) => {
      expect(faultsOf({ ...WHOLE, [name]: value })).toEqual([name]);
      const load = () => loadConfiguration({ ...REQUIRED, ...WHOLE, [name]: value });
      if (name === 'FIREBASE_PRIVATE_KEY') expect(load).not.toThrow(value);
    });
  });

  describe('the location of Redis', () => {
    const { REDIS_URL, ...others } = REQUIRED;
    const locationOf = (variables: object) => loadConfiguration({ ...others, ...variables }).redis.location;
    const SENTINELS = {
      REDIS_SENTINELS: 'a,redis-2:7000',
      REDIS_SENTINEL_MASTER: 'rediss://:secret@mymaster',
    };
    const CLUSTER = { REDIS_CLUSTER_NODES: 'rediss://me:secret@a' };

    it('is one of three', () => {
      expect(locationOf({ REDIS_URL })).toEqual({ kind: 'server', url: REDIS_URL });
      expect(locationOf(SENTINELS)).toMatchObject({
        kind: 'sentinel',
        sentinels: { hosts: [{ port: 26_379 }, { port: 7_000 }], access: { tls: false } },
        master: { name: 'mymaster', access: { password: 'secret', tls: true } },
      });
      expect(locationOf(CLUSTER)).toMatchObject({ kind: 'cluster', nodes: { hosts: [{ port: 6_379 }] } });
    });

    it.each([
      [{}, 'REDIS_URL must be set'],
      [{ REDIS_URL, ...SENTINELS }, 'REDIS_SENTINELS must not be set together with REDIS_URL'],
      [{ REDIS_URL, ...CLUSTER }, 'REDIS_CLUSTER_NODES must not be set together with REDIS_URL'],
      [{ ...SENTINELS, ...CLUSTER }, 'REDIS_CLUSTER_NODES must not be set together with REDIS_SENTINELS'],
      [{ REDIS_SENTINELS: 'a' }, 'REDIS_SENTINEL_MASTER must be set too'],
      [{ ...SENTINELS, REDIS_SENTINELS: 'me:secret@a' }, 'REDIS_SENTINELS must be the sentinels'],
      [{ ...SENTINELS, REDIS_SENTINEL_MASTER: 'my secret' }, 'REDIS_SENTINEL_MASTER must be the name'],
      [{ REDIS_CLUSTER_NODES: 'a:secret' }, 'REDIS_CLUSTER_NODES must be nodes'],
    ])('refuses %j in one sentence, without credentials', (variables, sentence) => {
      const load = () => locationOf(variables);
      expect(load).toThrow(new RegExp(`invalid:\\n  ${sentence}[^\\n]*$`));
      expect(load).not.toThrow(/secret/);
    });
  });

  it('requires MAIL_FROM only with SMTP_URL', () => {
    const SMTP_URL = 'smtp://127.0.0.1:25';
    expect(() => loadConfiguration({ ...REQUIRED, SMTP_URL })).toThrow(/MAIL_FROM/);
    const { mail, auth } = loadConfiguration({
      ...REQUIRED,
      SMTP_URL,
      MAIL_FROM: 'Gateway <me@example.com>',
      ALLOW_REGISTRATION: 'true',
    });
    expect(mail).toMatchObject({ smtpUrl: SMTP_URL, from: 'Gateway <me@example.com>' });
    expect(auth.allowRegistration).toBe(true);
  });
});
