import type { IncomingMessage, ServerResponse } from 'node:http';

// Handlers are given the objects of the platform that serves HTTP: Fastify wraps Node's request and response, Express
// extends them. What is the same on both stands here.

export type PlatformRequest = IncomingMessage | { readonly raw: IncomingMessage };

export type PlatformResponse =
  | ServerResponse
  | {
      readonly raw: ServerResponse;
      hijack(): unknown;
      getHeaders(): Record<string, number | string | string[] | undefined>;
    };

/** A request as middleware is given it on both platforms. */
export type RawRequest = IncomingMessage & {
  /** The client's address, as far as proxies are trusted. */
  readonly ip?: string;
};

export const rawRequestOf = (request: PlatformRequest): RawRequest =>
  'raw' in request ? request.raw : request;

/** For headers and the status; the platform sends them with the answer. */
export const rawResponseOf = (response: PlatformResponse): ServerResponse =>
  'raw' in response ? response.raw : response;

/** Takes the response from the platform with the headers it has so far; the platform no longer writes to it. */
export function takeOver(response: PlatformResponse): ServerResponse {
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

/** The path as the client wrote it, without its query. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.replace(/[?#].*$/s, '');

/** What the router of either platform found. */
export interface RoutedRequest {
  /** Fastify. */
  readonly routeOptions?: { readonly url?: string };
  /** Express. */
  readonly route?: { readonly path?: unknown };
}

/** The template of the route, such as `/api/v1/gateway/devices/:id`; undefined where there is no route. */
export function routeTemplateOf({ routeOptions, route }: RoutedRequest): string | undefined {
  if (routeOptions) return routeOptions.url;
  return typeof route?.path === 'string' ? route.path : undefined;
}
