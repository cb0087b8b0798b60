import { MessageListRepository } from '../../src/messages/lists/message-list.repository';
import { MessageJson, TestClient } from '../support/client';
import { TestService } from '../support/service';

const LIST = '/gateway/messages?limit=20';

describe('concurrent reads', () => {
  let service: TestService;
  let mine: TestClient;
  let others: TestClient;

  beforeAll(async () => {
    service = await TestService.start({});
    [mine, others] = [await service.newAccount(), await service.newAccount()];
    for (const client of [mine, others]) await client.newDevice();
    await mine.send(['+4915110000001', '+4915110000002']);
    await others.send(['+4915120000001']);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const recipientsOf = ({ body }: { body: unknown }) =>
    (body as { data: MessageJson[] }).data.map(({ recipient }) => recipient).sort();

  it('do not share responses of different URLs', async () => {
    const [two, one, stats] = await Promise.all([
      mine.get(LIST),
      mine.get('/gateway/messages?limit=1'),
      mine.get('/gateway/stats'),
    ]);
    expect(recipientsOf(two)).toHaveLength(2);
    expect(recipientsOf(one)).toHaveLength(1);
    expect(stats.body).toMatchObject({ data: { totalDeviceCount: 1 } });
  });

  it('see every write that preceded the request', async () => {
    let isOver = false;
    const dashboards = Array.from({ length: 8 }, async () => {
      while (!isOver) await others.get(LIST);
    });
    for (let number = 0; number < 15; number++) {
      const batch = await others.send([`+49151300000${10 + number}`]);
      const answer = await others.get(LIST);
      expect((answer.body as { data: MessageJson[] }).data[0]).toMatchObject({ smsBatch: batch });
    }
    isOver = true;
    await Promise.all(dashboards);
  });

  it('fail with the request id of each caller', async () => {
    const refused = await Promise.all(
      ['one', 'two'].map((id) => mine.get('/gateway/messages?limit=ten').set('x-request-id', id)),
    );
    for (const answer of refused) {
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'limit' }] });
    }
    expect(refused.map((answer) => answer.get('x-request-id'))).toEqual(['one', 'two']);
  });

  it('succeed again after a failed read', async () => {
    jest
      .spyOn(service.get(MessageListRepository), 'list')
      .mockImplementationOnce(() => Promise.reject(new Error('a fault')));
    expect((await mine.get(LIST)).status).toBe(500);
    expect((await mine.get(LIST)).status).toBe(200);
  });
});
