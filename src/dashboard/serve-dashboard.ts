import { randomBytes } from 'node:crypto';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What `npm run build` makes of the workspace `dashboard`. */
const BUILT = join(__dirname, '..', '..', 'dashboard', 'dist');
const ASSETS = join(BUILT, 'assets');

/** The first part of each address of a page; `dashboard/src/router.tsx` has the pages. */
export const PAGES = [
  'account',
  'api-keys',
  'campaigns',
  'conversations',
  'messages',
  'operations',
  'phones',
  'pools',
  'reset-password',
  'send',
  'sign-in',
  'webhooks',
] as const;

/** The page may load what the service itself serves, and nothing else; styles that scripts make need the nonce of the answer. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Serves the built dashboard. @returns false if it has not been built. */
export function serveDashboard(app: NestFastifyApplication): boolean {
  const index = join(BUILT, 'index.html');
  if (!existsSync(index)) {
    new Logger('Dashboard').warn('The dashboard is not built: run npm run build');
    return false;
  }
  const html = readFileSync(index, 'utf8');
  const servePage = (_: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .header('content-security-policy', policyWith(nonce))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(html.replace('name="csp-nonce" content=""', `name="csp-nonce" content="${nonce}"`));
  };
  const instance = app.getHttpAdapter().getInstance();
  const serveFiles = (folder: string, cacheControl: string, paths: Partial<FastifyStaticOptions>) =>
    void instance.register(fastifyStatic, {
      root: folder,
      index: false,
      preCompressed: true,
      decorateReply: false,
      setHeaders: (reply) => void reply.header('cache-control', cacheControl),
      ...paths,
    });
  // Their names contain a hash of their content.
  serveFiles(ASSETS, 'public, max-age=31536000, immutable', { prefix: '/assets/' });
  serveFiles(BUILT, 'public, max-age=3600', { wildcard: false, globIgnore: ['assets/**', 'index.html'] });
  instance.get('/', servePage);
  for (const page of PAGES) {
    instance.get(`/${page}`, servePage);
    instance.get(`/${page}/*`, servePage);
  }
  return true;
}
