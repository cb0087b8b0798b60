import { addressesInHosts, fullNamesOf } from './local-names';

const HOSTS = `127.0.0.1 localhost
::1\tlocalhost ip6-localhost # loopback
# 10.0.0.9 commented
10.0.0.5  hooks.example.com   Hooks
10.0.0.6  hooks
nonsense hooks
`;

describe('the addresses of a hosts file', () => {
  it.each([
    ['localhost', ['127.0.0.1', '::1']],
    ['HOOKS', ['10.0.0.5', '10.0.0.6']],
    ['hooks.example.com.', ['10.0.0.5']],
    ['commented', []],
    ['loopback', []],
    ['example.com', []],
    ['', []],
  ])('of %j are %j', (name, addresses) => {
    expect(addressesInHosts(HOSTS, name).map(({ address }) => address)).toEqual(addresses);
  });
});

describe('the full names by resolv.conf', () => {
  it.each([
    ['nameserver 10.0.0.1\nsearch default.svc.cluster.local svc.cluster.local\noptions ndots:5\n', 2],
    ['domain example.com\n', 1],
    ['search a\nsearch b c # the last one counts\n', 2],
    [`search ${Array.from({ length: 20 }, (_, index) => `d${index}.example`).join(' ')}\n`, 6],
    ['search\n', 0],
    ['nameserver 10.0.0.1\n', 0],
    ['', 0],
  ])('%j are %s', (text, count) => {
    const names = fullNamesOf(text, 'hooks.default');
    expect(names).toHaveLength(count);
    for (const name of names) expect(name).toMatch(/^hooks\.default\.\w/);
    expect(fullNamesOf(text, 'hooks.default.')).toEqual([]);
  });
});
