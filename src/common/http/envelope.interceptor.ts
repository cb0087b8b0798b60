import {
  CallHandler,
  ExecutionContext,
  Injectable,
  NestInterceptor,
  SetMetadata,
  StreamableFile,
} from '@nestjs/common';
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

/** An answer with a word to whoever reads it; answered as `{data, message}`. */
export class Annotated<Data> {
  constructor(
    readonly data: Data,
    readonly message: string,
  ) {}
}

/** @returns what is answered where a handler returns this. */
export function enveloped(value: unknown): object {
  // It writes its envelope itself.
  if (value instanceof StreamableFile) return value;
  if (value instanceof Page) return { data: value.items as unknown, meta: value.meta as unknown };
  if (value instanceof Annotated) return { data: value.data as unknown, message: value.message };
  return { data: value };
}

/** Wraps what a handler returns as `{data}`. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.reflector.get<boolean | undefined>(BARE, context.getHandler())) return next.handle();
    return next.handle().pipe(map(enveloped));
  }
}
