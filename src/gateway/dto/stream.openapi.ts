import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ApiError } from '../../common/http/openapi-decorators';

/** What the document says of the stream a phone holds. */
export const ApiStream = (): MethodDecorator =>
  applyDecorators(
    ApiResponse({
      status: 200,
      description: 'The stream, open until either side ends it',
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          example:
            'event: sms\ndata: {"smsId":"665f1c2ab7e1d4a9c0f3e812","smsBatchId":"665f1c2ab7e1d4a9c0f3e813","message":"Hello","recipients":["+4915112345678"]}\n\n',
        },
      },
    }),
    ApiError({
      kind: 'invalid',
      code: 'NOT_A_STREAM_DEVICE',
      message: 'The device is pushed to over FCM; register it with pushTransport "stream" to open a stream',
    }),
  );
