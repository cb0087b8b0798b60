import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Page } from '../../common/http/responses/envelope.interceptor';
import { Id, listMeta, Time, toListMeta } from '../../common/http/responses/fields';
import type { ContactPage } from '../contact-pages.service';
import type { Contact } from '../store/contact.schema';

class ContactNumberResponse {
  @ApiProperty({ description: 'As it was given', example: '07700 900123' })
  number!: string;

  @ApiProperty({
    description:
      'In comparable form, as conversations have it: E.164 if it can be read, else as it was given',
    example: '+447700900123',
  })
  peerNumber!: string;

  @ApiPropertyOptional({ description: 'What it is for', example: 'Work' })
  label?: string;
}

export class ContactResponse {
  @Id('Contact id')
  _id!: string;

  @ApiProperty({ description: 'Name; empty if it has none', example: 'Ana Marín' })
  name!: string;

  @ApiProperty({ type: [ContactNumberResponse], description: 'Numbers, the primary one first' })
  numbers!: ContactNumberResponse[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Fields of your own, by name',
    example: { city: 'Leeds' },
  })
  fields!: Record<string, string>;

  @ApiProperty({ type: [String], description: 'Tags', example: ['customer'] })
  tags!: string[];

  @ApiProperty({
    type: [String],
    description: 'Ids of the lists that it is a member of; segments are not among them',
    example: ['665f1c2ab7e1d4a9c0f3e812'],
  })
  lists!: string[];

  @ApiPropertyOptional({ description: 'Notes', example: 'Prefers to be called after five' })
  notes?: string;

  @ApiPropertyOptional({ description: 'Language of the person', example: 'en' })
  language?: string;

  @Time('When it was created')
  createdAt!: Date;

  @Time('When it was last updated')
  updatedAt!: Date;
}

export const toContactResponse = (contact: Contact): ContactResponse => ({
  _id: contact._id.toHexString(),
  name: contact.name,
  numbers: contact.numbers.map(({ number, peerNumber, label }) => ({ number, peerNumber, label })),
  fields: Object.fromEntries(contact.fields.map(({ name, value }) => [name, value])),
  tags: [...contact.tags],
  lists: contact.lists.map((id) => id.toHexString()),
  notes: contact.notes,
  language: contact.language,
  createdAt: contact.createdAt,
  updatedAt: contact.updatedAt,
});

export class ContactPageMetaResponse extends listMeta('contacts', 50) {}

export const toContactPageResponse = (
  { contacts, nextCursor }: ContactPage,
  limit: number,
): Page<ContactResponse, ContactPageMetaResponse> =>
  new Page(contacts.map(toContactResponse), toListMeta(limit, nextCursor));
