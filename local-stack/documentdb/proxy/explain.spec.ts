import { explainReply } from './explain';

function reply(plan: object, ran = false): unknown {
  return explainReply('shop.orders', [{ Plan: plan }], ran);
}

describe('explainReply', () => {
  it('names the index that serves a query', () => {
    const scan = { 'Node Type': 'Index Scan', 'Index Name': 'user_1', 'Index Cond': 'document @= …' };
    const plan = { 'Node Type': 'Limit', Plans: [{ 'Node Type': 'Custom Scan', Plans: [scan] }] };
    expect(reply(plan)).toMatchObject({
      queryPlanner: {
        namespace: 'shop.orders',
        winningPlan: {
          stage: 'LIMIT',
          inputStage: { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'user_1' } },
        },
      },
    });
  });

  it('shows a scan of the whole _id index as a collection scan', () => {
    const walk = { 'Node Type': 'Index Scan', 'Index Name': '_id_', 'Index Cond': "(shard_key_value = '1')" };
    expect(reply(walk)).toMatchObject({ queryPlanner: { winningPlan: { stage: 'COLLSCAN' } } });
    const one = { ...walk, 'Index Cond': "((shard_key_value = '1') AND (object_id = '…'))" };
    expect(reply(one)).toMatchObject({
      queryPlanner: { winningPlan: { inputStage: { indexName: '_id_' } } },
    });
  });

  it('has statistics only for a command that was run', () => {
    const plan = { 'Node Type': 'Seq Scan', 'Actual Rows': 3, 'Actual Total Time': 1.6 };
    expect(reply(plan)).not.toHaveProperty('executionStats');
    expect(reply(plan, true)).toMatchObject({
      executionStats: { nReturned: 3, executionTimeMillis: 2, executionStages: { stage: 'COLLSCAN' } },
    });
  });

  it('shows the branches of an $or', () => {
    const branch = (name: string): object => ({ 'Node Type': 'Bitmap Index Scan', 'Index Name': name });
    const or = { 'Node Type': 'BitmapOr', Plans: [branch('a_1'), branch('b_1')] };
    expect(reply({ 'Node Type': 'Bitmap Heap Scan', Plans: [or] })).toMatchObject({
      queryPlanner: {
        winningPlan: {
          stage: 'FETCH',
          inputStage: { stage: 'BITMAPOR', inputStages: [{ indexName: 'a_1' }, { indexName: 'b_1' }] },
        },
      },
    });
  });
});
