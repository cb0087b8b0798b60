import type { NetworkInterfaceInfo } from 'node:os';
import { reachableAddresses, type ServiceLocation } from './phone-addresses';

const entry = (address: string, family: 'IPv4' | 'IPv6' = 'IPv4', internal = false) =>
  ({ address, family, internal }) as NetworkInterfaceInfo;

const MACHINE: ServiceLocation = {
  interfaces: {
    lo: [entry('127.0.0.1', 'IPv4', true), entry('::1', 'IPv6', true)],
    docker0: [entry('172.17.0.1')],
    tun0: [entry('10.8.0.2')],
    wlan0: [entry('192.168.1.10'), entry('2001:db8::10', 'IPv6'), entry('fe80::1', 'IPv6')],
  },
  host: '0.0.0.0',
  port: 3000,
  path: '/sms',
};

const urls = (changes: Partial<ServiceLocation> = {}) =>
  reachableAddresses({ ...MACHINE, ...changes }).map(({ url, kind, variant }) => `${kind} ${variant} ${url}`);

describe('the addresses that the app is given', () => {
  it('are those of network cards, then of other networks, then of the cable, without those of containers', () => {
    expect(urls()).toEqual([
      'network insecure http://192.168.1.10:3000/sms',
      'network insecure http://10.8.0.2:3000/sms',
      'cable release http://127.0.0.1:3000/sms',
    ]);
  });

  it('begin with the public address, and with the one of a page that was opened by https', () => {
    const openedAt = 'https://gateway.example.com';
    expect(urls({ publicUrl: 'https://sms.example.com', openedAt, path: '/office/sms' })).toEqual([
      'public release https://sms.example.com/office/sms',
      'public release https://gateway.example.com/office/sms',
      'network insecure http://192.168.1.10:3000/office/sms',
      'network insecure http://10.8.0.2:3000/office/sms',
      'cable release http://127.0.0.1:3000/office/sms',
    ]);
    expect(urls({ publicUrl: openedAt, openedAt })[0]).toBe('public release https://gateway.example.com/sms');
    expect(urls({ publicUrl: 'http://sms.example.com' })[0]).toBe(
      'public insecure http://sms.example.com/sms',
    );
  });

  it('have the one of a page that was opened by http before those of the machine, and once', () => {
    expect(urls({ openedAt: 'http://office.lan:8080' })).toEqual([
      'network insecure http://office.lan:8080/sms',
      ...urls(),
    ]);
    expect(urls({ openedAt: 'http://192.168.1.10:3000' })).toEqual(urls());
  });

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    'never have %s for a phone without a cable',
    (openedAt) => {
      expect(urls({ openedAt })).toEqual(urls());
    },
  );

  it('are IPv6 only in a network without IPv4, without link-local ones', () => {
    const eth0 = [entry('2001:db8::10', 'IPv6'), entry('fe80::1', 'IPv6'), entry('169.254.7.7')];
    expect(urls({ interfaces: { eth0 } })[0]).toBe('network insecure http://[2001:db8::10]:3000/sms');
    expect(urls({ interfaces: { eth0 } })).toHaveLength(2);
  });

  it('are only those that the service listens on', () => {
    expect(urls({ host: '127.0.0.1' })).toEqual(['cable release http://127.0.0.1:3000/sms']);
    expect(urls({ host: '192.168.1.10' })).toEqual(['network insecure http://192.168.1.10:3000/sms']);
  });
});
