import type { IncomingMessage, ServerResponse } from 'node:http';

// Handlers receive the platform's objects: Fastify wraps Node's request and response, Express extends them. These functions
// work with both.

export type PlatformRequest = IncomingMessage | { readonly raw: IncomingMessage };

export type PlatformResponse =
  | ServerResponse
  | {
      readonly raw: ServerResponse;
      hijack(): unknown;
      getHeaders(): Record<string, number | string | string[] | undefined>;
    };

export const rawRequestOf = (request: PlatformRequest): IncomingMessage =>
  'raw' in request ? request.raw : request;

/** For setting headers and the status; the platform still sends the response. */
export const rawResponseOf = (response: PlatformResponse): ServerResponse =>
  'raw' in response ? response.raw : response;

/** Detaches the response from the platform, with its headers so far; the caller must send it. */
export function hijackResponse(response: PlatformResponse): ServerResponse {
  if (!('raw' in response)) return response;
  response.hijack();
  for (const [name, value] of Object.entries(response.getHeaders()))
    if (value !== undefined) response.raw.setHeader(name, value);
  return response.raw;
}

/** @param name in lower case. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The path as it was sent, without the query. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.replace(/[?#].*$/s, '');

export interface RoutedRequest {
  /** Fastify. */
  readonly routeOptions?: { readonly url?: string };
  /** Express. */
  readonly route?: { readonly path?: unknown };
}

/** The route's path template, such as `/api/v1/gateway/devices/:id`; undefined without a route. */
export function routeTemplateOf({ routeOptions, route }: RoutedRequest): string | undefined {
  if (routeOptions) return routeOptions.url;
  return typeof route?.path === 'string' ? route.path : undefined;
}
