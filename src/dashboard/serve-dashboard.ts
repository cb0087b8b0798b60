import { randomBytes } from 'node:crypto';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD_PAGES } from '../config/sections/own-paths';
import { readBuiltFiles } from './built-files';

/** What `npm run build` makes of the workspace `dashboard`. */
const BUILT = join(__dirname, '..', '..', 'dashboard', 'dist');

/** The page may load what the service itself serves, and nothing else; styles that scripts make need the nonce of the answer. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Whether a browser opens an address as a page; those of the API are for programs. */
const isNavigation = ({ url, headers }: FastifyRequest): boolean =>
  !/^\/+api(\/|$)/i.test(url) && /\btext\/html\b/i.test(headers.accept ?? '');

/**
 * Serves the built dashboard, whose links are relative to its base.
 * @param basePath of the service; empty at the root of its host.
 * @returns false if it has not been built.
 */
export function serveDashboard(app: NestFastifyApplication, basePath: string): boolean {
  const index = join(BUILT, 'index.html');
  if (!existsSync(index)) {
    new Logger('Dashboard').warn('The dashboard is not built: run npm run build');
    return false;
  }
  const html = readFileSync(index, 'utf8').replace('<base href="/" />', `<base href="${basePath}/" />`);
  const servePage = (_: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .header('content-security-policy', policyWith(nonce))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(html.replace('name="csp-nonce" content=""', `name="csp-nonce" content="${nonce}"`));
  };
  // The page says in the language of the reader that there is nothing; programs get the error of the API.
  const respondNotFound = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('vary', 'accept');
    if (isNavigation(request)) return servePage(request, reply.code(404));
    reply.callNotFound();
    return reply;
  };
  const instance = app.getHttpAdapter().getInstance();
  // Their names contain a hash of their content.
  const assets = readBuiltFiles(join(BUILT, 'assets'), 'public, max-age=31536000, immutable');
  instance.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
    const file = assets.get(request.params['*']);
    return file ? file.send(request, reply) : respondNotFound(request, reply);
  });
  for (const [name, file] of readBuiltFiles(BUILT, 'public, max-age=3600', ['index.html']))
    instance.get(`/${name}`, (request, reply) => file.send(request, reply));
  instance.get('/', servePage);
  for (const page of DASHBOARD_PAGES) {
    instance.get(`/${page}`, servePage);
    instance.get(`/${page}/*`, servePage);
  }
  instance.get('/*', respondNotFound);
  return true;
}
