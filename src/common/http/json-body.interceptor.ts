import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { json, Request, Response } from 'express';
import { Observable } from 'rxjs';
import { AppError } from '../errors';
import { assertPlausible, MalformedBody } from './body-shape';

const LIMIT_MEBIBYTES = 2;

export class BodyTooLarge extends AppError {
  readonly kind = 'invalid';
  readonly code = 'BODY_TOO_LARGE';

  constructor() {
    super(`The request body is larger than ${LIMIT_MEBIBYTES} MB`);
  }
}

/**
 * Reads the JSON body. An interceptor and not the usual middleware, because interceptors run after the
 * guards: a request without a valid key is answered before its body is read.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  // Any content type: clients in the field forget the header, and nothing but JSON is spoken here.
  private readonly parse = json({ limit: LIMIT_MEBIBYTES * 1024 * 1024, type: () => true });

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { body: unknown }>();
    await new Promise<void>((resolve, reject) => {
      this.parse(request, http.getResponse<Response>(), (failure?: unknown) => {
        if (failure) reject(this.translate(failure));
        else resolve();
      });
    });
    // A request without a body is one with no fields: validation then names those that are missing.
    request.body ??= {};
    assertPlausible(request.body);
    return next.handle();
  }

  private translate(failure: unknown): Error {
    const type = failure instanceof Error && 'type' in failure ? failure.type : undefined;
    if (type === 'entity.too.large') return new BodyTooLarge();
    return new MalformedBody('The request body is not valid JSON');
  }
}
