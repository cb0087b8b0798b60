import type { LookupAddress } from 'node:dns';
import { DnsLookup } from '../../src/infrastructure/outbound-http/dns-lookup';
import { TestService } from '../support/service';
import { WebhookOwner } from './webhook-owner';

const URL = 'https://hooks.example.com/sms?from=gateway';

/** Host names and their addresses. */
const NAMES: Record<string, string[]> = {
  'hooks.example.com': ['93.184.216.34'],
  'intranet.example.com': ['10.1.2.3'],
  'one-of-two.example.com': ['93.184.216.34', '192.168.0.1'],
  'six.example.com': ['fd12::1'],
};

function lookUp(hostname: string): Promise<LookupAddress[]> {
  const addresses = NAMES[hostname];
  if (!addresses) return Promise.reject(Object.assign(new Error(hostname), { code: 'ENOTFOUND' }));
  return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
}

describe('the URL of a webhook', () => {
  let service: TestService;
  let owner: WebhookOwner;

  beforeAll(async () => {
    service = await TestService.start();
    jest.spyOn(service.get(DnsLookup), 'lookup').mockImplementation(lookUp);
  });
  beforeEach(async () => {
    const good = { deliveryUrl: URL, signingSecret: 'a secret of 20 characters', events: ['MESSAGE_SENT'] };
    owner = new WebhookOwner(await service.newAccount(), good);
  });
  afterAll(() => service.stop());

  it('accepts public http and https URLs', async () => {
    for (const deliveryUrl of [
      URL,
      'http://hooks.example.com',
      'HTTPS://HOOKS.EXAMPLE.COM:8443/Path#fragment',
      'http://93.184.216.34:8080/sms',
      'https://[2606:2800:220:1::1]/sms',
    ])
      await owner.expectAccepted({ deliveryUrl });
  });

  it('accepts a host name that does not resolve yet', async () => {
    await owner.expectAccepted({ deliveryUrl: 'https://not-there-yet.example.com/sms' });
  });

  it.each([
    [
      'not a URL',
      '',
      'x',
      'hooks.example.com',
      '//hooks.example.com',
      '/sms',
      'https://',
      'http://[::1',
      5,
      {},
    ],
    [
      'with another scheme',
      'ftp://hooks.example.com',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'ws://a.com',
    ],
    ['with credentials', 'https://me:secret@hooks.example.com/', 'https://me@hooks.example.com/'],
    ['with localhost', 'http://localhost/', 'https://LOCALHOST.:8443/', 'http://any.localhost/'],
    [
      'with a loopback address in any notation',
      'http://127.0.0.1/',
      'http://127.1.2.3:9000/',
      'http://127.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0177.0.0.1/',
      'http://%31%32%37.0.0.1/',
      'http://①②⑦.⓪.⓪.①/',
      'http://127.0.0.1./',
      'http://[::1]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://[::127.0.0.1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[2002:7f00:1::]/',
    ],
    [
      'with a private address',
      'http://10.0.0.1/',
      'http://172.16.0.1/',
      'http://172.31.255.255/',
      'http://192.168.1.1/',
      'http://0xc0a80101/',
      'http://100.64.0.1/',
      'http://[fc00::1]/',
      'http://[fd12:3456::1]/',
      'http://[::ffff:10.0.0.1]/',
    ],
    [
      'with a reserved address',
      'http://0.0.0.0/',
      'http://0/',
      'http://169.254.169.254/latest/meta-data/',
      'http://224.0.0.1/',
      'http://240.0.0.1/',
      'http://255.255.255.255/',
      'http://[::]/',
      'http://[fe80::1]/',
      'http://[ff02::1]/',
    ],
    [
      'with a host name that resolves to a private address',
      'https://intranet.example.com/',
      'https://INTRANET.example.com/',
      'https://one-of-two.example.com/',
      'https://six.example.com/',
    ],
  ])('rejects a URL on create and update: %s', async (_, ...urls) => {
    for (const deliveryUrl of urls) await owner.expectRefused({ deliveryUrl }, 'deliveryUrl');
  });
});
