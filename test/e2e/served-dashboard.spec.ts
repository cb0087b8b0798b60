import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { DASHBOARD_PAGES } from '../../src/config/sections/own-paths';
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

  it.each([
    '/',
    ...DASHBOARD_PAGES.map((page) => `/${page}`),
    '/messages/665f1c2ab7e1d4a9c0f3e812',
    '/webhooks/a/b',
  ])('is the same page at %s, with a policy and a nonce of its own', async (path) => {
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
  });

  it('has an address for every page', () => {
    const router = readFileSync(join(__dirname, '..', '..', 'dashboard', 'src', 'router.tsx'), 'utf8');
    const pages = [...router.matchAll(/[pP]age\(\s*'\/([^/']+)/g)].map(([, page]) => page);
    expect([...new Set(pages)].sort()).toEqual([...DASHBOARD_PAGES]);
  });

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

  describe('to a browser that opens an address without a page', () => {
    const navigate = (path: string, method: 'get' | 'head' = 'get') =>
      request(service.url)
        [method](path)
        .set('accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');

    it.each(['/nowhere', '/nowhere/at/all?x=1', '/assets/unknown.js', '/index.html', '/%2e%2e'])(
      'is the page, which says so, with the status 404: %s',
      async (path) => {
        const { status, headers, text } = await navigate(path);
        const page = await navigate('/sign-in');
        expect([status, headers['content-type'], headers['cache-control'], headers.vary]).toEqual([
          404,
          'text/html; charset=utf-8',
          'no-cache',
          expect.stringContaining('accept'),
        ]);
        const [, nonce = ''] = /name="csp-nonce" content="([^"]+)"/.exec(text) ?? [];
        expect(headers['content-security-policy']).toContain(`'nonce-${nonce}'`);
        expect(headers['x-content-type-options']).toBe('nosniff');
        const withoutNonce = (html: string) => html.replace(/csp-nonce" content="[^"]+"/, '');
        expect(withoutNonce(text)).toBe(withoutNonce(page.text));
        expect((await navigate(path, 'head')).status).toBe(404);
      },
    );

    it.each(['/api/v1/unknown', '/api', '//API/v1/unknown'])(
      'is the error of the API at %s',
      async (path) => {
        const answer = await navigate(path);
        expect([answer.status, (answer.body as { code?: string }).code]).toEqual([404, 'NOT_FOUND']);
      },
    );
  });

  it('is off with DASHBOARD=false: / leads to the documentation of the API', async () => {
    const without = await TestService.start({ shared: service, environment: { DASHBOARD: 'false' } });
    const root = await request(without.url).get('/');
    expect([root.status, root.headers.location]).toEqual([302, 'docs']);
    expect((await request(without.url).get('/messages')).status).toBe(404);
    await without.stop();
  });
});
