import { AddressPolicy } from './address-policy';

const defaultPolicy = new AddressPolicy([]);

describe('AddressPolicy', () => {
  it.each([
    '0.0.0.0',
    '168.63.129.16',
    '2606:4700::5efe:10.0.0.1',
    '2606:4700::200:5efe:a00:1',
    'fe80::5efe:8.8.8.8',
    '0.1.2.3',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::7f00:1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '::ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ])('refuses %s', (address) => {
    expect(defaultPolicy.allows(address)).toBe(false);
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
  ])('allows %s', (address) => {
    expect(defaultPolicy.allows(address)).toBe(true);
  });

  it.each(['', 'localhost', '127.1', '2130706433', '0177.0.0.1', '8.8.8', '[::1]', '8.8.8.8:80'])(
    'refuses %j, which is not an IP address to the system',
    (address) => {
      expect(defaultPolicy.allows(address)).toBe(false);
    },
  );

  it('allows the configured ranges and no address outside them', () => {
    const policy = new AddressPolicy(['10.1.0.0/16', '127.0.0.1/32', 'fd00::/16']);
    for (const allowed of ['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd00::9'])
      expect(policy.allows(allowed)).toBe(true);
    for (const outside of ['10.2.0.0', '10.0.255.255', '127.0.0.2', '::1', '::127.0.0.1', 'fd01::1'])
      expect(policy.allows(outside)).toBe(false);
  });

  it('refuses an IPv4 address embedded in an IPv6 address even if all ranges are allowed', () => {
    const policy = new AddressPolicy(['::/0', '0.0.0.0/0']);
    for (const allowed of ['127.0.0.1', '::1']) expect(policy.allows(allowed)).toBe(true);
    for (const mapped of ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', 'fe80::5efe:a00:1'])
      expect(policy.allows(mapped)).toBe(false);
  });

  it('rejects an invalid range', () => {
    expect(() => new AddressPolicy(['10.0.0.0/8', '10/8'])).toThrow('"10/8" is not a CIDR range');
  });
});
