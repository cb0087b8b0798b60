import { MAX_VIEWS_PER_ACCOUNT } from '../../src/messages/views/view.errors';
import { ViewsRepository } from '../../src/messages/views/views.repository';
import type { TestClient } from '../support/client';
import { TestService } from '../support/service';

const NOBODY = '0123456789abcdef01234567';

describe('saved views', () => {
  let service: TestService;
  let other: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
  });
  beforeEach(async () => {
    client = await service.newAccount();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const create = (name: string, query = 'status=failed', by = client) =>
    by.post('/gateway/views', { name, query });
  const names = async () =>
    ((await client.get('/gateway/views')).body as { data: { name: string }[] }).data.map(({ name }) => name);
  const idOf = ({ body }: { body: unknown }) => (body as { data: { _id: string } }).data._id;

  it('are created, listed by name, changed and deleted', async () => {
    const id = idOf(await create('b', '?status=failed'));
    await create('a', '');
    expect((await client.get('/gateway/views')).body).toMatchObject({
      data: [
        { name: 'a', query: '' },
        { name: 'b', query: 'status=failed', _id: id },
      ],
    });
    expect((await client.patch(`/gateway/views/${id}`, { name: 'c' })).body).toMatchObject({
      data: { name: 'c', query: 'status=failed' },
    });
    expect((await client.delete(`/gateway/views/${id}`)).status).toBe(200);
    expect(await names()).toEqual(['a']);
    for (const answer of [
      await client.delete(`/gateway/views/${id}`),
      await client.patch(`/gateway/views/${NOBODY}`, { name: 'x' }),
    ])
      expect([answer.status, answer.body]).toMatchObject([404, { code: 'VIEW_NOT_FOUND' }]);
  });

  it('are listed and stored once for each of many concurrent calls', async () => {
    const views = service.get(ViewsRepository);
    const [list, insert] = [jest.spyOn(views, 'list'), jest.spyOn(views, 'insert')];
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => create(`view ${index}`)));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(MAX_VIEWS_PER_ACCOUNT);
    expect(list).toHaveBeenCalledTimes(60);
    expect(insert).toHaveBeenCalledTimes(MAX_VIEWS_PER_ACCOUNT);
  });

  it.each([
    [{ query: '' }, 'name'],
    [{ name: '', query: '' }, 'name'],
    [{ name: 'x'.repeat(65), query: '' }, 'name'],
    [{ name: 'x' }, 'query'],
    [{ name: 'x', query: 'x'.repeat(2_001) }, 'query'],
    [{ name: 'x', query: 'status=lost' }, 'query.status'],
    [{ name: 'x', query: 'colour=red' }, 'query.colour'],
    [{ name: 'taken', query: '' }, 'name'],
  ])('reject %j', async (body, field) => {
    await create('taken');
    const answer = await client.post('/gateway/views', body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field }] }]);
    expect(await names()).toEqual(['taken']);
  });

  it('keep their names unique, and belong to one account', async () => {
    const id = idOf(await create('a'));
    await create('b');
    expect((await client.patch(`/gateway/views/${id}`, { name: 'b' })).body).toMatchObject({
      details: [{ field: 'name' }],
    });
    const stranger = await service.newAccount();
    expect((await create('a', '', stranger)).status).toBe(201);
    expect((await stranger.delete(`/gateway/views/${id}`)).status).toBe(404);
    expect(await names()).toEqual(['a', 'b']);
  });

  it('are at most 50, however many calls come at once', async () => {
    for (let index = 0; index < 45; index++) await create(`view ${index}`);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        create(`more ${index % 8}`, '', index % 2 ? client : client.at(other.url)),
      ),
    );
    const codes = answers.map(({ status, body }) =>
      status === 201 ? '201' : (body as { code: string }).code,
    );
    expect(codes.filter((code) => code === '201')).toHaveLength(5);
    expect(new Set(codes)).toEqual(new Set(['201', ...codes.filter((code) => code !== '201')]));
    expect(await names()).toHaveLength(50);
    expect((await create('excess')).body).toMatchObject({ code: 'VIEW_LIMIT_REACHED' });
  });
});
