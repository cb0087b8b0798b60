import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { OwnedDocument } from '../../infrastructure/mongo/owned-document';
import type { ContactField } from '../store/contact.schema';

/** Which contacts belong to a segment: those with a tag, or with a value of a field. */
export type SegmentCondition = { readonly tag: string } | { readonly field: ContactField };

/** A list of contacts. Its members name it in `lists`; those of a segment are the contacts that meet its condition. */
@Schema({ collection: 'lists', versionKey: false })
export class ContactList extends OwnedDocument {
  @Prop({ type: String })
  name!: string;

  /** Names with the same key are one; of a list that is being deleted, its id. */
  @Prop({ type: String })
  nameKey!: string;

  /** Absent: its members are added to it. */
  @Prop({ type: Object })
  segment?: SegmentCondition;

  /** Its place among those that the account may have; unique, so that concurrent calls cannot exceed the limit. */
  @Prop({ type: Number })
  slot!: number;

  /** Set while its members are removed from it; it is shown nowhere. */
  @Prop({ type: Date })
  deletedAt?: Date;
}

export const ContactListSchema = SchemaFactory.createForClass(ContactList);
ContactListSchema.index({ user: 1, nameKey: 1 }, { unique: true }); // one list per name; the lists of an account
ContactListSchema.index({ user: 1, slot: 1 }, { unique: true }); // the limit of an account
