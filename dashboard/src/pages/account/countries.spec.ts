import { getCountries } from 'libphonenumber-js/max';
import { countriesIn } from './countries';

describe('the countries of a profile', () => {
  it('are those that the service knows, without codes that are no longer used', () => {
    const codes = countriesIn('de').map(({ value }) => value);
    const known: readonly string[] = getCountries();
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
    expect(known.filter((code) => !codes.includes(code))).toEqual([]);
    expect(countriesIn('de').find(({ value }) => value === 'DE')?.label).toBe('Deutschland');
  });
});
