import { isConfirmedByMajority } from './majority';

const at = (second: number) => new Date(second * 1_000);
/** As in the manual, "hello". */
const member = (last: number, majority: number) => ({
  setName: 'rs0',
  isWritablePrimary: true,
  lastWrite: {
    opTime: { ts: 1, t: 1 },
    lastWriteDate: at(last),
    majorityOpTime: { ts: 1, t: 1 },
    majorityWriteDate: at(majority),
  },
});

describe('what a database says about its last writes', () => {
  it('is that a majority has them, or will soon', () => {
    expect(isConfirmedByMajority(member(100, 100))).toBe(true);
    expect(isConfirmedByMajority(member(100, 95))).toBe(true);
  });

  it('is that a majority does not get them', () => {
    expect(isConfirmedByMajority(member(100, 90))).toBe(false);
  });

  it('is nothing without a replica set', () => {
    expect(isConfirmedByMajority({})).toBe(true);
  });
});
