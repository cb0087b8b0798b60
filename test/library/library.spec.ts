import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INJECTABLE_WATERMARK } from '@nestjs/common/constants';
import request from 'supertest';
import * as gateway from '../../src';
import { ROOT } from '../support/checkout';
import { TestClient } from '../support/client';
import { MarkdownPage } from '../support/markdown-page';
import { eventually } from '../support/eventually';
import { runProgram } from '../support/program';
import { RunningProgram } from '../support/running-program';
import { TestService } from '../support/service';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { EmptyApplication } from './empty-application';

const EXPRESS = 'NestFactory.create(DashboardModule, { bodyParser: false })';
const FASTIFY = 'NestFactory.create(DashboardModule, new FastifyAdapter(), { bodyParser: false })';

/** Each expected error shows that the types are not `any`. */
const TYPES = `
import { AppError, DeviceNotFound, DevicesService, SendService, type AccountScope } from 'messaging-gateway';
import { createTestAccount } from 'messaging-gateway/testing';
// @ts-expect-error Other files are not importable.
import { DevicesRepository } from 'messaging-gateway/dist/devices/devices.repository';

export const code: 'DEVICE_NOT_FOUND' = new DeviceNotFound().code;
export const isError = (failure: unknown): failure is AppError => failure instanceof AppError;
export async function check(devices: DevicesService, sends: SendService, account: AccountScope) {
  const [first] = await devices.list(account);
  // @ts-expect-error A device may be missing.
  first.device;
  // @ts-expect-error There is no such field.
  first?.device.nothing;
  // @ts-expect-error A send needs an account.
  await sends.send({ entries: [] });
  return createTestAccount;
}
`;

/** Prints how many routes the feature modules mount, alone and with ApiModule, and how many accounts and keys they create. */
const ROUTES = `
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Connection } from 'mongoose';
import * as gateway from 'messaging-gateway';
import { dropTestDatabase, testEnvironment } from 'messaging-gateway/testing';

const { MONGODB_URI: mongodbUri = '', REDIS_URL: redisUrl = '' } = process.env;
const { ApiModule, InfrastructureModule, SmsGateHttpModule, ...others } = gateway;
const features = Object.entries(others).flatMap(([name, value]) => (name.endsWith('Module') ? [value as never] : []));

async function start(modules: never[]) {
  const infrastructure = InfrastructureModule.register(gateway.loadConfiguration(testEnvironment({ mongodbUri, redisUrl })));
  class ApplicationModule {}
  const adapter = new FastifyAdapter();
  let routes = 0;
  adapter.getInstance().addHook('onRoute', () => { routes += 1; });
  const module = { module: ApplicationModule, imports: [infrastructure, ...modules] };
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { bodyParser: false, logger: false });
  await app.init();
  const connection = app.get<Connection>(getConnectionToken());
  const count = (name: string) => connection.collection(name).countDocuments();
  const [accounts, keys] = [await count('accounts'), await count('apikeys')];
  await dropTestDatabase(app);
  await app.close();
  return { routes, accounts, keys };
}

async function main() {
  const [alone, api] = [await start(features), await start([ApiModule, ...SmsGateHttpModule.at('/sms')] as never[])];
  console.log(JSON.stringify({ modules: features.length, alone, api }));
}
void main();
`;

