import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCa } from '../../../test/support/certificates';
import { type Environment, readSection } from '../environment/environment';
import { OutboundConfig } from './outbound.config';

describe('OutboundConfig', () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const file = join(folder, 'ca.pem');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (environment: Environment) => readSection(OutboundConfig, environment);
  const certificatesIn = (content: string) => {
    writeFileSync(file, content);
    return read({ CA_CERTIFICATES_FILE: file });
  };

  it('reads all certificates of the file', () => {
    const [first, second] = [new TestCa().cert.trim(), new TestCa().cert.trim()];
    const { value, errors } = certificatesIn(`# Ours\r\n${first}\r\n\r\n${second}\n`);
    expect([value.extraCa, errors]).toEqual([[first, second], []]);
  });

  it.each([
    ['has none', 'text'],
    ['has a damaged one', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
  ])('rejects a file that %s', (_, content) => {
    expect(certificatesIn(content).errors).toEqual([expect.stringMatching(/^CA_CERTIFICATES_FILE must be/)]);
  });

  it('rejects a file that cannot be read', () => {
    const { errors } = read({ CA_CERTIFICATES_FILE: join(folder, 'missing') });
    expect(errors).toEqual([expect.stringMatching(/^CA_CERTIFICATES_FILE must be/)]);
  });

  it.each(['proxy:3128', 'https://proxy:3128', 'socks5://proxy', 'http://proxy/path'])(
    'rejects the proxy %s',
    (HTTPS_PROXY) => {
      expect(read({ HTTPS_PROXY }).errors).toEqual([expect.stringMatching(/^HTTPS_PROXY must be/)]);
    },
  );

  it('chooses the proxy by NO_PROXY', () => {
    const { value } = read({
      HTTPS_PROXY: 'http://user:word@proxy:3128',
      NO_PROXY: 'localhost, .internal,Example.com,192.0.2.1, ::1,',
    });
    for (const host of ['localhost', 'a.internal', 'example.com', 'a.EXAMPLE.com', '192.0.2.1', '[::1]'])
      expect([host, value.proxyFor(host)]).toEqual([host, undefined]);
    for (const host of ['notexample.com', 'example.com.evil.test', '192.0.2.10', 'hooks.example.org'])
      expect([host, value.proxyFor(host)?.host]).toEqual([host, 'proxy:3128']);
    expect(
      read({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*' }).value.proxyFor('a.test'),
    ).toBeUndefined();
    expect(read({}).value.proxyFor('a.test')).toBeUndefined();
  });
});
