import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type PipelineStage, type QueryFilter, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { ContactPosition } from './contact-cursor';
import {
  Contact,
  FIELDS_INDEX,
  LISTS_INDEX,
  NAME_INDEX,
  NUMBERS_INDEX,
  TAGS_INDEX,
  WORDS_INDEX,
} from './contact.schema';
import { SHOWN } from './contacts.repository';

/** A search finds at most this many contacts, so that one that matches most of 100,000 is as fast as others. */
export const MAX_FOUND = 5_000;

/** More are found in the order of their names. */
const MAX_SORTED = 2_000;

/** Read from the database at once: in a few milliseconds. */
const RECIPIENTS_AT_ONCE = 1_000;

/** Which contacts to list; an absent field does not filter. */
export interface ContactCondition {
  /** See `searchWords`. */
  readonly words?: readonly (readonly string[])[];
  readonly peerNumbers?: readonly string[];
  /** All of them. */
  readonly tagKeys?: readonly string[];
  /** All of them. */
  readonly fieldKeys?: readonly string[];
  readonly list?: Types.ObjectId;
}

/** What a send needs of a contact. */
export type Recipient = Pick<Contact, '_id' | 'name' | 'numbers'>;

/** Lists contacts by name. */
@Injectable()
export class ContactPagesRepository {
  constructor(@InjectModel(Contact.name) private readonly contacts: Model<Contact>) {}

  /** @param after the last one of the page before. */
  async list(
    account: AccountScope,
    condition: ContactCondition,
    after: ContactPosition | undefined,
    limit: number,
  ): Promise<Contact[]> {
    if (condition.words)
      return this.contacts
        .aggregate<Contact>(searchStages(account, condition, after, limit))
        .hint(indexFor(condition));
    const query: QueryFilter<Contact> = { ...queryOf(account, condition), ...behind(after) };
    return this.contacts
      .find(query)
      .sort({ sortKey: 1, _id: 1 })
      .limit(limit)
      .hint(after ? await this.indexBehind(account, condition) : indexFor(condition))
      .lean<Contact[]>();
  }

  /** Counts contacts up to a limit. */
  count(account: AccountScope, condition: ContactCondition, limit: number): Promise<number> {
    return this.contacts.countDocuments(queryOf(account, condition), { limit, hint: indexFor(condition) });
  }

  /** Lists the primary numbers of contacts, in the order of the list. */
  listRecipients(account: AccountScope, condition: ContactCondition, limit: number): Promise<Recipient[]> {
    return this.contacts
      .find(queryOf(account, condition), { name: 1, numbers: { $slice: 1 } })
      .sort({ sortKey: 1, _id: 1 })
      .hint(indexFor(condition))
      .limit(limit)
      .batchSize(RECIPIENTS_AT_ONCE)
      .lean<Recipient[]>();
  }

  /** Behind a position, DocumentDB reads all that an index of lists, tags or fields has, and sorts it. */
  private async indexBehind(account: AccountScope, condition: ContactCondition) {
    const index = indexFor(condition);
    if (index === NAME_INDEX || index === NUMBERS_INDEX) return index;
    return (await this.count(account, condition, MAX_SORTED)) < MAX_SORTED ? index : NAME_INDEX;
  }

  /** Finds the comparable numbers of contacts, of the first ones by name. */
  async searchNumbers(account: AccountScope, condition: ContactCondition, limit: number): Promise<string[]> {
    const stages = [...searchStages(account, condition, undefined, limit), { $project: { peerNumbers: 1 } }];
    const found = await this.contacts
      .aggregate<Pick<Contact, 'peerNumbers'>>(stages)
      .hint(indexFor(condition));
    return found.flatMap(({ peerNumbers }) => peerNumbers);
  }
}

const searchStages = (
  account: AccountScope,
  condition: ContactCondition,
  after: ContactPosition | undefined,
  limit: number,
): PipelineStage[] => [
  { $match: queryOf(account, condition) },
  { $limit: MAX_FOUND },
  { $match: behind(after) },
  { $sort: { sortKey: 1, _id: 1 } },
  { $limit: limit },
];

/** Without it, the database may read all contacts in their order, for the few that match. */
function indexFor({ words, peerNumbers, list, tagKeys, fieldKeys }: ContactCondition) {
  if (peerNumbers) return NUMBERS_INDEX;
  if (words) return WORDS_INDEX;
  if (list) return LISTS_INDEX;
  if (tagKeys) return TAGS_INDEX;
  return fieldKeys ? FIELDS_INDEX : NAME_INDEX;
}

function queryOf(
  { user }: AccountScope,
  { words = [], peerNumbers, tagKeys = [], fieldKeys = [], list }: ContactCondition,
): QueryFilter<Contact> {
  const all: QueryFilter<Contact>[] = [
    ...words.map((alternatives) => anyOf(alternatives.map((text) => ({ words: { $regex: `^${text}` } })))),
    ...tagKeys.map((key) => ({ tagKeys: key })),
    ...fieldKeys.map((key) => ({ fieldKeys: key })),
  ];
  return {
    user,
    ...(peerNumbers && { peerNumbers: { $in: peerNumbers } }),
    ...(list && { lists: list }),
    ...(all.length > 0 && { $and: all }),
    ...SHOWN,
  };
}

function anyOf(conditions: readonly QueryFilter<Contact>[]): QueryFilter<Contact> {
  const [only, ...others] = conditions;
  return only && others.length === 0 ? only : { $or: [...conditions] };
}

/** The bound of the key is outside the `$or` because only there it limits the index scan. */
const behind = (after: ContactPosition | undefined): QueryFilter<Contact> =>
  after
    ? {
        sortKey: { $gte: after.sortKey },
        $or: [{ sortKey: { $gt: after.sortKey } }, { _id: { $gt: after._id } }],
      }
    : {};
