import { PickType } from '@nestjs/swagger';
import { LenientRequest } from '../../common/http/requests/request-shape';
import { MessageListRequest } from '../../messages/dto/message-list.request';
import type { RawMessageQuery } from '../../messages/lists/message-query';

@LenientRequest()
export class DeviceMessagesRequest extends PickType(MessageListRequest, ['page', 'limit', 'type'] as const) {
  queryFor(deviceId: string): RawMessageQuery {
    return { page: this.page, limit: this.limit, type: this.type, deviceIds: deviceId };
  }
}

@LenientRequest()
export class ReceivedMessagesRequest extends PickType(MessageListRequest, ['page', 'limit'] as const) {
  queryFor(deviceId: string): RawMessageQuery {
    return { page: this.page, limit: this.limit, direction: 'received', deviceIds: deviceId };
  }
}
