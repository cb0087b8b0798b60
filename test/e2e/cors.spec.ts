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

describe('X-Forwarded-For', () => {
  const countErrors = async (environment: Record<string, string>) => {
    const errors: string[] = [];
    const ignore = () => undefined;
    const logger: LoggerService = {
      log: ignore,
      warn: ignore,
      error: (text: unknown) => errors.push(String(text)),
    };
    const service = await TestService.start({ environment, logger });
    for (let call = 0; call < 3; call++)
      await request(service.url).get('/health/live').set('x-forwarded-for', '203.0.113.7');
    await service.stop();
    return errors.filter((text) => text.includes('TRUST_PROXY')).length;
  };

  it('logs an error once while no proxy is trusted', async () => {
    expect(await countErrors({})).toBe(1);
  });

  it('logs nothing behind a trusted proxy', async () => {
    expect(await countErrors({ TRUST_PROXY: '1' })).toBe(0);
  });
});
