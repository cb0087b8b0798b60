import type { NetworkInterfaceInfo } from 'node:os';
import { localUrl, readVariable, urlForPhones } from './addresses';

const interfaceWith = (address: string, family: 'IPv4' | 'IPv6', internal: boolean): NetworkInterfaceInfo =>
  ({ address, family, internal }) as NetworkInterfaceInfo;

const INTERFACES = {
  lo: [interfaceWith('127.0.0.1', 'IPv4', true), interfaceWith('::1', 'IPv6', true)],
  wlan0: [interfaceWith('fe80::1', 'IPv6', false), interfaceWith('192.0.2.7', 'IPv4', false)],
  docker0: [interfaceWith('172.17.0.1', 'IPv4', false)],
};

describe('where npm start says the service is', () => {
  it.each([
    [{}, 'http://127.0.0.1:3000', 'http://192.0.2.7:3000'],
    [{ HOST: '', PORT: '' }, 'http://127.0.0.1:3000', 'http://192.0.2.7:3000'],
    [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://127.0.0.1:8080', 'http://192.0.2.7:8080'],
    [{ BASE_PATH: '/sms/' }, 'http://127.0.0.1:3000/sms', 'http://192.0.2.7:3000/sms'],
    [{ HOST: '::' }, 'http://127.0.0.1:3000', 'http://192.0.2.7:3000'],
    [{ HOST: '198.51.100.4' }, 'http://198.51.100.4:3000', 'http://198.51.100.4:3000'],
    [{ HOST: '2001:db8::4' }, 'http://[2001:db8::4]:3000', 'http://[2001:db8::4]:3000'],
    [{ HOST: '127.0.0.1' }, 'http://127.0.0.1:3000', undefined],
    [{ HOST: 'localhost' }, 'http://localhost:3000', undefined],
    [{ HOST: '::1' }, 'http://[::1]:3000', undefined],
  ])('%j: %s, for phones %s', (env, own, forPhones) => {
    expect(localUrl(env)).toBe(own);
    expect(urlForPhones(env, INTERFACES)).toBe(forPhones);
  });

  it('has no address for phones where there is no network', () => {
    expect(urlForPhones({}, { lo: INTERFACES.lo })).toBeUndefined();
  });

  it('takes what a template leaves empty for absent', () => {
    expect(readVariable({ BOOTSTRAP_API_KEY: ' ' }, 'BOOTSTRAP_API_KEY')).toBeUndefined();
    expect(readVariable({ BOOTSTRAP_API_KEY: 'a key' }, 'BOOTSTRAP_API_KEY')).toBe('a key');
  });
});
