import { PickType } from '@nestjs/swagger';
import { PhoneRequest } from '../../common/http/requests/request-shape';
import { MessageListRequest } from '../../messages/lists/http/message-list.request';
import type { RawMessageQuery } from '../../messages/lists/message-query';

@PhoneRequest()
export class DeviceMessagesRequest extends PickType(MessageListRequest, [
  'page',
  'limit',
  'type',
  'search',
] as const) {
  queryFor(deviceId: string): RawMessageQuery {
    const { page, limit, type, search } = this;
    return { page, limit, type, search, deviceIds: deviceId };
  }
}

@PhoneRequest()
export class ReceivedMessagesRequest extends PickType(MessageListRequest, ['page', 'limit'] as const) {
  queryFor(deviceId: string): RawMessageQuery {
    return { page: this.page, limit: this.limit, direction: 'received', deviceIds: deviceId };
  }
}
