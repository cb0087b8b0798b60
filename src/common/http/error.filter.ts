import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { AppError, ErrorKind } from '../errors';
import { failureLine, failureStory } from '../failure-line';
import { isDatabaseOutage } from '../persistence/database-outage';
import {
  pathOf,
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
  type RoutedRequest,
  routeTemplateOf,
  takeOver,
} from './raw-http';

/** The one table of statuses; the API document reads it too. */
export function statusOf(kind: ErrorKind): number {
  switch (kind) {
    case 'invalid':
      return 400;
    case 'unauthorized':
      return 401;
    case 'not_found':
      return 404;
    case 'limited':
      return 429;
    case 'unavailable':
      return 503;
  }
}

interface ErrorAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const answer = (status: number, code: string, text: string, extras = {}): ErrorAnswer => ({
  status,
  body: { error: text, message: text, code, ...extras },
});

/** The one place where failures become answers, all in one shape. Nothing internal is ever shown. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  catch(failure: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(
      failure,
      http.getRequest<PlatformRequest & RoutedRequest>(),
      http.getResponse<PlatformResponse>(),
    );
  }

  answer(failure: unknown, request: PlatformRequest & RoutedRequest, response: PlatformResponse): void {
    const { status, body } = this.translate(failure, request);
    // A stream that has begun cannot change its answer any more.
    if (rawResponseOf(response).headersSent) {
      rawResponseOf(response).end();
      return;
    }
    const text = JSON.stringify(body);
    takeOver(response)
      .writeHead(status, {
        ...(failure instanceof AppError && failure.headers()),
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      })
      .end(text);
  }

  private translate(failure: unknown, request: PlatformRequest & RoutedRequest): ErrorAnswer {
    const raw = rawRequestOf(request);
    const { method = 'GET' } = raw;
    if (failure instanceof AppError) {
      // The specification gives 401 a body of its own.
      if (failure.kind === 'unauthorized') {
        return { status: 401, body: { error: failure.message, code: failure.code } };
      }
      return answer(statusOf(failure.kind), failure.code, failure.message, failure.extras());
    }
    if (failure instanceof HttpException && failure.getStatus() === 404) {
      return answer(404, 'NOT_FOUND', `There is no ${method} ${pathOf(raw)}`);
    }
    if (failure instanceof HttpException && failure.getStatus() < 500) {
      return answer(failure.getStatus(), 'BAD_REQUEST', failure.message);
    }
    const where = `${method} ${routeTemplateOf(request) ?? pathOf(raw)}`;
    if (isDatabaseOutage(failure)) {
      this.logger.error(`${where}: the database cannot be reached: ${failureLine(failure)}`);
      return answer(503, 'UNAVAILABLE', 'The database cannot be reached at the moment; try again shortly');
    }
    this.logger.error(`${where}: ${failureStory(failure)}`);
    return answer(
      500,
      'INTERNAL_ERROR',
      'Something went wrong on the server; the operator finds it in the log',
    );
  }
}
