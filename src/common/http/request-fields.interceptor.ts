import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Observable } from 'rxjs';
import type { RequestShape } from './body-shape';
import { RequestReader } from './request-reader';
import { RequestRoutes } from './request-routes';

const HEADER = 'X-Ignored-Fields';
const MAX_HEADER_LENGTH = 512;
const MAX_NAME_LENGTH = 64;

interface RawRequest {
  body?: unknown;
  query?: unknown;
}

const NO_FIELDS: RequestShape = { fields: new Map(), isLenient: true };

/**
 * Reduces each request to the fields its handler's DTOs know, before anything walks it. A field that is misplaced or
 * misspelt is refused; what else is unknown is ignored, and named in the answer's `X-Ignored-Fields`.
 */
@Injectable()
export class RequestFieldsInterceptor implements NestInterceptor {
  constructor(
    private readonly routes: RequestRoutes,
    private readonly adapter: HttpAdapterHost,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = this.routes.find(context.getHandler());
    if (!route) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<RawRequest>();
    const ignored: string[] = [];
    if (route.body) {
      const reader = new RequestReader(route.body, { fields: this.routes.bodyFieldsOf(route.area) });
      request.body = reader.readBody(request.body);
      ignored.push(...reader.ignoredNames);
    }
    const { query } = request;
    if (typeof query === 'object' && query !== null && Object.keys(query).length > 0) {
      const reader = new RequestReader(route.query ?? NO_FIELDS, { fields: this.parametersOf(route.area) });
      if (route.query) {
        const value = reader.readQuery(query);
        // Express has only a getter for it.
        Object.defineProperty(request, 'query', { value, configurable: true, writable: true });
      } else reader.ignoreQuery(query, route.body);
      ignored.push(...reader.ignoredNames);
    }
    if (ignored.length > 0) {
      this.adapter.httpAdapter.setHeader(http.getResponse(), HEADER, headerOf(ignored));
    }
    return next.handle();
  }

  /** What would narrow a list elsewhere, or says what to send: ignored here, it would widen the answer. */
  private parametersOf(area: string): ReadonlyMap<string, string> {
    return new Map([...this.routes.bodyFieldsOf(area), ...this.routes.listParameters()]);
  }
}

/** The names, as far as they fit; characters that do not belong into a header are replaced. */
function headerOf(names: readonly string[]): string {
  let text = '';
  for (const name of names) {
    const safe = name.slice(0, MAX_NAME_LENGTH).replace(/[^\w.$[\]-]/g, '?');
    const longer = text ? `${text}, ${safe}` : safe;
    if (longer.length > MAX_HEADER_LENGTH) return `${text}, ...`;
    text = longer;
  }
  return text;
}