describe('the package', () => {
  const page = MarkdownPage.read('build/library.md');
  let application: EmptyApplication;
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    application = await EmptyApplication.create(['@nestjs/platform-express', '@nestjs/platform-fastify']);
    service = await TestService.start();
    client = await service.newAccount();
    await client.registerDevice();
    const dashboard = page.codeFile('dashboard.ts');
    expect(dashboard).toContain(EXPRESS);
    expect(page.text).toContain(FASTIFY);
    application.write('express.ts', dashboard);
    application.write(
      'fastify.ts',
      `import { FastifyAdapter } from '@nestjs/platform-fastify';\n${dashboard.replace(EXPRESS, FASTIFY)}`,
    );
    application.write('testing.ts', page.codeFile('dashboard.test.ts'));
    application.write('routes.ts', ROUTES);
    application.write('types.ts', TYPES);
    expect(application.compile()).toBe('');
  });
  afterAll(async () => {
    await service.stop();
    application.remove();
  });

  it('contains compiled code and types, but no tests', () => {
    const files = application.packedFiles();
    expect(files).toEqual(
      expect.arrayContaining([
        'dist/index.js',
        'dist/index.d.ts',
        'dist/testing.js',
        'docs/build/library.md',
        'package.json',
      ]),
    );
    expect(files.filter((file) => /spec|tsbuildinfo|\.map$|^src|^test|\.env/.test(file))).toEqual([]);
  });

  it('has Nest and Mongoose as peers and no package twice', () => {
    const content = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>;
    const peers = Object.keys(content.peerDependencies ?? {});
    expect(peers).toEqual(
      expect.arrayContaining([
        '@nestjs/common',
        '@nestjs/core',
        '@nestjs/mongoose',
        'mongoose',
        'reflect-metadata',
      ]),
    );
    const others = Object.keys({ ...content.dependencies, ...content.devDependencies });
    expect(peers.filter((peer) => others.includes(peer))).toEqual([]);
  });

  it.each(['express', 'fastify'])('serves the documented dashboard on %s', async (platform) => {
    const PORT = String(await freePort());
    const url = `http://127.0.0.1:${PORT}`;
    const dashboard = RunningProgram.start(`exec node dist/${platform}.js`, application.folder, {
      ...service.environment,
      PORT,
    });
    try {
      await dashboard.waitForOutput(/application successfully started/); // and listens a moment later
      const anonymous = () =>
        request(url)
          .get('/dashboard')
          .catch(() => undefined);
      await eventually(anonymous, (answer) => answer?.status === 401);
      const text = `From ${platform}`;
      const answer = await request(url)
        .post('/dashboard/replies')
        .set('x-api-key', client.apiKey)
        .send({ to: '+447700900123', text });
      expect([answer.status, answer.body]).toEqual([
        201,
        { data: { batch: expect.stringMatching(/^[0-9a-f]{24}$/) as string } },
      ]);
      const overview = await request(url).get('/dashboard').set('x-api-key', client.apiKey);
      expect(overview.body).toEqual({
        data: { phones: 1, texts: expect.arrayContaining([text]) as string[] },
      });
      const refused = await request(url).post('/dashboard/replies').set('x-api-key', client.apiKey).send({});
      expect([refused.status, refused.body]).toEqual([
        400,
        expect.objectContaining({ code: 'VALIDATION_FAILED' }),
      ]);
      // The service runs the jobs; the phone has opened no stream.
      await eventually(
        () => client.get('/gateway/messages'),
        ({ body }) => JSON.stringify(body).includes('"phone_unreachable"'),
      );
    } finally {
      await dashboard.stop();
    }
  });

  it('mounts no route and creates no account, unless it is asked for the API', async () => {
    const { MONGODB_URI, REDIS_URL } = service.environment;
    const { output, error } = await runProgram('node', ['dist/routes.js'], {
      directory: application.folder,
      environment: { MONGODB_URI, REDIS_URL },
    });
    expect(error).toBe('');
    type Started = Readonly<Record<'routes' | 'accounts' | 'keys', number>>;
    const { modules, alone, api } = JSON.parse(output) as { modules: number; alone: Started; api: Started };
    expect(modules).toBeGreaterThanOrEqual(8);
    expect(alone).toEqual({ routes: 0, accounts: 0, keys: 0 });
    expect(api).toMatchObject({ accounts: 0, keys: 0 });
    expect(api.routes).toBeGreaterThan(100);
  });

  it('exports helpers for tests of its users', async () => {
    const { MONGODB_URI, REDIS_URL } = service.environment;
    const { code, output, error } = await runProgram('node', ['dist/testing.js'], {
      directory: application.folder,
      environment: { MONGODB_URI, REDIS_URL },
    });
    expect([code, output.split('\n').at(-2), error]).toEqual([0, 'true 1', '']);
  });

  it('lists every exported module and service', () => {
    const exported = Object.entries(gateway).flatMap(([name, value]) =>
      typeof value === 'function' &&
      (name.endsWith('Module') || Reflect.hasMetadata(INJECTABLE_WATERMARK, value))
        ? [name]
        : [],
    );
    const listed = page
      .table('Module')
      .flatMap((cells) => Array.from(cells.join().matchAll(/`([A-Z]\w+)`/g), ([, name]) => name));
    expect([...new Set(listed)].sort()).toEqual(exported.sort());
  });

  it('has a dashboard example of about forty lines', () => {
    const lines = page.codeFile('dashboard.ts').split('\n');
    expect(lines.filter((line) => line.trim() !== '' && !line.startsWith('import')).length).toBeLessThan(45);
  });
});
