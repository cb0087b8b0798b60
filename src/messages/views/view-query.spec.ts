import { ValidationFailed } from '../../common/errors';
import { parseViewQuery } from './view-query';

async function invalidFields(query: string): Promise<string[]> {
  try {
    await parseViewQuery(query);
    return [];
  } catch (failure) {
    if (failure instanceof ValidationFailed) return failure.details.map(({ field }) => field);
    throw failure;
  }
}

const ID = '665f1c2ab7e1d4a9c0f3e812';

describe('parseViewQuery', () => {
  it.each([
    '',
    'status=failed',
    'status=FAILED&direction=sent&limit=500',
    `deviceIds=${ID}&deviceIds=${ID}`,
    'search=%26%3D%2B&from=2026-01-31T09:00:00%2B01:00',
    'status=',
  ])('accepts %j', async (query) => {
    expect(await parseViewQuery(query)).toBe(query);
    expect(await parseViewQuery(`?${query}`)).toBe(query);
  });

  it.each([
    ['status=lost', ['query.status']],
    ['from=yesterday&to=2026-02-30', ['query.from', 'query.to']],
    ['limit=x', ['query.limit']],
    ['statuss=failed', ['query.statuss']],
    ['color=red', ['query.color']],
    ['search=a&search=b', ['query.search']],
    ['deviceIds=x', ['query.deviceIds']],
  ])('rejects %j', async (query, fields) => {
    expect(await invalidFields(query)).toEqual(fields);
  });
});
