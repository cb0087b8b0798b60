import { OptionalChoice } from '../../../common/http/requests/query-fields';

export class DeleteDeviceRequest {
  @OptionalChoice(
    'Whether to delete the messages of the device too. Refused while messages are pending or dispatched',
    ['true', 'false'],
    { default: 'false' },
  )
  deleteMessages?: string;
}
