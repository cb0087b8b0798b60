import { Types } from 'mongoose';
import { ValidationFailed } from '../../common/errors';
import { distinctTags } from '../../contacts/store/contact-input';
import { MAX_TAG_LENGTH } from '../../contacts/store/contact-limits';
import type { ImportOptions } from '../staging/import-options';
import { parseTarget, TARGET_RULE } from '../reading/column-target';
import { splitTags } from '../rows/contact-entry';
import type { ContactImportRequest, FileRequest, SuppressionImportRequest } from './import.request';

/** Tags that an import gives to its contacts, at most. */
const MAX_IMPORT_TAGS = 10;

/** @throws ValidationFailed */
export function contactImportOptions(request: ContactImportRequest): ImportOptions {
  const { listId, list, tags: text = '', onExisting = 'update' } = request;
  const tags = distinctTags(splitTags(text));
  if (listId !== undefined && list !== undefined)
    throw ValidationFailed.of('list', 'must be omitted if listId is given');
  if (tags.length > MAX_IMPORT_TAGS)
    throw ValidationFailed.of('tags', `must not have more than ${MAX_IMPORT_TAGS} entries`);
  if (tags.some((tag) => tag.length > MAX_TAG_LENGTH))
    throw ValidationFailed.of('tags', `must not be longer than ${MAX_TAG_LENGTH} characters each`);
  return {
    ...fileOptions(request),
    ...{ kind: 'contacts', tags, onExisting },
    ...(listId !== undefined && { list: { id: new Types.ObjectId(listId) } }),
    ...(list !== undefined && { list: { name: list } }),
  };
}

/** @throws ValidationFailed */
export const suppressionImportOptions = (request: SuppressionImportRequest): ImportOptions => ({
  ...fileOptions(request),
  kind: 'suppressions',
  topic: request.topic,
});

function fileOptions({ fileName, encoding, header, column }: FileRequest) {
  return {
    fileName,
    encoding,
    ...(header !== undefined && { hasHeader: header === 'true' }),
    targets: column?.map((text) => {
      const target = parseTarget(text);
      if (!target) throw ValidationFailed.of('column', `${JSON.stringify(text)} ${TARGET_RULE}`);
      return target;
    }),
  };
}
