import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Count, Id, Time } from '../../common/http/responses/fields';
import type { ContactListView } from '../lists/contact-lists.service';

class SegmentResponse {
  @ApiPropertyOptional({ description: 'Contacts with this tag', example: 'customer' })
  tag?: string;

  @ApiPropertyOptional({ description: 'Contacts whose field of this name has the value', example: 'city' })
  field?: string;

  @ApiPropertyOptional({ description: 'Value of the field', example: 'Leeds' })
  value?: string;
}

export class ListResponse {
  @Id('List id, for listId of sends')
  _id!: string;

  @ApiProperty({ description: 'Name', example: 'Newsletter' })
  name!: string;

  @ApiPropertyOptional({
    type: SegmentResponse,
    description: 'Which contacts are its members; absent if contacts are added to it',
  })
  segment?: SegmentResponse;

  @Count('Members; 10,000 stands for 10,000 or more', 250)
  memberCount!: number;

  @Time('When it was created')
  createdAt!: Date;

  @Time('When it was last updated')
  updatedAt!: Date;
}

export function toListResponse({ list, memberCount }: ContactListView): ListResponse {
  const { _id, name, segment, createdAt, updatedAt } = list;
  return {
    _id: _id.toHexString(),
    name,
    segment: segment && toSegment(segment),
    memberCount,
    createdAt,
    updatedAt,
  };
}

function toSegment(segment: NonNullable<ContactListView['list']['segment']>): SegmentResponse {
  return 'tag' in segment ? { tag: segment.tag } : { field: segment.field.name, value: segment.field.value };
}
