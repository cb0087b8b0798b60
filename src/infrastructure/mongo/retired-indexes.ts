import { formatIndexKey, type ManagedIndex } from './managed-index';

/**
 * Removed indexes of versions before 1.0.0, which did not record their indexes. Indexes that are removed now need no entry.
 * An index that a schema declares is never dropped.
 */
export const RETIRED_INDEXES: readonly ManagedIndex[] = [
  {
    collection: 'messages',
    name: 'user_1_device_1_direction_1_countedAt_1',
    key: formatIndexKey({ user: 1, device: 1, direction: 1, countedAt: 1 }),
  },
  { collection: 'removals', name: 'kind_1_until_1', key: formatIndexKey({ kind: 1, until: 1 }) },
];
