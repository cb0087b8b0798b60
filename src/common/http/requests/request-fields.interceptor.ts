import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Observable } from 'rxjs';
import type { RequestShape } from './request-shape';
import { RequestReader } from './request-reader';
import { RequestShapeRegistry } from './request-shape-registry';

const HEADER = 'X-Ignored-Fields';
const MAX_HEADER_LENGTH = 512;
const MAX_NAME_LENGTH = 64;

interface ParsedRequest {
  body?: unknown;
  query?: unknown;
}

const NO_FIELDS: RequestShape = { fields: new Map(), isFromPhone: true };

/**
 * Reduces each request to the fields of its handler's DTOs. A misplaced or misspelt field is rejected; any other unknown field
 * is ignored and listed in the response header `X-Ignored-Fields`.
 */
@Injectable()
export class RequestFieldsInterceptor implements NestInterceptor {
  constructor(
    private readonly shapes: RequestShapeRegistry,
    private readonly adapter: HttpAdapterHost,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const route = this.shapes.find(context.getHandler());
    if (!route) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<ParsedRequest>();
    const ignored: string[] = [];
    if (route.body) {
      const reader = new RequestReader(route.body, this.shapes.bodyFieldsOf(route.area));
      request.body = await reader.readBody(request.body);
      ignored.push(...reader.ignoredNames);
    }
    const { query } = request;
    if (typeof query === 'object' && query !== null && Object.keys(query).length > 0) {
      const reader = new RequestReader(route.query ?? NO_FIELDS, this.fieldsOfOtherRoutes(route.area));
      if (route.query) {
        const value = reader.readQuery(query);
        // Express defines `query` as a getter.
        Object.defineProperty(request, 'query', { value, configurable: true, writable: true });
      } else reader.ignoreQuery(query, route.body);
      ignored.push(...reader.ignoredNames);
    }
    if (ignored.length > 0) {
      this.adapter.httpAdapter.setHeader(http.getResponse(), HEADER, formatHeader(ignored));
    }
    return next.handle();
  }

  /** Includes the filters of all lists: a misspelt filter that is ignored would widen the response. */
  private fieldsOfOtherRoutes(area: string): ReadonlyMap<string, string> {
    return new Map([...this.shapes.bodyFieldsOf(area), ...this.shapes.listParameters()]);
  }
}

/** Truncated to the maximum length; characters that are not allowed in a header are replaced. */
function formatHeader(names: readonly string[]): string {
  let text = '';
  for (const name of names) {
    const safe = name.slice(0, MAX_NAME_LENGTH).replace(/[^\w.$[\]-]/g, '?');
    const extended = text ? `${text}, ${safe}` : safe;
    if (extended.length > MAX_HEADER_LENGTH) return `${text}, ...`;
    text = extended;
  }
  return text;
}
