import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { AppError, ErrorKind } from '../../errors';
import { formatError, formatErrorWithStack } from '../../format-error';
import { isDatabaseOutage, isUnconfirmedWrite } from '../../database-outage';
import {
  pathOf,
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
  type RoutedRequest,
  routeTemplateOf,
  hijackResponse,
} from '../connections/raw-http';

/** HTTP status of an error; the API document uses it too. */
export const STATUS_BY_KIND: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  not_found: 404,
  limited: 429,
  unavailable: 503,
};

const errorOf = (status: number, code: string, text: string, extras = {}) => ({
  status,
  body: { error: text, message: text, code, ...extras },
});

/** Turns every failure into an error response. Internal errors are logged and never shown. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  catch(failure: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.send(
      failure,
      http.getRequest<PlatformRequest & RoutedRequest>(),
      http.getResponse<PlatformResponse>(),
    );
  }

  send(failure: unknown, request: PlatformRequest & RoutedRequest, response: PlatformResponse): void {
    const { status, body } = this.translate(failure, request);
    // A stream that has started cannot change its status.
    if (rawResponseOf(response).headersSent) {
      rawResponseOf(response).end();
      return;
    }
    const text = JSON.stringify(body);
    hijackResponse(response)
      .writeHead(status, {
        ...(failure instanceof AppError && failure.headers()),
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      })
      .end(text);
  }

  protected translate(failure: unknown, request: PlatformRequest & RoutedRequest) {
    const raw = rawRequestOf(request);
    const { method = 'GET' } = raw;
    if (failure instanceof AppError) {
      // The body of a 401 has no message field.
      if (failure.kind === 'unauthorized') {
        return { status: 401, body: { error: failure.message, code: failure.code } };
      }
      return errorOf(STATUS_BY_KIND[failure.kind], failure.code, failure.message, failure.extras());
    }
    if (failure instanceof HttpException && failure.getStatus() === 404) {
      return errorOf(404, 'NOT_FOUND', `There is no ${method} ${pathOf(raw)}`);
    }
    if (failure instanceof HttpException && failure.getStatus() < 500) {
      return errorOf(failure.getStatus(), 'BAD_REQUEST', failure.message);
    }
    const where = `${method} ${routeTemplateOf(request) ?? pathOf(raw)}`;
    if (isUnconfirmedWrite(failure)) {
      this.logger.error(`${where}: the database has not confirmed a write: ${formatError(failure)}`);
      return errorOf(
        503,
        'UNAVAILABLE',
        'The database has not confirmed in time that this is stored; it may be done. Repeat the request shortly, a send with its Idempotency-Key: without one it may go out twice',
      );
    }
    if (isDatabaseOutage(failure)) {
      this.logger.error(`${where}: the database cannot be reached: ${formatError(failure)}`);
      return errorOf(503, 'UNAVAILABLE', 'The database cannot be reached at the moment; try again shortly');
    }
    this.logger.error(`${where}: ${formatErrorWithStack(failure)}`);
    return errorOf(500, 'INTERNAL_ERROR', 'Internal server error; report it with the X-Request-Id header');
  }
}
