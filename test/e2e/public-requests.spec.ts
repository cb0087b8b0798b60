import type * as files from 'node:fs/promises';
import request from 'supertest';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TestService } from '../support/service';

const ASSETS = join(__dirname, '..', '..', 'dashboard', 'dist', 'assets');

describe('what is served without a credential', () => {
  let service: TestService;
  let asset: string;

  beforeAll(async () => {
    // Pages and files: ten times as many.
    service = await TestService.start({ environment: { RATE_LIMIT_PER_ADDRESS: '2', TRUST_PROXY: '1' } });
    asset = `/assets/${readdirSync(ASSETS).find((name) => /^index-.*\.js$/.test(name)) ?? ''}`;
  });
  afterAll(() => service.stop());

  const get = (path: string, address: string, headers: Record<string, string> = {}) =>
    request(service.url)
      .get(path)
      .set({ 'x-forwarded-for': address, ...headers });

  async function statuses(count: number, path: string, addressOf: (index: number) => string) {
    const answers = await Promise.all(Array.from({ length: count }, (_, i) => get(path, addressOf(i))));
    return answers.map(({ status }) => status);
  }
  const refused = (all: readonly number[]) => all.filter((status) => status === 429).length;

  describe('counts by address', () => {
    it.each([
      '/',
      '/sign-in',
      '/messages/1',
      '/docs',
      '/docs-json',
      '/docs/swagger-ui-bundle.js',
      '/docs/docs/swagger-ui.css',
      '/docs-yaml',
      '/favicon.svg',
      '/assets/unknown.js',
      '/unknown',
      '/api/v1/unknown',
      '/admin/queues',
      '/.env',
    ])('%s', async (path) => {
      const address = `2001:db8:${path.length.toString(16)}:${Buffer.from(path.slice(-2)).toString('hex')}`;
      const all = await statuses(22, path, (index) => `${address}:${index}::1`);
      expect(refused(all)).toBe(2);
      const last = await get(path, `${address}::2`);
      expect([last.status, last.body]).toEqual([429, expect.objectContaining({ code: 'RATE_LIMITED' })]);
      expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
      expect((await get(path, '192.0.2.77')).status).not.toBe(429);
    });

    it('together, whatever is asked for, and apart from health checks and from credentials', async () => {
      const address = '192.0.2.1';
      await statuses(10, '/docs', () => address);
      await statuses(10, asset, () => address);
      expect((await get('/unknown', address)).status).toBe(429);
      expect((await get('/health/live', address)).status).toBe(200);
      const client = await service.newAccount();
      const stats = await get('/api/v1/gateway/stats', address, { 'x-api-key': client.apiKey });
      expect(stats.status).toBe(200);
    });

    it.each(['/health/live', '/health/ready'])('%s, of which a health check needs few', async (path) => {
      expect(refused(await statuses(30, path, () => '192.0.2.2'))).toBe(0);
    });

    it('public routes of the API, also without a body', async () => {
      const logIn = () =>
        request(service.url).post('/api/v1/auth/login').set({ 'x-forwarded-for': '192.0.2.3' });
      const all = [await logIn(), await logIn(), await logIn()].map(({ status }) => status);
      expect(all).toEqual([400, 400, 429]);
    });
  });

  describe('is sent from memory', () => {
    it.each(['/docs-json', '/docs', '/docs/swagger-ui-bundle.js', 'asset'])('%s', async (name) => {
      const path = name === 'asset' ? asset : name;
      const texts = new Set<string>();
      const tags = new Set<string>();
      for (const encoding of ['identity', 'gzip', 'br', 'zstd, gzip;q=0']) {
        const headers = { 'accept-encoding': encoding, 'x-forwarded-for': `192.0.3.${path.length}` };
        const answer = await fetch(`${service.url}${path}`, { headers });
        expect(answer.headers.get('content-encoding')).toBe(
          encoding === 'gzip' || encoding === 'br' ? encoding : null,
        );
        expect(answer.headers.get('vary')).toBe('accept-encoding');
        texts.add(await answer.text());
        const etag = answer.headers.get('etag') ?? '';
        tags.add(etag);
        const again = await fetch(`${service.url}${path}`, {
          headers: { ...headers, 'if-none-match': etag },
        });
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
      }
      expect([texts.size, tags.size]).toEqual([1, 3]);
    });

    it('and the document is read once', async () => {
      const other = await TestService.start({ shared: service });
      const reads = jest.spyOn(jest.requireActual<typeof files>('node:fs/promises'), 'readFile');
      const read = () => request(other.url).get('/docs-json');
      const answers = await Promise.all([read(), read(), read()]);
      answers.push(await read());
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const isDocument = (file: unknown) => typeof file === 'string' && file.endsWith('openapi.json');
      expect(reads.mock.calls.filter(([file]) => isDocument(file))).toHaveLength(1);
      reads.mockRestore();
      await other.stop();
    });
  });
});
