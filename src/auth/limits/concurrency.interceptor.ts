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
import { ConcurrencyLimiter } from './concurrency-limiter.service';
import { type ConcurrentWork, ConcurrencyLimited } from './limit.errors';

const LIMITED_WORK = 'limited-work';

type WorkOfQuery = (query: unknown) => readonly ConcurrentWork[];

/** A request holds its slots until its response is sent or its connection closes. */
@Injectable()
export class ConcurrencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: ConcurrencyLimiter,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const worksOf = this.reflector.get<WorkOfQuery>(LIMITED_WORK, context.getHandler());
    const http = context.switchToHttp();
    const { user, query } = http.getRequest<{ readonly user?: AccountScope; readonly query?: unknown }>();
    if (!user) return next.handle();
    const release = this.acquireAll(user, worksOf(query));
    const response = rawResponseOf(http.getResponse<PlatformResponse>());
    return next.handle().pipe(
      finalize(() => {
        if (response.closed) release();
        else response.once('close', release);
      }),
    );
  }

  private acquireAll(account: AccountScope, works: readonly ConcurrentWork[]): () => void {
    const releases: (() => void)[] = [];
    const releaseAll = () => {
      for (const release of releases) release();
    };
    try {
      for (const work of works) releases.push(this.limiter.acquire(account, work));
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
 * @param worksOf the operations that a request with this query counts as; by default `work`.
 */
export const LimitsConcurrency = (
  work: ConcurrentWork,
  example: number,
  worksOf: WorkOfQuery = () => [work],
): MethodDecorator =>
  applyDecorators(
    SetMetadata(LIMITED_WORK, worksOf),
    UseInterceptors(ConcurrencyInterceptor),
    ApiError(new ConcurrencyLimited(work, example)),
  );
