import { ApiProperty } from '@nestjs/swagger';
import { Id, Time } from '../../../common/http/responses/fields';
import type { View } from '../view.schema';

export class ViewResponse {
  @Id('View id')
  _id!: string;

  @ApiProperty({ description: 'Name', example: 'Failed this year' })
  name!: string;

  @ApiProperty({
    description: 'The query string of GET gateway/messages',
    example: 'status=failed&from=2026-01-01',
  })
  query!: string;

  @Time('When it was created')
  createdAt!: Date;

  @Time('When it was last updated')
  updatedAt!: Date;
}

export const toViewResponse = ({ _id, name, query, createdAt, updatedAt }: View): ViewResponse => ({
  _id: _id.toHexString(),
  name,
  query,
  createdAt,
  updatedAt,
});
