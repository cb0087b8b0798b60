import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { NotAStreamDevice } from '../phones/phone.errors';

export const ApiStream = (): MethodDecorator =>
  applyDecorators(
    ApiResponse({
      status: 200,
      description: 'The stream, open until either side closes it',
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          example:
            'event: sms\ndata: {"smsId":"665f1c2ab7e1d4a9c0f3e812","smsBatchId":"665f1c2ab7e1d4a9c0f3e813","message":"Hello","recipients":["+447700900123"]}\n\n',
        },
      },
    }),
    ApiErrors(NotAStreamDevice),
  );
