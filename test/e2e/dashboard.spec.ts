import { Body, Controller, Get, type INestApplication, Module, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { IsString } from 'class-validator';
import request from 'supertest';
import { accountScope } from '../../src/auth/account-scope';
import {
  type AccountScope,
  AuthGuardsModule,
  CurrentAccount,
  DevicesModule,
  DevicesService,
  GatewayModule,
  HttpConventionsModule,
  InfrastructureModule,
  loadConfiguration,
  MessageListService,
  MessagesModule,
  parseMessageQuery,
  SendService,
  StatsService,
} from '../../src';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { newStore } from '../support/test-store';

class NoteRequest {
  @IsString()
  text!: string;
}

@Controller('overview')
class OverviewController {
  constructor(
    private readonly devices: DevicesService,
    private readonly messages: MessageListService,
  ) {}

  @Get()
  async overview(@CurrentAccount() account: AccountScope) {
    const devices = await this.devices.list(account);
    const { items } = await this.messages.read(account, parseMessageQuery({}));
    return { devices: devices.length, texts: items.map(({ message }) => message.message) };
  }

  @Post('notes')
  note(@Body() { text }: NoteRequest) {
    return { length: text.length };
  }
}

/** Another backend of the same installation that imports modules of this service. */
interface Platform {
  readonly name: string;
  readonly create: (module: Type) => Promise<INestApplication>;
}

const OPTIONS = { logger: false, abortOnError: false, bodyParser: false } as const;

const PLATFORMS: Platform[] = [
  { name: 'Express', create: (module) => NestFactory.create(module, new ExpressAdapter(), OPTIONS) },
  { name: 'Fastify', create: (module) => NestFactory.create(module, new FastifyAdapter(), OPTIONS) },
];

describe.each(PLATFORMS)('a dashboard backend on $name', ({ create }) => {
  const store = newStore();
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({ store });
    client = await service.newAccount();
    await client.newDevice();
  });
  afterAll(() => service.stop());

  it('uses the services, authenticates its own routes with the same keys, and runs no jobs', async () => {
    @Module({
      imports: [
        InfrastructureModule.register(loadConfiguration(store.environment)),
        HttpConventionsModule,
        AuthGuardsModule,
        DevicesModule,
        MessagesModule,
        GatewayModule,
      ],
      controllers: [OverviewController],
    })
    class DashboardModule {}
    const dashboard = await create(DashboardModule);
    await dashboard.listen(0, '127.0.0.1');
    const url = await dashboard.getUrl();

    const account = accountScope(client.user);
    const { batch } = await dashboard
      .get(SendService)
      .send(account, { entries: [{ message: 'From the dashboard', recipients: ['+4915112345678'] }] });
    await eventually(
      () => client.batch(batch.device.toHexString(), batch._id.toHexString()),
      ({ messages }) => messages[0]?.status === 'dispatched',
    );
    expect(await dashboard.get(StatsService).totals(account)).toMatchObject({ devices: 1, apiKeys: 1 });

    const own = await request(url).get('/overview').set('x-api-key', client.apiKey);
    expect(own.body).toEqual({ data: { devices: 1, texts: ['From the dashboard'] } });
    expect((await request(url).get('/overview')).status).toBe(401);
    const note = (key: string, body: string) =>
      request(url).post('/overview/notes').set('x-api-key', key).type('text/plain').send(body);
    expect((await note(client.apiKey, '{"text":"Hello"}')).body).toEqual({ data: { length: 5 } });
    const refused = await note(client.apiKey, '{}');
    expect([refused.status, refused.body]).toEqual([
      400,
      expect.objectContaining({ code: 'VALIDATION_FAILED' }),
    ]);
    expect((await note(client.apiKey, '{')).body).toMatchObject({ code: 'MALFORMED_BODY' });
    const large = await note(client.apiKey, `{"text":"${'x'.repeat(2_100_000)}"}`);
    expect([large.status, large.body]).toEqual([400, expect.objectContaining({ code: 'BODY_TOO_LARGE' })]);
    expect((await note('wrong', '{')).status).toBe(401);
    expect((await request(url).get('/nowhere')).body).toMatchObject({ code: 'NOT_FOUND' });
    // The service still uses its own database.
    expect((await client.get('/gateway/stats')).status).toBe(200);
    await dashboard.close();
    expect((await client.get('/gateway/stats')).status).toBe(200);
  });
});
