import { OptionalChoice } from '../../common/http/requests/query-fields';

export class ContactDeletionRequest {
  @OptionalChoice(
    'true: also deletes the messages with its numbers, and removes numbers and words from blocks and records of consent, which stay in force',
    ['true', 'false'],
    { default: 'false' },
  )
  erase?: 'true' | 'false';
}
