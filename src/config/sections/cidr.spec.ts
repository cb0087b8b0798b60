import { parseCidr } from './cidr';

describe('parseCidr', () => {
  it.each(['10.0.0.0/8', '127.0.0.1/32', '0.0.0.0/0', '10.1.2.3/8', '::/0', 'fd00::/8', '::1/128'])(
    'parses %s',
    (text) => {
      expect(parseCidr(text)).toBeDefined();
    },
  );

  it.each([
    '',
    '10.0.0.0',
    '10/8',
    '127.1/32',
    '0x7f.0.0.1/8',
    '010.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8/8',
    ' 10.0.0.0/8',
    '256.0.0.0/8',
    '::1/129',
    'fe80::1%eth0/64',
    '::ffff:10.0.0.0/104',
    'example.com/8',
  ])('rejects %j', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });
});
