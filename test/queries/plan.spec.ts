import { readPlan } from './plan';

const planner = (winningPlan: object) => ({
  explainVersion: '1',
  queryPlanner: {
    namespace: 'shop.orders',
    parsedQuery: { user: { $eq: 1 } },
    winningPlan,
    rejectedPlans: [{ stage: 'COLLSCAN', direction: 'forward' }],
  },
  command: { find: 'orders', sort: { at: 1 } },
  ok: 1,
});
const scan = { stage: 'IXSCAN', keyPattern: { user: 1 }, indexName: 'user_1', isMultiKey: false };

/** The formats are from the MongoDB manual, "Explain Results". */
describe('reading the plan from an explain result', () => {
  it('of the classic engine', () => {
    const plan = readPlan(planner({ stage: 'LIMIT', inputStage: { stage: 'FETCH', inputStage: scan } }));
    expect(plan).toEqual({ indexes: ['user_1'], readsAll: false, sorts: false });
    const sorted = { stage: 'SORT', sortPattern: { at: 1 }, inputStage: { stage: 'COLLSCAN' } };
    expect(readPlan(planner(sorted))).toEqual({ indexes: [], readsAll: true, sorts: true });
  });

  it('of the slot-based engine', () => {
    const slotBasedPlan = { slots: '', stages: '[2] nlj ... ixseek "user_1" ... sort' };
    const plan = { queryPlan: { stage: 'GROUP', planNodeId: 3, inputStage: scan }, slotBasedPlan };
    expect(readPlan({ ...planner(plan), explainVersion: '2' })).toMatchObject({ indexes: ['user_1'] });
  });

  it('of a lookup by id', () => {
    expect(readPlan(planner({ stage: 'IDHACK' })).indexes).toEqual(['_id_']);
    const express = { stage: 'EXPRESS_IXSCAN', keyPattern: '{ _id: 1 }', indexName: '_id_' };
    expect(readPlan(planner({ stage: 'UPDATE', inputStage: express })).indexes).toEqual(['_id_']);
  });

  it('of the branches of an $or', () => {
    const or = { stage: 'OR', inputStages: [scan, { ...scan, indexName: 'device_1' }, scan] };
    expect(readPlan(planner({ stage: 'FETCH', inputStage: or })).indexes).toEqual(['device_1', 'user_1']);
  });

  it('of an aggregation in stages', () => {
    const $cursor = planner({ stage: 'PROJECTION_SIMPLE', inputStage: { stage: 'FETCH', inputStage: scan } });
    const stages = [{ $cursor }, { $group: { _id: '$device' } }, { $sort: { sortKey: { _id: 1 } } }];
    expect(readPlan({ stages, ok: 1 })).toEqual({ indexes: ['user_1'], readsAll: false, sorts: true });
  });

  it('of each shard', () => {
    const shard = planner({ stage: 'SHARDING_FILTER', inputStage: scan }).queryPlanner;
    const plan = { stage: 'SHARD_MERGE', shards: [{ shardName: 's1', ...shard }] };
    expect(readPlan(planner(plan)).indexes).toEqual(['user_1']);
  });

  it('throws without a plan', () => {
    expect(() => readPlan({ ok: 1 })).toThrow(TypeError);
  });
});
