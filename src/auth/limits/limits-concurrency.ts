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
import type { AccountScope } from '../account-scope';
import { ConcurrencyLimits } from './concurrency-limits.service';
import { type ConcurrentWork, TooManyAtOnce } from './limit.errors';

const LIMITED_WORK = 'limited-work';

interface LimitedWork {
  readonly work: ConcurrentWork;
  readonly counts: (query: unknown) => boolean;
}

@Injectable()
export class ConcurrencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: ConcurrencyLimits,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { work, counts } = this.reflector.get<LimitedWork>(LIMITED_WORK, context.getHandler());
    const { user, query } = context
      .switchToHttp()
      .getRequest<{ readonly user?: AccountScope; readonly query?: unknown }>();
    if (!user || !counts(query)) return next.handle();
    return next.handle().pipe(finalize(this.limits.take(user, work)));
  }
}

/**
 * Bounds how often an account has this route running at the same time in one process.
 * @param example the limit that the API document shows.
 * @param counts whether a request with this query counts.
 */
export const LimitsConcurrency = (
  work: ConcurrentWork,
  example: number,
  counts: LimitedWork['counts'] = () => true,
): MethodDecorator =>
  applyDecorators(
    SetMetadata(LIMITED_WORK, { work, counts } satisfies LimitedWork),
    UseInterceptors(ConcurrencyInterceptor),
    ApiError(new TooManyAtOnce(work, example)),
  );
