import type { HttpServer } from '@nestjs/common';

/** The part of a Fastify instance that is used here: modules load neither platform. */
interface FastifyMethods {
  addHttpMethod(method: string, options: { hasBody: boolean; overrideExisting: boolean }): unknown;
}

/**
 * Keeps the platform from reading bodies before the guards have run. Fastify reads them by default; Express does not when
 * the application is created with `bodyParser: false`.
 */
export function leaveBodiesUnread(adapter: HttpServer): void {
  if (adapter.getType() !== 'fastify') return;
  const instance = adapter.getInstance() as FastifyMethods;
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    instance.addHttpMethod(method, { hasBody: false, overrideExisting: true });
}
