import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { PAGES } from '../../src/dashboard/serve-dashboard';
import { TestService } from '../support/service';

const BUILT = join(__dirname, '..', '..', 'dashboard', 'dist');

describe('the dashboard as the service serves it', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  const get = (path: string, encoding = 'identity') =>
    request(service.url).get(path).set('accept-encoding', encoding);

  it.each(['/', ...PAGES.map((page) => `/${page}`), '/messages/665f1c2ab7e1d4a9c0f3e812', '/webhooks/a/b'])(
    'is the same page at %s, with a policy and a nonce of its own',
    async (path) => {
      const [one, other] = [await get(path), await get(path)];
      for (const { status, headers, text } of [one, other]) {
        expect([status, headers['content-type'], headers['cache-control']]).toEqual([
          200,
          'text/html; charset=utf-8',
          'no-cache',
        ]);
        const [, nonce = ''] = /name="csp-nonce" content="([^"]+)"/.exec(text) ?? [];
        expect(nonce).toHaveLength(24);
        const policy = headers['content-security-policy'];
        expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
        expect(policy).toContain("default-src 'self'");
        expect(policy).not.toMatch(/unsafe|https?:|\*/);
        expect(text).not.toMatch(/<script>|<style|https?:/);
      }
      expect(one.headers['content-security-policy']).not.toBe(other.headers['content-security-policy']);
    },
  );

  it('keeps hashed files for ever, and sends them compressed', async () => {
    const script = readdirSync(join(BUILT, 'assets')).find((name) => /^index-.*\.js$/.test(name)) ?? '';
    const plain = await get(`/assets/${script}`);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['x-content-type-options']).toBe('nosniff');
    for (const encoding of ['br', 'gzip']) {
      const { status, headers } = await get(`/assets/${script}`, encoding);
      expect([status, headers['content-encoding']]).toEqual([200, encoding]);
      expect(headers.vary?.toLowerCase()).toContain('accept-encoding');
      expect(Number(headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 2);
    }
    expect((await get('/color-scheme.js')).headers['cache-control']).toBe('public, max-age=3600');
  });

  it.each([
    '/unknown',
    '/assets/unknown.js',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/index.html', // without the nonce of an answer
    '/index.html.bak',
    '/api/v1/unknown',
  ])('is not what %s leads to', async (path) => {
    const answer = await get(path);
    expect([answer.status, (answer.body as { code?: string }).code]).toEqual([404, expect.any(String)]);
  });

  it('is off with DASHBOARD=false: / leads to the documentation of the API', async () => {
    const without = await TestService.start({ shared: service, environment: { DASHBOARD: 'false' } });
    const root = await request(without.url).get('/');
    expect([root.status, root.headers.location]).toEqual([302, 'docs']);
    expect((await request(without.url).get('/messages')).status).toBe(404);
    await without.stop();
  });
});
