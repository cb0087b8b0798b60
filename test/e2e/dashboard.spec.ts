import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import request from 'supertest';
import {
  type AccountScope,
  AuthModule,
  CurrentAccount,
  DevicesModule,
  DevicesService,
  GatewayModule,
  HttpConventionsModule,
  InfrastructureModule,
  loadConfiguration,
  MessageListService,
  MessagesModule,
  readMessageQuery,
  SendService,
  StatsService,
} from '../../src';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { newStore, TestService } from '../support/service';

@Controller('overview')
class OverviewController {
  constructor(
    private readonly devices: DevicesService,
    private readonly messages: MessageListService,
  ) {}

  @Get()
  async overview(@CurrentAccount() account: AccountScope) {
    const devices = await this.devices.list(account);
    const { items } = await this.messages.read(account, readMessageQuery({}));
    return { devices: devices.length, texts: items.map(({ message }) => message.message) };
  }
}

/** Another backend of the same installation, which imports the modules of this one. */
describe('a dashboard backend', () => {
  const store = newStore();
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: store.environment });
    client = await service.newAccount();
    await client.newDevice();
  });
  afterAll(() => service.stop());

  it('uses the services, serves its own routes behind the same keys, and leaves the jobs to the service', async () => {
    @Module({
      imports: [
        InfrastructureModule.register(loadConfiguration(store.environment)),
        HttpConventionsModule,
        AuthModule,
        DevicesModule,
        MessagesModule,
        GatewayModule,
      ],
      controllers: [OverviewController],
    })
    class DashboardModule {}
    const dashboard = await NestFactory.create(DashboardModule, {
      logger: false,
      abortOnError: false,
      bodyParser: false,
    });
    await dashboard.listen(0, '127.0.0.1');
    const url = await dashboard.getUrl();

    const account = { user: client.user };
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
    // The service next to it still asks its own database with its own strategy.
    expect((await client.get('/gateway/stats')).status).toBe(200);
    await dashboard.close();
    expect((await client.get('/gateway/stats')).status).toBe(200);
  });
});
