import { Types } from 'mongoose';
import { encodeCursor } from '../../src/messages/lists/message-cursor';
import { TestClient } from '../support/client';
import { at, type ListJson, MessageLists, UNKNOWN_ID } from '../support/message-lists';

const lists = new MessageLists();
beforeAll(() => lists.start());
beforeEach(() => lists.useNewAccount());
afterAll(() => lists.stop());
const { store, request, expectError } = lists;

describe('message list validation', () => {
  const cursor = encodeCursor({ createdAt: at(0), id: new Types.ObjectId(UNKNOWN_ID), order: 'asc' });

  it.each<[string, string]>([
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=%2010', 'limit'],
    ['limit=NaN', 'limit'],
    ['page=1.0', 'page'],
    ['page=last', 'page'],
    ['order=newest', 'order'],
    ['status=lost', 'status'],
    ['status=sent,failed', 'status'],
    ['direction=outgoing', 'direction'],
    ['type=both', 'type'],
    ['direction=sent&type=received', 'type'],
    ['direction=all&type=sent', 'type'],
    ['from=2026-01-31T09:00:00', 'from'],
    ['from=tomorrow', 'from'],
    ['from=2026-02-30', 'from'],
    ['to=2026-01-31T09:00:00', 'to'],
    ['to=1767225600000', 'to'],
    ['smsBatchId=nope', 'smsBatchId'],
    ['deviceIds=nope', 'deviceIds'],
    [`deviceIds=${UNKNOWN_ID},nope`, 'deviceIds'],
    ['cursor=nope', 'cursor'],
    [`cursor=${cursor}x`, 'cursor'],
    [`cursor=${cursor.slice(0, -1)}`, 'cursor'],
    [`cursor=${cursor}&page=2`, 'page'],
    ['deviceIds=,', 'deviceIds'],
    [`cursor=${cursor}&order=desc`, 'order'],
    [`search=${'x'.repeat(513)}`, 'search'],
  ])('rejects %s', async (query, field) => {
    await expectError(query, 400, 'VALIDATION_FAILED', field);
  });

  it.each([
    'cursor',
    'limit',
    'page',
    'order',
    'from',
    'to',
    'search',
    'status',
    'smsBatchId',
    'direction',
    'type',
  ])('rejects %s given twice', async (name) => {
    const good: Record<string, string> = { limit: '1', page: '1', order: 'asc', from: '2026-01-01' };
    const value = good[name] ?? 'all';
    await expectError(`${name}=${value}&${name}=${value}`, 400, 'VALIDATION_FAILED', name);
  });

  it('does not pass query operators to the database', async () => {
    const [id] = await store([{}]);
    for (const query of ['$where=false', 'user=other', 'status[$gt]=']) {
      const answer = await request(query);
      expect([query, answer.status]).toEqual([query, 200]);
      expect((answer.body as ListJson).data.map(({ _id }) => _id)).toEqual([id]);
    }
    for (const query of [
      'status[$ne]=sent',
      'search[$regex]=nothing',
      'deviceIds[$ne]=x',
      '__proto__[status]=failed',
    ]) {
      await expectError(query, 400, 'VALIDATION_FAILED', query.split('=')[0]);
    }
    const jsonOperators = 'search={"$ne":null}&status={"$ne":null}';
    await expectError(jsonOperators, 400, 'VALIDATION_FAILED', 'status');
  });

  it('rejects a caller without a valid key before validating', async () => {
    const nobody = new TestClient(
      lists.service.url,
      'mgw_thisKeyOpensNothingAtAll000000000',
      lists.client.user,
    );
    const answer = await request({ limit: 0 }, nobody);
    expect([answer.status, answer.body]).toEqual([401, { error: 'Unauthorized', code: 'AUTH_INVALID' }]);
  });
});
