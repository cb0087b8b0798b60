import { parseForm } from './form-body';

describe('a form', () => {
  it.each([
    ['', {}],
    ['message=Hello+there&deviceId=1', { message: 'Hello there', deviceId: '1' }],
    ['recipients=%2B491&recipients=%2B492', { recipients: ['+491', '+492'] }],
    ['recipients[]=%2B491', { recipients: ['+491'] }],
    ['recipients%5B%5D=1&recipients%5B%5D=2', { recipients: ['1', '2'] }],
    ['a=1&a[]=2&a=3', { a: ['1', '2', '3'] }],
    ['message=%F0%9F%91%8B', { message: '👋' }],
  ])('%s', (text, fields) => {
    expect(Object.fromEntries(Object.entries(parseForm(text)))).toEqual(fields);
  });

  it('sets no prototype', () => {
    const body = parseForm('__proto__=x&constructor=y');
    expect(Object.keys(body)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('takes time in proportion to its length', () => {
    const body = parseForm(Array.from({ length: 100_000 }, (_, i) => `f${i}=${i}`).join('&'));
    expect(Object.keys(body)).toHaveLength(100_000);
  });
});
