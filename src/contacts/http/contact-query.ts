import { FieldErrors } from '../../common/errors';
import { INVALID_ID, parseId } from '../../common/http/requests/id.pipe';
import { decodeContactCursor } from '../store/contact-cursor';
import type { ContactQuery } from '../contact-pages.service';
import type { ContactListRequest } from './contact.request';

const DEFAULT_LIMIT = 50;
const MAX_SEARCH_LENGTH = 256;

export const INVALID_CONTACT_CURSOR = 'is not the nextCursor of a page of contacts';

/** @throws ValidationFailed */
export function parseContactQuery(request: ContactListRequest): ContactQuery {
  const { limit = DEFAULT_LIMIT, search, number, tag, field, value } = request;
  const errors = new FieldErrors();
  const after = errors.parse('cursor', request.cursor, decodeContactCursor, INVALID_CONTACT_CURSOR);
  const listId = errors.parse('listId', request.listId, parseId, INVALID_ID);
  for (const [name, text] of Object.entries({ search, number, tag, field, value }))
    if (text !== undefined && text.length > MAX_SEARCH_LENGTH)
      errors.add(name, `must not be longer than ${MAX_SEARCH_LENGTH} characters`);
  if (field !== undefined && value === undefined) errors.add('value', 'is required beside field');
  if (value !== undefined && field === undefined) errors.add('field', 'is required beside value');
  errors.throwIfAny();
  return {
    filter: {
      search,
      number,
      tag,
      ...(field !== undefined && value !== undefined && { field: { name: field, value } }),
      ...(listId && { listId }),
    },
    limit,
    after,
  };
}
