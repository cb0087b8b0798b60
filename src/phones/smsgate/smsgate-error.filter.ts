import { Catch } from '@nestjs/common';
import { ErrorFilter } from '../../common/http/responses/error.filter';
import { ForeignDevice } from './smsgate.errors';

/** Errors as the app reads them: `message`, also with a 401. */
@Catch()
export class SmsGateErrorFilter extends ErrorFilter {
  protected override translate(failure: unknown, request: Parameters<ErrorFilter['send']>[1]) {
    const { status, body } = super.translate(failure, request);
    return {
      status: failure instanceof ForeignDevice ? 403 : status,
      body: { message: body.error, ...body },
    };
  }
}
