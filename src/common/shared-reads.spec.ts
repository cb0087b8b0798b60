import { SharedReads } from './shared-reads';

const turn = () => new Promise(setImmediate);

describe('SharedReads', () => {
  it('reads once for those that ask while another read runs, after that one', async () => {
    const reads = new SharedReads<number>();
    let count = 0;
    const read = async () => {
      const number = ++count;
      await turn();
      return number;
    };
    const first = reads.get('a', read);
    const others = Array.from({ length: 19 }, () => reads.get('a', read));
    expect(await reads.get('b', read)).toBe(2);
    expect(await first).toBe(1);
    expect(new Set(await Promise.all(others))).toEqual(new Set([3]));
    expect(await reads.get('a', read)).toBe(4);
  });

  it('reads again after a failure', async () => {
    const reads = new SharedReads<number>();
    const failing = reads.get('a', async () => {
      await turn();
      throw new Error('failed');
    });
    const next = reads.get('a', () => Promise.resolve(1));
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe(1);
  });
});
