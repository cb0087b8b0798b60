import type { Types } from 'mongoose';
import type { ExistingChoice, ImportKind } from './import.schema';
import type { FileOptions } from './reading/file-rows';

/** How to import a file. */
export interface ImportOptions extends FileOptions {
  readonly kind: ImportKind;
  readonly fileName?: string;
  /** The list that its contacts become members of. */
  readonly list?: Types.ObjectId;
  /** Given to all of its contacts. */
  readonly tags?: readonly string[];
  readonly onExisting?: ExistingChoice;
  /** Of blocks; absent: all. */
  readonly topic?: string;
}
