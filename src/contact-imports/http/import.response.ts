import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DAY_MS } from '../../common/durations';
import { Count, Id, listMeta, OptionalId, OptionalTime, Time } from '../../common/http/responses/fields';
import {
  EXISTING_CHOICES,
  type ExistingChoice,
  type Import,
  IMPORT_KINDS,
  IMPORT_STATES,
  type ImportKind,
  type ImportState,
} from '../store/import.schema';
import type { RefusedRow } from '../store/import-rows.repository';
import { REFUSAL_CODES, type RefusalCode } from '../rows/refusal';
import { KEPT_DAYS } from '../runs/import-runner.service';

export class ImportColumnResponse {
  @ApiProperty({ description: 'Name of the column in the file, or its position', example: 'Mobile' })
  header!: string;

  @ApiProperty({ description: 'What it holds, as the parameter column says it', example: 'number' })
  target!: string;
}

export class ImportCountsResponse {
  @Count('Rows that created a contact, or blocked a number', 180)
  created!: number;

  @Count('Rows that changed a contact', 15)
  updated!: number;

  @Count('Rows that said nothing new', 2)
  unchanged!: number;

  @Count('Rows that were refused', 3)
  refused!: number;
}

export class UndoCountsResponse {
  @Count('Contacts that are removed, or blocks that are lifted', 170)
  removed!: number;

  @Count('Contacts that are as before', 14)
  restored!: number;

  @Count(
    'Contacts that stay because they have messages, and blocks that stay because they have another source',
    8,
  )
  kept!: number;

  @Count('What was changed since, and stays as far as it was', 3)
  changed!: number;
}

export class RefusedRowResponse {
  @Count('Line of the file, from 1', 42)
  line!: number;

  @ApiProperty({ description: 'Column', example: 'Mobile' })
  field!: string;

  @ApiProperty({ description: 'What the file has there', example: '4.47E+11' })
  value!: string;

  @ApiProperty({
    enum: REFUSAL_CODES,
    enumName: 'RefusalCode',
    description: 'Why',
    example: 'number_scientific',
  })
  code!: RefusalCode;

  @ApiProperty({
    description: 'The same in words, to follow the value, with what to do',
    example:
      'is a number that a spreadsheet shortened: format the column of phone numbers as text, and enter the whole number',
  })
  reason!: string;
}

export class ImportResponse {
  @Id('Id of the import')
  _id!: string;

  @ApiProperty({
    enum: IMPORT_KINDS,
    enumName: 'ImportKind',
    description: 'What the rows become',
    example: 'contacts',
  })
  kind!: ImportKind;

  @ApiProperty({
    enum: IMPORT_STATES,
    enumName: 'ImportState',
    description: 'reading: its file is being uploaded. applying, undoing: in progress',
    example: 'done',
  })
  state!: ImportState;

  @ApiPropertyOptional({ description: 'Name of the file', example: 'customers.csv' })
  fileName?: string;

  @ApiPropertyOptional({
    description: 'SHA-256 of the file',
    example: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  })
  fileHash?: string;

  @ApiProperty({ type: ImportColumnResponse, isArray: true, description: 'What the columns were taken for' })
  columns!: ImportColumnResponse[];

  @OptionalId('List whose members the contacts became')
  listId?: string;

  @ApiPropertyOptional({
    type: String,
    isArray: true,
    description: 'Tags that all contacts got',
    example: ['customers'],
  })
  tags?: string[];

  @ApiPropertyOptional({
    enum: EXISTING_CHOICES,
    enumName: 'ExistingChoice',
    description: 'What became of contacts that existed',
    example: 'update',
  })
  onExisting?: ExistingChoice;

  @ApiPropertyOptional({ description: 'Topic that blocks are limited to; absent: all', example: 'offers' })
  topic?: string;

  @Count('Rows of the file, so far while it is being read', 200)
  rowCount!: number;

  @Count('Rows that are applied', 200)
  appliedCount!: number;

  @ApiProperty({ type: ImportCountsResponse, description: 'The applied rows by what became of them' })
  counts!: ImportCountsResponse;

  @ApiPropertyOptional({ type: UndoCountsResponse, description: 'What the undo did, so far' })
  undone?: UndoCountsResponse;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Rows that the undo has still to go through',
    example: 0,
  })
  leftToUndo?: number;

  @ApiPropertyOptional({
    type: RefusedRowResponse,
    isArray: true,
    description: 'The first refused rows; all are in gateway/imports/{id}/refused. Absent in lists',
  })
  refusals?: RefusedRowResponse[];

  @Time('When it was started')
  createdAt!: Date;

  @OptionalTime('When it was done, or undone')
  endedAt?: Date;

  @Time('When it is removed; what it imported stays, but can no longer be taken back')
  keptUntil!: Date;
}

/** The page of a list of imports. */
export class ImportListMetaResponse extends listMeta('imports', 50) {}

export const toImportResponse = (job: Import, refusals?: readonly RefusedRow[]): ImportResponse => ({
  _id: job._id.toHexString(),
  kind: job.kind,
  state: job.state,
  fileName: job.fileName,
  fileHash: job.fileHash,
  columns: (job.columns ?? []).map(({ header, target }) => ({ header, target })),
  listId: job.list?.toHexString(),
  tags: job.tags,
  onExisting: job.onExisting,
  topic: job.topic,
  rowCount: job.rowCount,
  appliedCount: job.appliedRows,
  counts: toCounts(job.counts),
  undone: job.undone && toUndoCounts(job.undone),
  leftToUndo: job.rowsToUndo,
  refusals: refusals?.map(toRefusedRow),
  createdAt: job.createdAt,
  endedAt: job.endedAt,
  keptUntil: new Date(job.createdAt.getTime() + KEPT_DAYS * DAY_MS),
});

const toCounts = ({ created, updated, unchanged, refused }: ImportCountsResponse): ImportCountsResponse => ({
  created,
  updated,
  unchanged,
  refused,
});

const toUndoCounts = ({ removed, restored, kept, changed }: UndoCountsResponse): UndoCountsResponse => ({
  removed,
  restored,
  kept,
  changed,
});

const toRefusedRow = ({ line, refusal: { field, value, code, reason } }: RefusedRow): RefusedRowResponse => ({
  line,
  field,
  value,
  code,
  reason,
});
