import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Types } from 'mongoose';
import { type Observable, tap } from 'rxjs';
import { ConnectionRecorder } from '../devices/connection/connection-recorder.service';
import type { PhoneCallKind } from '../devices/connection/phone-calls';

const CallKindOf = Reflector.createDecorator<PhoneCallKind>();

/** Records accepted calls: their device exists, and belongs to the account. */
@Injectable()
class PhoneCallInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly connections: ConnectionRecorder,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { params } = context.switchToHttp().getRequest<{ readonly params: { readonly id: string } }>();
    const kind = this.reflector.get(CallKindOf, context.getHandler());
    return next.handle().pipe(
      tap(() => {
        this.connections.recordCall(new Types.ObjectId(params.id), kind);
      }),
    );
  }
}

/** A route that a phone calls, with its device id in the path. */
export const PhoneCall = (kind: PhoneCallKind = 'call'): MethodDecorator =>
  applyDecorators(CallKindOf(kind), UseInterceptors(PhoneCallInterceptor));
