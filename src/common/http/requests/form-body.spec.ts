import { parseForm } from './form-body';

describe('parseForm', () => {
  it.each([
    ['', {}],
    ['message=Hello+there&deviceId=1', { message: 'Hello there', deviceId: '1' }],
    ['recipients=%2B491&recipients=%2B492', { recipients: ['+491', '+492'] }],
    ['recipients[]=%2B491', { recipients: ['+491'] }],
    ['recipients%5B%5D=1&recipients%5B%5D=2', { recipients: ['1', '2'] }],
    ['recipients=+447700900123&message=+3+apples', { recipients: '+447700900123', message: ' 3 apples' }],
    ['a=1&a[]=2&a=3', { a: ['1', '2', '3'] }],
    ['message=%F0%9F%91%8B', { message: '👋' }],
    ['recipients[1]=b&recipients[0]=a', { recipients: ['a', 'b'] }],
    [
      'messages[0][message]=Hi&messages[0][recipients][]=1&messages[1][message]=Ho&messages[1][recipients][0]=2',
      {
        messages: [
          { message: 'Hi', recipients: ['1'] },
          { message: 'Ho', recipients: ['2'] },
        ],
      },
    ],
    ['messages%5B0%5D%5Bmessage%5D=Hi', { messages: [{ message: 'Hi' }] }],
    ['messages[7][message]=b&messages[3][message]=a', { messages: [{ message: 'a' }, { message: 'b' }] }],
    ['simInfo[lastUpdated]=1', { simInfo: { lastUpdated: '1' } }],
    ['a[b=1&[c]=2&d]=3&e[[f]]=4', { 'a[b': '1', '[c]': '2', 'd]': '3', 'e[[f]]': '4' }],
    ['a[1][2][3][4][5]=x', { 'a[1][2][3][4][5]': 'x' }],
  ])('parses %s', async (text, fields) => {
    expect(Object.fromEntries(Object.entries(await parseForm(text)))).toEqual(fields);
  });

  it.each([
    ['messages[][message]=Hi', /Number the entries.*messages\[0\].*application\/json/],
    ['a=1&a[b]=2', /a is sent both as a value and as an object/],
    [Array.from({ length: 50_001 }, () => 'a').join('&'), /more than 50000 fields/],
    [Array.from({ length: 10_101 }, (_, index) => `a[${index}][b]=1`).join('&'), /more than 10100 fields/],
  ])('rejects an ambiguous or too large form: %.30s', async (text, message) => {
    await expect(parseForm(text)).rejects.toThrow(message);
  });

  it('does not set a prototype', async () => {
    const body = await parseForm('__proto__=x&constructor=y&a[__proto__][x]=1&a[constructor][prototype]=2');
    expect(Object.keys(body)).toEqual(['__proto__', 'constructor', 'a']);
    expect(Object.keys(body.a ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('keeps fields whole where it parses a large form in parts', async () => {
    const text = (index: number) => `?${index} &=é😀`.repeat(1 + (index % 40));
    const fields = Array.from({ length: 2_000 }, (_, index) => [`?f${index}`, text(index)] as const);
    const body = await parseForm(`a=1&${String(new URLSearchParams(Object.fromEntries(fields)))}`);
    expect(Object.entries(body)).toEqual([['a', '1'], ...fields]);
  });

  it('does not fill gaps between list indexes', async () => {
    expect((await parseForm('a[999999999]=x')).a).toEqual(['x']);
  });

  it('accepts as many fields as the largest bulk send needs', async () => {
    const entries = Array.from(
      { length: 10_000 },
      (_, i) => `m[${i}][message]=x&m[${i}][recipients][0]=1${i}`,
    );
    expect((await parseForm(entries.join('&'))).m).toHaveLength(10_000);
  });
});
