import { normalizePhoneNumber } from './phone-number';

describe('normalizePhoneNumber', () => {
  it.each([
    ['+447700900123', '+447700900123'],
    ['+44 (0)7700 900123', '+447700900123'],
    ['+44(0) 7700-900.123', '+447700900123'],
    ['0044 (0)7700 900123', '00447700900123'],
    ['(07700) 900123', '07700900123'],
    ['(0)7700 900123', '07700900123'],
    ['tel:+44-7700-900123', '+447700900123'],
    ['TEL: +44 7700 900123', '+447700900123'],
    ['\u202a+44 7700\u00a0900123\u202c', '+447700900123'],
    ['\u2068+447700900123\u2069', '+447700900123'],
    ['\ufeff+4477\u200b00900123\u00ad', '+447700900123'],
    ['88222', '88222'],
  ])('normalizes %j', (text, number) => {
    expect(normalizePhoneNumber(text)).toBe(number);
  });

  it.each(['', 'tel:', '12', '+44 770 nine', 'tel:tel:123', '1234567890123456', '\u202a', '++44770'])(
    'rejects %j',
    (text) => {
      expect(normalizePhoneNumber(text)).toBeNull();
    },
  );

  it('rejects a long text without delay', () => {
    const start = performance.now();
    expect(normalizePhoneNumber(`+${'1'.repeat(1_000_000)}`)).toBeNull();
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
