import type { Types } from 'mongoose';
import type { ExistingChoice, ImportKind } from '../store/import.schema';
import type { FileOptions } from '../reading/file-rows';

/** How to import a file. */
export interface ImportOptions extends FileOptions {
  readonly kind: ImportKind;
  readonly fileName?: string;
  /** The list that its contacts become members of: one that exists, or the one with a name, which is created if there is none. */
  readonly list?: { readonly id: Types.ObjectId } | { readonly name: string };
  /** Given to all of its contacts. */
  readonly tags?: readonly string[];
  readonly onExisting?: ExistingChoice;
  /** Of blocks; absent: all. */
  readonly topic?: string;
}
