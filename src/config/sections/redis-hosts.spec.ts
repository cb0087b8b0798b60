import { formatRedisHosts, parseRedisHosts, parseRedisMaster } from './redis-hosts';

describe('parseRedisHosts', () => {
  const plain = { tls: false };

  it.each([
    ['redis-1:7000', [{ host: 'redis-1', port: 7000 }], plain],
    [
      'redis-1, redis-2:7000',
      [
        { host: 'redis-1', port: 6379 },
        { host: 'redis-2', port: 7000 },
      ],
      plain,
    ],
    [
      'redis://10.0.0.1:7000,[::1]:7001',
      [
        { host: '10.0.0.1', port: 7000 },
        { host: '::1', port: 7001 },
      ],
      plain,
    ],
    [
      'rediss://a,b',
      [
        { host: 'a', port: 6379 },
        { host: 'b', port: 6379 },
      ],
      { tls: true },
    ],
    ['redis://:se%40cret@a', [{ host: 'a', port: 6379 }], { password: 'se@cret', tls: false }],
    ['rediss://me:secret@a', [{ host: 'a', port: 6379 }], { username: 'me', password: 'secret', tls: true }],
  ])('reads %s', (text, hosts, access) => {
    expect(parseRedisHosts(text, 6379)).toEqual({ hosts, access });
  });

  it.each([
    '',
    ',',
    'a,',
    'a:0',
    'a:70000',
    'a:port',
    'http://a',
    'a b',
    'redis://a/0',
    'a@b@c',
    'redis://:%@a',
  ])('refuses "%s"', (text) => {
    expect(parseRedisHosts(text, 6379)).toBeUndefined();
  });

  it('leaves the credentials out of what is shown', () => {
    const { hosts } = parseRedisHosts('redis://me:secret@a,[::1]:7000', 6379) ?? { hosts: [] };
    expect(formatRedisHosts(hosts)).toBe('a:6379, [::1]:7000');
  });
});

describe('parseRedisMaster', () => {
  it.each([
    ['mymaster', { name: 'mymaster', access: { tls: false }, database: 0 }],
    ['redis://mymaster/2', { name: 'mymaster', access: { tls: false }, database: 2 }],
    [
      'rediss://me:secret@my-master.1',
      { name: 'my-master.1', access: { username: 'me', password: 'secret', tls: true }, database: 0 },
    ],
  ])('reads %s', (text, master) => {
    expect(parseRedisMaster(text)).toEqual(master);
  });

  it.each(['', 'my master', 'mymaster:6379', 'a,b', 'mymaster/x'])('refuses "%s"', (text) => {
    expect(parseRedisMaster(text)).toBeUndefined();
  });
});
