import type { ContactCondition } from '../store/contact-pages.repository';
import { fieldKey, tagKey } from '../store/contact-terms';
import type { ContactList } from './contact-list.schema';

/** Which contacts are members of a list. */
export function membersOf({ _id, segment }: Pick<ContactList, '_id' | 'segment'>): ContactCondition {
  if (!segment) return { list: _id };
  return 'tag' in segment ? { tagKeys: [tagKey(segment.tag)] } : { fieldKeys: [fieldKey(segment.field)] };
}
