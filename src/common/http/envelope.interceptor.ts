import { CallHandler, ExecutionContext, Injectable, NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { map, Observable } from 'rxjs';

const BARE = 'answers-bare';

/** For the routes whose clients read the answer without an envelope. */
export const AnswersBare = () => SetMetadata(BARE, true);

/** A list with its paging facts; answered as `{data, meta}`. */
export class Page<Item, Meta> {
  constructor(
    readonly items: Item[],
    readonly meta: Meta,
  ) {}
}

/** Wraps what a handler returns as `{data}`. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.reflector.get<boolean | undefined>(BARE, context.getHandler())) return next.handle();
    return next
      .handle()
      .pipe(
        map((value: unknown) =>
          value instanceof Page
            ? { data: value.items as unknown, meta: value.meta as unknown }
            : { data: value },
        ),
      );
  }
}
