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

const UNWRAPPED = 'unwrapped-response';

/** Sends the handler's result without an envelope. */
export const Unwrapped = () => SetMetadata(UNWRAPPED, true);

/** Sent as `{data, meta}`. */
export class Page<Item, Meta> {
  constructor(
    readonly items: Item[],
    readonly meta: Meta,
  ) {}
}

/** Sent as `{data, message}`. */
export class WithMessage<Data> {
  constructor(
    readonly data: Data,
    readonly message: string,
  ) {}
}

/** The result of a handler that returns nothing; see `SuccessResponse`. */
const SUCCESS = { data: { success: true } };

function wrapInEnvelope(value: unknown): object {
  if (value === undefined) return SUCCESS;
  // A streamed response includes its envelope.
  if (value instanceof StreamableFile) return value;
  if (value instanceof Page) return { data: value.items as unknown, meta: value.meta as unknown };
  if (value instanceof WithMessage) return { data: value.data as unknown, message: value.message };
  return { data: value };
}

/** Wraps the handler's result as `{data}`. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.reflector.get<boolean | undefined>(UNWRAPPED, context.getHandler())) return next.handle();
    return next.handle().pipe(map(wrapInEnvelope));
  }
}
