import type { HttpServer } from '@nestjs/common';

/** Part of a Fastify instance; modules must not import a platform. */
interface FastifyMethods {
  addHttpMethod(method: string, options: { hasBody: boolean; overrideExisting: boolean }): unknown;
}

/**
 * Stops Fastify from parsing bodies, so that they are read after authentication. Under Express, `bodyParser: false` does it.
 */
export function disableBodyParsing(adapter: HttpServer): void {
  if (adapter.getType() !== 'fastify') return;
  const instance = adapter.getInstance() as FastifyMethods;
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    instance.addHttpMethod(method, { hasBody: false, overrideExisting: true });
}
