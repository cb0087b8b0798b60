import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import { OwnedDocument } from '../../infrastructure/mongo/owned-document';

export interface ContactNumber {
  /** As it was given. */
  readonly number: string;
  /** The same in comparable form when it was stored, see `peerNumber` in `src/common`. */
  readonly peerNumber: string;
  readonly label?: string;
}

/** A field of the owner's own. */
export interface ContactField {
  readonly name: string;
  /** Not empty. */
  readonly value: string;
}

/** A row of an imported file, which has changed a contact or has been taken back. */
export interface ImportStamp {
  readonly import: Types.ObjectId;
  readonly row: number;
  readonly isUndone?: true;
}

/** What the owner knows of a person. */
export interface ContactContent {
  /** Empty if it has none. */
  readonly name: string;
  /** The first one is the primary number. */
  readonly numbers: ContactNumber[];
  /** Each name once. */
  readonly fields: ContactField[];
  readonly tags: string[];
  readonly notes?: string;
  /** A tag such as `en` or `pt-BR`. */
  readonly language?: string;
  /** The lists that it is a member of; ids of deleted ones may be left. */
  readonly lists: Types.ObjectId[];
}

/** A person that the account writes to. What is derived from its content, for queries, is written by `withTerms`. */
@Schema({ collection: 'contacts', versionKey: false })
export class Contact extends OwnedDocument implements ContactContent {
  @Prop({ type: String })
  name!: string;

  @Prop({ type: [Object], default: undefined })
  numbers!: ContactNumber[];

  @Prop({ type: [Object], default: undefined })
  fields!: ContactField[];

  @Prop({ type: [String], default: undefined })
  tags!: string[];

  @Prop({ type: String })
  notes?: string;

  @Prop({ type: String })
  language?: string;

  @Prop({ type: [Types.ObjectId], default: undefined })
  lists!: Types.ObjectId[];

  /** Derived: by which contacts are sorted. */
  @Prop({ type: String })
  sortKey!: string;

  /** Derived: what a search finds by its beginning. */
  @Prop({ type: [String], default: undefined })
  words!: string[];

  /** Derived: the numbers in comparable form; without one, its own id, because no value may be there twice. */
  @Prop({ type: [String], default: undefined })
  peerNumbers!: string[];

  /** Derived: see `tagKey`. */
  @Prop({ type: [String], default: undefined })
  tagKeys!: string[];

  /** Derived: see `fieldKey`. */
  @Prop({ type: [String], default: undefined })
  fieldKeys!: string[];

  /** Counts its changes: a change is written only if there was none since it was read. */
  @Prop({ type: Number })
  version!: number;

  /** Set while it is being merged into this contact: it is shown nowhere, its numbers are free, and its content is in `merged`. */
  @Prop({ type: Types.ObjectId })
  mergedInto?: Types.ObjectId;

  @Prop({ type: Object })
  merged?: ContactContent;

  /** The row by which an import of a file, or the undo of one, changed it last. */
  @Prop({ type: Object })
  imported?: ImportStamp;

  /** The contacts that were merged into it last. */
  @Prop({ type: [Types.ObjectId], default: undefined })
  absorbed?: Types.ObjectId[];
}

export const NUMBERS_INDEX = { user: 1, peerNumbers: 1 } as const;
/** The order of lists of contacts. */
export const NAME_INDEX = { user: 1, sortKey: 1, _id: 1 } as const;
export const WORDS_INDEX = { user: 1, words: 1 } as const;
export const LISTS_INDEX = { user: 1, lists: 1, sortKey: 1, _id: 1 } as const;
export const TAGS_INDEX = { user: 1, tagKeys: 1, sortKey: 1, _id: 1 } as const;
export const FIELDS_INDEX = { user: 1, fieldKeys: 1, sortKey: 1, _id: 1 } as const;

export const ContactSchema = SchemaFactory.createForClass(Contact);
ContactSchema.index(NUMBERS_INDEX, { unique: true }); // a number belongs to one contact; who has a number
ContactSchema.index(NAME_INDEX); // the list of an account
ContactSchema.index(WORDS_INDEX); // the search
ContactSchema.index(LISTS_INDEX); // the members of a list
ContactSchema.index(TAGS_INDEX); // those with a tag
ContactSchema.index(FIELDS_INDEX); // those with a value of a field
ContactSchema.index({ user: 1, mergedInto: 1 }, ifPresent('mergedInto')); // merges that were interrupted
