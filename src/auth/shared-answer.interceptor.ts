import {
  applyDecorators,
  CallHandler,
  ExecutionContext,
  Injectable,
  NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, Observable } from 'rxjs';
import { SharedWork } from '../common/gathering';
import { AnswersBare, enveloped } from '../common/http/envelope.interceptor';
import type { AccountScope } from './account-scope';

@Injectable()
class SharedAnswerInterceptor implements NestInterceptor {
  private readonly answers = new SharedWork<string>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<string> {
    const http = context.switchToHttp();
    const { user, originalUrl } = http.getRequest<Request & { user: AccountScope }>();
    http.getResponse<Response>().type('json');
    const answer = async () => JSON.stringify(enveloped(await lastValueFrom(next.handle())));
    return from(this.answers.ask(`${user.user.toHexString()} ${originalUrl}`, answer));
  }
}

/**
 * For reads whose answer depends on the account and the URL alone. A dashboard that is open on many screens asks for the
 * same again and again: what is asked for at the same time is read once, and the answer written once. None is
 * remembered.
 */
export const AnswersShared = () =>
  applyDecorators(
    AnswersBare(), // it comes out of the interceptor as it is sent
    UseInterceptors(SharedAnswerInterceptor),
  );
