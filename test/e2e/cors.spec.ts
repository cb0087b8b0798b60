import type { LoggerService } from '@nestjs/common';
import request from 'supertest';
import { loadConfiguration } from '../../src/config/configuration';
import { TestService } from '../support/service';
import { newStore } from '../support/test-store';

const ELSEWHERE = 'https://dashboard.example.com';
const PATH = '/api/v1/gateway/stats';

describe('CORS', () => {
  it('allows no other origin by default', async () => {
    const service = await TestService.start();
    const client = await service.newAccount();
    const answer = await client.get('/gateway/stats').set('origin', ELSEWHERE);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    const response = await request(service.url)
      .options(PATH)
      .set({ origin: ELSEWHERE, 'access-control-request-method': 'GET' });
    expect(response.headers).not.toHaveProperty('access-control-allow-origin');
    await service.stop();
  });

  it('allows a configured origin to send a token, but neither an API key nor cookies', async () => {
    const service = await TestService.start({
      environment: { CORS_ORIGINS: `${ELSEWHERE}, http://localhost:5173` },
    });
    const client = await service.newAccount();
    const preflight = (origin: string, headers: string) =>
      request(service.url).options(PATH).set({
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': headers,
      });
    for (const origin of [ELSEWHERE, 'http://localhost:5173']) {
      const { status, headers } = await preflight(origin, 'authorization,content-type');
      expect([status, headers['access-control-allow-origin']]).toEqual([204, origin]);
      const allowed = headers['access-control-allow-headers']?.toLowerCase();
      expect(allowed).toContain('authorization');
      expect(allowed).not.toContain('x-api-key');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const other = await preflight('https://evil.example', 'authorization');
    expect(other.headers['access-control-allow-origin']).not.toBe('https://evil.example');

    const answer = await client.get('/gateway/stats').set('origin', ELSEWHERE);
    expect(answer.headers['access-control-allow-origin']).toBe(ELSEWHERE);
    expect(answer.headers.vary).toContain('Origin');
    const refused = await request(service.url).get(PATH).set('origin', ELSEWHERE);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, ELSEWHERE]);
    await service.stop();
  });

  it.each(['*', 'dashboard.example.com', 'https://a.example/path', 'https://a.example/', 'null'])(
    'rejects %s in CORS_ORIGINS at start',
    (text) => {
      expect(() => loadConfiguration({ ...newStore().environment, CORS_ORIGINS: text })).toThrow(
        /CORS_ORIGINS/,
      );
    },
  );
});

describe('the log, behind a proxy', () => {
  async function errorsOf(environment: Record<string, string>, call: (url: string) => Promise<unknown>) {
    const errors: string[] = [];
    const ignore = () => undefined;
    const logger: LoggerService = {
      log: ignore,
      warn: ignore,
      error: (text: unknown) => errors.push(String(text)),
    };
    const service = await TestService.start({ environment, logger });
    for (let time = 0; time < 2; time++) await call(service.url);
    await service.stop();
    return errors;
  }

  const forwarded = (url: string) => request(url).get('/health/live').set('x-forwarded-for', '203.0.113.7');

  it('has an error once if X-Forwarded-For comes, and no proxy is trusted', async () => {
    const errors = await errorsOf({}, forwarded);
    expect(errors.filter((text) => text.includes('TRUST_PROXY'))).toHaveLength(1);
  });

  it('has no error for X-Forwarded-For of a trusted proxy', async () => {
    expect(await errorsOf({ TRUST_PROXY: '1' }, forwarded)).toEqual([]);
  });

  const signIn = (url: string, origin: string) =>
    request(url).post('/api/v1/auth/session').set({ origin }).send({ email: 'a@example.com', password: 'b' });

  it('has an error once if a page signs in whose host the proxy has changed', async () => {
    const errors = await errorsOf({}, (url) => signIn(url, `${url}0`));
    expect(errors).toEqual([
      expect.stringMatching(/A page at "http:.*" signs in, .* for the host "127\.0\.0\.1:/),
    ]);
  });

  it('has no error if the dashboard or a page of CORS_ORIGINS signs in', async () => {
    expect(await errorsOf({}, (url) => signIn(url, url))).toEqual([]);
    expect(await errorsOf({ CORS_ORIGINS: ELSEWHERE }, (url) => signIn(url, ELSEWHERE))).toEqual([]);
  });
});
