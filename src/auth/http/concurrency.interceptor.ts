import type { IncomingHttpHeaders } from 'node:http';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { finalize, type Observable } from 'rxjs';
import { ApiError } from '../../common/http/openapi-decorators';
import { type PlatformResponse, rawResponseOf } from '../../common/http/connections/raw-http';
import type { AccountScope } from '../account-scope';
import { ConcurrencyLimiter } from '../limits/concurrency-limiter.service';
import { AccountTurns } from '../limits/account-turns.service';
import { type LimitedOperation, ConcurrencyLimited } from '../limits/limit.errors';
import { takesTurn } from './takes-turn';

const LIMITED_OPERATIONS_OF = 'limited-operations';

/** Whether `LimitsConcurrency` limits a route. */
export const isConcurrencyLimited = (
  reflector: Reflector,
  handler: ReturnType<ExecutionContext['getHandler']>,
) => reflector.get<OperationsOfQuery | undefined>(LIMITED_OPERATIONS_OF, handler) !== undefined;

type Handler = ReturnType<ExecutionContext['getHandler']>;

interface LimitedRequest {
  readonly user?: AccountScope;
  readonly query?: unknown;
  readonly headers: IncomingHttpHeaders;
}

type Operation = Exclude<LimitedOperation, 'requests'>;
type OperationsOfQuery = (query: unknown) => readonly Operation[];

/** A request holds its slots until its response is sent or its connection closes, and its turn until then or for 500 ms. */
@Injectable()
export class ConcurrencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: ConcurrencyLimiter,
    private readonly turns: AccountTurns,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const operationsOf = this.reflector.get<OperationsOfQuery>(LIMITED_OPERATIONS_OF, context.getHandler());
    const http = context.switchToHttp();
    const { user, query, headers } = http.getRequest<LimitedRequest>();
    if (!user) return next.handle();
    const release = this.acquireAll(user, operationsOf(query));
    const response = rawResponseOf(http.getResponse<PlatformResponse>());
    const endTurn = await this.beginTurn(user, context.getHandler(), headers).catch((failure: unknown) => {
      release();
      throw failure;
    });
    const end = () => {
      endTurn?.();
      release();
    };
    return next.handle().pipe(
      finalize(() => {
        if (response.closed) end();
        else response.once('close', end);
      }),
    );
  }

  private async beginTurn(account: AccountScope, handler: Handler, headers: IncomingHttpHeaders) {
    return takesTurn(this.reflector, handler, headers) ? this.turns.begin(account) : undefined;
  }

  private acquireAll(account: AccountScope, operations: readonly Operation[]): () => void {
    const releases: (() => void)[] = [];
    const releaseAll = () => {
      for (const release of releases) release();
    };
    try {
      for (const operation of operations) releases.push(this.limiter.acquire(account, operation));
    } catch (failure) {
      releaseAll();
      throw failure;
    }
    return releaseAll;
  }
}

/**
 * Limits the concurrent requests of an account to this route, per process.
 * @param example the limit shown in the API document.
 * @param operationsOf the operations that a request with this query counts as; by default `operation`.
 */
export const LimitsConcurrency = (
  operation: Operation,
  example: number,
  operationsOf: OperationsOfQuery = () => [operation],
): MethodDecorator =>
  applyDecorators(
    SetMetadata(LIMITED_OPERATIONS_OF, operationsOf),
    UseInterceptors(ConcurrencyInterceptor),
    ApiError(new ConcurrencyLimited(operation, example)),
  );
