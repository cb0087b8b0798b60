import { AddressPolicy } from './address-policy';

const closed = new AddressPolicy([]);

describe('the addresses webhooks may be sent to', () => {
  it.each([
    ['0.0.0.0', 'an unspecified'],
    ['0.1.2.3', 'an unspecified'],
    ['10.0.0.0', 'a private'],
    ['10.255.255.255', 'a private'],
    ['100.64.0.1', 'a carrier-grade NAT'],
    ['100.127.255.255', 'a carrier-grade NAT'],
    ['127.0.0.1', 'a loopback'],
    ['127.255.255.254', 'a loopback'],
    ['169.254.169.254', 'a link-local'],
    ['172.16.0.1', 'a private'],
    ['172.31.255.255', 'a private'],
    ['192.0.0.1', 'a reserved'],
    ['192.0.2.1', 'a reserved'],
    ['192.88.99.1', 'a reserved'],
    ['192.168.0.1', 'a private'],
    ['198.18.0.1', 'a reserved'],
    ['198.19.255.255', 'a reserved'],
    ['198.51.100.1', 'a reserved'],
    ['203.0.113.1', 'a reserved'],
    ['224.0.0.1', 'a multicast'],
    ['239.255.255.255', 'a multicast'],
    ['240.0.0.1', 'a reserved'],
    ['255.255.255.255', 'a broadcast'],
    ['::', 'an unspecified'],
    ['::1', 'a loopback'],
    ['::127.0.0.1', 'an IPv4-in-IPv6'],
    ['::7f00:1', 'a reserved'],
    ['::8.8.8.8', 'an IPv4-in-IPv6'],
    ['::ffff:127.0.0.1', 'an IPv4-in-IPv6'],
    ['::ffff:7f00:1', 'an IPv4-in-IPv6'],
    ['::ffff:8.8.8.8', 'an IPv4-in-IPv6'],
    ['::ffff:808:808', 'an IPv4-in-IPv6'],
    ['::ffff:a9fe:a9fe', 'an IPv4-in-IPv6'],
    ['::ffff:0:127.0.0.1', 'a reserved'],
    ['64:ff9b::8.8.8.8', 'a NAT64'],
    ['64:ff9b:1::1', 'a NAT64'],
    ['100::1', 'a reserved'],
    ['2001::1', 'a Teredo'],
    ['2001:2::1', 'a benchmarking'],
    ['2001:10::1', 'a reserved'],
    ['2001:20::1', 'a reserved'],
    ['2001:db8::1', 'a reserved'],
    ['2002:7f00:1::', 'a 6to4'],
    ['2002:808:808::1', 'a 6to4'],
    ['3fff::1', 'a reserved'],
    ['4000::1', 'a reserved'],
    ['5f00::1', 'a reserved'],
    ['fc00::1', 'a private'],
    ['fdff::1', 'a private'],
    ['fe80::1', 'a link-local'],
    ['fe80::1%eth0', 'a link-local'],
    ['fec0::1', 'a reserved'],
    ['ff02::1', 'a multicast'],
  ])('%s is not: it is %s address', (address, kind) => {
    expect(closed.refusal(address)).toBe(`${address} is ${kind} address`);
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00::1',
  ])('%s is', (address) => {
    expect(closed.refusal(address)).toBeUndefined();
  });

  it.each(['', 'localhost', '127.1', '2130706433', '0177.0.0.1', '8.8.8', '[::1]', '8.8.8.8:80'])(
    '%j is not: the system would not take it for an address',
    (address) => {
      expect(closed.refusal(address)).toContain('is not an IP address');
    },
  );

  it('includes the ranges that were opened, and nothing beside them', () => {
    const policy = new AddressPolicy(['10.1.0.0/16', '127.0.0.1/32', 'fd00::/16']);
    for (const opened of ['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd00::9'])
      expect(policy.refusal(opened)).toBeUndefined();
    for (const beside of ['10.2.0.0', '10.0.255.255', '127.0.0.2', '::1', '::127.0.0.1', 'fd01::1'])
      expect(policy.refusal(beside)).toBeDefined();
  });

  it('never includes an IPv4 address inside an IPv6 one, whatever was opened', () => {
    const policy = new AddressPolicy(['::/0', '0.0.0.0/0']);
    for (const opened of ['127.0.0.1', '::1']) expect(policy.refusal(opened)).toBeUndefined();
    for (const mapped of ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'])
      expect(policy.refusal(mapped)).toBeDefined();
  });

  it('does not come about with a range that cannot be read', () => {
    expect(() => new AddressPolicy(['10.0.0.0/8', '10/8'])).toThrow('10/8 is not a range of addresses');
  });
});
