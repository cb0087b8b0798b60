import { appError } from '../../common/errors';

export class ConversationNotFound extends appError(
  'not_found',
  'CONVERSATION_NOT_FOUND',
  'The account has no messages with this number',
) {}
