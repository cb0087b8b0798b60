import { PickType } from '@nestjs/swagger';
import { LenientRequest } from '../../common/http/body-shape';
import { MessageListRequest } from '../../messages/dto/message-list.request';
import type { RawMessageQuery } from '../../messages/message-query';

/** A page of one device's messages. */
@LenientRequest()
export class DeviceMessagesRequest extends PickType(MessageListRequest, ['page', 'limit', 'type'] as const) {
  queryFor(deviceId: string): RawMessageQuery {
    return { page: this.page, limit: this.limit, type: this.type, deviceIds: deviceId };
  }
}

/** A page of what one device received. */
@LenientRequest()
export class ReceivedMessagesRequest extends PickType(MessageListRequest, ['page', 'limit'] as const) {
  queryFor(deviceId: string): RawMessageQuery {
    return { page: this.page, limit: this.limit, direction: 'received', deviceIds: deviceId };
  }
}
