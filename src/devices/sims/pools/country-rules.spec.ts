import { simsServing } from './country-rules';

describe('simsServing', () => {
  const rules = { '+49': ['german'], '+1': ['american', 'canadian'], '+1907': ['alaskan'] };

  it.each([
    ['the only prefix', '+4915112345678', ['german']],
    ['a prefix', '+12125551234', ['american', 'canadian']],
    ['the longest prefix', '+19075551234', ['alaskan']],
    ['no prefix', '+33612345678', undefined],
    ['a number that is not in E.164', '12345', undefined],
  ])('applies %s', (_, number, sims) => {
    expect(simsServing(number, rules)).toEqual(sims);
  });

  it('lets all SIMs send without rules', () => {
    expect(simsServing('+4915112345678')).toBeUndefined();
  });
});
