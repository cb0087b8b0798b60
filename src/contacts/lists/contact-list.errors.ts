import { appError } from '../../common/errors';
import { MAX_LISTS_PER_ACCOUNT } from '../contact-limits';

export class ListNotFound extends appError(
  'not_found',
  'LIST_NOT_FOUND',
  'The account has no list of contacts with this id',
) {}

export class ListLimitReached extends appError(
  'invalid',
  'LIST_LIMIT_REACHED',
  `The account already has ${MAX_LISTS_PER_ACCOUNT} lists of contacts, which is the maximum; delete one first`,
) {}

export class ListIsSegment extends appError(
  'invalid',
  'LIST_IS_SEGMENT',
  'The list is a segment: its members are the contacts that meet its condition; change their tags or fields, or the condition',
) {}
