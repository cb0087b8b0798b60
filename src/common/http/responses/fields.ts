import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { capitalize } from '../../capitalize';

export const Id = (description: string) =>
  ApiProperty({ type: String, description, example: '665f1c2ab7e1d4a9c0f3e812' });
export const OptionalId = (description: string) =>
  ApiPropertyOptional({ type: String, description, example: '665f1c2ab7e1d4a9c0f3e812' });
export const Count = (description: string, example = 12) =>
  ApiProperty({ type: 'integer', description, example });
export const OptionalCount = (description: string, example: number) =>
  ApiPropertyOptional({ type: 'integer', description, example });
export const NextCursor = () =>
  ApiProperty({
    type: String,
    nullable: true,
    description: 'Cursor of the next page; null on the last page',
    example: 'MTc2OTg2MDgwMDAwMC42NjVmMWMyYWI3ZTFkNGE5YzBmM2U4MTIuZGVzYw',
  });
export const Time = (description: string) =>
  ApiProperty({ type: String, format: 'date-time', description, example: '2026-01-31T12:00:00.000Z' });
export const OptionalTime = (description: string) =>
  ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description,
    example: '2026-01-31T12:00:00.000Z',
  });

export interface ListMeta {
  readonly limit: number;
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** The pagination of a list that is read by cursor. @param items what it lists, such as `batches`. @param note on `hasMore`. */
export function listMeta(items: string, limit: number, note = ''): Type<ListMeta> {
  class ListMetaResponse implements ListMeta {
    @Count(`${capitalize(items)} per page`, limit)
    limit!: number;

    @NextCursor()
    nextCursor!: string | null;

    @ApiProperty({ description: `Whether there are more ${items}${note}` })
    hasMore!: boolean;
  }
  return ListMetaResponse;
}

export const toListMeta = (limit: number, nextCursor: string | null): ListMeta => ({
  limit,
  nextCursor,
  hasMore: nextCursor !== null,
});
