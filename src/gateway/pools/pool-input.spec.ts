import { Types } from 'mongoose';
import { MAX_IDS_OF_COUNTRIES, readPoolSims } from './pool-input';

const ids = Array.from({ length: 4 }, () => new Types.ObjectId().toHexString());
const rules = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`+${1_000 + index}`, ids]));

describe('readPoolSims', () => {
  it('allows 1,000 SIMs in all rules', () => {
    const countries = rules(MAX_IDS_OF_COUNTRIES / ids.length);
    const read = readPoolSims({ sims: ids, countries }, () => true);
    expect(read).toEqual({
      sims: ids.map((id) => new Types.ObjectId(id)),
      countries: expect.any(Object) as object,
    });
    const more = { ...countries, '+9': [ids[0]] };
    expect(() => readPoolSims({ sims: ids, countries: more }, () => true)).toThrow(
      expect.objectContaining({
        details: [{ field: 'countries', message: 'countries must not have more than 1000 SIM ids' }],
      }) as Error,
    );
  });

  it('stores no rules if there are none', () => {
    expect(readPoolSims({ sims: ids, countries: {} }, () => true)).not.toHaveProperty('countries');
  });
});
