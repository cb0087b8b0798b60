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
import { type PlatformResponse, rawResponseOf } from '../../common/http/raw-http';
import type { AccountScope } from '../account-scope';
import { ConcurrencyLimiter } from '../limits/concurrency-limiter.service';
import { AccountTurns } from '../limits/account-turns.service';
import { type LimitedOperation, ConcurrencyLimited } from '../limits/limit.errors';
import { TakesNoTurn } from './route-access.decorators';

const LIMITED_OPERATIONS_OF = 'limited-operations';

/** Whether `LimitsConcurrency` limits a route. */
export const isConcurrencyLimited = (
  reflector: Reflector,
  handler: ReturnType<ExecutionContext['getHandler']>,
) => reflector.get<OperationsOfQuery | undefined>(LIMITED_OPERATIONS_OF, handler) !== undefined;

type Operation = Exclude<LimitedOperation, 'requests'>;
type OperationsOfQuery = (query: unknown) => readonly Operation[];

/** A request holds its slots and its turn until its response is sent or its connection closes. */
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
    const { user, query } = http.getRequest<{ readonly user?: AccountScope; readonly query?: unknown }>();
    if (!user) return next.handle();
    const release = this.acquireAll(user, operationsOf(query));
    const response = rawResponseOf(http.getResponse<PlatformResponse>());
    const endTurn = await this.beginTurn(user, context).catch((failure: unknown) => {
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

  private async beginTurn(account: AccountScope, context: ExecutionContext) {
    const takesNone = this.reflector.get(TakesNoTurn, context.getHandler());
    return takesNone ? undefined : this.turns.begin(account);
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
