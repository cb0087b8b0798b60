import { type PostgresTransaction } from './sql';
import { Transactions } from './transactions';

class NotingPostgres {
  readonly ends: string[] = [];
  commits = true;

  begin(): Promise<PostgresTransaction> {
    const sql = { mayRepeat: false, row: () => Promise.resolve([]) };
    const end = (statement: string): Promise<boolean> => {
      this.ends.push(statement);
      return Promise.resolve(this.commits);
    };
    return Promise.resolve({ sql, end });
  }
}

const ENDED = { code: 251, details: { errorLabels: ['TransientTransactionError'] } };

describe('transactions of the proxy', () => {
  let postgres: NotingPostgres;
  let transactions: Transactions;

  beforeEach(() => {
    postgres = new NotingPostgres();
    transactions = new Transactions(postgres, 100);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('are found by their session until they end', async () => {
    const sql = await transactions.start('s', 1);
    expect(transactions.in('s', 1)).toBe(sql);
    await transactions.commit('s');
    expect(postgres.ends).toEqual(['COMMIT']);
    expect(() => transactions.in('s', 1)).toThrow(expect.objectContaining(ENDED) as Error);
    await expect(transactions.commit('s')).rejects.toMatchObject(ENDED);
  });

  it('fail with a transient error if PostgreSQL does not commit them', async () => {
    postgres.commits = false;
    await transactions.start('s', 1);
    await expect(transactions.commit('s')).rejects.toMatchObject(ENDED);
  });

  it('are rolled back after the idle time', async () => {
    jest.useFakeTimers();
    await transactions.start('s', 1);
    await jest.advanceTimersByTimeAsync(60);
    transactions.in('s', 1);
    await jest.advanceTimersByTimeAsync(99);
    expect(postgres.ends).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(postgres.ends).toEqual(['ROLLBACK']);
  });

  it('are rolled back when the socket that last used them closes, and only then', async () => {
    await transactions.start('stays', 1);
    await transactions.start('moves', 1);
    transactions.in('moves', 2);
    await transactions.abortOf(1);
    expect(() => transactions.in('stays', 1)).toThrow();
    expect(transactions.in('moves', 2)).toBeDefined();
    await transactions.abortAll();
    expect(postgres.ends).toEqual(['ROLLBACK', 'ROLLBACK']);
  });

  it('are rolled back when their session starts another one', async () => {
    await transactions.start('s', 1);
    await transactions.start('s', 1);
    expect(postgres.ends).toEqual(['ROLLBACK']);
    await transactions.abort('s');
  });
});
